// SPDX-License-Identifier: Apache-2.0
// Int8 sums and differences. The rule has three products, each of which is the high word of a product of two
// words, and a shift. If x = 4 (q << 20) for an input q of the rule, the high word is floor(x * m / 2^30) =
// h, and by the lemma of EXACTNESS.md the result is (h + 2^R + 1) >> (R + 1) for x >= 0; for x < 0, 2 is
// subtracted before the shift. Here R = -shift; for R = 0 the result is (h + 1) >> 1. The sum of both inputs,
// which is below 2^29, is multiplied in the same way.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/binary/binary.h"
#include "runtime/kernels/loops_armdsp.h"

namespace lutra {
namespace {

struct Product {
  int32_t multiplier;
  int32_t addend;
  int32_t below_zero;  // Added to the high word if it is negative.
  int32_t shift;
};

// Computes the product by a multiplier that is below 1 and shifts right by at most `most` bits. Returns false
// for other multipliers.
bool ComputeProduct(Multiplier m, int32_t zero_point, int32_t most, Product* product) {
  if (m.shift > 0 || m.shift < -most || m.value < 0) return false;
  const int32_t r = -m.shift;
  *product = {m.value, (zero_point << (r + 1)) + (r == 0 ? 1 : (1 << r) + 1), r == 0 ? 0 : -2, r + 1};
  return true;
}

[[gnu::always_inline]] inline int32_t Multiply(int32_t x_times_4, const Product& product) {
  const auto high = static_cast<int32_t>((int64_t{x_times_4} * product.multiplier) >> 32);
  return (high + ((high >> 31) & product.below_zero) + product.addend) >> product.shift;
}

struct Sum {
  Product a;
  Product b;
  Product out;
};

bool ComputeSum(const BinaryQuantization& q, Sum* sum) {
#ifdef LUTRA_SINGLE_ROUNDING
  return false;
#endif
  // With these bits each addition stays within int32.
  constexpr int32_t kMostOfInput = 29;
  constexpr int32_t kMostOfOutput = 21;
  return ComputeProduct(q.a_multiplier, 0, kMostOfInput, &sum->a) &&
         ComputeProduct(q.b_multiplier, 0, kMostOfInput, &sum->b) &&
         ComputeProduct(q.out_multiplier, q.out_zero_point, kMostOfOutput, &sum->out);
}

// Returns whether the multiplier is a half: that of the input with the larger scale, which rounds nothing.
bool IsHalf(Multiplier m) { return m.value == 1 << 30 && m.shift == 0; }

constexpr int32_t kUnit = 1 << 22;

// Returns whether the product shifts to the right and is above 0, so that the high word has the number's
// sign.
bool IsShifted(const Product& product) { return product.shift > 1 && product.multiplier > 0; }

// Computes sums of inputs that both have step 1: one multiplier is a half, and the other products are
// shifted.
void AddHalves(const BinaryQuantization& q, const Sum& sum, bool half_a, const int8_t* a, const int8_t* b,
               int32_t count, int8_t* output) {
  const Product& product = half_a ? sum.b : sum.a;
  const int32_t half_zero = half_a ? q.a_zero_point : q.b_zero_point;
  const int32_t product_zero = half_a ? q.b_zero_point : q.a_zero_point;
  const AddHalvesJob job = {.halves = half_a ? a : b,
                            .products = half_a ? b : a,
                            .output = output,
                            .end = output + count,
                            .first_half = -half_zero * (kUnit / 2),
                            .first_product = -product_zero * kUnit,
                            .multiplier = product.multiplier,
                            .addend = product.addend,
                            .shift = product.shift,
                            .out_multiplier = sum.out.multiplier,
                            .out_addend = sum.out.addend,
                            .out_shift = sum.out.shift};
  LutraAddHalvesArmdsp(&job);
  if (q.min == INT8_MIN && q.max == INT8_MAX) return;
  for (; count > 0; --count, ++output) *output = static_cast<int8_t>(ClampToInt8(*output, q.min, q.max));
}

template <bool kSubtract>
void Run(const BinaryArgs& args, int32_t first, int32_t count) {
  const BinaryQuantization& q = *args.quantization;
  Sum sum;
  if (!ComputeSum(q, &sum)) {
    return kSubtract ? SubRef(args, first, count) : AddRef(args, first, count);
  }
  const int8_t* a = static_cast<const int8_t*>(args.a) + first * args.a_step;
  const int8_t* b = static_cast<const int8_t*>(args.b) + first * args.b_step;
  auto* output = static_cast<int8_t*>(args.output) + first;
  if (!kSubtract && count > 0 && args.a_step == 1 && args.b_step == 1 && IsShifted(sum.out)) {
    const bool half_a = IsHalf(q.a_multiplier);
    if (half_a || IsHalf(q.b_multiplier)) {
      if (IsShifted(half_a ? sum.b : sum.a)) return AddHalves(q, sum, half_a, a, b, count, output);
    }
  }
  for (; count > 0; --count, a += args.a_step, b += args.b_step) {
    const int32_t x = Multiply((*a - q.a_zero_point) * kUnit, sum.a);
    const int32_t y = Multiply((*b - q.b_zero_point) * kUnit, sum.b);
    *output++ =
        static_cast<int8_t>(ClampToInt8(Multiply((kSubtract ? x - y : x + y) * 4, sum.out), q.min, q.max));
  }
}

}  // namespace

void AddArmdsp(const BinaryArgs& args, int32_t first, int32_t count) { Run<false>(args, first, count); }
void SubArmdsp(const BinaryArgs& args, int32_t first, int32_t count) { Run<true>(args, first, count); }

}  // namespace lutra
