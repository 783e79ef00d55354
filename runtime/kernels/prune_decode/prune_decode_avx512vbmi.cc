// SPDX-License-Identifier: Apache-2.0
// PruneDecode with AVX-512: 64 flags at a time. The instructions that expand bytes and words need VBMI2, so
// each element finds its value by a permutation: its index is the number of kept elements before it. Larger
// elements are expanded.

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's header reads a register that it does not set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/kernels/prune_decode/prune_decode_blocks.h"

namespace lutra {
namespace {

using Vector = __m512i;

constexpr uint64_t FirstOf(int64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
int32_t CountBits(uint64_t bits) { return __builtin_popcountll(bits); }

// Says how many bits are set in each number of seven bits.
struct BitCounts {
  uint8_t counts[128] = {};
  constexpr BitCounts() {
    for (int i = 1; i < 128; ++i) counts[i] = static_cast<uint8_t>(counts[i / 2] + i % 2);
  }
};
constexpr BitCounts kBitCounts;

// 64 flags of the map, in lanes of eight elements.
class Flags {
 public:
  Flags()
      : low_counts_(_mm512_loadu_si512(kBitCounts.counts)),
        high_counts_(_mm512_loadu_si512(kBitCounts.counts + 64)) {}

  void Set(uint64_t map) {
    map_ = map;
    // Each byte of lane i is byte i of the map.
    lanes_ = ByteOfLane(map);
    constexpr int64_t kBits = 0x0102040810204080;
    kept_ = _mm512_test_epi8_mask(lanes_, _mm512_set1_epi64(kBits));
  }
  uint64_t kept() const { return kept_; }

  // Returns for each element how many elements before it are kept.
  Vector KeptBefore() const {
    constexpr auto kEarlier = static_cast<int64_t>(0xFEFCF8F0E0C08000);
    const Vector earlier = _mm512_srli_epi16(_mm512_and_si512(lanes_, _mm512_set1_epi64(kEarlier)), 1);
    const Vector in_lane = _mm512_permutex2var_epi8(low_counts_, earlier, high_counts_);
    // Counts the bits of each byte of the map, then of all bytes before it.
    uint64_t counts = map_ - (map_ >> 1 & 0x5555555555555555);
    counts = (counts & 0x3333333333333333) + (counts >> 2 & 0x3333333333333333);
    counts = (counts + (counts >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return _mm512_add_epi8(in_lane, ByteOfLane(counts * 0x0101010101010101 << 8));
  }

 private:
  static Vector ByteOfLane(uint64_t bytes) {
    constexpr int64_t kEach = 0x0101010101010101;
    const Vector first_bits = _mm512_set_epi64(56 * kEach, 48 * kEach, 40 * kEach, 32 * kEach, 24 * kEach,
                                               16 * kEach, 8 * kEach, 0);
    return _mm512_multishift_epi64_epi8(first_bits, _mm512_set1_epi64(static_cast<int64_t>(bytes)));
  }

  Vector low_counts_;
  Vector high_counts_;
  Vector lanes_;
  uint64_t map_;
  __mmask64 kept_;
};

// Expand() of each struct takes the values of the elements in `kept`, stores the elements in `stored`, and
// returns the address behind these values.
struct Bytes {
  using Element = uint8_t;
  static Vector Repeat(uint8_t x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static const uint8_t* Expand(const Flags& flags, uint64_t kept, const uint8_t* values, Vector zero_points,
                               uint64_t stored, uint8_t* output) {
    const int32_t count = CountBits(kept);
    const Vector next = _mm512_maskz_loadu_epi8(FirstOf(count), values);
    _mm512_mask_storeu_epi8(output, stored,
                            _mm512_mask_permutexvar_epi8(zero_points, kept, flags.KeptBefore(), next));
    return values + count;
  }
};

struct Words {
  using Element = uint16_t;
  static Vector Repeat(uint16_t x) { return _mm512_set1_epi16(static_cast<int16_t>(x)); }
  static const uint8_t* Expand(const Flags& flags, uint64_t kept, const uint8_t* values, Vector zero_points,
                               uint64_t stored, uint16_t* output) {
    const Vector before = flags.KeptBefore();
    const auto low = static_cast<__mmask32>(kept), high = static_cast<__mmask32>(kept >> 32);
    const int32_t low_count = CountBits(low), high_count = CountBits(high);
    const Vector next = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(FirstOf(low_count)), values);
    const Vector from = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(before, 0));
    _mm512_mask_storeu_epi16(output, static_cast<__mmask32>(stored),
                             _mm512_mask_permutexvar_epi16(zero_points, low, from, next));
    values += size_t{2} * static_cast<size_t>(low_count);
    const Vector later = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(FirstOf(high_count)), values);
    const Vector later_from = _mm512_sub_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(before, 1)),
                                               _mm512_set1_epi16(static_cast<int16_t>(low_count)));
    _mm512_mask_storeu_epi16(output + 32, static_cast<__mmask32>(stored >> 32),
                             _mm512_mask_permutexvar_epi16(zero_points, high, later_from, later));
    return values + size_t{2} * static_cast<size_t>(high_count);
  }
};

struct DoubleWords {
  using Element = uint32_t;
  static Vector Repeat(uint32_t x) { return _mm512_set1_epi32(static_cast<int32_t>(x)); }
  static const uint8_t* Expand(const Flags&, uint64_t kept, const uint8_t* values, Vector zero_points,
                               uint64_t stored, uint32_t* output) {
    for (int i = 0; i < 4; ++i, kept >>= 16, stored >>= 16, output += 16) {
      const auto mine = static_cast<__mmask16>(kept);
      const int32_t count = CountBits(mine);
      const Vector next = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(FirstOf(count)), values);
      _mm512_mask_storeu_epi32(output, static_cast<__mmask16>(stored),
                               _mm512_mask_expand_epi32(zero_points, mine, next));
      values += sizeof(uint32_t) * static_cast<size_t>(count);
    }
    return values;
  }
};

struct QuadWords {
  using Element = uint64_t;
  static Vector Repeat(uint64_t x) { return _mm512_set1_epi64(static_cast<int64_t>(x)); }
  static const uint8_t* Expand(const Flags&, uint64_t kept, const uint8_t* values, Vector zero_points,
                               uint64_t stored, uint64_t* output) {
    for (int i = 0; i < 8; ++i, kept >>= 8, stored >>= 8, output += 8) {
      const auto mine = static_cast<__mmask8>(kept);
      const int32_t count = CountBits(mine);
      const Vector next = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(FirstOf(count)), values);
      _mm512_mask_storeu_epi64(output, static_cast<__mmask8>(stored),
                               _mm512_mask_expand_epi64(zero_points, mine, next));
      values += sizeof(uint64_t) * static_cast<size_t>(count);
    }
    return values;
  }
};

template <typename Set>
void DecodeFlags(PruneDecodeFn ref, const PruneDecodeArgs& args) {
  typename Set::Element zero_point;
  if (!OneZeroPoint(args, &zero_point)) return ref(args);
  const uint8_t* const map = args.map;  // A local copy, as writes might change `args`.
  const int32_t count = args.count;
  const uint8_t* value = args.values;
  auto* const output = static_cast<typename Set::Element*>(args.output);
  const Vector zero_points = Set::Repeat(zero_point);
  Flags flags;
  int32_t done = 0;
  for (; count - done >= 64; done += 64) {
    flags.Set(LoadLittle64(map + done / 8));
    value = Set::Expand(flags, flags.kept(), value, zero_points, ~uint64_t{0}, output + done);
  }
  if (done == count) return;
  const auto bytes = static_cast<size_t>(count - 1) / 8 + 1;
  flags.Set(LoadLittle64AtEnd(map, bytes, static_cast<size_t>(done) / 8));
  const uint64_t stored = FirstOf(count - done);
  Set::Expand(flags, flags.kept() & stored, value, zero_points, stored, output + done);
}

}  // namespace

template <>
void PruneDecodeAvx512vbmi<uint8_t>(const PruneDecodeArgs& args) {
  DecodeFlags<Bytes>(PruneDecodeRef<uint8_t>, args);
}
template <>
void PruneDecodeAvx512vbmi<uint16_t>(const PruneDecodeArgs& args) {
  DecodeFlags<Words>(PruneDecodeRef<uint16_t>, args);
}
template <>
void PruneDecodeAvx512vbmi<uint32_t>(const PruneDecodeArgs& args) {
  DecodeFlags<DoubleWords>(PruneDecodeRef<uint32_t>, args);
}
template <>
void PruneDecodeAvx512vbmi<uint64_t>(const PruneDecodeArgs& args) {
  DecodeFlags<QuadWords>(PruneDecodeRef<uint64_t>, args);
}

}  // namespace lutra
