// SPDX-License-Identifier: Apache-2.0
// The YAML that says which tensors to compress, and how: TensorFlow Lite Micro's, with methods for the codecs
// that only Lutra reads.
//
//   tensors:
//     - subgraph: 0
//       tensor: 17
//       compression:
//         - lut:
//             index_bitwidth: 4
//
// Methods are named in the rows of runtime/compression/format.h. Codecs with tables per channel take
// per_tensor, or per_channel: {axis}; without either, tables follow the tensor's quantisation. Codecs with
// either bit order take bit_order: lsb|msb, lut takes index_bitwidth.

#pragma once

#include <string>
#include <vector>

#include "compressor/tensor_selector.h"
#include "lutra/compression/codecs.h"
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
  int tile_rows = 0;  // kSparseLut: stores offsets of tiles of so many indices of the first dimension.

  friend bool operator==(const SpecEntry&, const SpecEntry&) = default;
};

// Throws BadInput, `path: line N: ...`, for a text that is no spec, for a key that occurs twice, and for
// options that the method lacks. Other unknown keys are ignored, as TFLM does.
std::vector<SpecEntry> ParseSpec(const std::string& text, const std::string& path);
std::vector<SpecEntry> ReadSpec(const std::string& path);

// `comment`: lines to put before it.
std::string WriteSpec(const std::vector<SpecEntry>& entries, const std::string& comment = "");

}  // namespace lutra::compressor
