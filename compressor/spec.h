// SPDX-License-Identifier: Apache-2.0
// The YAML that says which tensors to compress, and how: TensorFlow Lite Micro's, and the methods that
// only Lutra reads.
//
//   tensors:
//     - subgraph: 0
//       tensor: 17
//       compression:
//         - lut:
//             index_bitwidth: 4
//
// Methods: lut {index_bitwidth; per_tensor, or per_channel: {axis}}, huffman, pruning; and bitpack
// {bit_order: lsb|msb}, wide_lut {bit_order}, sparse_lut {bit_order}, huffman_lut {per_tensor or
// per_channel}. Without per_tensor and per_channel, tables follow the tensor's quantisation.

#pragma once

#include <string>
#include <vector>

#include "compressor/tensor_selector.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {

enum class TableChoice : uint8_t { kByQuantization, kPerTensor, kPerChannel };

struct SpecEntry {
  TensorId id;
  DecodeType codec = DecodeType::kLut;
  int index_bitwidth = 0;  // kLut; 0: as few bits as will do.
  TableChoice tables = TableChoice::kByQuantization;
  int axis = 0;  // kPerChannel.
  BitOrder order = BitOrder::kLsbFirst;

  friend bool operator==(const SpecEntry&, const SpecEntry&) = default;
};

// Throws BadInput, `path: line N: ...`, for what is not such a file. Keys that it does not know are
// ignored, as TFLM does.
std::vector<SpecEntry> ParseSpec(const std::string& text, const std::string& path);
std::vector<SpecEntry> ReadSpec(const std::string& path);

// `comment`: lines to put before it.
std::string WriteSpec(const std::vector<SpecEntry>& entries, const std::string& comment = "");

}  // namespace lutra::compressor
