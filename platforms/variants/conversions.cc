// SPDX-License-Identifier: Apache-2.0
// Conversions between the types of elements.

#include "lutra/kernels/convert/convert.h"
#include "platforms/variants/variants.h"

namespace lutra::platforms {
namespace {

struct Case {
  Conversion conversion;
  TensorType from;
  TensorType to;
};

constexpr Case kCases[] = {
    {Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8},
    {Conversion::kQuantize, TensorType::kFloat32, TensorType::kUInt8},
    {Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt16},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt8},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kUInt8},
    {Conversion::kRequantize, TensorType::kUInt8, TensorType::kInt8},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt16},
    {Conversion::kRequantize, TensorType::kInt16, TensorType::kInt8},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt32},
    {Conversion::kCast, TensorType::kFloat32, TensorType::kInt8},
    {Conversion::kCast, TensorType::kFloat32, TensorType::kInt64},
    {Conversion::kCast, TensorType::kFloat32, TensorType::kBool},
    {Conversion::kCast, TensorType::kInt8, TensorType::kInt32},
    {Conversion::kCast, TensorType::kInt32, TensorType::kInt8},
    {Conversion::kCast, TensorType::kInt16, TensorType::kInt64},
    {Conversion::kCast, TensorType::kInt64, TensorType::kUInt8},
    {Conversion::kCast, TensorType::kInt8, TensorType::kBool},
    {Conversion::kCast, TensorType::kBool, TensorType::kInt16},
};

}  // namespace

void CheckConversions(VariantChecker& checker) {
  Problems<ConvertArgs> problems(checker);
  const auto add = [&](const Case& c, int32_t count) {
    const int32_t first = count % 3;
    const int32_t end = first + count;
    const void* input = checker.TakeFilled(12, end, ElementBytes(c.from));
    if (c.from == TensorType::kFloat32) {
      const auto* const codes = checker.Filled<int8_t>(13, end);
      auto* const reals = checker.Data<float>(end);
      for (int32_t i = 0; i < end; ++i)
        reals[i] = static_cast<float>(codes[i]) * (i % 8 == 7 ? 1e20f : 1.375f);
      input = reals;
    }
    problems.Add({.args = {.conversion = c.conversion,
                           .in_type = c.from,
                           .out_type = c.to,
                           .scale = 0.75f,
                           .in_zero_point = c.from == TensorType::kUInt8 ? 128 : 3,
                           .out_zero_point = c.to == TensorType::kUInt8 ? 120 : -4,
                           .multiplier = QuantizeMultiplier(c.from == TensorType::kInt16 ? 0.004 : 1.3),
                           .input = input,
                           .output = checker.TakeOutput(end, ElementBytes(c.to))},
                  .first = first,
                  .count = count});
  };
  for (const Case& c : kCases) {
    for (int32_t count = 1; count <= kMaxCount; count += count < 20 ? 1 : 7) add(c, count);
  }
  checker.Check(kConvert, problems);
}

}  // namespace lutra::platforms
