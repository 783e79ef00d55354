// SPDX-License-Identifier: Apache-2.0
// The list of all operators.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "lutra/ops/ops.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

std::string NameOfOp(const Op& op) { return NameOf(op.code, op.custom_code); }

TEST(AllOps, HasEachOperatorOnce) {
  std::vector<std::string> names;
  for (const Op& op : AllOps()) {
    EXPECT_NE(op.prepare, nullptr) << NameOfOp(op);
    EXPECT_NE(op.eval, nullptr) << NameOfOp(op);
    EXPECT_TRUE(op.code != BuiltinOperator::kCustom || op.custom_code != nullptr) << NameOfOp(op);
    for (const std::string& name : names) EXPECT_NE(name, NameOfOp(op));
    names.push_back(NameOfOp(op));
    EXPECT_NE(names.back(), "UNKNOWN");
  }
}

// An application may pass a list of its own operators; the runtime finds in it the operators of a model.
TEST(AllOps, AShorterListServesItsOperators) {
  constexpr Op kOps[] = {kReshape, kAdd};
  const OpModel model = {
      .op = BuiltinOperator::kReshape, .inputs = {{.shape = {2, 2}}}, .outputs = {{.shape = {4}}}};
  const Loaded reshape(Build(model));
  alignas(16) uint8_t arena[2048];
  MicroInterpreter interpreter(reshape.model, kOps, arena);
  EXPECT_EQ(interpreter.AllocateTensors(), Status::kOk);
  OpModel other = model;
  other.op = BuiltinOperator::kSqueeze;
  const Loaded squeeze(Build(other));
  MicroInterpreter without(squeeze.model, kOps, arena);
  EXPECT_EQ(without.AllocateTensors(), Status::kUnsupported);
  EXPECT_EQ(without.diagnosis().rule, Rule::kOperatorUnknown);
}

}  // namespace
}  // namespace lutra
