// SPDX-License-Identifier: Apache-2.0
// TFLite's fixed-point rule for bilinear images, and copies of the nearest pixels.

#include <stddef.h>
#include <string.h>

#include "lutra/kernels/resize/resize.h"
#include "runtime/fixed_point/rounding.h"

namespace lutra {
namespace {

// The weights of the four neighbours of a pixel add up to this.
constexpr int32_t kWholeWeightBits = 20;
constexpr int32_t kWholeWeight = 1 << kWholeWeightBits;
static_assert(kWholeWeight == kUnitsPerPixel * kUnitsPerPixel);

// Between which pixels an output row or column lies.
struct Place {
  int32_t low;
  int32_t high;
  int32_t weight;  // That of the high pixel; the low one has the rest of kUnitsPerPixel.
};

// t lies in (-kUnitsPerPixel, INT32_MAX - kUnitsPerPixel + 1], low below axis.in.
Place PlaceOf(const BilinearAxis& axis, int32_t i) {
  const int32_t t = i * axis.scale + axis.offset;
  Place place;
  place.low = t < 0 ? 0 : t / kUnitsPerPixel;
  place.high = (t + kUnitsPerPixel - 1) / kUnitsPerPixel;
  if (place.high > axis.in - 1) place.high = axis.in - 1;
  place.weight = t - kUnitsPerPixel * place.low;
  return place;
}

inline int8_t Round(int32_t sum) {
#ifdef LUTRA_SINGLE_ROUNDING
  return static_cast<int8_t>((sum + kWholeWeight / 2) >> kWholeWeightBits);
#else
  return static_cast<int8_t>((sum + (sum > 0 ? kWholeWeight / 2 : -(kWholeWeight / 2))) / kWholeWeight);
#endif
}

// Sums stay below 128 * 1536^2: the weights of one axis are at most 1536 and 512 in magnitude.
void MakePixel(const int8_t* low_row, const int8_t* high_row, int32_t row_weight, const Place& column,
               int32_t channels, int8_t* output) {
  const intptr_t low = static_cast<intptr_t>(column.low) * channels;
  const intptr_t high = static_cast<intptr_t>(column.high) * channels;
  const int8_t* corner00 = low_row + low;
  const int8_t* corner01 = low_row + high;
  const int8_t* corner10 = high_row + low;
  const int8_t* corner11 = high_row + high;
  const int32_t weight00 = (kUnitsPerPixel - row_weight) * (kUnitsPerPixel - column.weight);
  const int32_t weight01 = (kUnitsPerPixel - row_weight) * column.weight;
  const int32_t weight10 = row_weight * (kUnitsPerPixel - column.weight);
  const int32_t weight11 = row_weight * column.weight;
  for (int32_t c = 0; c < channels; ++c) {
    output[c] = Round(corner00[c] * weight00 + corner01[c] * weight01 + corner10[c] * weight10 +
                      corner11[c] * weight11);
  }
}

}  // namespace

bool MakeBilinearAxis(int32_t in, int32_t out, bool align_corners, bool half_pixel_centers,
                      BilinearAxis* axis) {
  const bool corners = align_corners && out > 1;
  const int64_t from = corners ? in - 1 : in;
  const int64_t to = corners ? out - 1 : out;
  const int64_t scale = (kUnitsPerPixel * from + to / 2) / to;
  const int64_t offset = half_pixel_centers ? scale / 2 - kUnitsPerPixel / 2 : 0;
  const int64_t last = (int64_t{out} - 1) * scale + offset;
  if (kUnitsPerPixel * from + to / 2 > INT32_MAX || scale > INT32_MAX ||
      last > INT32_MAX - kUnitsPerPixel + 1) {
    return false;
  }
  if (last / kUnitsPerPixel > in - 1) return false;
  *axis = {in, out, static_cast<int32_t>(scale), static_cast<int32_t>(offset)};
  return true;
}

void ResizeBilinearRef(const ResizeBilinearArgs& args) {
  const intptr_t row_bytes = static_cast<intptr_t>(args.columns.in) * args.channels;
  const int8_t* image = args.input;
  int8_t* output = args.output;
  for (int32_t batch = 0; batch < args.batches; ++batch, image += args.rows.in * row_bytes) {
    for (int32_t y = 0; y < args.rows.out; ++y) {
      const Place row = PlaceOf(args.rows, y);
      const int8_t* low_row = image + row.low * row_bytes;
      const int8_t* high_row = image + row.high * row_bytes;
      for (int32_t x = 0; x < args.columns.out; ++x, output += args.channels) {
        MakePixel(low_row, high_row, row.weight, PlaceOf(args.columns, x), args.channels, output);
      }
    }
  }
}

// Nothing here is negative, so that cutting is rounding down.
int32_t NearestPixel(const NearestAxis& axis, int32_t i) {
  const float scale = axis.align_corners && axis.out > 1
                          ? static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1)
                          : static_cast<float>(axis.in) / static_cast<float>(axis.out);
  const float offset = axis.half_pixel_centers ? 0.5f : 0.0f;
  const float position = (static_cast<float>(i) + offset) * scale;
  const int32_t pixel = axis.align_corners ? RoundHalfAwayFloat(position) : static_cast<int32_t>(position);
  return pixel < axis.in - 1 ? pixel : axis.in - 1;
}

void ResizeNearestRef(const ResizeNearestArgs& args) {
  const intptr_t in_row_bytes = static_cast<intptr_t>(args.columns.in) * args.pixel_bytes;
  const intptr_t out_row_bytes = static_cast<intptr_t>(args.columns.out) * args.pixel_bytes;
  const uint8_t* image = args.input;
  uint8_t* output = args.output;
  for (int32_t batch = 0; batch < args.batches; ++batch, image += args.rows.in * in_row_bytes) {
    int32_t made_from = -1;
    for (int32_t y = 0; y < args.rows.out; ++y) {
      const int32_t from = NearestPixel(args.rows, y);
      if (from == made_from) {
        memcpy(output, output - out_row_bytes, static_cast<size_t>(out_row_bytes));
        output += out_row_bytes;
        continue;
      }
      made_from = from;
      const uint8_t* row = image + from * in_row_bytes;
      for (int32_t x = 0; x < args.columns.out; ++x, output += args.pixel_bytes) {
        const intptr_t pixel = NearestPixel(args.columns, x);
        memcpy(output, row + pixel * args.pixel_bytes, static_cast<size_t>(args.pixel_bytes));
      }
    }
  }
}

}  // namespace lutra
