// SPDX-License-Identifier: Apache-2.0
// Encodes a tensor of the model as a spec's entry says, and puts the result into the model.
//
//   Obstacle obstacle;
//   const auto coded = EncodeTensor(editor, entry, Form::kDecode, &obstacle);
//   if (coded) InsertDecode(&editor, {*coded}, Parts::kShared);

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compressor/candidates.h"
#include "compressor/encode/encode.h"
#include "compressor/model_editor.h"
#include "compressor/spec.h"

namespace lutra::compressor {

// A tensor in its compressed form. The metadata form has indices and value tables in place of the
// encoded and the ancillary bytes.
struct CodedTensor {
  SpecEntry entry;
  Form form = Form::kDecode;
  std::vector<uint8_t> stream;
  std::vector<uint8_t> tables;
  int bits = 0;
  int distinct = 0;

  int64_t bytes() const { return static_cast<int64_t>(stream.size() + tables.size()); }
  // Counts the bytes as the file has them.
  int64_t stored_bytes(Placement placement) const;
};

// Returns nothing, and sets *obstacle, if the tensor cannot be stored in this way.
std::optional<CodedTensor> EncodeTensor(const ModelEditor& editor, const SpecEntry& entry, Form form,
                                        Obstacle* obstacle);

// Puts a TFLM_DECODE operator before each consumer of these tensors (and one at the end for those that
// are outputs of their graph). The tensor's own entry becomes the encoded one; decoded and ancillary
// tensors are added at the end. A decoded tensor has the same name, which takes no byte where parts are
// shared, an ancillary one none; where parts are repeated both have names of their own.
void InsertDecode(ModelEditor* editor, const std::vector<CodedTensor>& tensors, Parts parts);

// Lists the tensors in COMPRESSION_METADATA. Throws BadInput if a subgraph before one of them would have
// an empty list, which readers refuse.
void AddMetadata(ModelEditor* editor, const std::vector<CodedTensor>& tensors);

// InsertDecode or AddMetadata.
void Apply(ModelEditor* editor, Form form, const std::vector<CodedTensor>& tensors, Parts parts);

}  // namespace lutra::compressor
