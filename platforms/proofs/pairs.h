// SPDX-License-Identifier: Apache-2.0
// Operators on two inputs: a block is a quantisation, and has all pairs of codes.

#pragma once

#include <stdint.h>

#include "lutra/kernels/binary/binary.h"
#include "platforms/proofs/definition.h"
#include "platforms/proofs/tally.h"
#include "runtime/kernels/test_data.h"

namespace lutra::platforms {

enum class PairOperator : uint8_t { kAdd, kSub, kMul, kSquaredDifference };

struct PairMemory {
  BinaryQuantization quantization;
  uint8_t a[257];
  uint8_t b[257];
  uint8_t output[257];
  VariantMemory variant;
};

// Ratios of scales from 1/16 to 16, 16 of a to b by 16 of the inputs' to the output's. Each fourth is a power
// of two, which kernels may take another way.
inline double RatioOfProof(int32_t i) {
  if (i % 4 == 0) return i < 8 ? 1.0 / (4 >> i / 4) : i / 4 - 1;
  double ratio = 1.0 + (i * 7 % 16) / 17.0;
  for (int32_t k = i; k < 8; ++k) ratio /= 1.5;
  for (int32_t k = 8; k < i; ++k) ratio *= 1.5;
  return ratio;
}

inline BinaryQuantization PairQuantizationOf(PairOperator op, int32_t block) {
  uint32_t seed = static_cast<uint32_t>(block) * 977u + 3;
  const auto code = [&seed] {
    NextRandom(&seed);
    return static_cast<int8_t>(NextRandom(&seed) >> 8);
  };
  const double a = RatioOfProof(block % 16);  // The scale of b is 1.
  const double larger = a > 1 ? a : 1;
  const double output = RatioOfProof(block / 16 % 16);
  BinaryQuantization q = {};
  q.a_zero_point = code();
  q.b_zero_point = code();
  q.out_zero_point = code();
  q.min = block % 3 == 0 ? q.out_zero_point : int8_t{-128};
  q.max = block % 5 == 0 && q.min < 90 ? int8_t{90} : int8_t{127};
  if (op == PairOperator::kMul) {
    q.out_multiplier = QuantizeMultiplier(output / 128);
    return q;
  }
  const int32_t left = op == PairOperator::kSquaredDifference ? 7 : 20;
  q.a_multiplier = QuantizeMultiplier(a / (2 * larger));
  q.b_multiplier = QuantizeMultiplier(1 / (2 * larger));
  const double scaled = 2 * larger / (1 << left);  // The value of a unit of a scaled input.
  const double unit = op == PairOperator::kSquaredDifference ? scaled * scaled / 16 : scaled;
  q.out_multiplier = QuantizeMultiplier(unit * output);
  return q;
}

inline int32_t DefinedPair(PairOperator op, const BinaryQuantization& q, int32_t a, int32_t b) {
  const int32_t x = a - q.a_zero_point;
  const int32_t y = b - q.b_zero_point;
  int32_t raw = 0;
  if (op == PairOperator::kMul) {
    raw = x * y;
  } else {
    const int32_t unit = op == PairOperator::kSquaredDifference ? 1 << 7 : 1 << 20;
    const int32_t scaled_x = DefinedProduct(x * unit, q.a_multiplier);
    const int32_t scaled_y = DefinedProduct(y * unit, q.b_multiplier);
    raw = op == PairOperator::kAdd ? scaled_x + scaled_y : scaled_x - scaled_y;
    if (op == PairOperator::kSquaredDifference) raw *= raw;
  }
  return DefinedClamp(int64_t{DefinedProduct(raw, q.out_multiplier)} + q.out_zero_point, q.min, q.max);
}

// Each `a` is combined with all `b` twice: as one number, and as a tensor.
template <PairOperator kOp>
struct PairsProof {
  static constexpr int32_t kBlocks = 256;

  static void Run(const Variant<BinaryFn>& variant, const Variant<BinaryFn>& reference, int32_t block,
                  PairMemory& memory, Tally* tally) {
    memory.quantization = PairQuantizationOf(kOp, block);
    for (int32_t a_step = 0; a_step < 2; ++a_step) {
      for (int32_t a = -128; a < 128; ++a) {
        // There is one element more than codes, so that a vector has a rest.
        for (int32_t i = 0; i < 257; ++i) {
          memory.a[i] = static_cast<uint8_t>(a);
          memory.b[i] = static_cast<uint8_t>(i + a);
        }
        BinaryArgs args = {};
        args.a = memory.a;
        args.b = memory.b;
        args.output = memory.output;
        args.a_step = a_step;
        args.b_step = 1;
        args.quantization = &memory.quantization;
        tally->Begin(block, RunVariant<BinaryFn>(variant, reference, {.args = args, .first = 0, .count = 257},
                                                 memory.variant));
        for (int32_t i = 0; i < 257; ++i) {
          tally->Compare(static_cast<int8_t>(memory.output[i]),
                         DefinedPair(kOp, memory.quantization, a, static_cast<int8_t>(memory.b[i])));
        }
      }
    }
  }
};

}  // namespace lutra::platforms
