// SPDX-License-Identifier: Apache-2.0
// The constants of a model, and which of them may be compressed.
//
//   for (const Constant& c : FindConstants(editor, Form::kDecode)) {
//     if (!c.why_not.empty()) Report(c.name, c.why_not);
//   }

#pragma once

#include <string>
#include <vector>

#include "compressor/model_editor.h"
#include "compressor/tensor_selector.h"

namespace lutra::compressor {

// How a compressed tensor stands in the file; FORMAT.md has both.
enum class Form : uint8_t {
  kDecode,    // A TFLM_DECODE operator before each consumer.
  kMetadata,  // COMPRESSION_METADATA; the operators decompress.
};

struct Use {
  int op = 0;     // In its subgraph.
  int input = 0;  // Of the operator.
};

struct Constant {
  TensorId id;
  std::string name;
  TensorType type = TensorType::kInt8;
  std::vector<int32_t> shape;
  int64_t bytes = 0;
  std::vector<Use> uses;
  std::vector<TensorId> aliases;  // Other tensors of the same bytes.
  // "consumers: PAD reads input 1 while it is prepared"; empty: it may be compressed.
  std::string why_not;
};

// All tensors with data that are not variables, in ascending order. A tensor is in one subgraph, so
// its consumers are.
std::vector<Constant> FindConstants(const ModelEditor& editor, Form form);

// Whether the model holds compressed tensors already, in either form.
bool IsCompressed(const ModelEditor& editor);

}  // namespace lutra::compressor
