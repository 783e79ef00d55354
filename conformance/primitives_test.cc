// SPDX-License-Identifier: Apache-2.0
// Tests the runtime's arithmetic on every row of golden/primitives.csv, and the rows themselves.

#include "conformance/generator/primitives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/exp.h"
#include "runtime/fixed_point/inverse_sqrt.h"
#include "runtime/fixed_point/log.h"
#include "runtime/fixed_point/logistic.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra::conformance {
namespace {

int32_t Narrow(int64_t value) { return static_cast<int32_t>(value); }

// Returns the runtime's result for a row.
int64_t OfRuntime(const PrimitiveRow& row) {
  const std::string function = row.function;
  const int32_t a = Narrow(row.arguments[0]), b = Narrow(row.arguments[1]);
  const Multiplier multiplier = {b, Narrow(row.arguments[2])};
  if (function == "high_mul") return SaturatingRoundingDoublingHighMul(a, b);
  if (function == "divide_by_power") return RoundingDivideByPowerOfTwo(a, b);
  if (function == "scale_dr") return MultiplyDoubleRounding(a, multiplier);
  if (function == "scale_sr") return MultiplySingleRounding(a, multiplier);
  if (function == "multiplier" || function == "shift") {
    const Multiplier m = QuantizeMultiplier(std::ldexp(static_cast<double>(row.arguments[0]), b));
    return function == "shift" ? m.shift : m.value;
  }
  if (function == "exp") return ExpOnNegativeValues(a, b);
  if (function == "one_over") return OneOverOnePlusX(a);
  if (function == "logistic") return Logistic(a);
  if (function == "tanh") return Tanh(a);
  if (function == "log") return LogForXAtLeastOne(a);
  if (function == "reciprocal") return GetReciprocal(a, b).value;
  if (function == "reciprocal_shift") return GetReciprocal(a, b).bits;
  if (function == "inverse_sqrt") return InverseSqrtMultiplier(a).value;
  if (function == "inverse_sqrt_shift") return InverseSqrtMultiplier(a).shift;
  ADD_FAILURE() << "no function " << function;
  return 0;
}

TEST(Primitives, TheRuntimeAgreesOnEveryRow) {
  const std::vector<PrimitiveRow> rows = GeneratePrimitives();
  EXPECT_EQ(rows.size(), 20000u);
  std::map<std::string, int> different;
  for (const PrimitiveRow& row : rows) {
    const int64_t result = OfRuntime(row);
    if (result == row.result || ++different[row.function] > 3) continue;
    ADD_FAILURE() << row.function << "(" << row.arguments[0] << ", " << row.arguments[1] << ", "
                  << row.arguments[2] << ") is " << row.result << ", the runtime gives " << result;
  }
}

TEST(Primitives, AreFrozen) {
  std::ifstream file(std::filesystem::path(LUTRA_SOURCE_DIR) / "golden" / "primitives.csv");
  const std::string frozen = {std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(PrimitivesCsv(GeneratePrimitives()) == frozen);
}

}  // namespace
}  // namespace lutra::conformance
