// SPDX-License-Identifier: Apache-2.0
// Int8 sums, differences and products, eight at a time, by the rule's own steps (codes_mve.h). The input with
// the larger scale is multiplied by a half, which is a shift.

#include <arm_mve.h>

#include "lutra/kernels/binary/binary.h"
#include "runtime/kernels/codes_mve.h"

namespace lutra {
namespace {

constexpr int32_t kLanes = 8;

// Numbers of the even and of the odd elements of eight.
struct Numbers {
  int32x4_t even;
  int32x4_t odd;
};

// Says how the numbers of an input are multiplied: by a half, by less than a half, or by any number.
enum class Factor { kHalf, kSmall, kAny };

Factor FactorOf(Multiplier m) {
  if (m.value == 1 << 30 && m.shift == 0) return Factor::kHalf;
  return m.shift < 0 ? Factor::kSmall : Factor::kAny;
}

// Returns (code - zero point) << 20, times the factor.
template <Factor kFactor>
[[gnu::always_inline]] inline Numbers Scaled(int16x8_t codes, int16_t zero_point, const Scale& scale) {
  const int16x8_t x = vshlq_n_s16(vsubq_n_s16(codes, zero_point), 4);
  if (kFactor == Factor::kHalf) return {vshllbq_n_s16(x, 15), vshlltq_n_s16(x, 15)};
  // A shift by as many bits as the narrow elements have is another instruction.
  const int32x4_t even = vshlq_n_s32(vmovlbq_s16(x), 16);
  const int32x4_t odd = vshlq_n_s32(vmovltq_s16(x), 16);
  if (kFactor == Factor::kSmall) return {MultiplyRight<true>(even, scale), MultiplyRight<true>(odd, scale)};
  return {MultiplyAny(even, scale), MultiplyAny(odd, scale)};
}

// All elements share these.
struct BinaryJob {
  Scale a;
  Scale b;
  Scale out;
  int16_t a_zero_point;
  int16_t b_zero_point;
  int32_t zero_point;
  int16x8_t min;
  int16x8_t max;
};

template <Factor kA, Factor kB, bool kSubtract>
struct Sum {
  [[gnu::always_inline]] static Numbers Of(const BinaryJob& job, int16x8_t a, int16x8_t b) {
    const Numbers x = Scaled<kA>(a, job.a_zero_point, job.a);
    const Numbers y = Scaled<kB>(b, job.b_zero_point, job.b);
    if (kSubtract) return {vsubq_s32(x.even, y.even), vsubq_s32(x.odd, y.odd)};
    return {vaddq_s32(x.even, y.even), vaddq_s32(x.odd, y.odd)};
  }
};

struct Product {
  [[gnu::always_inline]] static Numbers Of(const BinaryJob& job, int16x8_t a, int16x8_t b) {
    const int16x8_t x = vsubq_n_s16(a, job.a_zero_point);
    const int16x8_t y = vsubq_n_s16(b, job.b_zero_point);
    return {vmullbq_int_s16(x, y), vmulltq_int_s16(x, y)};
  }
};

template <typename Function, CodeSteps kSteps>
[[gnu::noinline]] void ComputeAll(const BinaryJob& job, const int8_t* a, int32_t a_step, const int8_t* b,
                                  int32_t b_step, int8_t* output, int32_t count) {
  const auto codes = [&](int16x8_t x, int16x8_t y) {
    const Numbers sums = Function::Of(job, x, y);
    const int16x8_t made = CodesOf<kSteps>(sums.even, sums.odd, job.out, job.out, job.zero_point);
    // Takes the even bytes, sign-extended.
    return vminq_s16(vmaxq_s16(vmovlbq_s8(vreinterpretq_s8_s16(made)), job.min), job.max);
  };
  for (; count >= kLanes; count -= kLanes, a += a_step, b += b_step, output += kLanes) {
    vstrbq_s16(output, codes(vldrbq_s16(a), vldrbq_s16(b)));
  }
  if (count == 0) return;
  const mve_pred16_t lanes = vctp16q(static_cast<uint32_t>(count));
  vstrbq_p_s16(output, codes(vldrbq_z_s16(a, lanes), vldrbq_z_s16(b, lanes)), lanes);
}

Scale ScaleOf(Multiplier m) { return {vdupq_n_s32(m.value), vdupq_n_s32(m.shift)}; }

// An input with step 1, or with one element for all, which is then repeated eight times.
struct Elements {
  Elements(const void* values, int32_t element_step, int32_t first)
      : begin(static_cast<const int8_t*>(values) + first * element_step), step(kLanes * element_step) {
    if (element_step != 0) return;
    for (int8_t& copy : copies) copy = *begin;
    begin = copies;
  }
  const int8_t* begin;
  int32_t step;
  int8_t copies[kLanes];
};

template <typename Function>
void Run(const BinaryArgs& args, int32_t first, int32_t count) {
  if (count <= 0) return;
  const BinaryQuantization& q = *args.quantization;
  const BinaryJob job = {.a = ScaleOf(q.a_multiplier),
                         .b = ScaleOf(q.b_multiplier),
                         .out = ScaleOf(q.out_multiplier),
                         .a_zero_point = q.a_zero_point,
                         .b_zero_point = q.b_zero_point,
                         .zero_point = q.out_zero_point,
                         .min = vdupq_n_s16(q.min),
                         .max = vdupq_n_s16(q.max)};
  const Elements a(args.a, args.a_step, first);
  const Elements b(args.b, args.b_step, first);
  auto* const output = static_cast<int8_t*>(args.output) + first;
  if (q.out_multiplier.shift < 0) {
    ComputeAll<Function, CodeSteps::kSigned>(job, a.begin, a.step, b.begin, b.step, output, count);
  } else {
    ComputeAll<Function, CodeSteps::kAny>(job, a.begin, a.step, b.begin, b.step, output, count);
  }
}

template <bool kSubtract>
void RunSum(const BinaryArgs& args, int32_t first, int32_t count) {
  const Factor a = FactorOf(args.quantization->a_multiplier);
  const Factor b = FactorOf(args.quantization->b_multiplier);
  if (a == Factor::kHalf && b == Factor::kSmall) {
    return Run<Sum<Factor::kHalf, Factor::kSmall, kSubtract>>(args, first, count);
  }
  if (a == Factor::kSmall && b == Factor::kHalf) {
    return Run<Sum<Factor::kSmall, Factor::kHalf, kSubtract>>(args, first, count);
  }
  Run<Sum<Factor::kAny, Factor::kAny, kSubtract>>(args, first, count);
}

}  // namespace

void AddMve(const BinaryArgs& args, int32_t first, int32_t count) { RunSum<false>(args, first, count); }
void SubMve(const BinaryArgs& args, int32_t first, int32_t count) { RunSum<true>(args, first, count); }
void MulMve(const BinaryArgs& args, int32_t first, int32_t count) { Run<Product>(args, first, count); }

}  // namespace lutra
