// SPDX-License-Identifier: Apache-2.0
// The arithmetic of 16 bits, step by step: the first on the host, the last on VTA's ALU.

#include "delegates/vta/driver/legacy16.h"

#include "delegates/vta/driver/requantize.h"
#include "delegates/vta/driver/vector_ops.h"

namespace lutra::vta {
namespace {

constexpr int32_t kFractionBits = 15;
constexpr int32_t kHeadroomBits = 7;
constexpr double kLeastScale = 1e-6;
constexpr double kLargestScale = 1e300;  // Quotients of float32 exceed it only if infinite.

// The rows of constants, in their order.
enum : uint32_t { kFactorRow, kShiftRow };

}  // namespace

bool Legacy16Has(BuiltinOperator code) {
  return code == BuiltinOperator::kAdd || code == BuiltinOperator::kConv2D ||
         code == BuiltinOperator::kMaxPool2D || code == BuiltinOperator::kAveragePool2D;
}

Multiplier16 QuantizeMultiplier16(double real) {
  if (!(real >= kLeastScale && real <= kLargestScale)) return {0, 0};
  int32_t shift = 0;
  for (; real >= 1; real /= 2) ++shift;
  for (; real < 0.5; real *= 2) --shift;
  auto value = static_cast<int32_t>(real * (1 << kFractionBits) + 0.5);
  if (value == 1 << kFractionBits) {
    value /= 2;
    ++shift;
  }
  if (shift < -kFractionBits) return {0, 0};
  return {value, shift};
}

int32_t Legacy16Scale(int32_t value, Multiplier16 m) {
  // VTA multiplies modulo 2^32.
  const Legacy16Operands operands = Legacy16OperandsOf(m);
  const auto product =
      static_cast<int32_t>(static_cast<uint32_t>(value) * static_cast<uint32_t>(operands.factor));
  if (operands.right >= 0) return product >> operands.right;
  return static_cast<int32_t>(static_cast<uint32_t>(product) << -operands.right);
}

Legacy16Operands Legacy16OperandsOf(Multiplier16 m) {
  const int32_t right = kFractionBits - m.shift;
  if (right <= -32) return {0, 0};
  return {m.value, right > 31 ? 31 : right};
}

// Shifts are arithmetic: a negative half unit is rounded down.
int32_t Legacy16Operand(int32_t value, Multiplier16 m) {
  const int32_t product = value * (1 << kHeadroomBits) * m.value;
  const int32_t nudge = product >= 0 ? 1 << (kFractionBits - 1) : 1 - (1 << (kFractionBits - 1));
  const int32_t high = (product + nudge) >> kFractionBits;
  return m.shift < 0 ? high >> -m.shift : high * (1 << m.shift);
}

Legacy16Add Legacy16Add::Of(double scale_a, int32_t zero_point_a, double scale_b, int32_t zero_point_b,
                            double scale, int32_t zero_point) {
  const double twice = 2 * (scale_a > scale_b ? scale_a : scale_b);
  return {QuantizeMultiplier16(scale_a / twice),
          QuantizeMultiplier16(scale_b / twice),
          QuantizeMultiplier16(twice / ((1 << kHeadroomBits) * scale)),
          zero_point_a,
          zero_point_b,
          zero_point};
}

int8_t Legacy16Add::Sum(int8_t a_code, int8_t b_code) const {
  const int32_t sum = Legacy16Operand(a_code - zero_point_a, a) + Legacy16Operand(b_code - zero_point_b, b);
  const int64_t result = int64_t{Legacy16Scale(sum, output)} + zero_point;
  return static_cast<int8_t>(result < -128 ? -128 : result > 127 ? 127 : result);
}

void PushLegacy16Operand(VectorOps& on, Multiplier16 m, int32_t zero_point, uint32_t at, uint32_t sign) {
  on.AddNumber({at}, -zero_point);
  on.WithNumber(AluOpcode::kShr, {at}, -kHeadroomBits);
  on.WithNumber(AluOpcode::kMul, {at}, m.value);
  on.Zero({sign});
  on.WithVector(AluOpcode::kAdd, {sign}, {at});
  on.WithNumber(AluOpcode::kShr, {sign}, 31);
  // 2^14, or 1 - 2^14 below zero.
  on.WithNumber(AluOpcode::kMul, {sign}, INT16_MAX);
  on.WithVector(AluOpcode::kAdd, {at}, {sign});
  on.WithNumber(AluOpcode::kAdd, {at}, 1 << (kFractionBits - 1));
  on.WithNumber(AluOpcode::kShr, {at}, kFractionBits);
  if (m.shift < 0) on.WithNumber(AluOpcode::kShr, {at}, -m.shift);
}

// Clamps before adding the zero point, so that no sum wraps.
void PushLegacy16Sum(VectorOps& on, const Legacy16Add& add, int32_t min, int32_t max, uint32_t a,
                     uint32_t b) {
  on.WithVector(AluOpcode::kAdd, {a}, {b});
  const Legacy16Operands output = Legacy16OperandsOf(add.output);
  on.WithNumber(AluOpcode::kMul, {a}, output.factor);
  on.WithNumber(AluOpcode::kShr, {a}, output.right);
  on.WithNumber(AluOpcode::kMin, {a}, max - add.zero_point);
  on.WithNumber(AluOpcode::kMax, {a}, min - add.zero_point);
  on.AddNumber({a}, add.zero_point);
}

Status PlanLegacy16Requantize(const RequantizeProblem& problem, RequantizePlan* plan) {
  *plan = {};
  // The clamp comes before the zero point.
  if (problem.legacy_lanes.empty() || !problem.IsRangeValid() ||
      problem.min - problem.zero_point < INT16_MIN || problem.max - problem.zero_point > INT16_MAX)
    return Status::kInvalidArgument;
  plan->is_legacy = true;
  plan->min = problem.min;
  plan->max = problem.max;
  plan->zero_point = problem.zero_point;
  return Status::kOk;
}

void FillLegacy16Constants(const RequantizeProblem& problem, Span<int32_t> constants) {
  const size_t lanes = problem.legacy_lanes.size();
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Legacy16Operands operands = Legacy16OperandsOf(problem.legacy_lanes[lane]);
    constants[kFactorRow * lanes + lane] = operands.factor;
    constants[kShiftRow * lanes + lane] = operands.right;
  }
}

void PushLegacy16Requantize(CommandStream& commands, const RequantizePlan& plan,
                            const RequantizePlace& place) {
  VectorOps on(commands, 1, place.count);
  const VectorRect values = {place.first};
  on.WithConstant(AluOpcode::kMul, values, place.constants + kFactorRow);
  on.WithConstant(AluOpcode::kShr, values, place.constants + kShiftRow);
  on.WithNumber(AluOpcode::kMin, values, plan.max - plan.zero_point);
  on.WithNumber(AluOpcode::kMax, values, plan.min - plan.zero_point);
  if (plan.zero_point != 0) on.WithNumber(AluOpcode::kAdd, values, plan.zero_point);
}

uint32_t Legacy16Instructions(const RequantizePlan& plan) { return plan.zero_point == 0 ? 4 : 5; }

}  // namespace lutra::vta
