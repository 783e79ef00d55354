// SPDX-License-Identifier: Apache-2.0
// ModelEditor: a .tflite file as a tree of objects that may be changed, and back to a file.
//
//   ModelEditor editor(ReadModelFile("in.tflite"));
//   editor.subgraph(0).tensors[3]->name = "weights";
//   WriteFileBytes("out.tflite", editor.Write().data(), ...);
//
// Nothing is lost: a file with fields that runtime/schema/tflite.fbs lacks is refused. The written file is
// small and aligned: buffers begin where Placement says, byte-identical buffers are stored once, and so are
// equal tables, lists and strings (shared_parts.h); buffers without a reference are left out. The same model
// always gives the same bytes.

#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compression_edit_generated.h"
#include "host/model_file.h"
#include "lutra/tensor_info.h"
#include "tflite_edit_generated.h"

namespace lutra::compressor {

using Bytes = std::vector<uint8_t>;

// An order for maps; shorter ones first.
struct BytesLess {
  bool operator()(const Bytes& a, const Bytes& b) const {
    if (a.size() != b.size()) return a.size() < b.size();
    return !a.empty() && std::memcmp(a.data(), b.data(), a.size()) < 0;
  }
};

// Says where the buffers of a file begin.
enum class Placement : uint8_t {
  kAligned,        // At multiples of 16, as the format wants it.
  kPackedStreams,  // Those that only TFLM_DECODE reads at multiples of 4: our runtime takes them from
                   // anywhere.
};
// Says whether equal tables, lists and strings are stored once.
enum class Parts : uint8_t {
  kShared,
  kRepeated,  // Each is stored by itself, as in the models of golden/, whose bytes are frozen; buffers
              // begin at multiples of 16.
};
// Returns how many bytes of the file a buffer of `bytes` takes at least.
int64_t PlacedBytes(size_t bytes, bool at_16);

// Buffers that nothing but TFLM_DECODE reads.
std::set<uint32_t> StreamBuffers(const edit::ModelT& model);
// Returns kPackedStreams if one of the StreamBuffers does not begin at a multiple of 16.
Placement PlacementOf(const host::ModelFile& file);

// Loads a model from memory; `path` is for messages. Throws BadInput.
host::ModelFile LoadModel(const Bytes& bytes, const std::string& path);

// Puts other tensors in the place of those in the list.
void ReplaceTensors(const std::map<int32_t, int32_t>& others, std::vector<int32_t>* list);

class ModelEditor {
 public:
  // Throws BadInput for a file that cannot be written back as it was.
  explicit ModelEditor(const host::ModelFile& file);

  const std::string& path() const { return path_; }
  edit::ModelT& model() { return model_; }
  const edit::ModelT& model() const { return model_; }
  int subgraph_count() const { return static_cast<int>(model_.subgraphs.size()); }
  edit::SubGraphT& subgraph(int i) { return *model_.subgraphs[static_cast<size_t>(i)]; }
  const edit::SubGraphT& subgraph(int i) const { return *model_.subgraphs[static_cast<size_t>(i)]; }
  edit::TensorT& tensor(int subgraph, int i) {
    return *this->subgraph(subgraph).tensors[static_cast<size_t>(i)];
  }
  const edit::TensorT& tensor(int subgraph, int i) const {
    return *this->subgraph(subgraph).tensors[static_cast<size_t>(i)];
  }

  // COMPRESSION_METADATA, which is no longer among the model's metadata; empty: the model has none.
  // Its value_buffer are indices of model().buffers, and follow them when the file is written.
  std::optional<compression_edit::MetadataT>& compression() { return compression_; }
  const std::optional<compression_edit::MetadataT>& compression() const { return compression_; }

  // The bytes of a tensor's buffer; empty for an activation.
  const Bytes& data(int subgraph, int tensor) const;
  // A new buffer; returns its index.
  uint32_t AddBuffer(Bytes bytes);
  // A new tensor at the end of the subgraph; returns its index.
  int AddTensor(int subgraph, edit::TensorT tensor);
  // Makes the operator the only reader of one of its inputs: if the tensor has other uses, the operator gets
  // a copy. Returns the tensor's index.
  int32_t OwnInput(int subgraph, edit::OperatorT* op, size_t input);
  // Index of the operator code of a custom operator, which is added if it is missing.
  uint32_t FindOrAddCustomCode(const std::string& custom_code);
  // The operator's code, and its name: "CONV_2D", of a custom operator "TFLM_DECODE".
  int32_t CodeOf(const edit::OperatorT& op) const;
  std::string NameOf(const edit::OperatorT& op) const;

  // Replaces outputs of the subgraph by other tensors, in its signatures, too. `others` maps tensor indices.
  void ReplaceOutputs(int subgraph, const std::map<int32_t, int32_t>& others);

  // The file. The editor may be used further.
  Bytes Write(Placement placement = Placement::kAligned, Parts parts = Parts::kShared) const;

 private:
  void TakeCompression();
  // Counts how often operators read the tensor, or the graph has it.
  int64_t UsesOf(int subgraph, int32_t tensor) const;

  std::string path_;
  edit::ModelT model_;
  std::optional<compression_edit::MetadataT> compression_;
  std::vector<size_t> tensor_counts_;  // As read, of each subgraph.
};

}  // namespace lutra::compressor
