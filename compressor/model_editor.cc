// SPDX-License-Identifier: Apache-2.0
// Reads a model into objects, and refuses models of which writing would lose something.

#include "compressor/model_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "compressor/field_check.h"
#include "compressor/shared_parts.h"
#include "lutra/builtin_operator.h"
#include "lutra/compression/format.h"
#include "lutra/node_info.h"
#include "lutra/row_groups.h"
#include "lutra/rule.h"

namespace lutra::compressor {
namespace {

namespace fb = flatbuffers;

constexpr char kOfflinePlanName[] = "OfflineMemoryAllocation";
constexpr int kOfflinePlanHeader = 3;

// Numbers buffers as they are written, so that the file is small: empty ones are buffer 0.
class BufferNumbers {
 public:
  explicit BufferNumbers(const edit::ModelT& model) : model_(model) {}

  // Returns the new index. `shared`: buffers of the same bytes may be one.
  uint32_t Use(uint32_t old, bool shared) {
    const Bytes& data = model_.buffers[old]->data;
    if (old == 0 || (data.empty() && shared)) return 0;
    if (shared) {
      const auto [at, is_new] = by_bytes_.try_emplace(&data, next_);
      if (is_new) Add(old);
      return at->second;
    }
    const auto [at, is_new] = by_index_.try_emplace(old, next_);
    if (is_new) Add(old);
    return at->second;
  }
  const std::vector<uint32_t>& used() const { return used_; }

 private:
  struct PointeeLess {
    bool operator()(const Bytes* a, const Bytes* b) const { return BytesLess()(*a, *b); }
  };
  void Add(uint32_t old) {
    used_.push_back(old);
    ++next_;
  }

  const edit::ModelT& model_;
  std::map<const Bytes*, uint32_t, PointeeLess> by_bytes_;
  std::map<uint32_t, uint32_t> by_index_;
  std::vector<uint32_t> used_ = {0};
  uint32_t next_ = 1;
};

// Returns the offline plan, which has an offset for each tensor, for the tensors that the model has now. The
// planner places new ones; those that are gone were each subgraph's last.
Bytes AdaptedPlan(const Bytes& plan, const std::vector<size_t>& before, const edit::ModelT& model) {
  std::vector<int32_t> old_numbers(plan.size() / sizeof(int32_t));
  std::memcpy(old_numbers.data(), plan.data(), old_numbers.size() * sizeof(int32_t));
  size_t tensors = 0;
  for (const size_t count : before) tensors += count;
  if (old_numbers.size() != kOfflinePlanHeader + tensors) return plan;  // Not a plan of this model.
  std::vector<int32_t> numbers(old_numbers.begin(), old_numbers.begin() + kOfflinePlanHeader);
  auto next = old_numbers.begin() + kOfflinePlanHeader;
  for (size_t s = 0; s < before.size(); ++s) {
    const size_t now = model.subgraphs[s]->tensors.size();
    const size_t kept = std::min(before[s], now);
    numbers.insert(numbers.end(), next, next + static_cast<std::ptrdiff_t>(kept));
    next += static_cast<std::ptrdiff_t>(before[s]);
    numbers.insert(numbers.end(), now - kept, -1);
  }
  numbers[2] = static_cast<int32_t>(numbers.size()) - kOfflinePlanHeader;
  Bytes bytes(numbers.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// A row plan names operators and tensors by their numbers: removes one that has other numbers of them.
void DropRowPlanOfOthers(edit::ModelT* model) {
  size_t tensors = 0;
  for (const auto& subgraph : model->subgraphs) tensors += subgraph->tensors.size();
  const auto is_of_other = [&](const std::unique_ptr<edit::MetadataT>& metadata) {
    if (metadata->name != kRowPlanName || metadata->buffer >= model->buffers.size()) return false;
    const Bytes& plan = model->buffers[metadata->buffer]->data;
    int32_t words[3] = {};  // Version, number of operators, of tensors (0: it has no places).
    if (plan.size() < sizeof(words)) return true;
    std::memcpy(words, plan.data(), sizeof(words));
    return words[1] != static_cast<int32_t>(model->subgraphs[0]->operators.size()) ||
           (words[2] != 0 && words[2] != static_cast<int32_t>(tensors));
  };
  auto& all = model->metadata;
  all.erase(std::remove_if(all.begin(), all.end(), is_of_other), all.end());
}

}  // namespace

host::ModelFile LoadModel(const Bytes& bytes, const std::string& path) {
  host::ModelFile file;
  file.path = path;
  file.bytes = host::AlignedBytes(bytes.size());
  std::copy(bytes.begin(), bytes.end(), file.bytes.data());
  Diagnosis diagnosis;
  const Status status = Model::Load(file.bytes.span(), &file.model, &diagnosis);
  if (status != Status::kOk) throw host::BadInput(host::DescribeRefusal(file, status, diagnosis));
  return file;
}

ModelEditor::ModelEditor(const host::ModelFile& file) : path_(file.path) {
  const uint8_t* bytes = file.bytes.data();
  // Model::Load checks what the runtime reads; here the whole file becomes objects.
  fb::Verifier verifier(bytes, file.bytes.size());
  if (!edit::VerifyModelBuffer(verifier)) {
    throw host::BadInput(
        host::DescribeRefusal(file, Status::kInvalidModel, Diagnosis{.rule = Rule::kFlatbuffer}));
  }
  const FieldProblems problems = CheckFields(bytes);
  for (const std::string& problem : {problems.broken, problems.unknown}) {
    if (!problem.empty()) throw host::BadInput(path_ + ": " + problem);
  }
  edit::GetModel(bytes)->UnPackTo(&model_);
  DropEmptyOptions(&model_);
  if (model_.buffers.empty() || !model_.buffers[0]->data.empty()) {
    // Index 0 stands for "no buffer".
    throw host::BadInput(fmt::format("{}: buffer-0: found data in buffer 0, required: an empty buffer; {}",
                                     path_, "export the model again from its source"));
  }
  for (const auto& subgraph : model_.subgraphs) {
    tensor_counts_.push_back(subgraph->tensors.size());
    for (const auto& op : subgraph->operators) {
      if (op->large_custom_options_offset == 0) continue;
      throw host::BadInput(
          fmt::format("{}: large-custom-options: found options outside the FlatBuffer, required: all of the "
                      "model in it; export the model with smaller options",
                      path_));
    }
  }
  TakeCompression();
}

void ModelEditor::TakeCompression() {
  for (size_t i = 0; i < model_.metadata.size(); ++i) {
    if (model_.metadata[i]->name != kCompressionMetadataName) continue;
    // Model::Load has checked this index.
    const Bytes& bytes = model_.buffers[model_.metadata[i]->buffer]->data;
    compression_.emplace();
    compression_edit::GetMetadata(bytes.data())->UnPackTo(&*compression_);
    model_.metadata.erase(model_.metadata.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

const Bytes& ModelEditor::data(int subgraph, int tensor) const {
  return model_.buffers[this->tensor(subgraph, tensor).buffer]->data;
}

uint32_t ModelEditor::AddBuffer(Bytes bytes) {
  auto buffer = std::make_unique<edit::BufferT>();
  buffer->data = std::move(bytes);
  model_.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(model_.buffers.size() - 1);
}

int ModelEditor::AddTensor(int subgraph, edit::TensorT tensor) {
  auto& tensors = this->subgraph(subgraph).tensors;
  tensors.push_back(std::make_unique<edit::TensorT>(std::move(tensor)));
  return static_cast<int>(tensors.size()) - 1;
}

int64_t ModelEditor::UsesOf(int subgraph, int32_t tensor) const {
  const edit::SubGraphT& graph = this->subgraph(subgraph);
  auto uses = std::count(graph.inputs.begin(), graph.inputs.end(), tensor) +
              std::count(graph.outputs.begin(), graph.outputs.end(), tensor);
  for (const auto& op : graph.operators) uses += std::count(op->inputs.begin(), op->inputs.end(), tensor);
  return uses;
}

int32_t ModelEditor::OwnInput(int subgraph, edit::OperatorT* op, size_t input) {
  if (UsesOf(subgraph, op->inputs[input]) > 1) {
    edit::TensorT copy = tensor(subgraph, op->inputs[input]);
    op->inputs[input] = AddTensor(subgraph, std::move(copy));
  }
  return op->inputs[input];
}

uint32_t ModelEditor::FindOrAddCustomCode(const std::string& custom_code) {
  constexpr auto kCustom = static_cast<int32_t>(BuiltinOperator::kCustom);
  for (size_t i = 0; i < model_.operator_codes.size(); ++i) {
    const edit::OperatorCodeT& code = *model_.operator_codes[i];
    if (code.custom_code == custom_code && code.version == 1 &&
        std::max<int32_t>(code.builtin_code, code.deprecated_builtin_code) == kCustom) {
      return static_cast<uint32_t>(i);
    }
  }
  auto code = std::make_unique<edit::OperatorCodeT>();
  code->deprecated_builtin_code = static_cast<int8_t>(kCustom);
  code->builtin_code = kCustom;
  code->custom_code = custom_code;
  model_.operator_codes.push_back(std::move(code));
  return static_cast<uint32_t>(model_.operator_codes.size() - 1);
}

void ReplaceTensors(const std::map<int32_t, int32_t>& others, std::vector<int32_t>* list) {
  for (int32_t& t : *list) {
    if (const auto found = others.find(t); found != others.end()) t = found->second;
  }
}

void ModelEditor::ReplaceOutputs(int subgraph, const std::map<int32_t, int32_t>& others) {
  ReplaceTensors(others, &this->subgraph(subgraph).outputs);
  for (const auto& signature : model_.signature_defs) {
    if (signature->subgraph_index != static_cast<uint32_t>(subgraph)) continue;
    for (const auto& output : signature->outputs) {
      const auto found = others.find(static_cast<int32_t>(output->tensor_index));
      if (found != others.end()) output->tensor_index = static_cast<uint32_t>(found->second);
    }
  }
}

int32_t ModelEditor::CodeOf(const edit::OperatorT& op) const {
  const edit::OperatorCodeT& code = *model_.operator_codes[op.opcode_index];
  return std::max<int32_t>(code.builtin_code, code.deprecated_builtin_code);
}

std::string ModelEditor::NameOf(const edit::OperatorT& op) const {
  return lutra::NameOf(static_cast<BuiltinOperator>(CodeOf(op)),
                       model_.operator_codes[op.opcode_index]->custom_code.c_str());
}

int64_t PlacedBytes(size_t bytes, bool at_16) {
  const size_t unit = at_16 ? 16 : 4;
  return static_cast<int64_t>((bytes + unit - 1) / unit * unit);
}

std::set<uint32_t> StreamBuffers(const edit::ModelT& model) {
  std::set<uint32_t> streams, others = {0};
  for (const auto& subgraph : model.subgraphs) {
    std::vector<bool> is_decoded(subgraph->tensors.size());
    std::vector<bool> is_other(subgraph->tensors.size());
    const auto mark = [](const std::vector<int32_t>& list, std::vector<bool>* marks) {
      for (const int32_t t : list) {
        if (t >= 0) (*marks)[static_cast<size_t>(t)] = true;
      }
    };
    mark(subgraph->inputs, &is_other);
    mark(subgraph->outputs, &is_other);
    for (const auto& op : subgraph->operators) {
      const bool decodes = model.operator_codes[op->opcode_index]->custom_code == kDecodeCustomCode;
      mark(op->inputs, decodes ? &is_decoded : &is_other);
      mark(op->outputs, &is_other);
    }
    for (size_t t = 0; t < subgraph->tensors.size(); ++t) {
      (is_decoded[t] && !is_other[t] ? streams : others).insert(subgraph->tensors[t]->buffer);
    }
  }
  for (const auto& metadata : model.metadata) others.insert(metadata->buffer);
  for (const int32_t index : model.metadata_buffer) others.insert(static_cast<uint32_t>(index));
  for (const uint32_t other : others) streams.erase(other);
  return streams;
}

Placement PlacementOf(const host::ModelFile& file) {
  const Model& model = file.model;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int n = 0; n < model.node_count(s); ++n) {
      const NodeInfo node = model.node(s, n);
      if (node.code != BuiltinOperator::kCustom || std::string(node.custom_code) != kDecodeCustomCode)
        continue;
      for (int i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i] < 0) continue;
        const TensorInfo tensor = model.tensor(s, node.inputs[i]);
        if ((tensor.data.data() - file.bytes.data()) % 16 != 0) return Placement::kPackedStreams;
      }
    }
  }
  return Placement::kAligned;
}

Bytes ModelEditor::Write(Placement placement, Parts parts) const {
  edit::ModelT copy(model_);
  DropRowPlanOfOthers(&copy);
  // Buffers are numbered in the order in which tensors name them.
  BufferNumbers numbers(copy);
  for (const auto& subgraph : copy.subgraphs) {
    for (const auto& tensor : subgraph->tensors) {
      tensor->buffer = numbers.Use(tensor->buffer, !tensor->is_variable);
    }
  }
  std::optional<compression_edit::MetadataT> compression = compression_;
  if (compression) {
    for (const auto& subgraph : compression->subgraphs) {
      for (const auto& entry : subgraph->lut_tensors) {
        entry->value_buffer = numbers.Use(entry->value_buffer, true);
      }
    }
  }
  for (int32_t& index : copy.metadata_buffer) {
    const bool exists = index >= 0 && static_cast<size_t>(index) < copy.buffers.size();
    index = exists ? static_cast<int32_t>(numbers.Use(static_cast<uint32_t>(index), true)) : 0;
  }
  for (const auto& metadata : copy.metadata) {
    const bool exists = metadata->buffer < copy.buffers.size();
    if (exists && metadata->name == kOfflinePlanName) {
      Bytes& plan = copy.buffers[metadata->buffer]->data;
      plan = AdaptedPlan(plan, tensor_counts_, copy);
    }
    metadata->buffer = exists ? numbers.Use(metadata->buffer, true) : 0;
  }
  std::vector<std::unique_ptr<edit::BufferT>> buffers;
  for (const uint32_t old : numbers.used())
    buffers.push_back(std::make_unique<edit::BufferT>(*copy.buffers[old]));
  copy.buffers = std::move(buffers);
  if (compression) {
    fb::FlatBufferBuilder builder;
    builder.Finish(compression_edit::Metadata::Pack(builder, &*compression));
    auto buffer = std::make_unique<edit::BufferT>();
    buffer->data.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    auto metadata = std::make_unique<edit::MetadataT>();
    metadata->name = kCompressionMetadataName;
    metadata->buffer = static_cast<uint32_t>(copy.buffers.size());
    copy.buffers.push_back(std::move(buffer));
    copy.metadata.push_back(std::move(metadata));
  }
  fb::FlatBufferBuilder builder;
  builder.Finish(edit::Model::Pack(builder, &copy), edit::ModelIdentifier());
  const std::span<const uint8_t> file(builder.GetBufferPointer(), builder.GetSize());
  if (parts == Parts::kRepeated) return {file.begin(), file.end()};
  return ShareEqualParts(file, placement == Placement::kAligned ? std::set<uint32_t>() : StreamBuffers(copy));
}

}  // namespace lutra::compressor
