// SPDX-License-Identifier: Apache-2.0
// Reads settings from JSON and names mistakes in them, and writes them.

#include "compressor/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "compressor/gap9/nntool/rules.h"
#include "host/model_file.h"
#include "host/parse_json.h"

namespace lutra::compressor {
namespace {

constexpr int kVersion = 1;
constexpr char kMetadataName[] = "LUTRA_BINNING";

const std::map<std::string, TableScope> kScopes = {{"tensor", TableScope::kTensor},
                                                   {"channel", TableScope::kChannel}};
const std::map<std::string, SparseUse> kSparseUses = {
    {"auto", SparseUse::kAuto}, {"force", SparseUse::kForce}, {"no", SparseUse::kNo}};
const std::map<std::string, const BinRules*> kRules = {{"lutra", nullptr},
                                                       {kNntoolRules.name, &kNntoolRules}};

template <typename Value>
const char* NameOf(const std::map<std::string, Value>& names, Value value) {
  for (const auto& [name, known] : names) {
    if (known == value) return name.c_str();
  }
  return "";
}

template <typename Value>
bool Find(const std::map<std::string, Value>& names, const std::string& text, Value* value) {
  const auto found = names.find(text);
  if (found == names.end()) return false;
  *value = found->second;
  return true;
}

// Reads members of an object; knows its place in the file for messages.
class Reader {
 public:
  Reader(const std::string& path, const std::string& where) : path_(path), where_(where) {}

  [[noreturn]] void Fail(const std::string& found, const std::string& required) const {
    throw host::BadInput(fmt::format("{}: {}: settings: found {}, required: {}; correct the settings file",
                                     path_, where_, found, required));
  }

  // Sets `*value` if the object has the key; throws BadInput unless `accept` takes the value.
  template <typename Value, typename Accept>
  void Read(const nlohmann::json& object, const char* key, const char* required, Value* value,
            Accept accept) const {
    const auto member = object.find(key);
    if (member == object.end() || member->is_null()) return;
    if (!accept(*member)) Fail(fmt::format("\"{}\": {}", key, member->dump()), required);
    *value = member->get<typename Value::value_type>();
  }

  void CheckKeys(const nlohmann::json& object, const std::vector<std::string>& known) const {
    if (!object.is_object()) Fail(object.dump(), "an object");
    for (const auto& member : object.items()) {
      if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
        Fail(fmt::format("\"{}\"", member.key()), fmt::format("one of {}", fmt::join(known, ", ")));
      }
    }
  }

 private:
  std::string path_, where_;
};

bool ParseKey(const std::string& text, TensorId* key) {
  const char* const end = text.data() + text.size();
  const auto subgraph = std::from_chars(text.data(), end, key->subgraph);
  if (subgraph.ec != std::errc() || subgraph.ptr == end || *subgraph.ptr != ':') return false;
  const auto index = std::from_chars(subgraph.ptr + 1, end, key->tensor);
  return index.ec == std::errc() && index.ptr == end;
}

// Returns whether integer types hold the value exactly, or float32 holds a finite one.
bool Holds(TensorType type, double value) {
  if (type == TensorType::kFloat32) return std::fabs(value) <= std::numeric_limits<float>::max();
  const double half = std::ldexp(0.5, 8 * ElementBytes(type));
  return value == std::floor(value) && value >= -half && value < half;
}

std::vector<std::vector<double>> ParseValues(const nlohmann::json& object, const TensorInfo& tensor,
                                             const BinSettings& settings, const Reader& reader) {
  const auto member = object.find("values");
  if (member == object.end() || member->is_null()) return {};
  const bool per_channel =
      settings.per == TableScope::kChannel && tensor.scales.size() > 1 && tensor.shape.rank > 1;
  const auto tables = static_cast<size_t>(per_channel ? tensor.scales.size() : 1);
  const size_t most = (size_t{1} << kMaxBinBits) + (settings.sparse == SparseUse::kForce ? 1 : 0);
  const nlohmann::json lists = per_channel ? *member : nlohmann::json::array({*member});
  const std::string required =
      fmt::format("{}1 to {} numbers that {} holds", per_channel ? fmt::format("{} lists of ", tables) : "",
                  most, ToString(tensor.type));
  const auto fail = [&](const nlohmann::json& found) {
    reader.Fail(fmt::format("\"values\": {}", found.dump().substr(0, 60)), required);
  };
  if (!lists.is_array() || lists.size() != tables) fail(*member);
  std::vector<std::vector<double>> values;
  for (const nlohmann::json& list : lists) {
    if (!list.is_array() || list.empty() || list.size() > most) fail(list);
    std::vector<double>& row = values.emplace_back();
    for (const nlohmann::json& value : list) {
      if (!value.is_number() || !Holds(tensor.type, value.get<double>())) fail(value);
      row.push_back(value.get<double>());
    }
  }
  return values;
}

std::vector<int64_t> ParseAdd(const nlohmann::json& object, const TensorInfo& tensor, const Reader& reader) {
  const auto member = object.find("add");
  if (member == object.end() || member->is_null()) return {};
  const auto elements = static_cast<size_t>(std::max<int64_t>(0, tensor.shape.Count()));
  constexpr double kMost = 1LL << 32;  // More than the largest difference of elements.
  const bool fits = tensor.type != TensorType::kFloat32 && member->is_array() && !member->empty() &&
                    member->size() == elements &&
                    std::all_of(member->begin(), member->end(), [](const nlohmann::json& number) {
                      return number.is_number_integer() && std::fabs(number.get<double>()) <= kMost;
                    });
  if (!fits) {
    reader.Fail(fmt::format("\"add\": {}", member->dump().substr(0, 60)),
                tensor.type == TensorType::kFloat32 ? "an integer tensor for it"
                                                    : fmt::format("{} whole numbers", elements));
  }
  return member->get<std::vector<int64_t>>();
}

// Writes whole numbers without a point.
nlohmann::ordered_json NumberJson(double value) {
  constexpr double kExact = 1LL << 53;
  const bool whole =
      value == std::floor(value) && std::fabs(value) < kExact && !(value == 0 && std::signbit(value));
  return whole ? nlohmann::ordered_json(static_cast<int64_t>(value)) : nlohmann::ordered_json(value);
}

nlohmann::ordered_json ValuesJson(const BinSettings& settings) {
  nlohmann::ordered_json lists = nlohmann::ordered_json::array();
  for (const std::vector<double>& values : settings.values) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const double value : values) list.push_back(NumberJson(value));
    lists.push_back(list);
  }
  return lists.size() == 1 ? lists[0] : lists;
}

BinSettings ParseSettings(const nlohmann::json& object, const TensorInfo& tensor, const Reader& reader) {
  BinSettings settings;
  reader.Read(object, "bits", "an integer from 1 to 8", &settings.bits, [](const nlohmann::json& value) {
    return value.is_number_integer() && value >= 1 && value <= kMaxBinBits;
  });
  const auto is_number = [](const nlohmann::json& value) { return value.is_number(); };
  reader.Read(object, "min_qsnr_db", "a number of dB", &settings.min_qsnr_db, is_number);
  std::optional<double> threshold;
  reader.Read(object, "threshold", "a number that is not negative", &threshold,
              [](const nlohmann::json& value) { return value.is_number() && value >= 0; });
  settings.threshold = threshold.value_or(0);
  const auto is_bool = [](const nlohmann::json& value) { return value.is_boolean(); };
  std::optional<bool> pin_zero, enabled;
  reader.Read(object, "pin_zero", "true or false", &pin_zero, is_bool);
  reader.Read(object, "enabled", "true or false", &enabled, is_bool);
  settings.pin_zero = pin_zero.value_or(false);
  settings.enabled = enabled.value_or(true);
  std::optional<std::string> per, sparse, rules;
  reader.Read(object, "per", "\"tensor\" or \"channel\"", &per, [&](const nlohmann::json& value) {
    return value.is_string() && FromString(value.get<std::string>(), &settings.per);
  });
  reader.Read(object, "sparse", "\"auto\", \"force\" or \"no\"", &sparse, [&](const nlohmann::json& value) {
    return value.is_string() && FromString(value.get<std::string>(), &settings.sparse);
  });
  reader.Read(object, "rules", "\"lutra\" or \"nntool\"", &rules, [&](const nlohmann::json& value) {
    return value.is_string() && FromString(value.get<std::string>(), &settings.rules);
  });
  if (settings.sparse == SparseUse::kForce && settings.per == TableScope::kChannel) {
    reader.Fail("\"sparse\": \"force\"", "\"per\": \"tensor\" with it, as the sparse form has one table");
  }
  settings.values = ParseValues(object, tensor, settings, reader);
  settings.add = ParseAdd(object, tensor, reader);
  const int qualities =
      (settings.bits ? 1 : 0) + (settings.min_qsnr_db ? 1 : 0) + (settings.values.empty() ? 0 : 1);
  if (qualities != 1 && !settings.is_only_moved()) {
    reader.Fail(qualities == 0 ? "none of them" : "more than one", "\"bits\", \"min_qsnr_db\" or \"values\"");
  }
  return settings;
}

}  // namespace

const char* ToString(TableScope per) { return NameOf(kScopes, per); }
const char* ToString(SparseUse sparse) { return NameOf(kSparseUses, sparse); }
bool FromString(const std::string& text, TableScope* per) { return Find(kScopes, text, per); }
bool FromString(const std::string& text, SparseUse* sparse) { return Find(kSparseUses, text, sparse); }
bool FromString(const std::string& text, const BinRules** rules) { return Find(kRules, text, rules); }

std::string WritePlan(const BinPlan& plan) {
  // Each tensor has one line: lists may have a number for each element.
  std::vector<std::string> lines;
  for (const auto& [key, tensor] : plan) {
    nlohmann::ordered_json object;
    object["name"] = tensor.name;
    const BinSettings& settings = tensor.settings;
    if (settings.bits) object["bits"] = *settings.bits;
    if (settings.min_qsnr_db) object["min_qsnr_db"] = *settings.min_qsnr_db;
    if (!settings.values.empty()) object["values"] = ValuesJson(settings);
    if (!settings.add.empty()) object["add"] = settings.add;
    object["per"] = ToString(settings.per);
    object["threshold"] = settings.threshold;
    object["sparse"] = ToString(settings.sparse);
    object["pin_zero"] = settings.pin_zero;
    object["enabled"] = settings.enabled;
    if (settings.rules != nullptr) object["rules"] = settings.rules->name;
    // Names are bytes of the model's file and need not be UTF-8.
    lines.push_back(fmt::format("  \"{}:{}\": {}", key.subgraph, key.tensor,
                                object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }
  return fmt::format("{{\"version\": {},\n \"tensors\": {{\n{}\n }}}}\n", kVersion, fmt::join(lines, ",\n"));
}

BinPlan ParsePlan(const std::string& text, const std::string& path, const Model& model) {
  const Reader whole(path, "file");
  nlohmann::json file;
  try {
    file = host::ParseJson(text, path);
  } catch (const nlohmann::json::exception&) {
    whole.Fail("something else", "JSON");
  }
  whole.CheckKeys(file, {"version", "tensors"});
  if (!file.contains("version") || file["version"] != kVersion) {
    whole.Fail(file.contains("version") ? file["version"].dump() : "none",
               fmt::format("\"version\": {}", kVersion));
  }
  if (!file.contains("tensors") || !file["tensors"].is_object()) {
    whole.Fail("none", "an object \"tensors\"");
  }
  BinPlan plan;
  for (const auto& member : file["tensors"].items()) {
    const Reader reader(path, fmt::format("tensor \"{}\"", member.key()));
    TensorId key;
    if (!ParseKey(member.key(), &key)) reader.Fail("this key", "subgraph:index");
    reader.CheckKeys(member.value(), {"name", "bits", "min_qsnr_db", "values", "add", "per", "threshold",
                                      "sparse", "pin_zero", "enabled", "rules"});
    if (key.subgraph < 0 || key.subgraph >= model.subgraph_count() || key.tensor < 0 ||
        key.tensor >= model.tensor_count(key.subgraph)) {
      reader.Fail("this tensor", "one that the model has");
    }
    std::optional<std::string> name;
    reader.Read(member.value(), "name", "a string", &name,
                [](const nlohmann::json& value) { return value.is_string(); });
    const std::string known = model.tensor(key.subgraph, key.tensor).name;
    if (name.value_or("") != known) {
      reader.Fail(fmt::format("name \"{}\"", name.value_or("")),
                  fmt::format("\"{}\", as in the model", known));
    }
    const PlannedTensor planned = {
        known, ParseSettings(member.value(), model.tensor(key.subgraph, key.tensor), reader)};
    // "0:3" and "00:3" name the same tensor.
    if (!plan.emplace(key, planned).second) reader.Fail("another key of this tensor", "one");
  }
  return plan;
}

BinPlan ReadPlan(const std::string& path, const Model& model) {
  return ParsePlan(host::ReadInputText(path), path, model);
}

std::optional<BinPlan> PlanInMetadata(const ModelEditor& editor, const Model& model) {
  for (const auto& metadata : editor.model().metadata) {
    if (metadata->name != kMetadataName || metadata->buffer >= editor.model().buffers.size()) continue;
    const Bytes& bytes = editor.model().buffers[metadata->buffer]->data;
    return ParsePlan(
        {bytes.begin(), bytes.end()},
        fmt::format("{} (metadata {}, which compress strip removes)", editor.path(), kMetadataName), model);
  }
  return std::nullopt;
}

void WritePlanToMetadata(const BinPlan& plan, ModelEditor* editor) {
  const std::string text = WritePlan(plan);
  auto& list = editor->model().metadata;
  std::erase_if(list, [](const auto& metadata) { return metadata->name == kMetadataName; });
  auto metadata = std::make_unique<edit::MetadataT>();
  metadata->name = kMetadataName;
  metadata->buffer = editor->AddBuffer({text.begin(), text.end()});
  list.push_back(std::move(metadata));
}

std::string Describe(const BinSettings& settings) {
  std::string text = settings.bits          ? fmt::format("bits {}", *settings.bits)
                     : settings.min_qsnr_db ? fmt::format(">= {:g} dB", *settings.min_qsnr_db)
                     : settings.is_only_moved()
                         ? "all values"
                         : fmt::format("{} values", settings.values.empty() ? 0 : settings.values[0].size());
  if (!settings.add.empty()) text += ", moved";
  if (settings.per == TableScope::kChannel) text += ", per channel";
  if (settings.threshold > 0) text += fmt::format(", threshold {:g}", settings.threshold);
  if (settings.sparse != SparseUse::kAuto) text += fmt::format(", sparse {}", ToString(settings.sparse));
  if (settings.pin_zero) text += ", pin zero";
  if (settings.rules != nullptr) text += fmt::format(", as {}", settings.rules->name);
  return settings.enabled ? text : text + ", off";
}

}  // namespace lutra::compressor
