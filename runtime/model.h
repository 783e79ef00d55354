// SPDX-License-Identifier: Apache-2.0
// Model: a .tflite file, verified, as plain structs.
//
//   Model model;
//   Diagnosis diagnosis;
//   if (Model::Load(bytes, &model, &diagnosis) != Status::kOk) return Report(diagnosis);
//   for (int i = 0; i < model.node_count(0); ++i) Print(ToString(model.node(0, i).code));
//
// A Model is a view: the bytes must outlive it, and nothing is copied. After Load no index in it is
// out of range, no shape overflows and every constant has all its bytes, so that no later code has to
// check. Only model*.cc and lut_metadata.cc see FlatBuffers (format: TFLite schema, version 3).
//
// All of this holds for any bytes, on every machine. A build with -DLUTRA_VERIFY_MODEL=OFF (runtime/README.md
// says how much smaller it is) does not check that offsets stay inside the file. It is for a firmware that
// contains its model, which a build that verifies has loaded once. Given a broken file, it may fault, or read
// memory outside the file.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/span.h"
#include "lutra/status.h"
#include "lutra/tensor_info.h"

namespace lutra {

struct Diagnosis;
struct Encoding;
struct NodeInfo;

inline constexpr size_t kModelAlignment = 4;  // Wider numbers are read byte by byte, or copied.

class Model {
 public:
  // Verifies `bytes`, aligned to kModelAlignment (else kInvalidArgument), and points `model` at them.
  // Constants that are not aligned to their type, as int64 may be, are copied into the arena. A bad file
  // gives kInvalidModel, a filled `diagnosis` and an empty `model`.
  static Status Load(Span<const uint8_t> bytes, Model* model, Diagnosis* diagnosis);

  Span<const uint8_t> bytes() const { return bytes_; }
  int subgraph_count() const;
  int tensor_count(int subgraph) const;
  int node_count(int subgraph) const;
  PackedList<int32_t> inputs(int subgraph) const;
  PackedList<int32_t> outputs(int subgraph) const;
  TensorInfo tensor(int subgraph, int index) const;
  Shape shape(int subgraph, int index) const;               // tensor(...).shape at a lower cost.
  PackedList<float> scales(int subgraph, int index) const;  // tensor(...).scales at a lower cost.
  NodeInfo node(int subgraph, int index) const;             // An operator of the graph: node_info.h.
  // Returns how a compressed tensor is stored: one that COMPRESSION_METADATA lists, or a constant of int4.
  // tensor(...).is_compressed must hold. See compression/encoding.h.
  Encoding encoding(int subgraph, int index) const;
  // The bytes of the first metadata entry of this name; empty if there is none.
  Span<const uint8_t> Metadata(const char* name) const;

 private:
  Span<const uint8_t> bytes_;
  const void* root_ = nullptr;
  const void* compression_root_ = nullptr;  // Of COMPRESSION_METADATA; null: there is none.
};

}  // namespace lutra
