// SPDX-License-Identifier: Apache-2.0
// Reads COMPRESSION_METADATA when a model is loaded.

#include "lutra/compression/lut_metadata.h"

#include "compression_generated.h"
#include "lutra/compression/format.h"
#include "runtime/model_verifier.h"
#include "runtime/schema/read.h"

namespace lutra {
namespace {

const compression_schema::Metadata* Root(const void* root) {
  return static_cast<const compression_schema::Metadata*>(root);
}

const flatbuffers::Vector<flatbuffers::Offset<compression_schema::LutTensor>>* Entries(const void* root,
                                                                                       int subgraph) {
  const auto* subgraphs = Root(root)->subgraphs();
  if (static_cast<uint32_t>(subgraph) >= Size(subgraphs)) return nullptr;
  return subgraphs->Get(static_cast<uint32_t>(subgraph))->lut_tensors();
}

}  // namespace

Rule LutMetadata::Read(Span<const uint8_t> bytes) {
  root_ = nullptr;
  constexpr size_t kSmallest = 8;  // Root offset and the smallest table.
  if (bytes.size() < kSmallest) return Rule::kCompressionMetadata;
#if defined(LUTRA_VERIFY_MODEL)
  if (!VerifyCompressionMetadata(bytes)) return Rule::kCompressionMetadata;
#endif
  const compression_schema::Metadata* root = compression_schema::GetMetadata(bytes.data());
  if (root->schema_version() > kCompressionSchemaVersion) return Rule::kCompressionVersion;
  root_ = root;
  return Rule::kNone;
}

int LutMetadata::subgraph_count() const {
  return root_ == nullptr ? 0 : static_cast<int>(Size(Root(root_)->subgraphs()));
}

int LutMetadata::tensor_count(int subgraph) const {
  return root_ == nullptr ? 0 : static_cast<int>(Size(Entries(root_, subgraph)));
}

LutTensorInfo LutMetadata::tensor(int subgraph, int i) const {
  const compression_schema::LutTensor* entry = Entries(root_, subgraph)->Get(static_cast<uint32_t>(i));
  return {entry->tensor(), entry->value_buffer(), entry->index_bitwidth()};
}

bool LutMetadata::Find(const void* root, int subgraph, int tensor, LutTensorInfo* entry) {
  LutMetadata metadata;
  metadata.root_ = root;
  for (int i = 0; i < metadata.tensor_count(subgraph); ++i) {
    *entry = metadata.tensor(subgraph, i);
    if (entry->tensor == tensor) return true;
  }
  return false;
}

}  // namespace lutra
