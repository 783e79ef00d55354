// SPDX-License-Identifier: Apache-2.0
// Checks ratios of scales for which the integer arithmetic of an operator is not defined.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "conformance/linter/multiplier.h"

namespace lutra::conformance::linter {
namespace {

bool HasScales(const Site& site) {
  const std::vector<Operand> operands = site.Activations();
  return site.is_int8() && std::all_of(operands.begin(), operands.end(), [](const Operand& operand) {
           return std::isfinite(operand.scale()) && operand.scale() > 0;
         });
}

// Inputs are scaled to 2 max(s1, s2) / 2^20 before they are added.
void CheckSumMultiplier(const Site& site) {
  if (!HasScales(site)) return;
  const double coarse = 2.0 * double{std::max(site.input(0).scale(), site.input(1).scale())};
  const double multiplier = coarse / (std::ldexp(1.0, 20) * double{site.output(0).scale()});
  if (multiplier >= 1) site.Report(site.output(0), fmt::format("{:.6g}", multiplier), "below 1");
}

void CheckComparedScale(const Site& site) {
  if (!site.is_int8()) return;
  for (const Operand& operand : site.Inputs(kActivation)) {
    if (operand.scale() >= 1) site.Report(operand, fmt::format("scale {}", operand.scale()), "below 1");
  }
}

// The reciprocal of a divisor x is shifted by floor(log2 x), and the dividend of 8 bits by 23 or more; the
// whole must be a right shift of 0 to 31.
void CheckDivMultiplier(const Site& site) {
  if (!HasScales(site)) return;
  const int shift = ShiftOf(double{site.input(0).scale() / (site.input(1).scale() * site.output(0).scale())});
  const int64_t zero_point = oracle::Clamp(site.input(1).zero_point(), -128, 127);
  const int least = 31 - oracle::LeadingZeros(std::max(zero_point + 128, 127 - zero_point));
  if (shift >= least && shift <= 23) return;
  site.Report(site.output(0), fmt::format("shift {}", shift), fmt::format("{} to 23", least));
}

void CheckHardSwish(const Site& site) {
  if (!HasScales(site)) return;
  const float ratio = 1.0f / 128.0f * site.input(0).scale() / site.output(0).scale();
  const int shift = ShiftOf(double{ratio});
  if (shift > 0) site.Report(site.output(0), fmt::format("s_in / (128 s_out) = {}", ratio), "below 1");
}

void CheckExponent(const Site& site) {
  if (!HasScales(site)) return;
  const auto* options = site.op().builtin_options.AsSoftmaxOptions();
  const float beta = site.name() == "LOG_SOFTMAX" ? 1.0f : oracle::OptionsOf(options).beta;
  const double scaled = double{beta} * double{site.input(0).scale()} * std::ldexp(1.0, 26);
  if (!(scaled > 1)) {
    site.Report(site.input(0), fmt::format("beta * s_in * 2^26 = {:.6g}", scaled), "above 1");
  }
}

// A value whose multiplier exceeds 1 is shifted left first, in 32 bits.
void CheckLeftShift(const Site& site) {
  if (!HasScales(site) || !site.output(0).is(oracle::kInt8)) return;
  double ratio = double{site.input(0).scale()} / double{site.output(0).scale()};
  double largest = 255;
  if (site.name() == "MUL" || site.name() == "PRELU") {
    ratio = std::max(site.name() == "PRELU" ? ratio : 0, ratio * double{site.input(1).scale()});
    largest *= 255;
  }
  const auto* leaky = site.op().builtin_options.AsLeakyReluOptions();
  if (leaky != nullptr) ratio = std::max(ratio, ratio * std::abs(double{leaky->alpha}));
  const int shift = ShiftOf(ratio);
  if (std::ldexp(largest, std::max(shift, 0)) < std::ldexp(1.0, 31)) return;
  site.Report(site.output(0), fmt::format("a multiplier of {:.6g}", ratio),
              fmt::format("{} * 2^shift below 2^31", largest));
}

// Sums are of codes less the zero point, which must fit int32.
void CheckReducedCount(const Site& site) {
  const int64_t out = site.output(0).count();
  if (!site.is_int8() || out <= 0) return;
  const int64_t count = site.input(0).count() / out;
  if (count * 255 <= INT32_MAX) return;
  site.Report(site.input(0), fmt::format("{} elements for each of the output", count), "at most 8421504");
}

void CheckMatrixDepth(const Site& site) {
  const Operand a = site.input(0);
  if (!site.is_int8() || a.rank() < 2) return;
  const auto* options = site.op().builtin_options.AsBatchMatMulOptions();
  const int64_t depth = a.dim(a.rank() - (oracle::OptionsOf(options).adj_x ? 2 : 1));
  if (depth * 255 * 255 <= INT32_MAX) return;
  site.Report(a, fmt::format("{} products in each sum", depth), "at most 33025");
}

}  // namespace

const std::vector<LintRule>& MultiplierRules() {
  static const std::vector<LintRule> rules = {
      {'S',
       "output-multiplier",
       Severity::kError,
       {"ADD", "SUB"},
       "2 max(s1, s2) / (2^20 s_out) below 1",
       "TFLM and LiteRT abort",
       "the output multiplier may only shift to the right",
       CheckSumMultiplier},
      {'S',
       "compared-scale",
       Severity::kError,
       {"EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"},
       "scales below 1",
       "TFLM aborts; in LiteRT undefined",
       "the multiplier of a compared value may only shift to the right",
       CheckComparedScale},
      {'S',
       "multiplier",
       Severity::kError,
       {"DIV"},
       "s1 / (s2 s_out) within the shifts that any divisor needs",
       "TFLM aborts at some divisors",
       "the total shift must be 0 to 31 to the right",
       CheckDivMultiplier},
      {'S',
       "multiplier",
       Severity::kError,
       {"HARD_SWISH"},
       "s_in / (128 s_out) below 1",
       "TFLM, LiteRT",
       "the output multiplier may only shift to the right",
       CheckHardSwish},
      {'S',
       "exponent-scale",
       Severity::kError,
       {"SOFTMAX", "LOG_SOFTMAX"},
       "beta * s_in * 2^26 above 1",
       "TFLM and LiteRT abort",
       "the multiplier of the exponents may only shift to the left",
       CheckExponent},
      {'S',
       "left-shift",
       Severity::kError,
       {"ABS", "LEAKY_RELU", "MUL", "PRELU", "QUANTIZE", "RELU", "RELU6"},
       "the largest value, shifted left by the multiplier, fits 32 bits",
       "nobody",
       "overflow is undefined in the reference kernels",
       CheckLeftShift},
      {'S',
       "accumulator",
       Severity::kError,
       {"MEAN", "SUM"},
       "255 times the elements of a sum fit 32 bits",
       "nobody",
       "overflow is undefined in the reference kernels",
       CheckReducedCount},
      {'S',
       "accumulator",
       Severity::kError,
       {"BATCH_MATMUL"},
       "255^2 times the products of a sum fit 32 bits",
       "nobody",
       "overflow is undefined in the reference kernels",
       CheckMatrixDepth},
  };
  return rules;
}

}  // namespace lutra::conformance::linter
