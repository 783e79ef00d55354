// SPDX-License-Identifier: Apache-2.0
// Reads and writes specs in YAML.

#include "compressor/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "host/strict_yaml.h"
#include "lutra/compression/format.h"
#include "runtime/compression/tiles.h"

namespace lutra::compressor {
namespace {

// Returns the codecs by their keys in the file.
std::map<std::string, DecodeType> MethodsByKey() {
  std::map<std::string, DecodeType> methods;
  for (const CodecFacts& codec : AllCodecs()) methods[codec.method] = codec.type;
  return methods;
}

class SpecReader {
 public:
  explicit SpecReader(const host::YamlSource& source) : source_(source) {}

  std::vector<SpecEntry> Read(const YAML::Node& root) const {
    if (!root.IsMap() || !root["tensors"]) Refuse(root, "no key \"tensors\"", "a list of tensors under it");
    const YAML::Node tensors = root["tensors"];
    if (!tensors.IsSequence() && !tensors.IsNull()) {
      Refuse(tensors, "something else under \"tensors\"", "a list");
    }
    std::vector<SpecEntry> entries;
    for (const YAML::Node& node : tensors) entries.push_back(ReadEntry(node));
    return entries;
  }

 private:
  [[noreturn]] void Refuse(const YAML::Node& node, const std::string& found,
                           const std::string& required) const {
    source_.Refuse(node.Mark(), found, required);
  }

  int ReadInt(const YAML::Node& map, const std::string& key, int low, int high) const {
    const YAML::Node node = map[key];
    if (!node)
      Refuse(map, fmt::format("no key \"{}\"", key), fmt::format("a number from {} to {}", low, high));
    int value = 0;
    if (!node.IsScalar() || !YAML::convert<int>::decode(node, value) || value < low || value > high) {
      Refuse(node, fmt::format("{}: {}", key, node.IsScalar() ? node.Scalar() : "no number"),
             fmt::format("a number from {} to {}", low, high));
    }
    return value;
  }

  SpecEntry ReadEntry(const YAML::Node& node) const {
    if (!node.IsMap()) Refuse(node, "no mapping", "subgraph, tensor, compression");
    SpecEntry entry;
    entry.id.subgraph = ReadInt(node, "subgraph", 0, UINT8_MAX);
    entry.id.tensor = ReadInt(node, "tensor", 0, INT32_MAX);
    const YAML::Node methods = node["compression"];
    if (!methods) Refuse(node, "no key \"compression\"", "a list of one method");
    if (methods.IsMap()) {
      Refuse(methods, "a method without a dash", "a list of one method: \"- lut:\" below \"compression:\"");
    }
    if (!methods.IsSequence() || methods.size() != 1) {
      Refuse(methods, fmt::format("{} methods", methods.size()), "exactly one method for each tensor");
    }
    ReadMethod(methods[0], &entry);
    return entry;
  }

  void ReadMethod(const YAML::Node& method, SpecEntry* entry) const {
    if (method.IsScalar()) {
      SetCodec(method, method.Scalar(), entry);
      return;
    }
    if (!method.IsMap() || method.size() == 0) Refuse(method, "no method", MethodNames());
    if (method.size() > 1) {
      Refuse(method, fmt::format("{} methods", method.size()), "exactly one method for each tensor");
    }
    const std::string key = method.begin()->first.Scalar();
    SetCodec(method, key, entry);
    const YAML::Node options = method.begin()->second;
    if (options.IsNull()) return;
    if (!options.IsMap()) Refuse(options, fmt::format("{} without options", key), "a mapping, or nothing");
    CheckOptions(options, FactsOf(entry->codec));
    ReadOptions(options, entry);
  }

  std::string MethodNames() const {
    std::string names;
    for (const auto& [key, codec] : methods_) names += (names.empty() ? "" : ", ") + key;
    return "one of " + names;
  }

  void SetCodec(const YAML::Node& node, const std::string& key, SpecEntry* entry) const {
    const auto method = methods_.find(key);
    if (method == methods_.end()) Refuse(node, fmt::format("method \"{}\"", key), MethodNames());
    entry->codec = method->second;
  }

  // An option that is misspelt, or belongs to another codec, would be ignored without a message.
  void CheckOptions(const YAML::Node& options, const CodecFacts& codec) const {
    std::set<std::string> taken;
    if (codec.type == DecodeType::kLut) taken = {"index_bitwidth"};
    if (codec.tables == ValueTables::kPerChannel) taken.insert({"per_channel", "per_tensor"});
    if (codec.either_bit_order) taken.insert("bit_order");
    if (codec.type == DecodeType::kSparseLut) taken.insert("tile_rows");
    for (const auto& option : options) {
      const std::string& key = option.first.Scalar();
      if (taken.count(key) != 0) continue;
      Refuse(option.first, fmt::format("option \"{}\" of {}", key, codec.method),
             taken.empty() ? "no option for it" : fmt::format("one of {}", fmt::join(taken, ", ")));
    }
  }

  void ReadOptions(const YAML::Node& options, SpecEntry* entry) const {
    if (options["index_bitwidth"])
      entry->index_bitwidth = ReadInt(options, "index_bitwidth", 1, kLutMaxWidth);
    if (const YAML::Node per_tensor = options["per_tensor"]) {
      if (!per_tensor.IsNull()) Refuse(per_tensor, "per_tensor with a value", "nothing behind it");
      entry->tables = TableChoice::kPerTensor;
    }
    if (const YAML::Node per_channel = options["per_channel"]) {
      if (options["per_tensor"]) Refuse(options, "per_tensor and per_channel", "one of them");
      if (!per_channel.IsMap()) Refuse(per_channel, "per_channel without an axis", "per_channel: {axis: N}");
      entry->tables = TableChoice::kPerChannel;
      entry->axis = ReadInt(per_channel, "axis", 0, kMaxRank - 1);
    }
    if (const YAML::Node order = options["bit_order"]) {
      const std::string name = order.IsScalar() ? order.Scalar() : "";
      if (name != "lsb" && name != "msb") Refuse(order, fmt::format("bit_order {}", name), "lsb or msb");
      entry->order = name == "msb" ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
    }
    if (options["tile_rows"]) entry->tile_rows = ReadInt(options, "tile_rows", 1, kMostTileRows);
  }

  const host::YamlSource& source_;
  const std::map<std::string, DecodeType> methods_ = MethodsByKey();
};

}  // namespace

std::vector<SpecEntry> ParseSpec(const std::string& text, const std::string& path) {
  const host::YamlSource source = {path, "spec", "see compressor/README.md"};
  return host::ParseYaml(text, source, [&](const YAML::Node& root) { return SpecReader(source).Read(root); });
}

std::vector<SpecEntry> ReadSpec(const std::string& path) {
  return ParseSpec(host::ReadInputText(path), path);
}

std::string WriteSpec(const std::vector<SpecEntry>& entries, const std::string& comment) {
  std::string text = comment + "tensors:\n";
  if (entries.empty()) return comment + "tensors: []\n";
  for (const SpecEntry& entry : entries) {
    text += fmt::format("  - subgraph: {}\n    tensor: {}\n    compression:\n      - {}:\n",
                        entry.id.subgraph, entry.id.tensor, FactsOf(entry.codec).method);
    if (entry.index_bitwidth > 0) text += fmt::format("          index_bitwidth: {}\n", entry.index_bitwidth);
    if (entry.tables == TableChoice::kPerTensor) text += "          per_tensor:\n";
    if (entry.tables == TableChoice::kPerChannel) {
      text += fmt::format("          per_channel: {{axis: {}}}\n", entry.axis);
    }
    if (entry.order == BitOrder::kMsbFirst) text += "          bit_order: msb\n";
    if (entry.tile_rows > 0) text += fmt::format("          tile_rows: {}\n", entry.tile_rows);
  }
  return text;
}

}  // namespace lutra::compressor
