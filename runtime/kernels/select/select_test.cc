// SPDX-License-Identifier: Apache-2.0
// Every variant, for each element size, with every input repeated or not.

#include "lutra/kernels/select/select.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

class Select : public KernelTest<SelectFn> {
 protected:
  // Checks all combinations of repeated inputs.
  void CheckSteps(int32_t count, int32_t bytes) {
    constexpr uint8_t kGuard = 0x5A;
    std::vector<uint8_t> condition(static_cast<size_t>(count));
    std::vector<uint8_t> a(condition.size() * static_cast<size_t>(bytes));
    std::vector<uint8_t> b(a.size());
    FillBytes(1, count * bytes, a.data());
    FillBytes(2, count * bytes, b.data());
    FillBytes(3, count, condition.data());
    for (uint8_t& flag : condition) flag = flag % 3 == 0 ? 0 : flag;
    for (int steps = 0; steps < 8; ++steps) {
      std::vector<uint8_t> output(a.size() + 1, kGuard);
      const SelectArgs args = {.condition = condition.data(),
                               .a = a.data(),
                               .b = b.data(),
                               .output = output.data(),
                               .condition_step = steps & 1,
                               .a_step = steps >> 1 & 1,
                               .b_step = steps >> 2,
                               .element_bytes = bytes};
      Run(args, count);
      for (int32_t i = 0; i < count; ++i) {
        const bool first = condition[i * args.condition_step] != 0;
        for (int32_t k = 0; k < bytes; ++k) {
          const uint8_t expected = first ? a[i * args.a_step * bytes + k] : b[i * args.b_step * bytes + k];
          ASSERT_EQ(output[i * bytes + k], expected) << i;
        }
      }
      EXPECT_EQ(output.back(), kGuard);
    }
  }
};

TEST_P(Select, TakesOneOrTheOther) {
  for (const int32_t bytes : {1, 2, 4, 8}) {
    for (const int32_t count : NetworkSizes(1024)) CheckSteps(count, bytes);
  }
}

TEST_P(Select, EqualsTheReferenceAtPageEdges) {
  for (const PageEdge::Side side : kPageEdges) {
    for (const int32_t count : EdgeSizes()) {
      for (const int32_t bytes : {1, 2, 4, 8}) {
        const int32_t steps = count % 8;
        SelectArgs args = {.condition_step = steps & 1,
                           .a_step = steps >> 1 & 1,
                           .b_step = steps >> 2,
                           .element_bytes = bytes};
        const FilledEdge condition(3, args.condition_step != 0 ? count : 1, side);
        const FilledEdge a(4, args.a_step != 0 ? count * bytes : bytes, side);
        const FilledEdge b(5, args.b_step != 0 ? count * bytes : bytes, side);
        const FilledEdge output(1, count * bytes, side), right(2, count * bytes, side);
        if (args.condition_step == 0 && count / 8 % 2 == 0) condition.data()[0] = 0;
        for (int32_t i = 0; i < count * args.condition_step; i += 3) condition.data()[i] = 0;
        args.condition = condition.data();
        args.a = a.data();
        args.b = b.data();
        args.output = output.data();
        Run(args, count);
        args.output = right.data();
        RunReference(args, count);
        ASSERT_EQ(output.Bytes(count * bytes), right.Bytes(count * bytes)) << count << ", " << bytes;
      }
    }
  }
}

LUTRA_TEST_TABLE(Select, kSelect);

}  // namespace
}  // namespace lutra
