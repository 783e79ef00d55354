// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "platforms/variants/variants.h"
#include "runtime/fixed_point/multiplier.h"
#include "runtime/kernels/binary/binary.h"
#include "runtime/kernels/compare/compare.h"
#include "runtime/kernels/lookup/lookup.h"
#include "runtime/kernels/min_max/min_max.h"
#include "runtime/kernels/prelu/prelu.h"
#include "runtime/kernels/select/select.h"

namespace lutra::platforms {
namespace {

// Elements in front of those that are made, which must stay as they are.
int32_t FirstOf(int32_t count) { return count % 3; }

// The steps of two inputs: one element after the other, or the same again and again.
struct Steps {
  int32_t a;
  int32_t b;
};
constexpr Steps kSteps[] = {{1, 1}, {1, 0}, {0, 1}};

void CheckLookup(VariantChecker& checker) {
  Problems<LookupArgs> problems(checker);
  const auto* const table = checker.Filled<uint8_t>(1, 256);
  const auto add = [&](int32_t count) {
    const int32_t end = FirstOf(count) + count;
    problems.Add({.args = {table, checker.Filled<uint8_t>(static_cast<uint32_t>(count), end),
                           checker.Output<uint8_t>(end)},
                  .first = FirstOf(count),
                  .count = count});
  };
  for (int32_t count = 1; count <= kMaxCount; ++count) add(count);
  add(1000);
  checker.Check("lookup", kLookup, problems);
}

// For Div, no code of b may be its zero point.
template <typename Element, int N>
void CheckBinary(VariantChecker& checker, const char* table, const Variant<BinaryFn> (&variants)[N],
                 const BinaryQuantization& quantization) {
  Problems<BinaryArgs> problems(checker);
  const auto add = [&](int32_t count, Steps steps) {
    const int32_t end = FirstOf(count) + count;
    const auto* const a = checker.Filled<Element>(2, end);
    auto* const b = checker.Filled<Element>(3, end);
    for (int32_t i = 0; i < end; ++i) {
      if (b[i] == quantization.b_zero_point) ++b[i];
    }
    problems.Add({.args = {a, b, checker.Output<Element>(end), steps.a, steps.b, &quantization},
                  .first = FirstOf(count),
                  .count = count});
  };
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const Steps& steps : kSteps) add(count, steps);
  }
  add(5000, kSteps[0]);
  checker.Check(table, variants, problems);
}

void CheckBinaries(VariantChecker& checker) {
  const BinaryQuantization sum = {QuantizeMultiplier(0.5),
                                  QuantizeMultiplier(0.3),
                                  QuantizeMultiplier(1.7 / (1 << 20)),
                                  -128,
                                  127,
                                  -3,
                                  -100,
                                  120};
  CheckBinary<int8_t>(checker, "add_int8", kAddInt8, sum);
  CheckBinary<int8_t>(checker, "sub_int8", kSubInt8, sum);
  const BinaryQuantization product = {{}, {}, QuantizeMultiplier(0.01), 3, -20, -128, -128, 127};
  CheckBinary<int8_t>(checker, "mul_int8", kMulInt8, product);
  const BinaryQuantization quotient = {{}, {}, QuantizeMultiplier(20.0), 3, -10, 1, -120, 127};
  CheckBinary<int8_t>(checker, "div_int8", kDivInt8, quotient);
  const BinaryQuantization square = {QuantizeMultiplier(0.5),
                                     QuantizeMultiplier(0.4),
                                     QuantizeMultiplier(0.03 / (1 << 14)),
                                     5,
                                     -66,
                                     -128,
                                     -128,
                                     127};
  CheckBinary<int8_t>(checker, "squared_difference_int8", kSquaredDifferenceInt8, square);
  CheckBinary<int32_t>(checker, "add_int32", kAddInt32, {});
  CheckBinary<int32_t>(checker, "sub_int32", kSubInt32, {});
  CheckBinary<int32_t>(checker, "mul_int32", kMulInt32, {});
}

struct NumberType {
  TensorType type;
  int32_t bytes;
};

void CheckCompare(VariantChecker& checker) {
  constexpr NumberType kTypes[] = {{TensorType::kInt8, 1},  {TensorType::kUInt8, 1}, {TensorType::kInt16, 2},
                                   {TensorType::kInt32, 4}, {TensorType::kInt64, 8}, {TensorType::kBool, 1}};
  Problems<CompareArgs> problems(checker);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const NumberType& type : kTypes) {
      const int32_t end = FirstOf(count) + count;
      auto* const a = checker.TakeFilled(4, end, type.bytes);
      auto* const b = checker.TakeFilled(5, end, type.bytes);
      // Some are equal.
      memcpy(b, a, static_cast<size_t>(end / 3 * type.bytes));
      const Steps& steps = kSteps[count / 6 % 3];
      problems.Add({.args = {.comparison = static_cast<Comparison>(count % 6),
                             .type = type.type,
                             .a = a,
                             .b = b,
                             .output = checker.Output<uint8_t>(end),
                             .a_step = steps.a,
                             .b_step = steps.b,
                             .a_zero_point = 3,
                             .b_zero_point = 2,
                             .a_multiplier = QuantizeMultiplier(0.5),
                             .b_multiplier = QuantizeMultiplier(0.5)},
                    .first = FirstOf(count),
                    .count = count});
    }
  }
  checker.Check("compare", kCompare, problems);
}

void CheckMinMax(VariantChecker& checker) {
  constexpr NumberType kTypes[] = {
      {TensorType::kInt8, 1}, {TensorType::kInt16, 2}, {TensorType::kInt32, 4}, {TensorType::kInt64, 8}};
  Problems<MinMaxArgs> problems(checker);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const NumberType& type : kTypes) {
      const int32_t end = FirstOf(count) + count;
      const Steps& steps = kSteps[count / 2 % 3];
      problems.Add({.args = {count % 2 != 0, type.type, checker.TakeFilled(6, end, type.bytes),
                             checker.TakeFilled(7, end, type.bytes), checker.TakeOutput(end, type.bytes),
                             steps.a, steps.b},
                    .first = FirstOf(count),
                    .count = count});
    }
  }
  checker.Check("min_max", kMinMax, problems);
}

void CheckSelect(VariantChecker& checker) {
  Problems<SelectArgs> problems(checker);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const int32_t bytes : kElementSizes) {
      auto* const condition = checker.Filled<uint8_t>(static_cast<uint32_t>(count), count);
      for (int32_t i = 0; i < count; ++i) condition[i] &= 1;
      const Steps& steps = kSteps[count % 3];
      problems.Add(
          {.args = {condition, checker.Filled<uint8_t>(8, count * bytes),
                    checker.Filled<uint8_t>(9, count * bytes), checker.Output<uint8_t>(count * bytes),
                    count % 5 == 0 ? 0 : 1, steps.a, steps.b, bytes},
           .count = count});
    }
  }
  checker.Check("select", kSelect, problems);
}

void CheckPrelu(VariantChecker& checker) {
  Problems<PreluArgs> problems(checker);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    for (const Steps& steps : kSteps) {
      const int32_t end = FirstOf(count) + count;
      problems.Add({.args = {checker.Filled<int8_t>(10, end), checker.Filled<int8_t>(11, end),
                             checker.Output<int8_t>(end), steps.a, steps.b, 3, -4, 5, QuantizeMultiplier(0.9),
                             QuantizeMultiplier(0.02)},
                    .first = FirstOf(count),
                    .count = count});
    }
  }
  checker.Check("prelu_int8", kPreluInt8, problems);
}

}  // namespace

void CheckElementwise(VariantChecker& checker) {
  CheckLookup(checker);
  CheckBinaries(checker);
  CheckCompare(checker);
  CheckMinMax(checker);
  CheckSelect(checker);
  CheckPrelu(checker);
}

}  // namespace lutra::platforms
