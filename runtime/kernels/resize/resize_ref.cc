// SPDX-License-Identifier: Apache-2.0
// TFLite's fixed-point rule for bilinear images, and copies of the nearest pixels.

#include <stddef.h>
#include <string.h>

#include "runtime/fixed_point/rounding.h"
#include "runtime/kernels/resize/resize_pixels.h"

namespace lutra {
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
        ComputePixel(low_row, high_row, row.weight, PlaceOf(args.columns, x), args.channels, output);
      }
    }
  }
}

// No number here is negative, so that truncating rounds down.
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
