// SPDX-License-Identifier: Apache-2.0
// Inputs of a model and the outputs that are right for them, from .npy arrays or from a folder of files.
//
//   const Dataset data = ReadDataset({.data = {"inputs.npy"}, .labels = "labels.npy"}, input, output);
//   data.sample(0)   // The bytes of the model's input.
//
// An array of the input's own type is taken as codes. float32 and float64 are real values, quantised as the
// input says: round(value / scale) + zero point, halves away from zero, saturated. A folder holds .npy files
// of one sample each, or .ppm pictures (P5 of one channel, P6 of three, 8 bits) of the input's size; pixel p
// stands for p * scale + offset. With `resize` pictures of any size are scaled to the input's (pictures.h),
// and so are arrays of pictures: int8, -128 black, or uint8. In folders the label is a number: the name of a
// file's folder, `3/cat.ppm`, or what its name starts with, `3_cat.ppm`.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lutra/tensor_info.h"

namespace lutra::compressor {

struct DatasetSource {
  std::vector<std::string> data;  // One behind the other.
  std::string labels;             // Empty: none, or those of the folder.
  double pixel_scale = 1 / 255.0;
  double pixel_offset = 0;
  bool resize = false;
  // At most so many samples of each of `data` are read; labels may be of these samples, or of all.
  int64_t first = INT64_MAX;
};

struct Dataset {
  TensorType type = TensorType::kInt8;  // The input's.
  size_t sample_bytes = 0;
  std::vector<uint8_t> samples;    // In the machine's byte order, one behind the other.
  std::vector<std::string> names;  // Of files; empty where samples come from one array.
  TensorType label_type = TensorType::kInt32;
  std::vector<double> labels;  // One for each sample, or as many as the output has values; empty: none.

  int64_t count() const { return static_cast<int64_t>(samples.size() / sample_bytes); }
  const uint8_t* sample(int64_t i) const { return samples.data() + static_cast<size_t>(i) * sample_bytes; }
};

// Returns so many samples, or all if that is 0, in equal steps; without names and labels.
Dataset Spread(const Dataset& data, int64_t wanted);

// Labels that are one-hot for the output's classes become classes. Throws BadInput, naming the file, for data
// that do not fit the model's input, and if there is no sample.
Dataset ReadDataset(const DatasetSource& source, const TensorInfo& input, const TensorInfo& output);

}  // namespace lutra::compressor
