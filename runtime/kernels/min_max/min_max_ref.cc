// SPDX-License-Identifier: Apache-2.0
// A loop for each type.

#include "lutra/kernels/min_max/min_max.h"

namespace lutra {
namespace {

template <typename T>
void MinMax(const MinMaxArgs& args, int32_t first, int32_t count) {
  const auto* a = static_cast<const T*>(args.a);
  const auto* b = static_cast<const T*>(args.b);
  auto* output = static_cast<T*>(args.output);
  for (int32_t i = first; i < first + count; ++i) {
    const T x = a[i * args.a_step];
    const T y = b[i * args.b_step];
    const T smaller = y < x ? y : x;
    const T larger = y < x ? x : y;
    output[i] = args.maximum ? larger : smaller;
  }
}

}  // namespace

void MinMaxRef(const MinMaxArgs& args, int32_t first, int32_t count) {
  switch (args.type) {
    case TensorType::kInt16:
      return MinMax<int16_t>(args, first, count);
    case TensorType::kInt32:
      return MinMax<int32_t>(args, first, count);
    case TensorType::kInt64:
      return MinMax<int64_t>(args, first, count);
    case TensorType::kFloat32:
      return MinMax<float>(args, first, count);
    default:
      return MinMax<int8_t>(args, first, count);
  }
}

}  // namespace lutra
