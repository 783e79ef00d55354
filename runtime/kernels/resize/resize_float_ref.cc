// SPDX-License-Identifier: Apache-2.0
// Bilinear images of float32.

#include <math.h>
#include <stdint.h>

#include "lutra/kernels/resize/resize.h"

namespace lutra {

BilinearFloatPlace FindBilinearFloatPlace(const BilinearFloatAxis& axis, int32_t i) {
  const auto index = static_cast<float>(i);
  const float position = axis.half_pixel_centers ? (index + 0.5f) * axis.scale - 0.5f : index * axis.scale;
  // Rounding can put the position of a large image's last pixel behind its last input pixel.
  const int32_t last = axis.in - 1;
  int32_t low = static_cast<int32_t>(floorf(position));
  const auto high = static_cast<int32_t>(ceilf(position));
  low = low < 0 ? 0 : low > last ? last : low;
  return {low, high > last ? last : high, position - static_cast<float>(low)};
}

BilinearFloatAxis MakeBilinearFloatAxis(int32_t in, int32_t out, bool align_corners,
                                        bool half_pixel_centers) {
  const bool corners = align_corners && out > 1;
  const float scale = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  return {in, out, scale, half_pixel_centers};
}

void ResizeBilinearFloatRef(const ResizeBilinearFloatArgs& args) {
  const intptr_t row = static_cast<intptr_t>(args.columns.in) * args.channels;
  const float* image = args.input;
  float* output = args.output;
  for (int32_t batch = 0; batch < args.batches; ++batch, image += args.rows.in * row) {
    for (int32_t y = 0; y < args.rows.out; ++y) {
      const BilinearFloatPlace h = FindBilinearFloatPlace(args.rows, y);
      for (int32_t x = 0; x < args.columns.out; ++x) {
        const BilinearFloatPlace w = FindBilinearFloatPlace(args.columns, x);
        const intptr_t left = static_cast<intptr_t>(w.low) * args.channels;
        const intptr_t right = static_cast<intptr_t>(w.high) * args.channels;
        const float* const upper = image + h.low * row;
        const float* const lower = image + h.high * row;
        for (int32_t c = 0; c < args.channels; ++c) {
          *output++ = upper[left + c] * (1.0f - h.weight) * (1.0f - w.weight) +
                      lower[left + c] * h.weight * (1.0f - w.weight) +
                      upper[right + c] * (1.0f - h.weight) * w.weight +
                      lower[right + c] * h.weight * w.weight;
        }
      }
    }
  }
}

}  // namespace lutra
