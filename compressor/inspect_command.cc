// SPDX-License-Identifier: Apache-2.0
// compress inspect: prints how each compressed tensor is stored, its value tables, and how often each index
// occurs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "compressor/candidates.h"
#include "compressor/commands.h"
#include "host/json_archive.h"
#include "host/printable.h"
#include "host/wrap.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/cpu.h"
#include "lutra/node_info.h"
#include "lutra/rule.h"
#include "runtime/text.h"

namespace lutra::compressor {
namespace {

constexpr int kBarCells = 40;
constexpr uint16_t kSpecial = 0xFFFF;

struct Stored {
  TensorId id;
  const char* form;
  std::string name;
  TensorInfo info;  // Of the decoded tensor.
  Encoding encoding;
};

std::vector<Stored> FindStored(const host::ModelFile& file) {
  const Model& model = file.model;
  std::vector<Stored> stored;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int t = 0; t < model.tensor_count(s); ++t) {
      const TensorInfo info = model.tensor(s, t);
      if (info.is_compressed)
        stored.push_back({{s, t}, info.is_int4 ? "int4" : "metadata", info.name, info, model.encoding(s, t)});
    }
    for (int n = 0; n < model.node_count(s); ++n) {
      const NodeInfo node = model.node(s, n);
      if (node.code != BuiltinOperator::kCustom || !SameText(node.custom_code, kDecodeCustomCode)) continue;
      for (int i = 0; i < node.outputs.size() && 2 * i + 1 < node.inputs.size(); ++i) {
        const int32_t encoded = node.inputs[2 * i];
        const int32_t ancillary = node.inputs[2 * i + 1];
        if (encoded < 0 || ancillary < 0) continue;
        const TensorInfo stream = model.tensor(s, encoded);
        const TensorInfo tables = model.tensor(s, ancillary);
        Stored item = {{s, encoded}, "decode", stream.name, model.tensor(s, node.outputs[i]), {}};
        Fault fault = ReadDecodePair(stream.data, tables.data, item.info, &item.encoding);
        if (fault.rule == Rule::kNone) fault = CheckContents(item.encoding);
        if (fault.rule != Rule::kNone) {
          throw host::BadInput(host::DescribeRefusal(file, Status::kInvalidModel,
                                                     {.rule = fault.rule,
                                                      .subgraph = static_cast<int16_t>(s),
                                                      .node = n,
                                                      .tensor = node.outputs[i],
                                                      .found = fault.found,
                                                      .required = fault.required}));
        }
        stored.push_back(item);
      }
    }
  }
  return stored;
}

bool HasIndices(DecodeType type) { return FactsOf(type).tables != ValueTables::kNone; }

// Counts how often each index occurs, over all tables; the special symbol of a sparse LUT is the last.
std::vector<int64_t> CountIndices(const Encoding& encoding) {
  if (!HasIndices(encoding.type)) return {};
  // This table maps each index to itself.
  std::vector<uint8_t> identity(2 * 256);
  for (size_t i = 0; i < 256; ++i) identity[2 * i] = static_cast<uint8_t>(i);
  Encoding indices = encoding;
  indices.element_bytes = 2;
  indices.channels = 1;
  indices.lut = {identity.data(), identity.size(), 256};
  indices.special = kSpecial;
  std::vector<uint16_t> values(static_cast<size_t>(encoding.elements));
  Decode(indices, CpuFeaturesHere(), values.data());
  std::vector<int64_t> counts(static_cast<size_t>(encoding.lut.value_table_channel_stride), 0);
  int64_t specials = 0;
  for (const uint16_t value : values) {
    value == kSpecial ? ++specials : ++counts[value];
  }
  if (FactsOf(encoding.type).tables == ValueTables::kOneAndSpecial) counts.push_back(specials);
  return counts;
}

// Returns entry i of all tables, as a number.
double EntryValue(const Encoding& encoding, TensorType type, size_t i) {
  const uint8_t* at = encoding.lut.value_table + i * encoding.element_bytes;
  if (type == TensorType::kFloat32) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return static_cast<double>(value);
  }
  int64_t value = 0;
  std::memcpy(&value, at, encoding.element_bytes);
  const int shift = 64 - 8 * encoding.element_bytes;
  return static_cast<double>(static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift);
}

std::vector<double> TableOf(const Stored& item, int table) {
  std::vector<double> values;
  const auto stride = static_cast<size_t>(item.encoding.lut.value_table_channel_stride);
  for (size_t i = 0; i < stride; ++i) {
    values.push_back(EntryValue(item.encoding, item.info.type, static_cast<size_t>(table) * stride + i));
  }
  return values;
}

std::string ShapeText(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.dims, shape.dims + shape.rank, ", "));
}

size_t StoredBytes(const Encoding& e) {
  return e.stream.size() + e.lut.value_table_bytes + e.codes.size() + e.kept.size();
}

std::string Text(const Stored& item) {
  const Encoding& e = item.encoding;
  std::string text =
      fmt::format("\ntensor {} \"{}\" {} {}: {}, {} form\n", ToText(item.id), host::Printable(item.name),
                  ToString(item.info.type), ShapeText(item.info.shape), ToString(e.type), item.form);
  text += fmt::format("  {} bytes in {}: stream {}", item.info.bytes, StoredBytes(e), e.stream.size());
  if (e.lut.value_table_bytes > 0) {
    text += fmt::format(", {} table{} of {} values {}", e.channels, e.channels == 1 ? "" : "s",
                        e.lut.value_table_channel_stride, e.lut.value_table_bytes);
  }
  if (!e.codes.empty()) text += fmt::format(", codes {}, first lookup {} bits", e.codes.size(), e.width);
  if (!e.kept.empty()) text += fmt::format(", {} values kept", e.kept.size() / e.element_bytes);
  if (e.codes.empty() && e.width > 0) {
    text += fmt::format(", {} bits, {} first", e.width, e.order == BitOrder::kMsbFirst ? "msb" : "lsb");
  }
  text += "\n";
  const std::vector<int64_t> counts = CountIndices(e);
  if (counts.empty()) return text;
  const std::vector<double> values = TableOf(item, 0);
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  text += fmt::format("  {:>5} {:>12} {:>9}\n", "index", e.channels == 1 ? "value" : "in table 0", "count");
  for (size_t i = 0; i < counts.size(); ++i) {
    const std::string value = i < values.size() ? fmt::format("{:.7g}", values[i]) : "special";
    text += fmt::format("  {:>5} {:>12} {:>9} {}\n", i, value, counts[i],
                        std::string(static_cast<size_t>(most == 0 ? 0 : counts[i] * kBarCells / most), '#'));
  }
  return text;
}

struct InspectReport {
  std::string model;
  size_t bytes = 0;
  std::vector<Stored> tensors;
};

template <typename Archive>
void Fields(Archive& archive, const Stored& item) {
  const Encoding& e = item.encoding;
  const Shape& shape = item.info.shape;
  std::vector<std::vector<double>> tables;
  if (HasIndices(e.type)) {
    for (int table = 0; table < e.channels; ++table) tables.push_back(TableOf(item, table));
  }
  archive("subgraph", item.id.subgraph);
  archive("index", item.id.tensor);
  archive("name", item.name);
  archive("type", std::string(ToString(item.info.type)));
  archive("shape", std::vector<int32_t>(shape.dims, shape.dims + shape.rank));
  archive("format", std::string(item.form));
  archive("codec", std::string(ToString(e.type)));
  archive("bits", e.width);
  archive("bytes", item.info.bytes);
  archive("stored_bytes", StoredBytes(e));
  archive("stream_bytes", e.stream.size());
  archive("table_bytes", e.lut.value_table_bytes);
  archive("code_bytes", e.codes.size());
  archive("tables", tables);
  archive("index_counts", CountIndices(e));
}

template <typename Archive>
void Fields(Archive& archive, const InspectReport& report) {
  archive("schema_version", host::kResultSchemaVersion);
  archive("model", report.model);
  archive("bytes", report.bytes);
  archive("tensors", report.tensors);
}

}  // namespace

void AddInspectCommand(CLI::App& app) {
  struct Arguments {
    std::string input;
    bool json = false;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("inspect", "Show how each compressed tensor is stored");
  verb->footer(
      HelpFooter("Example:\n  compress inspect packed.tflite --json\n\n"
                 "Of each compressed tensor, in either form, and each of int4: its codec, bytes of stream "
                 "and tables, the values of the\n"
                 "first table, and how often each index occurs."));
  verb->add_option("IN", line->input, "Model")->required();
  verb->add_flag("--json", line->json, "As JSON, with all tables");
  verb->callback([line] {
    const host::ModelFile file = host::ReadModelFile(line->input);
    const std::vector<Stored> stored = FindStored(file);
    if (line->json) {
      const InspectReport report = {file.path, file.bytes.size(), stored};
      fmt::print("{}", host::JsonText(host::ToJson(report)));
      return;
    }
    fmt::print("{}: {} bytes, {} compressed tensors\n", host::Printable(file.path), file.bytes.size(),
               stored.size());
    for (const Stored& item : stored) fmt::print("{}", host::Wrapped(Text(item), 2));
  });
}

}  // namespace lutra::compressor
