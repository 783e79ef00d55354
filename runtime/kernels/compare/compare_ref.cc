// SPDX-License-Identifier: Apache-2.0
// Int8 codes are compared as scaled numbers, other types as they are.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/compare/compare.h"

namespace lutra {
namespace {

constexpr int kFractionBits = 8;

template <typename T>
bool Holds(Comparison comparison, T a, T b) {
  switch (comparison) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kNotEqual:
      return a != b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterEqual:
      return a >= b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessEqual:
      return a <= b;
  }
  return false;
}

template <typename T>
void CompareRaw(const CompareArgs& args, int32_t first, int32_t count) {
  const auto* a = static_cast<const T*>(args.a);
  const auto* b = static_cast<const T*>(args.b);
  for (int32_t i = first; i < first + count; ++i) {
    args.output[i] = Holds(args.comparison, a[i * args.a_step], b[i * args.b_step]) ? 1 : 0;
  }
}

int32_t Scaled(int8_t code, int32_t zero_point, Multiplier multiplier) {
  return MultiplyByQuantizedMultiplier((code - zero_point) * (1 << kFractionBits), multiplier);
}

void CompareInt8(const CompareArgs& args, int32_t first, int32_t count) {
  const auto* a = static_cast<const int8_t*>(args.a);
  const auto* b = static_cast<const int8_t*>(args.b);
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t x = Scaled(a[i * args.a_step], args.a_zero_point, args.a_multiplier);
    const int32_t y = Scaled(b[i * args.b_step], args.b_zero_point, args.b_multiplier);
    args.output[i] = Holds(args.comparison, x, y) ? 1 : 0;
  }
}

}  // namespace

void CompareRef(const CompareArgs& args, int32_t first, int32_t count) {
  switch (args.type) {
    case TensorType::kInt8:
      return CompareInt8(args, first, count);
    case TensorType::kInt16:
      return CompareRaw<int16_t>(args, first, count);
    case TensorType::kInt32:
      return CompareRaw<int32_t>(args, first, count);
    case TensorType::kInt64:
      return CompareRaw<int64_t>(args, first, count);
    case TensorType::kFloat32:
      return CompareRaw<float>(args, first, count);
    default:
      return CompareRaw<uint8_t>(args, first, count);
  }
}

}  // namespace lutra
