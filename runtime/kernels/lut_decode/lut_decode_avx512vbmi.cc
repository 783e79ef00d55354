// SPDX-License-Identifier: Apache-2.0
// Decodes 64 bytes of output at a time. Each 64-bit lane of a vector takes the eight bytes of the stream that
// hold its indices (vpermb), separates them (vpmultishiftqb) and looks them up in tables that stay in
// registers: one vector of values by a permutation, two by a permutation of both, more by blends of these.

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's header reads a register that it does not set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#include <string.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/bit_windows_avx2.h"
#include "runtime/kernels/bit_windows_avx512vbmi.h"
#include "runtime/kernels/lut_decode/lut_decode_windows.h"

namespace lutra {
namespace {

using Vector = __m512i;
template <int kBytes>
constexpr Cut<kBytes> kCuts[2][8] = {
    {{1, false}, {2, false}, {3, false}, {4, false}, {5, false}, {6, false}, {7, false}, {8, false}},
    {{1, true}, {2, true}, {3, true}, {4, true}, {5, true}, {6, true}, {7, true}, {8, true}}};

// Each byte's place in a vector.
struct Places {
  uint8_t bytes[kVectorBytes] = {};
  constexpr Places() {
    for (int k = 0; k < kVectorBytes; ++k) bytes[k] = static_cast<uint8_t>(k);
  }
};
constexpr Places kPlaces;

// ---- Lookups map a vector of indices, each in the lowest byte of its element, to a vector of values. The
// bits above an index do not matter.

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

// Returns `high` for indices in which `bit` is set, else `low`.
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

// The shape of all tables. Entries that no index names may be missing.
template <int kBytes, int kVectors>
struct TableShape {
  __mmask64 present[kVectors];
  Vector repeat;  // Repeats a vector's values, so that bits above the index do not matter.

  TableShape(int32_t stride, int32_t width) {
    const int64_t bytes = int64_t{stride < 1 << width ? stride : 1 << width} * kBytes;
    for (int k = 0; k < kVectors; ++k) present[k] = FirstBytes(bytes - kVectorBytes * k);
    repeat = _mm512_and_si512(_mm512_loadu_si512(kPlaces.bytes),
                              _mm512_set1_epi8(static_cast<char>((kBytes << width) - 1)));
  }
};

// kVectors vectors of values; kVectors is a power of two.
template <int kBytes, int kVectors>
struct Table {
  static constexpr int kElementBytes = kBytes;
  Vector values[kVectors];

  Table(const uint8_t* bytes, const TableShape<kBytes, kVectors>& shape) {
    for (int k = 0; k < kVectors; ++k) {
      values[k] = _mm512_maskz_loadu_epi8(shape.present[k], bytes + int64_t{kVectorBytes} * k);
    }
    if constexpr (kVectors == 1) values[0] = _mm512_permutexvar_epi8(shape.repeat, values[0]);
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

// ---- Runs of elements that share a table.

// Cuts a vector of indices out of the stream's bytes. Indices of whole bytes need no cutting.
template <int kBytes, bool kWholeBytes>
struct Cutter {
  Vector bytes;
  Vector shifts;
  bool msb_first;

  explicit Cutter(const LutDecodeArgs& args) : msb_first(args.order == BitOrder::kMsbFirst) {
    const Cut<kBytes>& cut = kCuts<kBytes>[msb_first ? 1 : 0][args.width - 1];
    bytes = _mm512_loadu_si512(cut.bytes);
    shifts = _mm512_loadu_si512(cut.shifts);
  }
  // Returns the shifts for indices that begin at this bit of a byte.
  Vector ShiftsAt(size_t bit) const {
    const Vector phase = _mm512_set1_epi8(static_cast<char>(bit));
    return msb_first ? _mm512_sub_epi8(shifts, phase) : _mm512_add_epi8(shifts, phase);
  }
  [[gnu::always_inline]] Vector operator()(Vector stream, Vector shifts_here) const {
    if constexpr (kWholeBytes) return stream;
    return _mm512_multishift_epi64_epi8(shifts_here, _mm512_permutexvar_epi8(bytes, stream));
  }
};

template <int kBytes, bool kWholeBytes, typename Look>
void DecodeRun(const LutDecodeArgs& args, const Cutter<kBytes, kWholeBytes>& cut, const Look& look,
               int32_t first, int32_t count, uint8_t* output) {
  constexpr int32_t kElements = kVectorBytes / kBytes;
  const size_t bit = static_cast<size_t>(first) * static_cast<size_t>(args.width);
  const uint8_t* in = args.stream + bit / 8;
  const uint8_t* const end = args.stream + args.stream_bytes;
  const int32_t step = kElements / 8 * args.width;
  const Vector shifts = cut.ShiftsAt(bit % 8);
  for (; count >= 2 * kElements && end - in >= step + kVectorBytes; count -= 2 * kElements) {
    const Vector a = look(cut(_mm512_loadu_si512(in), shifts));
    const Vector b = look(cut(_mm512_loadu_si512(in + step), shifts));
    _mm512_storeu_si512(output, a);
    _mm512_storeu_si512(output + kVectorBytes, b);
    in += 2 * step;
    output += 2 * kVectorBytes;
  }
  for (; count > 0; count -= kElements, in += step, output += kVectorBytes) {
    const Vector values = look(cut(_mm512_maskz_loadu_epi8(FirstBytes(end - in), in), shifts));
    _mm512_mask_storeu_epi8(output, FirstBytes(int64_t{count} * kBytes), values);
  }
}

// Whole runs that begin at the same bit of a byte, one table after the other; 64 bytes of the stream follow
// the last run.
struct Runs {
  const uint8_t* in;
  const uint8_t* values;
  uint8_t* output;
  size_t stream_bytes;  // Of a run, as the next two.
  size_t table_bytes;
  int32_t elements;
  int32_t count;
};

template <int kVectors, int kBytes, bool kWholeBytes, typename Table>
[[gnu::always_inline]] inline void DecodeVectors(const uint8_t* in, intptr_t step, Vector shifts,
                                                 const Cutter<kBytes, kWholeBytes>& cut, const Table& table,
                                                 uint8_t* output) {
  Vector made[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) made[k] = table(cut(_mm512_loadu_si512(in + k * step), shifts));
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) _mm512_storeu_si512(output + k * kVectorBytes, made[k]);
}

// Takes its arguments by value, as writes might change what a reference names.
template <int kBytes, int kVectors, bool kWholeBytes>
[[gnu::noinline]] void DecodeRuns(Runs runs, Cutter<kBytes, kWholeBytes> cut, Vector shifts,
                                  TableShape<kBytes, kVectors> shape, int32_t width) {
  constexpr int32_t kElements = kVectorBytes / kBytes;
  const intptr_t step = kElements / 8 * width;
  const int32_t vectors = runs.elements / kElements;
  const int32_t rest = runs.elements % kElements;
  const __mmask64 rest_bytes = FirstBytes(int64_t{rest} * kBytes);
  for (; runs.count > 0; --runs.count, runs.in += runs.stream_bytes, runs.values += runs.table_bytes) {
    const Table<kBytes, kVectors> table(runs.values, shape);
    const uint8_t* in = runs.in;
    int32_t k = vectors;
    for (; k >= 4; k -= 4, in += 4 * step, runs.output += 4 * kVectorBytes) {
      DecodeVectors<4>(in, step, shifts, cut, table, runs.output);
    }
    for (; k > 0; --k, in += step, runs.output += kVectorBytes) {
      DecodeVectors<1>(in, step, shifts, cut, table, runs.output);
    }
    if (rest == 0) continue;
    _mm512_mask_storeu_epi8(runs.output, rest_bytes, table(cut(_mm512_loadu_si512(in), shifts)));
    runs.output += rest * kBytes;
  }
}

template <int kBytes, int kVectors, bool kWholeBytes = false>
void DecodeTables(const LutDecodeArgs& args, int32_t first, int32_t count) {
  const int32_t run = args.channels == 1 ? first + count : args.inner;
  int32_t channel = first / run % args.channels;
  int32_t left = run - first % run;
  const auto width = static_cast<size_t>(args.width);
  const size_t run_bits = static_cast<size_t>(run) * width;
  const size_t table_bytes = static_cast<size_t>(args.stride) * kBytes;
  auto* output = static_cast<uint8_t*>(args.output);
  const Cutter<kBytes, kWholeBytes> cut(args);
  const TableShape<kBytes, kVectors> shape(args.stride, args.width);
  while (count > 0) {
    const uint8_t* const values = args.values + static_cast<size_t>(channel) * table_bytes;
    int32_t made = left < count ? left : count;
    int32_t runs = 1;
    const size_t bit = static_cast<size_t>(first) * width;
    if (made == run && run_bits % 8 == 0 && args.stream_bytes - bit / 8 > run_bits / 8 + kVectorBytes) {
      // Runs end with the last table, the last wanted run, or the last in the stream.
      const size_t safe = (args.stream_bytes - bit / 8 - kVectorBytes) / (run_bits / 8);
      runs = count / run < args.channels - channel ? count / run : args.channels - channel;
      if (safe < static_cast<size_t>(runs)) runs = static_cast<int32_t>(safe);
      DecodeRuns({args.stream + bit / 8, values, output, run_bits / 8, table_bytes, run, runs}, cut,
                 cut.ShiftsAt(bit % 8), shape, args.width);
      made = run * runs;
    } else {
      DecodeRun(args, cut, Table<kBytes, kVectors>(values, shape), first, made, output);
    }
    output += static_cast<size_t>(made) * kBytes;
    first += made;
    count -= made;
    left = run;
    channel = channel + runs == args.channels ? 0 : channel + runs;
  }
}

// ---- Tables along the last axis: a row has one element of each channel. A vector has eight rows of eight
// channels, a row in each lane.

constexpr int32_t kLanes = 8;
constexpr int32_t kMaxLaneWidth = 7;  // Eight indices fit a lane, from any bit of a byte on.

// Selects byte k of every lane, first <= k < first + count.
constexpr __mmask64 BytesOfLanes(int first, int count) {
  return uint64_t{0x0101010101010101} * (((1u << count) - 1) << first);
}

// The tables of eight channels. As many as fit two vectors are looked up at once: there are kLookups lookups,
// each of which keeps the other channels' bytes.
template <int kLookups>
struct EightTables {
  static constexpr int kTogether = kLanes / kLookups;
  Vector low[kLookups];
  Vector high[kLookups];
  Vector offsets;

  EightTables(const LutDecodeArgs& args, int32_t channel) {
    const int32_t entries = args.stride < 1 << args.width ? args.stride : 1 << args.width;
    const int64_t bytes = int64_t{kTogether - 1} * args.stride + entries;
    for (int i = 0; i < kLookups; ++i) {
      const uint8_t* const at =
          args.values + static_cast<size_t>(channel + i * kTogether) * static_cast<size_t>(args.stride);
      low[i] = _mm512_maskz_loadu_epi8(FirstBytes(bytes), at);
      high[i] = _mm512_maskz_loadu_epi8(FirstBytes(bytes - kVectorBytes), at + kVectorBytes);
    }
    // The indices of the tables in two vectors; all are below 128.
    constexpr uint64_t kPlaces = kTogether == 8   ? 0x0706050403020100
                                 : kTogether == 4 ? 0x0302010003020100
                                 : kTogether == 2 ? 0x0100010001000100
                                                  : 0;
    offsets = _mm512_set1_epi64(static_cast<int64_t>(static_cast<uint64_t>(args.stride) * kPlaces));
  }
  Vector operator()(Vector indices) const { return LookUp<0>(_mm512_add_epi8(indices, offsets)); }

 private:
  template <int kFirst>
  Vector LookUp(Vector x) const {
    if constexpr (kLookups == 1) {
      return _mm512_permutex2var_epi8(low[0], x, high[0]);
    } else if constexpr (kFirst == kLookups) {
      return x;
    } else {
      constexpr __mmask64 kMine = BytesOfLanes(kFirst * kTogether, kTogether);
      return LookUp<kFirst + 1>(_mm512_mask2_permutex2var_epi8(low[kFirst], x, kMine, high[kFirst]));
    }
  }
};

// Says how the indices of eight channels of eight rows are cut out of the eight bytes in which each row's
// begin. The indices of the next eight rows, and of the next eight channels, begin whole bytes later.
struct LaneCut {
  Vector reverse;
  Vector shifts;
  Vector mask;
  size_t bytes[kLanes];  // Offsets from the first row's bytes.

  LaneCut(const LutDecodeArgs& args, size_t first_bit) {
    constexpr uint64_t kPlaces = 0x0706050403020100;  // A byte of a lane has its number in the lane.
    const auto width = static_cast<uint64_t>(args.width);
    alignas(kVectorBytes) uint64_t phases[kLanes];
    for (size_t row = 0; row < kLanes; ++row) {
      const size_t bit =
          first_bit % 8 + row * static_cast<size_t>(args.channels) * static_cast<size_t>(width);
      bytes[row] = bit / 8;
      phases[row] = bit % 8;
    }
    const Vector repeat = _mm512_set4_epi64(kEights, 0, kEights, 0);
    const Vector phase = _mm512_shuffle_epi8(_mm512_load_si512(phases), repeat);
    const Vector at = _mm512_add_epi8(phase, _mm512_set1_epi64(static_cast<int64_t>(width * kPlaces)));
    if (args.order == BitOrder::kMsbFirst) {
      reverse =
          _mm512_set4_epi64(0x08090A0B0C0D0E0F, 0x0001020304050607, 0x08090A0B0C0D0E0F, 0x0001020304050607);
      shifts = _mm512_sub_epi8(_mm512_set1_epi8(static_cast<char>(64 - width)), at);
    } else {
      reverse = _mm512_set4_epi64(0x0F0E0D0C0B0A0908, kPlaces, 0x0F0E0D0C0B0A0908, kPlaces);
      shifts = at;
    }
    mask = _mm512_set1_epi8(static_cast<char>((1 << width) - 1));
  }
  // Cuts the indices out of the result of LoadLanes.
  Vector operator()(Vector lanes) const {
    return _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, _mm512_shuffle_epi8(lanes, reverse)), mask);
  }

 private:
  static constexpr int64_t kEights = 0x0808080808080808;
};

template <int kLane = 0>
[[gnu::always_inline]] inline Vector LoadLanes(const uint8_t* in, const size_t* bytes, Vector x) {
  if constexpr (kLane == kLanes) {
    return x;
  } else {
    const __m128i lane = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + bytes[kLane]));
    return LoadLanes<kLane + 1>(in, bytes, _mm512_mask_broadcastq_epi64(x, 1 << kLane, lane));
  }
}

// Loads the first `rows` lanes, near the end of the stream.
[[gnu::noinline]] Vector LoadLanesWithin(const LutDecodeArgs& args, size_t at, const size_t* bytes,
                                         int32_t rows) {
  alignas(kVectorBytes) uint64_t lanes[kLanes] = {};
  for (int32_t row = 0; row < rows; ++row) {
    lanes[row] = LoadLittle64Within(args.stream, args.stream_bytes, at + bytes[row]);
  }
  return _mm512_load_si512(lanes);
}

void StoreLanes(Vector x, uint8_t* output, size_t step) {
  const auto store = [&](__m128i pair) __attribute__((always_inline)) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(output), pair);
    _mm_storeh_pd(reinterpret_cast<double*>(output + step), _mm_castsi128_pd(pair));
    output += 2 * step;
  };
  store(_mm512_extracti64x2_epi64(x, 0));
  store(_mm512_extracti64x2_epi64(x, 1));
  store(_mm512_extracti64x2_epi64(x, 2));
  store(_mm512_extracti64x2_epi64(x, 3));
}

// Decodes eight channels of some rows, from byte `at` of the stream on.
template <int kLookups>
void DecodeEightChannels(const LutDecodeArgs& args, int32_t channel, const LaneCut& cut, size_t at,
                         int32_t rows, uint8_t* output) {
  const EightTables<kLookups> tables(args, channel);
  const auto channels = static_cast<size_t>(args.channels);
  const size_t step = channels * static_cast<size_t>(args.width);
  for (; rows > 0; rows -= kLanes, at += step, output += kLanes * channels) {
    if (rows >= kLanes && at + cut.bytes[kLanes - 1] + 8 <= args.stream_bytes) {
      const Vector lanes = LoadLanes(args.stream + at, cut.bytes, _mm512_setzero_si512());
      StoreLanes(tables(cut(lanes)), output, channels);
      continue;
    }
    const int32_t made = rows < kLanes ? rows : kLanes;
    alignas(kVectorBytes) uint8_t values[kVectorBytes];
    _mm512_store_si512(values, tables(cut(LoadLanesWithin(args, at, cut.bytes, made))));
    for (int32_t k = 0; k < made; ++k) memcpy(output + static_cast<size_t>(k) * channels, values + 8 * k, 8);
  }
}

void DecodeLastAxis(LutDecodeArgs args, int32_t first, int32_t count) {
  const int32_t channels = args.channels;
  const auto with_ref = [&](int32_t made) {
    LutDecodeRef<uint8_t>(args, first, made);
    args.output = static_cast<uint8_t*>(args.output) + made;
    first += made;
    count -= made;
  };
  if (channels < kLanes) return with_ref(count);
  if (first % channels != 0) {
    const int32_t rest = channels - first % channels;
    with_ref(rest < count ? rest : count);
  }
  const int32_t stride = args.stride;
  const auto decode = stride <= 16   ? DecodeEightChannels<1>
                      : stride <= 32 ? DecodeEightChannels<2>
                      : stride <= 64 ? DecodeEightChannels<4>
                                     : DecodeEightChannels<8>;
  // Decodes as many rows at a time as stay in the first cache until their last channels are decoded.
  constexpr int32_t kChunkBytes = 8192;
  const int32_t most = channels > kChunkBytes / kLanes ? kLanes : kChunkBytes / channels / kLanes * kLanes;
  const size_t first_bit = static_cast<size_t>(first) * static_cast<size_t>(args.width);
  const size_t last_bits = static_cast<size_t>(channels - kLanes) * static_cast<size_t>(args.width);
  const LaneCut cut(args, first_bit), last_cut(args, first_bit + last_bits);
  while (count >= channels) {
    const int32_t rows = count / channels < most ? count / channels : most;
    auto* const output = static_cast<uint8_t*>(args.output);
    const size_t bit = static_cast<size_t>(first) * static_cast<size_t>(args.width);
    int32_t c = 0;
    for (; c + kLanes <= channels; c += kLanes) {
      decode(args, c, cut, bit / 8 + static_cast<size_t>(c / kLanes * args.width), rows, output + c);
    }
    // The last eight channels, some of which are decoded twice.
    c = channels - kLanes;
    if (channels % kLanes != 0) decode(args, c, last_cut, (bit + last_bits) / 8, rows, output + c);
    args.output = output + static_cast<size_t>(rows) * static_cast<size_t>(channels);
    first += rows * channels;
    count -= rows * channels;
  }
  if (count > 0) with_ref(count);
}

template <typename T>
void Decode(LutDecodeFn ref, const LutDecodeArgs& args, int32_t first, int32_t count) {
  constexpr int kBytes = sizeof(T);
  if (count == 0) return;
  if (args.inner == 1 && args.channels > 1) {
    if (kBytes == 1 && args.width <= kMaxLaneWidth) return DecodeLastAxis(args, first, count);
    return DecodeByIndices<PartsAvx2, T>(ref, args, first, count);
  }
  const int vectors = (kBytes << args.width) / kVectorBytes;
  if (vectors <= 1) return DecodeTables<kBytes, 1>(args, first, count);
  if (vectors == 2) return DecodeTables<kBytes, 2>(args, first, count);
  if (kBytes == 1 && args.width == 8) return DecodeTables<kBytes, 4, true>(args, first, count);
  if (vectors == 4) return DecodeTables<kBytes, 4>(args, first, count);
  if (kBytes > 1 && vectors == 8) return DecodeTables < kBytes, kBytes == 1 ? 4 : 8 > (args, first, count);
  DecodeByIndices<PartsAvx2, T>(ref, args, first, count);
}

}  // namespace

template <typename T>
void LutDecodeAvx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count) {
  Decode<T>(LutDecodeRef<T>, args, first, count);
}
template void LutDecodeAvx512vbmi<uint8_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeAvx512vbmi<uint16_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeAvx512vbmi<uint32_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeAvx512vbmi<uint64_t>(const LutDecodeArgs&, int32_t, int32_t);

}  // namespace lutra
