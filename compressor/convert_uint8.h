// SPDX-License-Identifier: Apache-2.0
// ConvertUint8: converts a model of the older scheme, uint8 with zero points of the weights, to one of the
// int8 specification.
//
//   const Uint8Conversion converted = ConvertUint8(ReadModelFile("in.tflite"), WeightScales::kTensor);
//   output.Write(converted.file);
//   fmt::print("{}", ConversionTable(converted));
//
// Codes of activations are reduced by 128, which loses nothing. Weights become symmetric, from -127 to 127,
// with their old scale if that suffices, else with the least that does, for the tensor or for each output
// channel. Biases follow the weights' scales. Where CONCATENATION rescaled its inputs, QUANTIZE now does so
// before it.

#pragma once

#include <string>
#include <vector>

#include "compressor/model_editor.h"
#include "compressor/tensor_selector.h"

namespace lutra::compressor {

struct ConvertedTensor {
  TensorId id;
  std::string name;
  std::string role;                         // "activation", "constant", "weights", "bias".
  float scale_before = 0, scale_after = 0;  // If there are several scales, the largest.
  int64_t zero_point_before = 0, zero_point_after = 0;
  double qsnr_db = 0;  // Of the real values; infinite if they stay.
};

struct Uint8Conversion {
  std::string path;
  Bytes file;
  int64_t bytes_before = 0;
  std::vector<ConvertedTensor> tensors;
  int quantize_operators = 0;  // That were added.
};

enum class WeightScales : uint8_t { kTensor, kChannel };

// Throws BadInput for a model without tensors of uint8, with compressed ones, or with what cannot be
// converted.
Uint8Conversion ConvertUint8(const host::ModelFile& file, WeightScales scales);

std::string ConversionTable(const Uint8Conversion& conversion);
std::string ConversionJson(const Uint8Conversion& conversion);

}  // namespace lutra::compressor
