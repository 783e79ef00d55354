// SPDX-License-Identifier: Apache-2.0
// Bilinear images with AVX2: the weighted sum of two columns is one instruction for eight channels of a row;
// that of two rows is two products. Nearest pixels: the columns are found once for all rows, and pixels
// copied without calls.

#include <immintrin.h>
#include <string.h>

#include "runtime/kernels/copy/copy_runs.h"
#include "runtime/kernels/resize/resize_pixels.h"

namespace lutra {
namespace {

// The two rows of the input between which a row of the output lies.
struct RowPair {
  const int8_t* low;
  const int8_t* high;
  const int8_t* end;  // The input's end.
  int32_t weight;
};

// The channels of one output pixel.
class PixelMaker {
 public:
  PixelMaker(const RowPair& rows, const Place& column, int32_t channels)
      : low_(column.low * static_cast<intptr_t>(channels)),
        high_(column.high * static_cast<intptr_t>(channels)),
        rows_(rows),
        columns_(_mm256_set1_epi32(((kUnitsPerPixel - column.weight) & 0xFFFF) | (column.weight << 16))),
        low_row_(_mm256_set1_epi32(kUnitsPerPixel - rows.weight)),
        high_row_(_mm256_set1_epi32(rows.weight)) {}

  // Computes eight channels from the c-th on.
  [[gnu::always_inline]] void Make8(int32_t c, int8_t* output) const {
    const auto load = [c](const int8_t* at) __attribute__((always_inline)) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at + c));
    };
    const __m128i codes = Made(load);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(output + c), codes);
  }
  // Computes four channels from the c-th on.
  [[gnu::always_inline]] void Make4(int32_t c, int8_t* output) const {
    const auto load = [c](const int8_t* at) __attribute__((always_inline)) {
      int32_t four;
      memcpy(&four, at + c, sizeof(four));
      return _mm_cvtsi32_si128(four);
    };
    const int32_t codes = _mm_cvtsi128_si32(Made(load));
    memcpy(output + c, &codes, sizeof(codes));
  }
  // Returns whether Make4 may read from the first channel on, however few there are.
  bool MayReadFour() const { return rows_.end - (rows_.high + high_) >= 4; }

 private:
  template <typename Load>
  [[gnu::always_inline]] __m128i Made(const Load& load) const {
    const auto in_row = [&](const int8_t* row) __attribute__((always_inline)) {
      const __m128i pairs = _mm_unpacklo_epi8(load(row + low_), load(row + high_));
      return _mm256_madd_epi16(_mm256_cvtepi8_epi16(pairs), columns_);
    };
    const __m256i sum = _mm256_add_epi32(_mm256_mullo_epi32(in_row(rows_.low), low_row_),
                                         _mm256_mullo_epi32(in_row(rows_.high), high_row_));
    const __m256i half = _mm256_set1_epi32(kWholeWeight / 2);
#ifdef LUTRA_SINGLE_ROUNDING
    const __m256i rounded = _mm256_srai_epi32(_mm256_add_epi32(sum, half), kWholeWeightBits);
#else
    const __m256i magnitude =
        _mm256_srli_epi32(_mm256_add_epi32(_mm256_abs_epi32(sum), half), kWholeWeightBits);
    const __m256i rounded = _mm256_sign_epi32(magnitude, sum);
#endif
    const __m128i halves =
        _mm_packs_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
    return _mm_packs_epi16(halves, halves);
  }

  intptr_t low_;
  intptr_t high_;
  const RowPair& rows_;
  __m256i columns_;
  __m256i low_row_;
  __m256i high_row_;
};

// Computes a row of the output. Pixels of fewer channels than a vector are computed four channels at a time.
// The next pixel overwrites the surplus; if the buffers end there, channels are computed one by one.
void ComputeRow(const RowPair& rows, const BilinearAxis& columns, int32_t channels, int8_t* output,
                const int8_t* output_end) {
  for (int32_t x = 0; x < columns.out; ++x, output += channels) {
    const Place column = PlaceOf(columns, x);
    const PixelMaker maker(rows, column, channels);
    if (channels >= 8) {
      for (int32_t c = 0; c < channels; c += 8) maker.Make8(c < channels - 8 ? c : channels - 8, output);
    } else if (channels >= 4) {
      maker.Make4(0, output);
      maker.Make4(channels - 4, output);
    } else if (maker.MayReadFour() && output_end - output >= 4) {
      maker.Make4(0, output);
    } else {
      ComputePixel(rows.low, rows.high, rows.weight, column, channels, output);
    }
  }
}

// Places of a row's pixels in the input that are found at a time.
constexpr int32_t kColumns = 512;

// Copies `count` pixels of a row, at most kColumns.
template <int32_t kBlock>
void CopyPixels(const uint8_t* row, const int32_t* columns, int32_t count, intptr_t bytes, uint8_t* output) {
  for (int32_t x = 0; x < count; ++x, output += bytes) {
    CopyTwoBlocks<kBlock>(row + columns[x] * bytes, output, bytes);
  }
}

using CopyPixelsFn = void (*)(const uint8_t* row, const int32_t* columns, int32_t count, intptr_t bytes,
                              uint8_t* output);

// Returns null if memcpy costs little compared with the copying.
CopyPixelsFn CopyPixelsOf(int32_t bytes) {
  if (bytes > kLongestShortRun) return nullptr;
  if (bytes >= 64) return CopyPixels<64>;
  if (bytes >= 32) return CopyPixels<32>;
  if (bytes >= 16) return CopyPixels<16>;
  if (bytes >= 8) return CopyPixels<8>;
  if (bytes >= 4) return CopyPixels<4>;
  return bytes >= 2 ? CopyPixels<2> : CopyPixels<1>;
}

}  // namespace

void ResizeBilinearAvx2(const ResizeBilinearArgs& args) {
  const intptr_t row_bytes = static_cast<intptr_t>(args.columns.in) * args.channels;
  const intptr_t out_row_bytes = static_cast<intptr_t>(args.columns.out) * args.channels;
  const int8_t* image = args.input;
  int8_t* output = args.output;
  const int8_t* const input_end = image + row_bytes * args.rows.in * args.batches;
  const int8_t* const output_end = output + out_row_bytes * args.rows.out * args.batches;
  for (int32_t batch = 0; batch < args.batches; ++batch, image += args.rows.in * row_bytes) {
    for (int32_t y = 0; y < args.rows.out; ++y, output += out_row_bytes) {
      const Place row = PlaceOf(args.rows, y);
      ComputeRow({image + row.low * row_bytes, image + row.high * row_bytes, input_end, row.weight},
                 args.columns, args.channels, output, output_end);
    }
  }
}

void ResizeNearestAvx2(const ResizeNearestArgs& args) {
  const CopyPixelsFn copy = CopyPixelsOf(args.pixel_bytes);
  if (copy == nullptr || args.columns.out > kColumns) return ResizeNearestRef(args);
  int32_t columns[kColumns];
  for (int32_t x = 0; x < args.columns.out; ++x) columns[x] = NearestPixel(args.columns, x);
  const intptr_t in_row_bytes = static_cast<intptr_t>(args.columns.in) * args.pixel_bytes;
  const intptr_t out_row_bytes = static_cast<intptr_t>(args.columns.out) * args.pixel_bytes;
  const uint8_t* image = args.input;
  uint8_t* output = args.output;
  for (int32_t batch = 0; batch < args.batches; ++batch, image += args.rows.in * in_row_bytes) {
    int32_t made_from = -1;
    for (int32_t y = 0; y < args.rows.out; ++y, output += out_row_bytes) {
      const int32_t from = NearestPixel(args.rows, y);
      if (from == made_from) {
        memcpy(output, output - out_row_bytes, static_cast<size_t>(out_row_bytes));
        continue;
      }
      made_from = from;
      copy(image + from * in_row_bytes, columns, args.columns.out, args.pixel_bytes, output);
    }
  }
}

}  // namespace lutra
