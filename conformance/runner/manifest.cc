// SPDX-License-Identifier: Apache-2.0
// Makes the lines of the manifest, and compares cases with them.

#include "conformance/runner/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/runner/expected_outputs.h"
#include "host/failures.h"
#include "host/glob.h"
#include "host/output_file.h"
#include "host/parse_json.h"
#include "host/sha256.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;
// Keys stay in the order in which they are written, as people compare lines.
using Json = nlohmann::ordered_json;

constexpr char kFirstKey[] = "{\"id\":\"";

std::vector<std::string> Hashes(const std::vector<Bytes>& list) {
  std::vector<std::string> hashes;
  for (const Bytes& bytes : list) hashes.push_back(host::Sha256(bytes.data(), bytes.size()));
  return hashes;
}

[[noreturn]] void FailLine(const std::string& where, const std::string& found) {
  throw host::BadInput(
      fmt::format("{}: found {}, required: a line that `conformance freeze` writes", where, found));
}

// Parses a line, which must have all that Manifest::Compare reads.
Json ParseLine(const std::string& where, const std::string& text) {
  Json line;
  try {
    line = host::ParseJson<Json>(text, where);
  } catch (const Json::exception&) {
    FailLine(where, "no JSON");
  }
  for (const char* key : {"model", "inputs", "expected"}) {
    if (!line.contains(key)) FailLine(where, fmt::format("no \"{}\"", key));
  }
  if (!line["expected"].contains("tflm")) FailLine(where, "no \"tflm\" among \"expected\"");
  return line;
}

}  // namespace

std::string ManifestLine(const Case& test) {
  Json line = {{"id", test.id}, {"op", test.op}, {"invokes", test.invokes}};
  if (!test.must_refuse.empty()) line["refuse"] = test.must_refuse;
  if (test.optional) line["optional"] = true;
  line["model"] = host::Sha256(test.model.data(), test.model.size());
  line["inputs"] = Hashes(test.inputs);
  // A profile that gives the default profile's bytes is left out; one without a rule is null.
  Json expected = Json::object();
  for (const oracle::Profile& profile : oracle::Profiles()) {
    if (!profile.is_frozen) continue;
    const auto outputs = ExpectedOutputs(test, profile);
    const Json hashes = outputs ? Json(Hashes(*outputs)) : Json(nullptr);
    if (expected.empty() || hashes != expected["tflm"]) expected[profile.name] = hashes;
  }
  line["expected"] = std::move(expected);
  if (!test.tags.empty()) line["tags"] = test.tags;
  return line.dump();
}

std::string IdOfLine(const std::string& line) {
  constexpr size_t begin = sizeof kFirstKey - 1;
  return line.substr(begin, line.find('"', begin) - begin);
}

Manifest::Manifest(std::istream& lines, const std::string& name) {
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    const bool has_id =
        line.starts_with(kFirstKey) && line.find('"', sizeof kFirstKey - 1) != std::string::npos;
    if (!has_id || !line.ends_with('}')) FailLine(where, "no case");
    if (!lines_.try_emplace(IdOfLine(line), Line{where, line}).second) {
      throw host::BadInput(
          fmt::format("{}: found {} for the second time, required: each case once", where, IdOfLine(line)));
    }
  }
}

Manifest::Manifest(const std::filesystem::path& path) {
  host::RefuseToReadOutput(path);
  std::ifstream file(path);
  *this = Manifest(file, path.string());
}

std::vector<std::string> Manifest::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, line] : lines_) ids.push_back(id);
  return ids;
}

std::map<std::string, size_t> Manifest::CountByOperator() const {
  std::map<std::string, size_t> counts;
  for (const auto& [id, entry] : lines_) {
    const Json line = ParseLine(entry.where, entry.text);
    if (!line.contains("op") || !line["op"].is_string()) FailLine(entry.where, "no \"op\"");
    if (!line.contains("refuse")) ++counts[line["op"].get<std::string>()];
  }
  return counts;
}

std::string Manifest::Compare(const Case& test, const oracle::Profile& profile,
                              const std::optional<std::vector<Bytes>>& expected) const {
  const auto found = lines_.find(test.id);
  if (found == lines_.end()) return "is not in the manifest";
  const Json line = ParseLine(found->second.where, found->second.text);
  if (line["model"] != host::Sha256(test.model.data(), test.model.size())) return "has another model";
  if (line["inputs"] != Json(Hashes(test.inputs))) return "has other inputs";
  if (!profile.is_frozen) return "";
  const Json& by_profile = line["expected"];
  const Json& frozen = by_profile.contains(profile.name) ? by_profile[profile.name] : by_profile["tflm"];
  const Json now = expected ? Json(Hashes(*expected)) : Json(nullptr);
  return frozen == now ? "" : "has other outputs";
}

std::vector<std::string> Manifest::Missing(const std::vector<Case>& cases, const std::string& pattern) const {
  std::set<std::string> made;
  for (const Case& test : cases) made.insert(test.id);
  std::vector<std::string> missing;
  for (const auto& [id, line] : lines_) {
    if (host::Matches(pattern, id) && made.count(id) == 0) missing.push_back(id);
  }
  return missing;
}

std::string NotFrozenLine(size_t count) {
  if (count == 0) return "";
  return fmt::format("{} not frozen: the oracle alone says what {} must give (golden/README.md)",
                     count == 1 ? "1 case is" : fmt::format("{} cases are", count),
                     count == 1 ? "it" : "they");
}

std::string NotFrozenLine(const std::vector<Case>& cases, const Manifest& manifest) {
  if (manifest.empty()) return "";
  return NotFrozenLine(static_cast<size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const Case& test) { return !manifest.Has(test.id); })));
}

}  // namespace lutra::conformance
