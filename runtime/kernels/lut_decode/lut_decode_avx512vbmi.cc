// SPDX-License-Identifier: Apache-2.0
// 64 bytes of output at a time. Each 64-bit lane of a vector takes the eight bytes of the stream that hold
// its indices (vpermb), cuts them apart (vpmultishiftqb) and looks them up in tables that stay in registers:
// one vector of values by a permutation, two by a permutation of both, more by blends of those.

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's header starts from a register that it does not set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#include <string.h>

#include "lutra/kernels/lut_decode/lut_decode.h"

namespace lutra {
namespace {

using Vector = __m512i;
constexpr int32_t kVectorBytes = 64;

__mmask64 FirstBytes(int64_t count) {
  return count >= kVectorBytes ? ~__mmask64{0} : count <= 0 ? 0 : (__mmask64{1} << count) - 1;
}

// Which bytes a lane takes and where in them its indices begin, for elements of kBytes. Lanes hold the
// stream's bytes so that a field's bits follow each other upwards: for the highest bit first, reversed.
template <int kBytes>
struct Cut {
  uint8_t bytes[kVectorBytes] = {};
  uint8_t shifts[kVectorBytes] = {};

  constexpr Cut(int width, bool msb_first) {
    constexpr int kPerLane = 8 / kBytes;
    for (int lane = 0; lane < 8; ++lane) {
      const int bit = lane * kPerLane * width;
      for (int k = 0; k < 8; ++k) {
        bytes[8 * lane + (msb_first ? 7 - k : k)] = static_cast<uint8_t>(bit / 8 + k);
        const int at = bit % 8 + k / kBytes * width;
        shifts[8 * lane + k] = static_cast<uint8_t>(msb_first ? (64 - at - width) & 63 : at);
      }
    }
  }
};

template <int kBytes>
constexpr Cut<kBytes> kCuts[2][8] = {
    {{1, false}, {2, false}, {3, false}, {4, false}, {5, false}, {6, false}, {7, false}, {8, false}},
    {{1, true}, {2, true}, {3, true}, {4, true}, {5, true}, {6, true}, {7, true}, {8, true}}};

// ---- Lookups: a vector of indices, each in the lowest byte of its element, to one of values. What stands
// above an index's bits does not matter to them.

template <int kBytes>
Vector Permute(Vector table, Vector indices) {
  if constexpr (kBytes == 1) return _mm512_permutexvar_epi8(indices, table);
  if constexpr (kBytes == 2) return _mm512_permutexvar_epi16(indices, table);
  if constexpr (kBytes == 4) return _mm512_permutexvar_epi32(indices, table);
  if constexpr (kBytes == 8) return _mm512_permutexvar_epi64(indices, table);
}

template <int kBytes>
Vector PermuteTwo(Vector low, Vector high, Vector indices) {
  if constexpr (kBytes == 1) return _mm512_permutex2var_epi8(low, indices, high);
  if constexpr (kBytes == 2) return _mm512_permutex2var_epi16(low, indices, high);
  if constexpr (kBytes == 4) return _mm512_permutex2var_epi32(low, indices, high);
  if constexpr (kBytes == 8) return _mm512_permutex2var_epi64(low, indices, high);
}

// `high` where the bit of the index is set.
template <int kBytes>
Vector Choose(Vector low, Vector high, Vector indices, int bit) {
  const int mask = 1 << bit;
  if constexpr (kBytes == 1) {
    const auto byte = static_cast<char>(mask);
    return _mm512_mask_blend_epi8(_mm512_test_epi8_mask(indices, _mm512_set1_epi8(byte)), low, high);
  }
  if constexpr (kBytes == 2) {
    const auto word = static_cast<int16_t>(mask);
    return _mm512_mask_blend_epi16(_mm512_test_epi16_mask(indices, _mm512_set1_epi16(word)), low, high);
  }
  if constexpr (kBytes == 4) {
    return _mm512_mask_blend_epi32(_mm512_test_epi32_mask(indices, _mm512_set1_epi32(mask)), low, high);
  }
  if constexpr (kBytes == 8) {
    return _mm512_mask_blend_epi64(_mm512_test_epi64_mask(indices, _mm512_set1_epi64(mask)), low, high);
  }
}

// kVectors vectors of values: a power of two.
template <int kBytes, int kVectors>
struct Table {
  static constexpr int kElementBytes = kBytes;
  Vector values[kVectors];

  // Entries that no index names may be missing.
  Table(const uint8_t* bytes, int32_t stride, int32_t width) {
    const int32_t entries = stride < 1 << width ? stride : 1 << width;
    const int64_t all = int64_t{entries} * kBytes;
    for (int k = 0; k < kVectors; ++k) {
      values[k] =
          _mm512_maskz_loadu_epi8(FirstBytes(all - kVectorBytes * k), bytes + int64_t{kVectorBytes} * k);
    }
    if constexpr (kVectors == 1) {
      // Repeated, so that bits above the index do not matter.
      alignas(kVectorBytes) uint8_t repeat[kVectorBytes];
      for (int k = 0; k < kVectorBytes; ++k) repeat[k] = static_cast<uint8_t>(k & ((kBytes << width) - 1));
      values[0] = _mm512_permutexvar_epi8(_mm512_load_si512(repeat), values[0]);
    }
  }

  template <int kFirst = 0, int kCount = kVectors>
  Vector operator()(Vector indices) const {
    if constexpr (kCount == 1) {
      return Permute<kBytes>(values[kFirst], indices);
    } else if constexpr (kCount == 2) {
      return PermuteTwo<kBytes>(values[kFirst], values[kFirst + 1], indices);
    } else {
      constexpr int kHalf = kCount / 2;
      constexpr int kBit = __builtin_ctz(kHalf * kVectorBytes / kBytes);
      return Choose<kBytes>(operator()<kFirst, kHalf>(indices), operator()<kFirst + kHalf, kHalf>(indices),
                            indices, kBit);
    }
  }
};

// The indices themselves.
struct Indices {
  static constexpr int kElementBytes = 1;
  Vector mask;
  Vector operator()(Vector indices) const { return _mm512_and_si512(indices, mask); }
};

// ---- Runs of elements that share a table.

template <typename Look>
void DecodeRun(const LutDecodeArgs& args, const Look& look, int32_t first, int32_t count, uint8_t* output) {
  constexpr int kBytes = Look::kElementBytes;
  constexpr int32_t kElements = kVectorBytes / kBytes;
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  const Cut<kBytes>& cut = kCuts<kBytes>[msb_first ? 1 : 0][args.width - 1];
  const size_t bit = static_cast<size_t>(first) * static_cast<size_t>(args.width);
  const uint8_t* in = args.stream + bit / 8;
  const uint8_t* const end = args.stream + args.stream_bytes;
  const int32_t step = kElements / 8 * args.width;
  const Vector bytes = _mm512_loadu_si512(cut.bytes);
  const Vector phase = _mm512_set1_epi8(static_cast<char>(bit % 8));
  Vector shifts = _mm512_loadu_si512(cut.shifts);
  shifts = msb_first ? _mm512_sub_epi8(shifts, phase) : _mm512_add_epi8(shifts, phase);
  const auto decode = [&](Vector stream) __attribute__((always_inline)) {
    return look(_mm512_multishift_epi64_epi8(shifts, _mm512_permutexvar_epi8(bytes, stream)));
  };
  for (; count >= 2 * kElements && end - in >= step + kVectorBytes; count -= 2 * kElements) {
    const Vector a = decode(_mm512_loadu_si512(in));
    const Vector b = decode(_mm512_loadu_si512(in + step));
    _mm512_storeu_si512(output, a);
    _mm512_storeu_si512(output + kVectorBytes, b);
    in += 2 * step;
    output += 2 * kVectorBytes;
  }
  for (; count > 0; count -= kElements, in += step, output += kVectorBytes) {
    const Vector values = decode(_mm512_maskz_loadu_epi8(FirstBytes(end - in), in));
    _mm512_mask_storeu_epi8(output, FirstBytes(int64_t{count} * kBytes), values);
  }
}

template <int kBytes, int kVectors>
void DecodeTables(const LutDecodeArgs& args, int32_t first, int32_t count) {
  const int32_t run = args.channels == 1 ? first + count : args.inner;
  int32_t channel = first / run % args.channels;
  int32_t left = run - first % run;
  auto* output = static_cast<uint8_t*>(args.output);
  while (count > 0) {
    const int32_t made = left < count ? left : count;
    const size_t table_bytes = static_cast<size_t>(args.stride) * kBytes;
    const Table<kBytes, kVectors> table(args.values + static_cast<size_t>(channel) * table_bytes, args.stride,
                                        args.width);
    DecodeRun(args, table, first, made, output);
    output += static_cast<size_t>(made) * kBytes;
    first += made;
    count -= made;
    left = run;
    channel = channel + 1 == args.channels ? 0 : channel + 1;
  }
}

// ---- Tables on the last axis: rows of one element of each channel.

constexpr int32_t kBufferBytes = 4096;

// Channels c to c + 7 of some rows, whose indices of up to 4 bits lie `channels` bytes apart: the eight
// tables fit into two vectors.
void DecodeEightChannels(const LutDecodeArgs& args, int32_t c, const uint8_t* indices, int32_t rows,
                         uint8_t* output) {
  const int32_t width = args.width;
  const size_t entries = static_cast<size_t>(args.stride < 1 << width ? args.stride : 1 << width);
  alignas(kVectorBytes) uint8_t tables[2 * kVectorBytes] = {};
  alignas(kVectorBytes) uint8_t offsets[kVectorBytes];
  for (int32_t k = 0; k < 8; ++k) {
    memcpy(tables + (k << width), args.values + static_cast<size_t>(c + k) * static_cast<size_t>(args.stride),
           entries);
  }
  for (int32_t k = 0; k < kVectorBytes; ++k) offsets[k] = static_cast<uint8_t>((k & 7) << width);
  const Vector low = _mm512_load_si512(tables), high = _mm512_load_si512(tables + kVectorBytes);
  const Vector offset = _mm512_load_si512(offsets);
  const auto channels = static_cast<size_t>(args.channels);
  for (int32_t row = 0; row < rows; row += 8) {
    const int32_t made = rows - row < 8 ? rows - row : 8;
    const uint8_t* const in = indices + static_cast<size_t>(row) * channels;
    // A load that takes what eight stores have left would wait for them: one lane after the other.
    Vector x = _mm512_setzero_si512();
    for (int32_t k = 0; k < 8; ++k) {
      const int32_t of = k < made ? k : 0;  // What is not made is not stored.
      const __m128i lane =
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + static_cast<size_t>(of) * channels));
      x = _mm512_mask_broadcastq_epi64(x, static_cast<__mmask8>(1 << k), lane);
    }
    x = _mm512_permutex2var_epi8(low, _mm512_or_si512(x, offset), high);
    alignas(kVectorBytes) uint8_t values[kVectorBytes];
    _mm512_store_si512(values, x);
    uint8_t* out = output + static_cast<size_t>(row) * channels;
    for (int32_t k = 0; k < made; ++k, out += channels) memcpy(out, values + 8 * k, 8);
  }
}

// One row, of larger tables. Eight indices are one load.
void DecodeChannels(const LutDecodeArgs& args, const uint8_t* indices, uint8_t* output) {
  const auto stride = static_cast<size_t>(args.stride);
  const int32_t channels = args.channels;
  const uint8_t* table = args.values;
  int32_t c = 0;
  for (; c + 8 <= channels; c += 8) {
    uint64_t word = 0;
    memcpy(&word, indices + c, 8);
    for (int k = 0; k < 8; ++k, word >>= 8, table += stride) output[c + k] = table[word & 0xFF];
  }
  for (; c < channels; ++c, table += stride) output[c] = table[indices[c]];
}

void DecodeLastAxis(LutDecodeArgs args, int32_t first, int32_t count) {
  const int32_t channels = args.channels;
  const auto with_ref = [&](int32_t made) {
    LutDecode8Ref(args, first, made);
    args.output = static_cast<uint8_t*>(args.output) + made;
    first += made;
    count -= made;
  };
  if (channels < 8 || channels > kBufferBytes) return with_ref(count);
  if (first % channels != 0) {
    const int32_t rest = channels - first % channels;
    with_ref(rest < count ? rest : count);
  }
  const Indices look = {_mm512_set1_epi8(static_cast<char>((1 << args.width) - 1))};
  while (count >= channels) {
    alignas(kVectorBytes) uint8_t indices[kBufferBytes];
    const int32_t most = kBufferBytes / channels;
    const int32_t rows = count / channels < most ? count / channels : most;
    DecodeRun(args, look, first, rows * channels, indices);
    auto* const output = static_cast<uint8_t*>(args.output);
    if (args.width <= 4) {
      for (int32_t c = 0; c < channels; c += 8) {
        // The last eight, some of them twice.
        const int32_t from = c + 8 <= channels ? c : channels - 8;
        DecodeEightChannels(args, from, indices + from, rows, output + from);
      }
    } else {
      for (int32_t row = 0; row < rows; ++row) {
        DecodeChannels(args, indices + row * channels, output + row * channels);
      }
    }
    args.output = output + rows * channels;
    first += rows * channels;
    count -= rows * channels;
  }
  if (count > 0) with_ref(count);
}

template <int kBytes>
void Decode(LutDecodeFn ref, const LutDecodeArgs& args, int32_t first, int32_t count) {
  if (args.inner == 1 && args.channels > 1) {
    return kBytes == 1 ? DecodeLastAxis(args, first, count) : ref(args, first, count);
  }
  const int vectors = (kBytes << args.width) / kVectorBytes;
  if (vectors <= 1) return DecodeTables<kBytes, 1>(args, first, count);
  if (vectors == 2) return DecodeTables<kBytes, 2>(args, first, count);
  if (vectors == 4) return DecodeTables<kBytes, 4>(args, first, count);
  if (kBytes > 1 && vectors == 8) return DecodeTables < kBytes, kBytes == 1 ? 4 : 8 > (args, first, count);
  ref(args, first, count);
}

}  // namespace

void LutDecode8Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count) {
  Decode<1>(LutDecode8Ref, args, first, count);
}
void LutDecode16Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count) {
  Decode<2>(LutDecode16Ref, args, first, count);
}
void LutDecode32Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count) {
  Decode<4>(LutDecode32Ref, args, first, count);
}
void LutDecode64Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count) {
  Decode<8>(LutDecode64Ref, args, first, count);
}

}  // namespace lutra
