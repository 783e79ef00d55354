// SPDX-License-Identifier: Apache-2.0
// Reads pictures of whole-number pixels from files and arrays, and scales them.
//
//   const Picture picture = ReadPixmap("cat.ppm");
//   const std::vector<double> pixels = Scaled(picture, 208, 238, 3);

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/npy.h"

namespace lutra::compressor {

struct Picture {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::vector<uint8_t> pixels;  // Row by row, channels last.
};

// A portable pixmap: P5 of one channel or P6 of three, 8 bits. Throws BadInput, naming the file, for others.
Picture ReadPixmap(const std::string& name);

// Returns those of an array of samples x height x width x channels: uint8 as they are, int8 codes plus 128.
// Empty for other arrays.
std::vector<Picture> PicturesOf(const host::NpyArray& array);

// Scales bilinearly, with half-pixel centres: a pixel's value is at its centre, and beyond the outermost
// centres the value is constant. The result is not rounded. One channel becomes `channels` equal ones;
// otherwise the picture must have `channels`.
std::vector<double> Scaled(const Picture& picture, int64_t height, int64_t width, int64_t channels);

}  // namespace lutra::compressor
