// SPDX-License-Identifier: Apache-2.0
// Correct models for which runtimes give different values. conformance/oracle has the rule of each.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/linter/multiplier.h"

namespace lutra::conformance::linter {
namespace {

// The share of results in which double and single rounding differ is about 1 / 2^(2 - shift): 25 % at -1, 3 %
// at -4.
constexpr int kNearZero = -4;

void ReportShifts(const Site& site, const std::vector<double>& multipliers) {
  int near = 0;
  int highest = -64;
  for (const double multiplier : multipliers) {
    if (!std::isfinite(multiplier) || multiplier <= 0) return;
    const int shift = ShiftOf(multiplier);
    near += shift >= kNearZero;
    highest = std::max(highest, shift);
  }
  if (near == 0) return;
  site.Report(site.output(0),
              fmt::format("shifts up to {} ({} of {} multipliers)", highest, near, multipliers.size()),
              fmt::format("{} or less", kNearZero - 1));
}

void CheckShift(const Site& site) {
  if (!site.is_int8()) return;
  std::vector<double> multipliers = SumScales(site);
  for (double& multiplier : multipliers) multiplier /= double{site.output(0).scale()};
  ReportShifts(site, multipliers);
}

void CheckMatrixShift(const Site& site) {
  if (!site.is_int8()) return;
  ReportShifts(
      site, {double{site.input(0).scale()} * double{site.input(1).scale()} / double{site.output(0).scale()}});
}

void CheckReducedShift(const Site& site) {
  const int64_t out = site.output(0).count();
  if (!site.is_int8() || out <= 0) return;
  const auto count = static_cast<double>(site.input(0).count() / out);
  const double ratio = double{site.input(0).scale()} / double{site.output(0).scale()};
  ReportShifts(site, {site.name() == "MEAN" ? ratio / count : ratio});
}

void CheckStateShift(const Site& site) {
  if (!site.is_int8()) return;
  const double state = double{site.FirstInput(kState).scale()};
  ReportShifts(site, {double{site.input(0).scale()} * double{site.input(1).scale()} / state,
                      state * double{site.input(2).scale()} / double{site.output(0).scale()}});
}

void CheckPerTensor(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  if (site.is_int8() && weights.scales().size() == 1)
    site.Report(weights, "one scale", "nothing else, it is right; a scale for each row has fewer results");
}

void CheckRelu6(const Site& site) {
  const oracle::Quantization in = oracle::QuantizationOf(*site.input(0).tensor);
  const oracle::Quantization out = oracle::QuantizationOf(*site.output(0).tensor);
  if (!site.is_int8() || (in.scale == out.scale && in.zero_point == out.zero_point)) return;
  site.Report(site.output(0), Describe(out), Describe(in) + ", as the input");
}

void CheckPadding(const Site& site) {
  const auto paddings = site.Integers(site.input(2));
  const bool pads =
      !paddings || std::any_of(paddings->begin(), paddings->end(), [](int64_t p) { return p != 0; });
  const int64_t zero_point = site.output(0).zero_point();
  if (site.is_int8() && pads && zero_point != 0) {
    site.Report(site.output(0), fmt::format("padding, zero point {}", zero_point),
                "no padding, or zero point 0");
  }
}

void CheckSum(const Site& site) {
  if (site.is_int8()) site.Report({}, "int8", "MEAN, or a kernel set that is not LiteRT's reference");
}

void CheckComparison(const Site& site) {
  if (!site.is_int8()) return;
  for (const Operand& operand : site.Inputs(kActivation)) {
    if (operand.scale() >= 1.0f / 256.0f) continue;
    site.Report(operand, fmt::format("scale {}", operand.scale()), "1/256 or more");
  }
}

void CheckImageMean(const Site& site) {
  const auto axes = site.Integers(site.input(1));
  if (!site.is_int8() || site.input(0).rank() != 4 || !axes || axes->size() != 2) return;
  const bool keeps = site.output(0).rank() == 4;
  const auto has = [&](int64_t axis) {
    return std::any_of(axes->begin(), axes->end(), [axis](int64_t a) { return a == axis || a == axis - 4; });
  };
  if (keeps && has(1) && has(2)) {
    site.Report({}, "dimensions 1 and 2 of 4, kept", "other dimensions, or not kept");
  }
}

void CheckInterpolation(const Site& site) {
  const Operand in = site.input(0), out = site.output(0);
  if (site.is_int8() && in.tensor->shape != out.tensor->shape) site.Report({}, "two sizes", "the same size");
}

void CheckSecondZeroPoint(const Site& site) {
  const int64_t zero_point = site.input(1).zero_point();
  if (site.is_int8() && zero_point != 0) {
    site.Report(site.input(1), fmt::format("zero point {}", zero_point), "0");
  }
}

void CheckLstm(const Site& site) {
  if (site.is_int8()) site.Report({}, "an LSTM of int8", "TFLM everywhere, or the loss measured");
}

void CheckSvdfActivation(const Site& site) {
  constexpr int8_t kRelu = 1;
  if (site.is_int8() && site.activation() != kRelu) {
    site.Report({}, fmt::format("fused activation {}", site.activation()), "RELU");
  }
}

LintRule Note(const char* topic, std::vector<std::string> operators, const char* requirement, const char* who,
              const char* explanation, void (*check)(const Site&)) {
  return {'D', topic, Severity::kNote, std::move(operators), requirement, who, explanation, check};
}

const char kShift[] = "requantisation multipliers below 2^-5";
const char kRoundings[] = "TFLM rounds twice, single-rounding builds once, XNNPACK in float32 to even";
const char kShares[] =
    "roundings differ in 25 % of sums at shift -1, halving with each shift below; above, at ties";

}  // namespace

const std::vector<LintRule>& DisagreementRules() {
  static const std::vector<LintRule> rules = {
      Note("shift", {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"}, kShift, kRoundings,
           kShares, CheckShift),
      Note("shift", {"BATCH_MATMUL"}, kShift, kRoundings, kShares, CheckMatrixShift),
      Note("shift", {"MEAN", "SUM"}, kShift, kRoundings, kShares, CheckReducedShift),
      Note("shift", {"SVDF"}, kShift, kRoundings, kShares, CheckStateShift),
      Note("per-tensor", {"FULLY_CONNECTED"},
           "nothing: one scale for the weights is as right as one for each row, but runtimes differ more",
           "TFLM: product of the scales in float32; LiteRT's reference kernels: no fixed point; its others: "
           "a third way",
           "three results for the same sums, wherever the scales do not hide it", CheckPerTensor),
      Note("rescale", {"RELU6"}, "the same scale and zero point for input and output",
           "TFLM clamps only, LiteRT rescales", "in TFLM the output has codes of the input's scale",
           CheckRelu6),
      Note("padding", {"SPACE_TO_BATCH_ND"}, "no padding, or an output zero point of 0",
           "TFLM pads with memory that it never set (mostly 0), LiteRT with the zero point",
           "padding is not real 0 in TFLM", CheckPadding),
      Note("kernel", {"SUM"}, "no int8 SUM", "LiteRT's reference kernel reads int8 as uint8",
           "wrong there for all negative codes; LiteRT's others sum in float32", CheckSum),
      Note("kernel", {"UNIDIRECTIONAL_SEQUENCE_LSTM"}, "TFLM on every machine",
           "LiteRT's integer LSTM has other functions and other units", "the codes differ there", CheckLstm),
      Note("fine-scale", {"EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"},
           "scales of 1/256 or more",
           "TFLM and LiteRT compare in units of 1/256, a comparison of reals does not",
           "codes that differ compare as equal", CheckComparison),
      Note("image", {"MEAN"}, "not over height and width with dimensions kept",
           "LiteRT's optimised kernels and XNNPACK have a way of their own",
           "differs by 1 in 17 % (optimised) and 5 % (XNNPACK) of random cases", CheckImageMean),
      Note("interpolation", {"RESIZE_BILINEAR"}, "no change of size",
           "XNNPACK interpolates with weights of 1/2048",
           "TFLM and LiteRT use weights of 1/1024 and another position", CheckInterpolation),
      Note("second-zero-point", {"BATCH_MATMUL"}, "zero point 0 for the second operand",
           "the XNNPACK of TensorFlow 2.21 ignores it", "other versions do not", CheckSecondZeroPoint),
      Note("activation", {"SVDF"}, "RELU", "TFLM ignores the activation; LiteRT takes RELU only",
           "the activation's range is not applied", CheckSvdfActivation),
  };
  return rules;
}

}  // namespace lutra::conformance::linter
