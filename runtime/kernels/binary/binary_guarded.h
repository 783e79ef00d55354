// SPDX-License-Identifier: Apache-2.0
// Int8 sums, differences and products in float32, exactly, for vectors of any instruction set;
// runtime/fixed_point/EXACTNESS.md has the theorems. The reference computes elements in doubt; arguments that
// the theorems do not cover, or of which too many elements are in doubt, are left to the caller. Prepare
// tries the constants of a sum on all pairs of codes: if they are right for each, runs need no guard.
//
// An instruction set is a struct Set with these members, all static:
//
//   kLanes, kIsFused   floats of a vector; whether MulAdd rounds once
//   Floats, Units      registers: float32, int32
//   Repeat, LoadCodes, Add, Mul, MulAdd, BySign, Round, Least: the arithmetic
//   AnyBelow(units, limit)            whether of any unit the lower half is below the limit
//   StoreUnits, StoreCodes(units, min, max, to): of four vectors the upper halves, saturated and clamped
//   CopyCodes(from, count, to)        fewer than a block's
//
// For the kernels' .cc files: all names are local.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/binary/binary.h"
#include "runtime/fixed_point/guarded.h"

namespace lutra {
namespace {

// The vectors of a block, whose results fill a vector of codes.
constexpr int kBlockVectors = 4;
constexpr int kInputShift = 20;
constexpr double kUnit = 65536;
constexpr double kMostUnits = 2e9;  // So that they fit int32.
constexpr int32_t kWidest = 2048;   // With a wider guard too many results would be in doubt.

// w = rint(a * a_scale + (b * b_scale + start)): sums whose inputs the rule has rounded.
struct RoundedSum {
  float a_scale;
  float b_scale;
  float start;
  int32_t exact_check_threshold;

  RoundedSum MovedBy(float units) const { return {a_scale, b_scale, start + units, exact_check_threshold}; }

  template <typename Set>
  struct Vectors {
    explicit Vectors(const RoundedSum& sum)
        : a_scale(Set::Repeat(sum.a_scale)),
          b_scale(Set::Repeat(sum.b_scale)),
          start(Set::Repeat(sum.start)) {}
    [[gnu::always_inline]] typename Set::Units operator()(typename Set::Floats a,
                                                          typename Set::Floats b) const {
      return Set::Round(Set::MulAdd(a, a_scale, Set::MulAdd(b, b_scale, start)));
    }
    typename Set::Floats a_scale, b_scale, start;
  };
};

// The last steps where a sum or product is an integer that float32 holds: as layers are requantised.
template <typename Set>
struct ExactFinish {
  explicit ExactFinish(const GuardedScale& guarded)
      : scale(Set::Repeat(guarded.scale)),
        above(Set::Repeat(guarded.above)),
        below(Set::Repeat(guarded.below)) {}
  [[gnu::always_inline]] typename Set::Units operator()(typename Set::Floats x) const {
    return Set::Round(Set::MulAdd(x, scale, Set::BySign(x, above, below)));
  }
  typename Set::Floats scale, above, below;
};

// Sums whose inputs the rule does not round, as where one scale is a power of two times the other.
struct ExactSum {
  float a_scale;
  float b_scale;
  float start;
  GuardedScale out;
  int32_t exact_check_threshold;

  ExactSum MovedBy(float units) const {
    return {
        a_scale, b_scale, start, {out.scale, out.above + units, out.below + units}, exact_check_threshold};
  }

  template <typename Set>
  struct Vectors {
    explicit Vectors(const ExactSum& sum)
        : a_scale(Set::Repeat(sum.a_scale)),
          b_scale(Set::Repeat(sum.b_scale)),
          start(Set::Repeat(sum.start)),
          finish(sum.out) {}
    [[gnu::always_inline]] typename Set::Units operator()(typename Set::Floats a,
                                                          typename Set::Floats b) const {
      return finish(Set::MulAdd(a, a_scale, Set::MulAdd(b, b_scale, start)));
    }
    typename Set::Floats a_scale, b_scale, start;
    ExactFinish<Set> finish;
  };
};

struct ExactProduct {
  float a_offset;
  float b_offset;
  GuardedScale out;
  int32_t exact_check_threshold;

  template <typename Set>
  struct Vectors {
    explicit Vectors(const ExactProduct& product)
        : a_offset(Set::Repeat(product.a_offset)),
          b_offset(Set::Repeat(product.b_offset)),
          finish(product.out) {}
    [[gnu::always_inline]] typename Set::Units operator()(typename Set::Floats a,
                                                          typename Set::Floats b) const {
      return finish(Set::Mul(Set::Add(a, a_offset), Set::Add(b, b_offset)));
    }
    typename Set::Floats a_offset, b_offset;
    ExactFinish<Set> finish;
  };
};

// ---- The constants.

static inline double Magnitude(double value) { return value < 0 ? -value : value; }

static inline bool IsRightShift(Multiplier m) { return m.value >= 0 && m.shift <= 0 && m.shift >= -31; }

static inline double FactorOf(Multiplier m) { return m.value * PowerOfTwo(m.shift - 31); }

// Returns whether the rule has nothing to round where it scales an input: then FactorOf(m) * 2^kInputShift is
// an integer.
static inline bool IsExactInput(Multiplier m) {
  return m.value == 0 || __builtin_ctz(static_cast<uint32_t>(m.value)) + m.shift >= 31 - kInputShift;
}

// Returns how far a scaled input may be from its real value.
static inline double InputError(Multiplier m) {
  if (IsExactInput(m)) return 0;
#ifdef LUTRA_SINGLE_ROUNDING
  return 0.5;
#else
  return m.shift < 0 ? 0.5 + PowerOfTwo(m.shift - 1) : 0.5;
#endif
}

// `sign`: of the second input. False: the theorem does not hold here.
static inline bool ComputeRoundedSum(const BinaryQuantization& q, int32_t sign, bool is_fused,
                                     RoundedSum* sum) {
  if (!IsRightShift(q.a_multiplier) || !IsRightShift(q.b_multiplier) || !IsRightShift(q.out_multiplier)) {
    return false;
  }
  const double unit = FactorOf(q.out_multiplier) * kUnit;
  const double a = FactorOf(q.a_multiplier) * (1 << kInputShift) * unit;
  const double b = FactorOf(q.b_multiplier) * (1 << kInputShift) * unit;
  const double start = (q.out_zero_point + 0.5) * kUnit - q.a_zero_point * a - sign * (q.b_zero_point * b);
  // The magnitudes of the codes' part and of the constant.
  const double a_most = 128 * a;
  const double b_most = 128 * b;
  const double start_most = Magnitude(start) + kWidest;
  if (!(a_most + b_most + start_most < kMostUnits)) return false;
  // Roundings to float32: of the scales, of the constant, of the inner and the outer step.
  double rounded = a_most + b_most + start_most + (b_most + start_most) + (a_most + b_most + start_most);
  if (!is_fused) rounded += a_most + b_most;
  double error = rounded * PowerOfTwo(-24) + 0.5;
  error += (InputError(q.a_multiplier) + InputError(q.b_multiplier)) * unit;
#ifndef LUTRA_SINGLE_ROUNDING
  error += kUnit * PowerOfTwo(q.out_multiplier.shift - 1);
#endif
  if (!(error < kWidest - 1)) return false;
  // The error of double precision is far below the 2^-4 that is added before rounding up.
  const int32_t width = static_cast<int32_t>(error + 0.0625) + 1;
  *sum = {static_cast<float>(a), static_cast<float>(sign * b), static_cast<float>(start + width), 2 * width};
  return true;
}

// The guard's width for exact sums and products; a product that is rounded by itself is an error more.
static inline int32_t ExactWidth(int64_t magnitude, bool is_fused) {
  return GuardWidth(magnitude) + (is_fused ? 0 : 1);
}

// False also where some sum is no float32.
static inline bool ComputeExactSum(const BinaryQuantization& q, int32_t sign, bool is_fused, ExactSum* sum) {
  constexpr int64_t kMostCode = 255;
  if (!IsRightShift(q.a_multiplier) || !IsRightShift(q.b_multiplier) || !IsRightShift(q.out_multiplier)) {
    return false;
  }
  if (!IsExactInput(q.a_multiplier) || !IsExactInput(q.b_multiplier)) return false;
  const auto a = static_cast<int64_t>(FactorOf(q.a_multiplier) * (1 << kInputShift));
  const auto b = static_cast<int64_t>(FactorOf(q.b_multiplier) * (1 << kInputShift));
  if (a + b == 0) return false;
  // All partial sums are multiples of this power of two.
  const int32_t zeros = __builtin_ctzll(static_cast<uint64_t>(a | b));
  if (kMostCode * (a + b) >> zeros > 1 << 24) return false;
  const int64_t magnitude = kMostCode * (a + b);
  const int32_t width = ExactWidth(magnitude, is_fused);
  if (!ComputeGuardedScale(q.out_multiplier, q.out_zero_point, magnitude, width, &sum->out)) return false;
  sum->a_scale = static_cast<float>(a);
  sum->b_scale = static_cast<float>(sign * b);
  sum->start = static_cast<float>(-q.a_zero_point * a - sign * q.b_zero_point * b);
  sum->exact_check_threshold = 2 * width;
  return true;
}

static inline bool ComputeExactProduct(const BinaryQuantization& q, bool is_fused, ExactProduct* product) {
  constexpr int32_t kMostProduct = 255 * 255;
  const int32_t width = ExactWidth(kMostProduct, is_fused);
  if (!ComputeGuardedScale(q.out_multiplier, q.out_zero_point, kMostProduct, width, &product->out))
    return false;
  product->a_offset = static_cast<float>(-q.a_zero_point);
  product->b_offset = static_cast<float>(-q.b_zero_point);
  product->exact_check_threshold = 2 * width;
  return true;
}

// ---- The loops.

template <typename Set>
constexpr int32_t kBlockCodes = kBlockVectors* Set::kLanes;

// Computes the results of a block that are in doubt by the reference.
template <typename Set>
[[gnu::noinline, gnu::cold]] void CorrectBlock(const BinaryQuantization& quantization, BinaryFn reference,
                                               const typename Set::Units (&units)[kBlockVectors],
                                               int32_t exact_check_threshold, const int8_t* a,
                                               const int8_t* b, int8_t* results) {
  int32_t stored[kBlockCodes<Set>];
  for (int v = 0; v < kBlockVectors; ++v) Set::StoreUnits(units[v], stored + v * Set::kLanes);
  const BinaryArgs args = {a, b, results, 1, 1, &quantization, 0, 0};
  for (int32_t i = 0; i < kBlockCodes<Set>; ++i) {
    if ((stored[i] & 0xFFFF) < exact_check_threshold) reference(args, i, 1);
  }
}

// True if some result was in doubt, for which only a guard looks. The output may be an input.
template <typename Set, bool kGuarded, typename Vectors>
[[gnu::always_inline]] inline bool ComputeCodes(const BinaryQuantization& quantization, BinaryFn reference,
                                                const Vectors& vectors, int32_t exact_check_threshold,
                                                const int8_t* a, const int8_t* b, int8_t* output) {
  typename Set::Units units[kBlockVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kBlockVectors; ++v) {
    units[v] = vectors(Set::LoadCodes(a + v * Set::kLanes), Set::LoadCodes(b + v * Set::kLanes));
  }
  const typename Set::Units least =
      Set::Least(Set::Least(units[0], units[1]), Set::Least(units[2], units[3]));
  if (!kGuarded || __builtin_expect(!Set::AnyBelow(least, exact_check_threshold), 1)) {
    Set::StoreCodes(units, quantization.min, quantization.max, output);
    return false;
  }
  int8_t results[kBlockCodes<Set>];
  Set::StoreCodes(units, quantization.min, quantization.max, results);
  const typename Set::Units kept[kBlockVectors] = {units[0], units[1], units[2], units[3]};
  CorrectBlock<Set>(quantization, reference, kept, exact_check_threshold, a, b, results);
  Set::CopyCodes(results, kBlockCodes<Set>, output);
  return true;
}

// Elements [first, first + count), or fewer if many are in doubt; returns how many.
template <typename Set, bool kGuarded, typename Form>
int32_t ComputeElements(const BinaryArgs& args, int32_t first, int32_t count, BinaryFn reference,
                        const Form& form) {
  constexpr int32_t kBlock = kBlockCodes<Set>;
  constexpr int32_t kPatience = 16;  // So many blocks in doubt never end the loop.
  const BinaryQuantization& quantization = *args.quantization;
  const typename Form::template Vectors<Set> vectors(form);
  int8_t repeated[2][kBlock];
  const int8_t* inputs[2] = {static_cast<const int8_t*>(args.a) + args.a_step * first,
                             static_cast<const int8_t*>(args.b) + args.b_step * first};
  const int32_t steps[2] = {args.a_step, args.b_step};
  for (int i = 0; i < 2; ++i) {
    if (steps[i] != 0) continue;
    memset(repeated[i], *inputs[i], kBlock);
    inputs[i] = repeated[i];
  }
  const int8_t* a = inputs[0];
  const int8_t* b = inputs[1];
  int8_t* output = static_cast<int8_t*>(args.output) + first;
  int32_t in_doubt = 0;
  int32_t done = 0;
  for (; done + kBlock <= count; done += kBlock, output += kBlock) {
    in_doubt += ComputeCodes<Set, kGuarded>(quantization, reference, vectors, form.exact_check_threshold, a,
                                            b, output);
    a += steps[0] * kBlock;
    b += steps[1] * kBlock;
    if (in_doubt > kPatience + done / (4 * kBlock)) return done + kBlock;
  }
  const int32_t rest = count - done;
  if (rest == 0) return count;
  int8_t last[2][kBlock] = {};
  int8_t results[kBlock];
  Set::CopyCodes(a, steps[0] != 0 ? rest : kBlock, last[0]);
  Set::CopyCodes(b, steps[1] != 0 ? rest : kBlock, last[1]);
  ComputeCodes<Set, kGuarded>(quantization, reference, vectors, form.exact_check_threshold, last[0], last[1],
                              results);
  Set::CopyCodes(results, rest, output);
  return count;
}

// Returns whether the constants, without a guard, are right for all pairs of codes: these, or some that are
// near.
template <typename Set, typename Form>
bool ProveForm(const BinaryQuantization& quantization, BinaryFn reference, Form* form) {
  constexpr int kCodes = 256;
  constexpr int kBlock = kBlockCodes<Set>;
  constexpr int kTried = 26;
  static_assert(kCodes % kBlock == 0);
  Form tried[kTried] = {*form};
  // A guard's constants are its width too high, so that what is too low by as much is in doubt, too.
  const float centre = static_cast<float>(-form->exact_check_threshold / 2);
  for (int i = 1; i < kTried; ++i) {
    const float change = static_cast<float>(i / 2) / 2;
    tried[i] = form->MovedBy(centre + (i % 2 == 0 ? change : -change));
  }
  uint32_t right = (1u << kTried) - 1;  // A bit for each of the tried that has been right so far.
  const typename Form::template Vectors<Set> guarded(*form);
  int8_t a[kBlock], b[kBlock], expected[kBlock], made[kBlock];
  for (int32_t pair = 0; pair < kCodes * kCodes && right != 0; pair += kBlock) {
    memset(a, pair / kCodes + INT8_MIN, kBlock);
    for (int32_t i = 0; i < kBlock; ++i) b[i] = static_cast<int8_t>((pair + i) % kCodes + INT8_MIN);
    ComputeCodes<Set, true>(quantization, reference, guarded, form->exact_check_threshold, a, b, expected);
    for (uint32_t left = right; left != 0; left &= left - 1) {
      const int at = __builtin_ctz(left);
      const typename Form::template Vectors<Set> vectors(tried[at]);
      ComputeCodes<Set, false>(quantization, reference, vectors, 0, a, b, made);
      int32_t differing = 0;
      for (int32_t i = 0; i < kBlock; ++i) differing += made[i] != expected[i];
      if (differing != 0) right &= ~(1u << at);
    }
  }
  if (right == 0) return false;
  *form = tried[__builtin_ctz(right)];
  return true;
}

// Prepare makes this of a sum: the constants of one form, and whether they need no guard.
struct PreparedSum {
  bool is_exact;
  bool is_proved;
  ExactSum exact;
  RoundedSum rounded;
};

// sign: 1 for sums, -1 for differences. False: no theorem holds.
static inline bool ComputeSum(const BinaryQuantization& quantization, int32_t sign, bool is_fused,
                              PreparedSum* sum) {
  sum->is_exact = ComputeExactSum(quantization, sign, is_fused, &sum->exact);
  sum->is_proved = false;
  return sum->is_exact || ComputeRoundedSum(quantization, sign, is_fused, &sum->rounded);
}

// Follows the rules of Variant::prepare.
template <typename Set>
int32_t PrepareGuardedSums(const BinaryArgs& args, int32_t sign, BinaryFn reference, void* memory) {
  PreparedSum sum = {};
  if (!ComputeSum(*args.quantization, sign, Set::kIsFused, &sum)) return 0;
  if (memory != nullptr) {
    sum.is_proved = sum.is_exact ? ProveForm<Set>(*args.quantization, reference, &sum.exact)
                                 : ProveForm<Set>(*args.quantization, reference, &sum.rounded);
    memcpy(memory, &sum, sizeof(sum));
  }
  return sizeof(sum);
}

// For fewer elements, computing the constants does not pay.
constexpr int32_t kFewElements = 8;

// Returns how many of the elements were made.
template <typename Set>
int32_t ComputeGuardedSums(const BinaryArgs& args, int32_t first, int32_t count, int32_t sign,
                           BinaryFn reference) {
  PreparedSum made;
  const PreparedSum* sum = nullptr;
#if LUTRA_HAVE_X86
  sum = static_cast<const PreparedSum*>(args.prepared);
#endif
  if (sum == nullptr) {
    if (count < kFewElements || !ComputeSum(*args.quantization, sign, Set::kIsFused, &made)) return 0;
    sum = &made;
  }
  if (sum->is_exact) {
    const auto make =
        sum->is_proved ? ComputeElements<Set, false, ExactSum> : ComputeElements<Set, true, ExactSum>;
    return make(args, first, count, reference, sum->exact);
  }
  const auto make =
      sum->is_proved ? ComputeElements<Set, false, RoundedSum> : ComputeElements<Set, true, RoundedSum>;
  return make(args, first, count, reference, sum->rounded);
}

template <typename Set>
int32_t ComputeGuardedProducts(const BinaryArgs& args, int32_t first, int32_t count) {
  ExactProduct product;
  if (count < kFewElements || !ComputeExactProduct(*args.quantization, Set::kIsFused, &product)) return 0;
  return ComputeElements<Set, true>(args, first, count, MulRef, product);
}

}  // namespace
}  // namespace lutra
