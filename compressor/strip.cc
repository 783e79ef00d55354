// SPDX-License-Identifier: Apache-2.0
// Removes the parts of a model that no runtime reads.

#include "compressor/strip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "host/printable.h"
#include "host/wrap.h"

namespace lutra::compressor {
namespace {

// Metadata that change what a runtime does. ModelEditor itself handles COMPRESSION_METADATA.
constexpr std::array<std::string_view, 3> kKeptMetadata = {
    "OfflineMemoryAllocation",         // TensorFlow Lite Micro: places of tensors.
    "LUTRA_PLAN",                      // Lutra: groups of rows.
    "reduced_precision_support_mask",  // LiteRT: whether a delegate may compute in float16.
};

// Counts removals by kind, in the order in which kinds occur first.
class Counts {
 public:
  void Add(const std::string& what, size_t bytes) {
    const auto at = std::find_if(all_.begin(), all_.end(), [&](const Count& c) { return c.what == what; });
    Count& count = at != all_.end() ? *at : all_.emplace_back(Count{what, 0, 0});
    ++count.number;
    count.bytes += bytes;
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const Count& c : all_) lines.push_back(fmt::format("{} {} of {} bytes", c.number, c.what, c.bytes));
    return lines;
  }

 private:
  struct Count {
    std::string what;
    size_t number;
    size_t bytes;
  };
  std::vector<Count> all_;
};

void Clear(std::string& text, const std::string& what, Counts* gone) {
  if (text.empty()) return;
  gone->Add(what, text.size());
  text.clear();
}

void StripQuantization(edit::TensorT& tensor, Counts* gone) {
  edit::QuantizationParametersT* quantization = tensor.quantization.get();
  if (quantization == nullptr) return;
  const size_t ranges = quantization->min.size() + quantization->max.size();
  if (!quantization->scale.empty() && ranges > 0) {
    gone->Add("calibration ranges", ranges * sizeof(float));
    quantization->min.clear();
    quantization->max.clear();
  }
  const bool says_nothing = quantization->scale.empty() && quantization->zero_point.empty() && ranges == 0 &&
                            quantization->details.type == edit::QuantizationDetails::NONE;
  if (says_nothing) tensor.quantization.reset();
}

bool HasNoZeroPoint(const edit::TensorT& tensor) {
  const auto& zeros = tensor.quantization->zero_point;
  return std::count(zeros.begin(), zeros.end(), 0) == static_cast<ptrdiff_t>(zeros.size());
}

// Returns whether every runtime takes the operator's bias without a scale, and computes the same. Int8
// convolutions never read it. FULLY_CONNECTED requires that it differs from input scale times weight scale by
// at most 0.02 of the output's; a missing scale counts as 0.
bool NeedsNoBiasScale(const std::string& name, const edit::SubGraphT& subgraph, const edit::OperatorT& op) {
  constexpr size_t kInputs = 3;
  constexpr double kMostDifference = 0.0199;  // Runtimes compute in float32.
  const bool is_convolution = name == "CONV_2D" || name == "DEPTHWISE_CONV_2D";
  if ((!is_convolution && name != "FULLY_CONNECTED") || op.inputs.size() != kInputs ||
      op.outputs.size() != 1) {
    return false;
  }
  std::vector<const edit::QuantizationParametersT*> of;
  for (const int32_t index : {op.inputs[0], op.inputs[1], op.outputs[0]}) {
    if (index < 0) return false;
    const edit::TensorT& tensor = *subgraph.tensors[static_cast<size_t>(index)];
    of.push_back(tensor.quantization.get());
    const bool is_quantized = of.back() != nullptr && !of.back()->scale.empty();
    if (tensor.type != static_cast<int8_t>(TensorType::kInt8) || !is_quantized) return false;
  }
  if (is_convolution) return true;
  const bool has_one_scale = of[0]->scale.size() == 1 && of[1]->scale.size() == 1 && of[2]->scale.size() == 1;
  return has_one_scale &&
         double{of[0]->scale[0]} * double{of[1]->scale[0]} <= kMostDifference * double{of[2]->scale[0]};
}

// Keeps the scale of a bias that another operator reads, too, or that is no constant. A tensor in lookup
// tables has as many tables as scales.
void StripBiases(const ModelEditor& editor, edit::SubGraphT& subgraph, Counts* gone) {
  if (editor.compression()) return;
  constexpr size_t kBias = 2;
  std::set<int32_t> takes, needs(subgraph.outputs.begin(), subgraph.outputs.end());
  for (const auto& op : subgraph.operators) {
    const bool has_none = NeedsNoBiasScale(editor.NameOf(*op), subgraph, *op);
    for (size_t i = 0; i < op->inputs.size(); ++i) {
      (has_none && i == kBias ? takes : needs).insert(op->inputs[i]);
    }
  }
  for (const int32_t index : takes) {
    if (index < 0 || needs.contains(index)) continue;
    edit::TensorT& bias = *subgraph.tensors[static_cast<size_t>(index)];
    const bool is_constant = !editor.model().buffers[bias.buffer]->data.empty();
    if (!is_constant || bias.type != static_cast<int8_t>(TensorType::kInt32) || bias.quantization == nullptr)
      continue;
    const edit::QuantizationParametersT& quantization = *bias.quantization;
    const bool is_plain = quantization.details.type == edit::QuantizationDetails::NONE;
    if (quantization.scale.empty() || !is_plain || !HasNoZeroPoint(bias)) continue;
    gone->Add("scales of biases",
              quantization.scale.size() * sizeof(float) + quantization.zero_point.size() * sizeof(int64_t));
    bias.quantization.reset();
  }
}

void StripSubgraph(edit::SubGraphT& subgraph, const StripOptions& options, Counts* gone, size_t* names_kept) {
  if (options.names) Clear(subgraph.name, "names of subgraphs", gone);
  std::set<int32_t> interface(subgraph.inputs.begin(), subgraph.inputs.end());
  interface.insert(subgraph.outputs.begin(), subgraph.outputs.end());
  for (size_t i = 0; i < subgraph.tensors.size(); ++i) {
    edit::TensorT& tensor = *subgraph.tensors[i];
    if (options.names && interface.count(static_cast<int32_t>(i)) == 0) {
      Clear(tensor.name, "names of tensors", gone);
    } else if (!tensor.name.empty()) {
      ++*names_kept;
    }
    StripQuantization(tensor, gone);
    const auto& signature = tensor.shape_signature;
    if (!signature.empty() && std::count(signature.begin(), signature.end(), -1) == 0) {
      gone->Add("shape signatures without an open dimension", signature.size() * sizeof(int32_t));
      tensor.shape_signature.clear();
    }
  }
}

void StripOperatorCodes(edit::ModelT& model, Counts* gone) {
  std::vector<uint32_t> numbers(model.operator_codes.size(), UINT32_MAX);
  std::vector<std::unique_ptr<edit::OperatorCodeT>> used;
  for (const auto& subgraph : model.subgraphs) {
    for (const auto& op : subgraph->operators) {
      uint32_t& number = numbers[op->opcode_index];
      if (number == UINT32_MAX) {
        number = static_cast<uint32_t>(used.size());
        used.push_back(std::make_unique<edit::OperatorCodeT>(*model.operator_codes[op->opcode_index]));
      }
      op->opcode_index = number;
    }
  }
  for (size_t i = used.size(); i < model.operator_codes.size(); ++i)
    gone->Add("operator codes that nothing has", 0);
  model.operator_codes = std::move(used);
}

void StripMetadata(edit::ModelT& model, Counts* gone, std::vector<std::string>* kept) {
  const auto stays = [&](const std::unique_ptr<edit::MetadataT>& metadata) {
    return std::find(kKeptMetadata.begin(), kKeptMetadata.end(), metadata->name) != kKeptMetadata.end();
  };
  std::vector<std::unique_ptr<edit::MetadataT>> rest;
  for (auto& metadata : model.metadata) {
    const size_t bytes =
        metadata->buffer < model.buffers.size() ? model.buffers[metadata->buffer]->data.size() : 0;
    if (stays(metadata)) {
      kept->push_back(fmt::format("metadata {} of {} bytes", metadata->name, bytes));
      rest.push_back(std::move(metadata));
    } else {
      gone->Add(fmt::format("metadata {}", host::Printable(metadata->name)), bytes);
    }
  }
  model.metadata = std::move(rest);
  // The schema's older list of the same buffers, without names, is removed, too.
  model.metadata_buffer.clear();
}

// Strips the model; `result` says what goes and what stays.
void StripParts(const StripOptions& options, ModelEditor* editor, StripResult* result) {
  edit::ModelT& model = editor->model();
  Counts gone;
  size_t names_kept = 0;
  if (options.names) Clear(model.description, "descriptions", &gone);
  for (const auto& subgraph : model.subgraphs) {
    StripSubgraph(*subgraph, options, &gone, &names_kept);
    if (options.bias_quantization) StripBiases(*editor, *subgraph, &gone);
    for (const auto& op : subgraph->operators) op->debug_metadata_index = -1;
    subgraph->debug_metadata_index = -1;
  }
  StripOperatorCodes(model, &gone);
  StripMetadata(model, &gone, &result->kept);
  if (names_kept > 0) {
    const char* const of = options.names ? "inputs and outputs" : "tensors";
    result->kept.push_back(fmt::format("{} names of {}", names_kept, of));
  }
  if (!model.signature_defs.empty()) {
    result->kept.push_back(fmt::format("{} signatures", model.signature_defs.size()));
  }
  if (editor->compression()) result->kept.emplace_back("metadata COMPRESSION_METADATA");
  result->gone = gone.Lines();
}

}  // namespace

StripResult Strip(const host::ModelFile& file, const StripOptions& options) {
  StripResult result;
  result.path = file.path;
  result.bytes_before = static_cast<int64_t>(file.bytes.size());
  ModelEditor editor(file);
  StripParts(options, &editor, &result);
  result.file = editor.Write(PlacementOf(file));
  if (result.file.size() > file.bytes.size()) {
    result.file.assign(file.bytes.data(), file.bytes.data() + file.bytes.size());
    result.gone.clear();
    result.kept = {"everything, as buffers at multiples of 16 take more than what would go"};
  }
  const ModelEditor smaller(LoadModel(result.file, file.path));
  for (const auto& buffer : smaller.model().buffers) {
    result.constant_bytes += static_cast<int64_t>(buffer->data.size());
  }
  return result;
}

ModelEditor Stripped(const host::ModelFile& file, const StripOptions& options,
                     std::vector<std::string>* gone) {
  ModelEditor editor(file);
  StripResult result;
  StripParts(options, &editor, &result);
  if (gone != nullptr) *gone = std::move(result.gone);
  return editor;
}

std::string StrippedText(const std::vector<std::string>& gone) {
  if (gone.empty()) return "";
  return host::Wrapped(fmt::format("stripped: {}\n", fmt::join(gone, ", ")));
}

std::string StripTable(const StripResult& result) {
  std::string text =
      fmt::format("{}: {} bytes become {}, of them {} of constants\n", host::Printable(result.path),
                  result.bytes_before, result.file.size(), result.constant_bytes);
  for (const std::string& line : result.gone) text += fmt::format("gone  {}\n", line);
  for (const std::string& line : result.kept) text += fmt::format("kept  {}\n", line);
  return text;
}

}  // namespace lutra::compressor
