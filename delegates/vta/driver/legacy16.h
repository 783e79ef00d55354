// SPDX-License-Identifier: Apache-2.0
// ADD of int8 and CONV_2D's requantisation as the first delegate for VTA computed them, with multipliers of
// 16 bits and no rounding before the last shift: one too small in nearly a third of all results, and anything
// at all where a product wraps. The conformance suite has it as profile vta-legacy16. All of mode legacy16 is
// in this file: on the host, and on VTA's ALU. kModes (driver.h) names it.

#pragma once

#include <stdint.h>

#include "lutra/builtin_operator.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra::vta {

class CommandStream;
struct RequantizePlace;
struct RequantizePlan;
struct RequantizeProblem;
class VectorOps;

// Returns whether the mode has the operator.
bool Legacy16Has(BuiltinOperator code);

// The real number value * 2^(shift - 15).
struct Multiplier16 {
  int32_t value;  // In [2^14, 2^15), or 0.
  int32_t shift;
};

// Returns 0 for less than 10^-6, or if the shift would be below -15.
Multiplier16 QuantizeMultiplier16(double real);

// Returns value * m as VTA's ALU computes it: MUL, then SHR by 15 - shift, which rounds down. It is right
// only if the product fits 32 bits. An accumulator of CONV_2D becomes a result this way, before the zero
// point and the clamp.
int32_t Legacy16Scale(int32_t value, Multiplier16 m);

// The operands of these two instructions; if the shift would leave nothing, the factor is 0.
struct Legacy16Operands {
  int32_t factor;  // Of MUL.
  int32_t right;   // Of SHR, from -31 to 31: to the left if negative.
};
Legacy16Operands Legacy16OperandsOf(Multiplier16 m);

// An operand, its code without the zero point, adds v * 2^7 * m to ADD's sum; halves below zero are rounded
// down, and down again if m shifts.
int32_t Legacy16Operand(int32_t value, Multiplier16 m);

struct Legacy16Add {
  Multiplier16 a, b, output;
  int32_t zero_point_a, zero_point_b, zero_point;

  // Makes it from the scales of both inputs and of the output.
  static Legacy16Add Of(double scale_a, int32_t zero_point_a, double scale_b, int32_t zero_point_b,
                        double scale, int32_t zero_point);
  int8_t Sum(int8_t a, int8_t b) const;
};

// ---- On the ALU.

// Vectors of codes from `at` on become what an operand adds; as many vectors from `sign` on are scratch.
void PushLegacy16Operand(VectorOps& on, Multiplier16 m, int32_t zero_point, uint32_t at, uint32_t sign);
// Adds up these vectors, from `a` and `b` on, to codes from min to max.
void PushLegacy16Sum(VectorOps& on, const Legacy16Add& add, int32_t min, int32_t max, uint32_t a, uint32_t b);
// Cycles of the ALU that the latter takes for a vector.
inline constexpr uint32_t kLegacy16SumCycles = 6;

// requantize.h's functions, of plans that are is_legacy: MUL by 16 bits, SHR, and a clamp. For any lanes:
// products wrap.
Status PlanLegacy16Requantize(const RequantizeProblem& problem, RequantizePlan* plan);
void FillLegacy16Constants(const RequantizeProblem& problem, Span<int32_t> constants);
void PushLegacy16Requantize(CommandStream& commands, const RequantizePlan& plan,
                            const RequantizePlace& place);
inline constexpr uint32_t kLegacy16ConstantRows = 2;
uint32_t Legacy16Instructions(const RequantizePlan& plan);

}  // namespace lutra::vta
