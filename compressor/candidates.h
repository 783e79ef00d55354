// SPDX-License-Identifier: Apache-2.0
// The constants of a model, and which of them may be compressed.
//
//   for (const Constant& c : FindConstants(editor, Form::kDecode)) {
//     if (c.obstacle) Report(c.name, c.obstacle.text);
//   }

#pragma once

#include <string>
#include <vector>

#include "compressor/model_editor.h"
#include "compressor/tensor_selector.h"
#include "lutra/builtin_operator.h"
#include "lutra/ops/facts.h"

namespace lutra::compressor {

// Says how the file stores a compressed tensor; FORMAT.md describes both forms.
enum class Form : uint8_t {
  kDecode,    // A TFLM_DECODE operator before each consumer.
  kMetadata,  // COMPRESSION_METADATA; the operators decompress.
};

struct Use {
  int op = 0;     // In its subgraph.
  int input = 0;  // The operator's.
};

// The obstacle that keeps a tensor from being compressed, by kind and in words.
struct Obstacle {
  enum Kind : uint8_t {
    kNone,
    kGraphInput,  // The application may write it.
    kType,
    kScalar,
    kUnread,    // No operator reads it, and it is no output: compressing it is of no use.
    kConsumer,  // An operator reads it where it cannot be decoded.
    kAlias,     // Another tensor of the same bytes cannot be compressed.
    kExcluded,  // By the command line.
    kUnlisted,  // By the spec.
    kAxis,      // Tables for each channel cannot follow the tensor's axis.
    kCodec,     // The form lacks the codec.
    kValues,    // The codec cannot hold them.
    kNoGain,
  };

  Kind kind = kNone;
  std::string text;  // "alias: tensor 3 cannot be compressed"; kNone: empty.

  explicit operator bool() const { return kind != kNone; }
};

struct Constant {
  TensorId id;
  std::string name;
  TensorType type = TensorType::kInt8;
  std::vector<int32_t> shape;
  int64_t bytes = 0;
  std::vector<Use> uses;
  std::vector<TensorId> aliases;  // Other tensors of the same bytes.
  Obstacle obstacle;              // None: it may be compressed.
};

// Returns all tensors with data that are not variables, in ascending order. A tensor's consumers are in its
// subgraph.
std::vector<Constant> FindConstants(const ModelEditor& editor, Form form);

// The inputs whose values an operator asks for while it is prepared: shapes, axes, paddings.
InputSet ConstantInputs(BuiltinOperator code);

// Returns whether the model holds compressed tensors already, in either form.
bool IsCompressed(const ModelEditor& editor);
// Throws BadInput if it does.
void RequireUncompressed(const ModelEditor& editor);

}  // namespace lutra::compressor
