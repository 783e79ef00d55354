// SPDX-License-Identifier: Apache-2.0
// Resizing images [batches, height, width, channels].
//
// Bilinear, int8, in units of 1/1024 of an input pixel (kUnitsPerPixel): output row or column i lies at
//
//   t = i * scale + offset
//
// between the pixels low = max(t / 1024, 0) and high = min((t + 1023) / 1024, size - 1), the latter with
// weight t - 1024 * low; divisions round towards 0. The four neighbours' weighted sum is divided by 1024^2,
// ties away from zero (in a single-rounding build: upwards). Zero points do not matter.
//
// Bilinear, float32: position p = i * scale, or (i + 1/2) * scale - 1/2 with half-pixel centres, between the
// pixels low = max(floor(p), 0) and high = min(ceil(p), size - 1), the latter with weight p - low. A position
// before the first pixel has low = high = 0. Rule: TFLite Micro's reference kernel, in its order of sums.
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

// Computes scale and offset by TFLite's rule. Returns false if the position of a pixel does not fit int32, or
// if the rule puts a pixel behind the input's last.
bool MakeBilinearAxis(int32_t in, int32_t out, bool align_corners, bool half_pixel_centers,
                      BilinearAxis* axis);

struct ResizeBilinearArgs {
  const int8_t* input;
  int8_t* output;  // Does not overlap the input.
  int32_t batches;
  BilinearAxis rows;
  BilinearAxis columns;
  int32_t channels;
};

struct BilinearFloatAxis {
  int32_t in;
  int32_t out;
  float scale;
  bool half_pixel_centers;
};

BilinearFloatAxis MakeBilinearFloatAxis(int32_t in, int32_t out, bool align_corners, bool half_pixel_centers);

// The input rows or columns between which one of the output lies.
struct BilinearFloatPlace {
  int32_t low;
  int32_t high;
  float weight;  // The weight of `high`.
};

BilinearFloatPlace FindBilinearFloatPlace(const BilinearFloatAxis& axis, int32_t i);

struct ResizeBilinearFloatArgs {
  const float* input;
  float* output;  // Does not overlap the input.
  int32_t batches;
  BilinearFloatAxis rows;
  BilinearFloatAxis columns;
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
  uint8_t* output;  // Does not overlap the input.
  int32_t batches;
  NearestAxis rows;
  NearestAxis columns;
  int32_t pixel_bytes;
};

// The largest image side for which float32 positions stay within int32.
inline constexpr int32_t kMaxNearestSide = 1 << 30;

int32_t NearestPixel(const NearestAxis& axis, int32_t i);

using ResizeBilinearFn = void (*)(const ResizeBilinearArgs& args);
using ResizeBilinearFloatFn = void (*)(const ResizeBilinearFloatArgs& args);
using ResizeNearestFn = void (*)(const ResizeNearestArgs& args);

Kernel<ResizeBilinearFn> ResizeBilinearRef, ResizeBilinearAvx2;
Kernel<ResizeBilinearFloatFn> ResizeBilinearFloatRef;
Kernel<ResizeNearestFn> ResizeNearestRef, ResizeNearestAvx2;

inline constexpr Variant<ResizeBilinearFn> kResizeBilinearInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ResizeBilinearAvx2},
#endif
    {"ref", kCpuAny, ResizeBilinearRef},
};
inline constexpr Variant<ResizeBilinearFloatFn> kResizeBilinearFloat[] = {
    {"ref", kCpuAny, ResizeBilinearFloatRef},
};
inline constexpr Variant<ResizeNearestFn> kResizeNearestPixels[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ResizeNearestAvx2},
#endif
    {"ref", kCpuAny, ResizeNearestRef},
};

}  // namespace lutra
