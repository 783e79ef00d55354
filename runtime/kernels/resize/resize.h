// SPDX-License-Identifier: Apache-2.0
// Resizing images [batches, height, width, channels].
//
// Bilinear, int8, in units of 1/1024 of an input pixel (kUnitsPerPixel): output row or column i lies at
//
//   t = i * scale + offset
//
// between the pixels low = max(t / 1024, 0) and high = min((t + 1023) / 1024, size - 1), the latter with
// weight t - 1024 * low; divisions cut towards 0. The four neighbours' weighted sum is divided by 1024^2,
// ties away from zero (in a single-rounding build: upwards). Zero points play no part.
//
// Nearest neighbour, any type: output pixel i is input pixel NearestPixel(axis, i).

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

inline constexpr int32_t kUnitsPerPixel = 1024;

struct BilinearAxis {
  int32_t in;
  int32_t out;
  int32_t scale;
  int32_t offset;
};

// Fills scale and offset by TFLite's rule. False if the position of a pixel leaves int32, or the
// rule puts a pixel beyond the input's last.
bool MakeBilinearAxis(int32_t in, int32_t out, bool align_corners, bool half_pixel_centers,
                      BilinearAxis* axis);

struct ResizeBilinearArgs {
  const int8_t* input;
  int8_t* output;  // Apart from the input.
  int32_t batches;
  BilinearAxis rows;
  BilinearAxis columns;
  int32_t channels;
};

struct NearestAxis {
  int32_t in;
  int32_t out;
  bool align_corners;
  bool half_pixel_centers;
};

struct ResizeNearestArgs {
  const uint8_t* input;
  uint8_t* output;  // Apart from the input.
  int32_t batches;
  NearestAxis rows;
  NearestAxis columns;
  int32_t pixel_bytes;
};

// The largest image side for which NearestPixel's float32 arithmetic stays within int32.
inline constexpr int32_t kMaxNearestSide = 1 << 30;

int32_t NearestPixel(const NearestAxis& axis, int32_t i);

using ResizeBilinearFn = void (*)(const ResizeBilinearArgs& args);
using ResizeNearestFn = void (*)(const ResizeNearestArgs& args);

Kernel<ResizeBilinearFn> ResizeBilinearRef, ResizeBilinearAvx2;
Kernel<ResizeNearestFn> ResizeNearestRef, ResizeNearestAvx2;

inline constexpr Variant<ResizeBilinearFn> kResizeBilinearInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ResizeBilinearAvx2},
#endif
    {"ref", kCpuAny, ResizeBilinearRef},
};
inline constexpr Variant<ResizeNearestFn> kResizeNearestPixels[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ResizeNearestAvx2},
#endif
    {"ref", kCpuAny, ResizeNearestRef},
};

}  // namespace lutra
