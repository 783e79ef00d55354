// SPDX-License-Identifier: Apache-2.0
// Every variant against std::min and std::max, for each type, in place and with a repeated input.

#include "lutra/kernels/min_max/min_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

class MinMax : public KernelTest<MinMaxFn> {};

template <typename T, typename Kernel>
void ExpectMinMax(const Kernel& run, TensorType type) {
  for (const int32_t count : NetworkSizes(1024)) {
    std::vector<T> a, b;
    for (int32_t i = 0; i < count + 2; ++i) {
      a.push_back(static_cast<T>(i * 37 % 256 - 128));
      b.push_back(static_cast<T>(i % 5 == 0 ? a.back() : static_cast<T>(i * 91 % 256 - 128)));
    }
    for (const bool maximum : {true, false}) {
      for (const int32_t step : {0, 1}) {
        std::vector<T> output = a;
        run({maximum, type, output.data(), b.data(), output.data(), 1, step}, 1, count);
        for (int32_t i = 0; i < count + 2; ++i) {
          const T other = b[i * step];
          const T expected = maximum ? std::max(a[i], other) : std::min(a[i], other);
          ASSERT_EQ(output[i], i >= 1 && i <= count ? expected : a[i]) << i;
        }
      }
    }
  }
}

TEST_P(MinMax, PicksTheSmallerOrTheLarger) {
  ExpectMinMax<int8_t>(kernel(), TensorType::kInt8);
  ExpectMinMax<int16_t>(kernel(), TensorType::kInt16);
  ExpectMinMax<int32_t>(kernel(), TensorType::kInt32);
  ExpectMinMax<int64_t>(kernel(), TensorType::kInt64);
  ExpectMinMax<float>(kernel(), TensorType::kFloat32);
}

TEST_P(MinMax, EqualsTheReferenceAtPageEdges) {
  for (const PageEdge::Side side : kPageEdges) {
    for (const int32_t count : EdgeSizes()) {
      for (int kind = 0; kind < 6; ++kind) {
        const int32_t a_step = kind / 2 == 0 ? 0 : 1, b_step = kind / 2 == 1 ? 0 : 1;
        const FilledEdge a(5, a_step != 0 ? count : 1, side), b(6, b_step != 0 ? count : 1, side);
        const FilledEdge output(1, count, side), right(2, count, side);
        const bool maximum = kind % 2 != 0;
        const int32_t first = count % 2 == 0 ? 0 : 4000;
        MinMaxArgs args = {maximum,
                           TensorType::kInt8,
                           BeforeElement(a.data(), first, a_step),
                           BeforeElement(b.data(), first, b_step),
                           BeforeElement(output.data(), first),
                           a_step,
                           b_step};
        Run(args, first, count);
        args.output = BeforeElement(right.data(), first);
        RunReference(args, first, count);
        ASSERT_EQ(output.Bytes(count), right.Bytes(count)) << count << ", " << kind;
      }
    }
  }
}

LUTRA_TEST_TABLE(MinMax, kMinMax);

}  // namespace
}  // namespace lutra
