// SPDX-License-Identifier: Apache-2.0
// LutMetadata: the list of compressed constants in a model's COMPRESSION_METADATA.
//
//   LutMetadata metadata;
//   LutTensorInfo entry;
//   if (metadata.Read(bytes) == Rule::kNone && metadata.Find(0, 17, &entry)) {
//     printf("tensor 17 holds indices of %d bits", static_cast<int>(entry.index_bitwidth));
//   }
//
// It is a view: the bytes must outlive it. Model::Load checks what the entries say; see FORMAT.md.

#pragma once

#include <stdint.h>

#include "lutra/rule.h"
#include "lutra/span.h"

namespace lutra {

struct LutTensorInfo {
  int32_t tensor = 0;         // In its subgraph.
  uint32_t value_buffer = 0;  // Number of the model's buffer.
  int32_t index_bitwidth = 0;
};

class LutMetadata {
 public:
  // Verifies the FlatBuffer and its version. Returns the rule that is broken, or Rule::kNone. `bytes`
  // must be aligned to 4, as every vector of a FlatBuffer is.
  Rule Read(Span<const uint8_t> bytes);

  // The first argument of the static Find; set by Read.
  const void* root() const { return root_; }
  bool empty() const { return root_ == nullptr; }
  int subgraph_count() const;
  // 0 also for a subgraph that is not listed.
  int tensor_count(int subgraph) const;
  LutTensorInfo tensor(int subgraph, int i) const;
  // Returns whether that tensor of the model is listed. Time: proportional to tensor_count().
  bool Find(int subgraph, int tensor, LutTensorInfo* entry) const {
    return Find(root_, subgraph, tensor, entry);
  }
  static bool Find(const void* root, int subgraph, int tensor, LutTensorInfo* entry);

 private:
  const void* root_ = nullptr;
};

}  // namespace lutra
