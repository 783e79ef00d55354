// SPDX-License-Identifier: Apache-2.0
// Kernels that make each element of one or two others.

#include <string.h>

#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/binary/binary.h"
#include "lutra/kernels/compare/compare.h"
#include "lutra/kernels/lookup/lookup.h"
#include "lutra/kernels/min_max/min_max.h"
#include "lutra/kernels/prelu/prelu.h"
#include "lutra/kernels/select/select.h"
#include "lutra/kernels/unary_float/unary_float.h"
#include "platforms/variants/variants.h"

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
  // Any entries; those of a clamp, which needs no lookup; and steps, most of which equal their neighbours.
  constexpr int32_t kTables = 3;
  uint8_t* const tables[kTables] = {checker.Filled<uint8_t>(1, 256), checker.Data<uint8_t>(256),
                                    checker.Data<uint8_t>(256)};
  for (int32_t code = -128; code < 128; ++code) {
    tables[1][static_cast<uint8_t>(code)] = static_cast<uint8_t>(code < -50  ? -45
                                                                 : code > 90 ? 95
                                                                             : code + 5);
    tables[2][static_cast<uint8_t>(code)] = static_cast<uint8_t>(code < 20 ? -128 : code < 40 ? code : 100);
  }
  const auto add = [&](int32_t count, const uint8_t* table) {
    const int32_t end = FirstOf(count) + count;
    problems.Add({.args = {table, checker.Filled<uint8_t>(static_cast<uint32_t>(count), end),
                           checker.Output<uint8_t>(end)},
                  .first = FirstOf(count),
                  .count = count});
  };
  for (const uint8_t* const table : tables) {
    for (int32_t count = 1; count <= kMaxCount; ++count) add(count, table);
    for (const int32_t count : kLargeCounts) add(count, table);
  }
  checker.Check(kLookup, problems);
}

// For Div, no code of b may be its zero point.
template <typename Element, int N>
void CheckBinary(VariantChecker& checker, const Variant<BinaryFn> (&variants)[N],
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
  for (const int32_t count : kLargeCounts) add(count, kSteps[0]);
  checker.Check(variants, problems);
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
  CheckBinary<int8_t>(checker, kAddInt8, sum);
  CheckBinary<int8_t>(checker, kSubInt8, sum);
  const BinaryQuantization product = {{}, {}, QuantizeMultiplier(0.01), 3, -20, -128, -128, 127};
  CheckBinary<int8_t>(checker, kMulInt8, product);
  const BinaryQuantization quotient = {{}, {}, QuantizeMultiplier(20.0), 3, -10, 1, -120, 127};
  CheckBinary<int8_t>(checker, kDivInt8, quotient);
  const BinaryQuantization square = {QuantizeMultiplier(0.5),
                                     QuantizeMultiplier(0.4),
                                     QuantizeMultiplier(0.03 / (1 << 14)),
                                     5,
                                     -66,
                                     -128,
                                     -128,
                                     127};
  CheckBinary<int8_t>(checker, kSquaredDifferenceInt8, square);
  CheckBinary<int32_t>(checker, kAddInt32, {});
  CheckBinary<int32_t>(checker, kSubInt32, {});
  CheckBinary<int32_t>(checker, kMulInt32, {});
}

template <int N>
void CheckFloatBinary(VariantChecker& checker, const Variant<BinaryFn> (&variants)[N]) {
  Problems<BinaryArgs> problems(checker);
  const auto add = [&](int32_t count, Steps steps) {
    const int32_t end = FirstOf(count) + count;
    problems.Add({.args = {checker.FilledReals(2, end), checker.FilledReals(3, end), checker.OutputReals(end),
                           steps.a, steps.b, nullptr, -1.5f, 6.0f},
                  .first = FirstOf(count),
                  .count = count});
  };
  for (int32_t count = 1; count <= kMaxCount; ++count) add(count, kSteps[count % 3]);
  for (const int32_t count : kLargeCounts) add(count, kSteps[0]);
  checker.Check(variants, problems);
}

void CheckFloatBinaries(VariantChecker& checker) {
  CheckFloatBinary(checker, kAddFloat);
  CheckFloatBinary(checker, kSubFloat);
  CheckFloatBinary(checker, kMulFloat);
  CheckFloatBinary(checker, kDivFloat);
  CheckFloatBinary(checker, kSquaredDifferenceFloat);
}

void CheckUnaryFloat(VariantChecker& checker) {
  Problems<UnaryFloatArgs> problems(checker);
  for (int32_t function = 0; function <= static_cast<int32_t>(UnaryFunction::kAbs); ++function) {
    for (const int32_t count : kFewCounts) {
      const int32_t end = FirstOf(count) + count;
      float* const input = checker.FilledReals(static_cast<uint32_t>(count), end);
      for (int32_t i = 0; i < end; ++i) input[i] *= 9.0f;
      problems.Add({.args = {static_cast<UnaryFunction>(function), 0.25f, input, checker.OutputReals(end)},
                    .first = FirstOf(count),
                    .count = count});
    }
  }
  checker.Check(kUnaryFloat, problems);
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
  checker.Check(kCompare, problems);
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
  checker.Check(kMinMax, problems);
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
  checker.Check(kSelect, problems);
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
  checker.Check(kPreluInt8, problems);
}

}  // namespace

void CheckElementwise(VariantChecker& checker) {
  CheckLookup(checker);
  CheckBinaries(checker);
  CheckFloatBinaries(checker);
  CheckUnaryFloat(checker);
  CheckCompare(checker);
  CheckMinMax(checker);
  CheckSelect(checker);
  CheckPrelu(checker);
}

}  // namespace lutra::platforms
