// SPDX-License-Identifier: Apache-2.0
// Tests --inspect of models that the runtime refuses.

#include "bench/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/model_file.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {
namespace {

// A file holds zero points in 64 bits: one that its type does not have is shown as it is.
TEST(Inspect, ShowsAZeroPointOutOfRange) {
  ModelBuilder builder;
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f, .zero_point = (int64_t{1} << 32) + 7});
  builder.AddTensor({.shape = {1, 4}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kRelu, {0}, {1});
  const std::vector<uint8_t> model = builder.Finish({0}, {1});
  host::AlignedBytes bytes(model.size());
  std::copy(model.begin(), model.end(), bytes.data());
  const std::string text = InspectModel(host::CheckModelFile("m", std::move(bytes)), {});
  EXPECT_NE(text.find(" scale 0.5 zero point 4294967303 "), std::string::npos) << text;
}

}  // namespace
}  // namespace lutra::bench
