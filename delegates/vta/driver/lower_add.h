// SPDX-License-Identifier: Apache-2.0
// ADD, and operators with one operand: QUANTIZE between scales, RELU and RELU6. Codes are loaded as they are
// (ACC_8BIT), scaled, added and requantised on VTA's ALU: the CPU does not touch the images of other layers.
//
// exact: with v = q - z, |v| <= 255, and a multiplier m = 2^16 mh + ml at most 1/2 with shift -n,
//   floor((v 2^20 m + 2^30) / 2^31) = 32 v mh + floor((v ml + 2^10) / 2^11)
// which fits 32 bits; then half of 2^n, less 1 below zero, and the shift by n. The operand of the larger
// scale is 2^19 v. Their sum is requantised as accumulators are (requantize.h).
//
// An operand whose image has a table is already scaled: VTA loads the results of AddProblem::Scaled.

#pragma once

#include "delegates/vta/driver/driver.h"
#include "delegates/vta/driver/legacy16.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra::vta {

struct AddProblem {
  struct Operand {
    int32_t zero_point = 0;
    Multiplier multiplier = {};  // Of v * 2^20.
  };
  int operands = 2;  // With one, the sum is v itself.
  Operand a, b;
  Multiplier output = {};  // Of the sum.
  int32_t zero_point = 0;
  int32_t min = -128, max = 127;
  Legacy16Add legacy = {};  // Of mode legacy16, with two operands.

  // Makes the problem, and Legacy16Add, from scales.
  static AddProblem OfSum(float scale_a, int32_t zero_a, float scale_b, int32_t zero_b, float scale,
                          int32_t zero_point);
  static AddProblem OfOne(float scale_a, int32_t zero_a, float scale, int32_t zero_point);

  // The term that a code of operand 0 or 1 adds to the sum of two.
  int32_t Scaled(int operand, int8_t code, Mode mode) const;
};

// Images are allocated. An operand may have one row, one column or one block of channels for all of the
// output's, and one group whose lanes serve all (IsTileable). With one operand `b` is not used. kUnsupported:
// declined, and layer->reason says why.
Status LowerAdd(const Driver& driver, const AddProblem& problem, const Image& a, const Image& b,
                const Image& output, LoweredLayer* layer);

}  // namespace lutra::vta
