// SPDX-License-Identifier: Apache-2.0
// Separates pixels of three bytes into planes, or joins planes to pixels: transpositions with three rows, or
// three lines, in which each vector of 16 bytes comes from three. For the variants' .cc files, each of which
// brings its own Vector type; the unnamed namespace lets each keep its own copy.

#pragma once

#include <stdint.h>

#include "runtime/kernels/copy/copy_transpose.h"

namespace lutra {
namespace {

constexpr int32_t kPlanes = 3;
constexpr int32_t kPlaneBytes = 16;

// For each of three written vectors and each of three read ones: the byte to take at each place. If its
// highest bit is set, the place gets 0.
struct PlanePlaces {
  uint8_t place[kPlanes][kPlanes][kPlaneBytes];
};

// Byte b of a plane is byte 3 * b + plane of the pixels.
constexpr PlanePlaces PlacesApart() {
  PlanePlaces places = {};
  for (int32_t plane = 0; plane < kPlanes; ++plane) {
    for (int32_t read = 0; read < kPlanes; ++read) {
      for (int32_t b = 0; b < kPlaneBytes; ++b) {
        const int32_t at = kPlanes * b + plane;
        places.place[plane][read][b] = at / kPlaneBytes == read ? at % kPlaneBytes : 0x80;
      }
    }
  }
  return places;
}
constexpr PlanePlaces PlacesTogether() {
  PlanePlaces places = {};
  for (int32_t made = 0; made < kPlanes; ++made) {
    for (int32_t plane = 0; plane < kPlanes; ++plane) {
      for (int32_t b = 0; b < kPlaneBytes; ++b) {
        const int32_t at = made * kPlaneBytes + b;
        places.place[made][plane][b] = at % kPlanes == plane ? at / kPlanes : 0x80;
      }
    }
  }
  return places;
}
constexpr PlanePlaces kPlacesApart = PlacesApart();
constexpr PlanePlaces kPlacesTogether = PlacesTogether();

template <typename Vector>
class PlaneCopy {
 public:
  // Returns false, with nothing written, if `t` is neither kind of transposition.
  static bool Run(const Transposition& t) {
    if (t.rows == kPlanes && t.line_stride == kPlanes && t.lines >= kPlaneBytes) {
      ForEachBlock(t.lines, kPlacesApart, {t.input, kPlanes, kPlaneBytes}, {t.output, 1, t.row_stride});
    } else if (t.lines == kPlanes && t.row_stride == kPlanes && t.rows >= kPlaneBytes) {
      ForEachBlock(t.rows, kPlacesTogether, {t.input, 1, t.line_stride}, {t.output, kPlanes, kPlaneBytes});
    } else {
      return false;
    }
    return true;
  }

 private:
  // The three vectors of a block lie `stride` apart, and `step` bytes further for each pixel.
  template <typename Bytes>
  struct Blocks {
    Bytes* bytes;
    intptr_t step;
    intptr_t stride;
  };

  // The last pixels may be copied twice.
  static void ForEachBlock(int32_t pixels, const PlanePlaces& places, const Blocks<const uint8_t>& from,
                           const Blocks<uint8_t>& to) {
    Vector x[kPlanes][kPlanes];
    for (int32_t made = 0; made < kPlanes; ++made) {
      for (int32_t read = 0; read < kPlanes; ++read) x[made][read] = Load(places.place[made][read]);
    }
    for (int32_t first = 0; first < pixels; first += kPlaneBytes) {
      const int32_t pixel = first < pixels - kPlaneBytes ? first : pixels - kPlaneBytes;
      const uint8_t* const input = from.bytes + pixel * from.step;
      uint8_t* const output = to.bytes + pixel * to.step;
      const Vector read[kPlanes] = {Load(input), Load(input + from.stride), Load(input + 2 * from.stride)};
#pragma GCC unroll 3
      for (int32_t made = 0; made < kPlanes; ++made) {
        const Vector two =
            Vector::Or(Vector::Shuffle(read[0], x[made][0]), Vector::Shuffle(read[1], x[made][1]));
        uint8_t* const at = output + made * to.stride;
        Vector::Or(two, Vector::Shuffle(read[2], x[made][2])).Store(at, at);
      }
    }
  }
  [[gnu::always_inline]] static Vector Load(const uint8_t* bytes) {
    return Vector::template Load<kPlaneBytes>(bytes, bytes);
  }
};

}  // namespace
}  // namespace lutra
