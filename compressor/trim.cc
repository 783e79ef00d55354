// SPDX-License-Identifier: Apache-2.0
// Refuses models that cannot be trimmed, trims the others, and reports what was removed.

#include "compressor/trim.h"

#include <fmt/format.h>

#include <algorithm>

#include "compressor/candidates.h"
#include "compressor/decoding_cost.h"
#include "compressor/trim/rewrite.h"
#include "host/json_archive.h"
#include "host/printable.h"
#include "host/result.h"
#include "lutra/row_groups.h"

namespace lutra::compressor {
namespace {

void RequireTrimmable(const ModelEditor& editor) {
  RequireUncompressed(editor);
  for (const auto& metadata : editor.model().metadata) {
    if (metadata->name != kRowPlanName) continue;
    throw host::BadInput(
        fmt::format("{}: row-plan: found {}, required: a model without; run compress plan --longest=1 first, "
                    "and compress plan again on what trim writes",
                    editor.path(), kRowPlanName));
  }
  for (int s = 0; s < editor.subgraph_count(); ++s) {
    const auto& operators = editor.subgraph(s).operators;
    for (size_t n = 0; n < operators.size(); ++n) {
      if (editor.CodeOf(*operators[n]) != static_cast<int32_t>(BuiltinOperator::kCustom)) continue;
      throw host::BadInput(
          fmt::format("{}: custom-operator: found {} as operator {}, required: builtin operators; trim the "
                      "model before the tool that made it of them",
                      editor.path(), host::Printable(editor.NameOf(*operators[n])), n));
    }
  }
}

// Describes a layer; its figures in the written file come later.
TrimmedLayer Describe(const host::ModelFile& file, const Trace& trace, const Selection& selection,
                      const Layer& layer) {
  TrimmedLayer row = {.node = layer.node,
                      .type = NameOf(layer.code, ""),
                      .name = file.model.tensor(0, layer.output).name,
                      .channels = layer.outputs,
                      .macs_before = MacsOf(file.model, layer.node),
                      .weight_bytes_before = file.model.tensor(0, layer.weights).bytes,
                      .stay = {}};
  for (int32_t o = 0; o < layer.outputs; ++o) {
    const int32_t channel = trace.first(layer.output) + o;
    const bool is_constant = trace.range(channel).is_constant();
    row.constant += is_constant ? 1 : 0;
    if (selection.goes(channel)) {
      ++row.removed;
    } else if (is_constant) {
      const auto found = std::find_if(row.stay.begin(), row.stay.end(), [&](const auto& reason) {
        return reason.why == selection.why(channel);
      });
      if (found == row.stay.end()) {
        row.stay.push_back({selection.why(channel), 1});
      } else {
        ++found->channels;
      }
    }
  }
  return row;
}

void DescribeFile(const Bytes& bytes, TrimResult* result) {
  const host::ModelFile file = LoadModel(bytes, result->path);
  for (TrimmedLayer& layer : result->layers) {
    layer.macs_after = MacsOf(file.model, layer.node);
    layer.weight_bytes_after = file.model.tensor(0, file.model.node(0, layer.node).inputs[1]).bytes;
  }
  for (int n = 0; n < file.model.node_count(0); ++n) result->macs_after += MacsOf(file.model, n);
}

int64_t Sum(const std::vector<TrimmedLayer>& layers, int32_t TrimmedLayer::*figure) {
  int64_t sum = 0;
  for (const TrimmedLayer& layer : layers) sum += layer.*figure;
  return sum;
}

}  // namespace

int64_t TrimResult::channels() const { return Sum(layers, &TrimmedLayer::channels); }
int64_t TrimResult::constant() const { return Sum(layers, &TrimmedLayer::constant); }
int64_t TrimResult::removed() const { return Sum(layers, &TrimmedLayer::removed); }

TrimResult Trim(const host::ModelFile& file) {
  ModelEditor editor(file);
  RequireTrimmable(editor);
  TrimResult result;
  result.path = file.path;
  result.bytes_before = static_cast<int64_t>(file.bytes.size());
  const Trace trace(file.model);
  const Selection selection(trace);
  for (const Layer& layer : trace.layers()) {
    result.layers.push_back(Describe(file, trace, selection, layer));
  }
  for (int n = 0; n < file.model.node_count(0); ++n) result.macs_before += MacsOf(file.model, n);
  result.file.assign(file.bytes.data(), file.bytes.data() + file.bytes.size());
  if (selection.any()) {
    RemoveChannels(trace, selection, &editor);
    Bytes trimmed = editor.Write();
    if (trimmed.size() <= result.file.size()) {
      result.file = std::move(trimmed);
    } else {
      // Added biases may take more bytes than removed weights.
      for (TrimmedLayer& layer : result.layers) {
        if (layer.removed > 0) layer.stay.push_back({"the file would become larger", layer.removed});
        layer.removed = 0;
      }
    }
  }
  DescribeFile(result.file, &result);
  return result;
}

std::string TrimLine(const TrimResult& result) {
  return fmt::format(
      "{}: {} bytes become {} ({:.1f} %), {} MACs become {}; of {} channels {} cannot change, {} are gone\n",
      host::Printable(result.path), result.bytes_before, result.file.size(),
      100.0 * static_cast<double>(result.file.size()) / static_cast<double>(result.bytes_before),
      result.macs_before, result.macs_after, result.channels(), result.constant(), result.removed());
}

std::string TrimTable(const TrimResult& result) {
  std::string text = TrimLine(result);
  text += fmt::format("\n{:>4} {:<17} {:<16} {:>8} {:>8} {:>5} {:>7} {:>6}\n", "op", "type", "output",
                      "channels", "constant", "gone", "weights", "become");
  for (const TrimmedLayer& layer : result.layers) {
    text += fmt::format("{:>4} {:<17} {:<16} {:>8} {:>8} {:>5} {:>7} {:>6}\n", layer.node, layer.type,
                        host::ShortName(layer.name, 16), layer.channels, layer.constant, layer.removed,
                        layer.weight_bytes_before, layer.weight_bytes_after);
    for (const TrimmedLayer::Reason& reason : layer.stay) {
      text += fmt::format("     {} that cannot change stay: {}\n", reason.channels, reason.why);
    }
  }
  return text;
}

template <typename Archive>
void Fields(Archive& archive, const TrimmedLayer::Reason& reason) {
  archive("why", reason.why);
  archive("channels", reason.channels);
}

template <typename Archive>
void Fields(Archive& archive, const TrimmedLayer& layer) {
  archive("operator", layer.node);
  archive("type", layer.type);
  archive("output", layer.name);
  archive("channels", layer.channels);
  archive("constant", layer.constant);
  archive("removed", layer.removed);
  archive("macs_before", layer.macs_before);
  archive("macs_after", layer.macs_after);
  archive("weight_bytes_before", layer.weight_bytes_before);
  archive("weight_bytes_after", layer.weight_bytes_after);
  archive("stay", layer.stay);
}

template <typename Archive>
void Fields(Archive& archive, const TrimResult& result) {
  archive("schema_version", host::kResultSchemaVersion);
  archive("model", result.path);
  archive("bytes_before", result.bytes_before);
  archive("bytes_after", static_cast<int64_t>(result.file.size()));
  archive("macs_before", result.macs_before);
  archive("macs_after", result.macs_after);
  archive("channels", result.channels());
  archive("constant", result.constant());
  archive("removed", result.removed());
  archive("layers", result.layers);
}

std::string TrimJson(const TrimResult& result) { return host::JsonText(host::ToJson(result), 1); }

}  // namespace lutra::compressor
