// SPDX-License-Identifier: Apache-2.0
// LutDecode to bytes with MVE, whose loads gather. Eight indices of any width are loaded from their bytes and
// shifted, by the same numbers for each eight: 10 instructions. Sixteen indices of two or four bits are
// loaded as bytes: 12 and 8 instructions.

#include <arm_mve.h>

#include "runtime/kernels/lut_decode/lut_decode_runs.h"

namespace lutra {
namespace {

// Eight indices; the first begins at bit `bit` of a byte.
struct EightIndices {
  uint16x8_t first_bytes;
  uint16x8_t last_bytes;  // The same if an index is within one byte: there may be no byte behind it.
  int16x8_t shifts;
  uint16x8_t mask;
  bool msb_first;

  EightIndices(int32_t width, bool is_msb_first, uint32_t bit) {
    const auto bits = static_cast<uint16_t>(width);
    const uint16x8_t begin = vaddq_n_u16(vmulq_n_u16(vidupq_n_u16(0, 1), bits), static_cast<uint16_t>(bit));
    const uint16x8_t in_byte = vandq_u16(begin, vdupq_n_u16(7));
    const uint16x8_t end = vaddq_n_u16(in_byte, bits);
    first_bytes = vshrq_n_u16(begin, 3);
    last_bytes = vaddq_m_n_u16(first_bytes, first_bytes, 1, vcmphiq_n_u16(end, 8));
    msb_first = is_msb_first;
    shifts = vreinterpretq_s16_u16(is_msb_first ? vsubq_u16(end, vdupq_n_u16(16))
                                                : vsubq_u16(vdupq_n_u16(0), in_byte));
    mask = vdupq_n_u16(static_cast<uint16_t>((1u << width) - 1));
  }

  template <bool kMsbFirst>
  [[gnu::always_inline]] uint16x8_t FieldsOf(uint16x8_t firsts, uint16x8_t lasts) const {
    const uint16x8_t both = kMsbFirst ? vsliq_n_u16(lasts, firsts, 8) : vsliq_n_u16(firsts, lasts, 8);
    return vandq_u16(vshlq_u16(both, shifts), mask);
  }

  template <bool kMsbFirst>
  [[gnu::noinline]] void Decode(const uint8_t* in, int32_t step, const uint8_t* table, int32_t count,
                                uint8_t* output) const {
    for (int32_t left = count / 8; left > 0; --left, in += step, output += 8) {
      const uint16x8_t firsts = vldrbq_gather_offset_u16(in, first_bytes);
      const uint16x8_t lasts = vldrbq_gather_offset_u16(in, last_bytes);
      vstrbq_u16(output, vldrbq_gather_offset_u16(table, FieldsOf<kMsbFirst>(firsts, lasts)));
    }
    if (count % 8 == 0) return;
    const mve_pred16_t lanes = vctp16q(static_cast<uint32_t>(count % 8));
    const uint16x8_t firsts = vldrbq_gather_offset_z_u16(in, first_bytes, lanes);
    const uint16x8_t lasts = vldrbq_gather_offset_z_u16(in, last_bytes, lanes);
    const uint16x8_t values = vldrbq_gather_offset_z_u16(table, FieldsOf<kMsbFirst>(firsts, lasts), lanes);
    vstrbq_p_u16(output, values, lanes);
  }
};

void DecodeAny(const LutDecodeArgs& args, const uint8_t* table, int32_t first, int32_t count,
               uint8_t* output) {
  const size_t bit = static_cast<size_t>(first) * static_cast<size_t>(args.width);
  const EightIndices eight(args.width, args.order == BitOrder::kMsbFirst, bit % 8);
  const uint8_t* const in = args.stream + bit / 8;
  if (eight.msb_first) return eight.Decode<true>(in, args.width, table, count, output);
  eight.Decode<false>(in, args.width, table, count, output);
}

// Reads sixteen indices of four bits, two in each half word.
template <bool kMsbFirst>
[[gnu::always_inline]] inline uint8x16_t SixteenOfFour(const uint8_t* in) {
  const uint16x8_t bytes = vldrbq_u16(in);
  const uint16x8_t both =
      kMsbFirst ? vsliq_n_u16(vshrq_n_u16(bytes, 4), bytes, 8) : vsliq_n_u16(bytes, bytes, 4);
  return vandq_u8(vreinterpretq_u8_u16(both), vdupq_n_u8(15));
}

// Reads indices of two bits, four in each word.
template <bool kMsbFirst>
[[gnu::always_inline]] inline uint8x16_t SixteenOfTwo(const uint8_t* in) {
  const uint32x4_t bytes = vldrbq_u32(in);
  uint32x4_t all = kMsbFirst ? vshrq_n_u32(bytes, 6) : bytes;
  all = vsliq_n_u32(all, kMsbFirst ? vshrq_n_u32(bytes, 4) : vshrq_n_u32(bytes, 2), 8);
  all = vsliq_n_u32(all, kMsbFirst ? vshrq_n_u32(bytes, 2) : vshrq_n_u32(bytes, 4), 16);
  all = vsliq_n_u32(all, kMsbFirst ? bytes : vshrq_n_u32(bytes, 6), 24);
  return vandq_u8(vreinterpretq_u8_u32(all), vdupq_n_u8(3));
}

template <int kWidth, bool kMsbFirst>
[[gnu::noinline]] void DecodeSixteens(const uint8_t* in, const uint8_t* table, int32_t count,
                                      uint8_t* output) {
  for (; count > 0; --count, in += 2 * kWidth, output += 16) {
    const uint8x16_t indices = kWidth == 4 ? SixteenOfFour<kMsbFirst>(in) : SixteenOfTwo<kMsbFirst>(in);
    vstrbq_u8(output, vldrbq_gather_offset_u8(table, indices));
  }
}

template <int kWidth>
void DecodeNarrow(const LutDecodeArgs& args, const uint8_t* table, int32_t first, int32_t count,
                  uint8_t* output) {
  // Elements before the next whole byte.
  int32_t few = -first & (8 / kWidth - 1);
  if (few > count) few = count;
  if (few > 0) DecodeAny(args, table, first, few, output);
  first += few;
  count -= few;
  output += few;
  const uint8_t* const in = args.stream + static_cast<size_t>(first) * kWidth / 8;
  const auto decode =
      args.order == BitOrder::kMsbFirst ? DecodeSixteens<kWidth, true> : DecodeSixteens<kWidth, false>;
  decode(in, table, count / 16, output);
  const int32_t made = count / 16 * 16;
  if (made < count) DecodeAny(args, table, first + made, count - made, output + made);
}

}  // namespace

void LutDecodeMve(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeRuns(args, first, count,
             [&](const uint8_t* table, int32_t run_first, int32_t run_count, uint8_t* output) {
               if (args.width == 4) return DecodeNarrow<4>(args, table, run_first, run_count, output);
               if (args.width == 2) return DecodeNarrow<2>(args, table, run_first, run_count, output);
               DecodeAny(args, table, run_first, run_count, output);
             });
}

}  // namespace lutra
