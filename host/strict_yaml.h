// SPDX-License-Identifier: Apache-2.0
// Reads YAML without dropping any part of it silently. Includers must link yaml-cpp.
//
//   const YamlSource source = {path, "spec", "see compressor/README.md"};
//   return ParseYaml(text, source, [&](const YAML::Node& root) { return ReadEntries(root, source); });

#pragma once

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "host/failures.h"

namespace lutra::host {

// Where a text comes from, for messages about it.
struct YamlSource {
  std::string path;
  std::string what;  // "spec"
  std::string next;  // What helps: "see compressor/README.md".

  [[noreturn]] void Refuse(const YAML::Mark& mark, const std::string& found,
                           const std::string& required) const {
    throw BadInput(fmt::format("{}: line {}: {}: found {}, required: {}; {}", path, mark.line + 1, what,
                               found, required, next));
  }
};

// Refuses texts of which YAML::Load would silently drop a part: all but one value of a repeated key, or a
// second document. It reads the file as a sequence of events, in which aliases are not expanded, so that no
// file takes long.
class NothingIsDropped : public YAML::EventHandler {
 public:
  explicit NothingIsDropped(const YamlSource& source) : source_(source) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) source_.Refuse(mark, "a second document", "one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { OnValue(mark, nullptr); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { OnValue(mark, nullptr); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    OnValue(mark, &value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    OnValue(mark, nullptr);
    levels_.emplace_back();
  }
  void OnSequenceEnd() override { levels_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    OnValue(mark, nullptr);
    levels_.push_back({.is_map = true});
  }
  void OnMapEnd() override { levels_.pop_back(); }

 private:
  // A list, or a map with the keys that it has had so far.
  struct Level {
    bool is_map = false;
    bool is_key_next = true;
    std::set<std::string> keys;
  };

  // `text`: of a scalar.
  void OnValue(const YAML::Mark& mark, const std::string* text) {
    if (levels_.empty() || !levels_.back().is_map) return;
    Level& map = levels_.back();
    if (map.is_key_next) {
      if (text == nullptr) source_.Refuse(mark, "a key that is no text", "text");
      if (!map.keys.insert(*text).second) {
        source_.Refuse(mark, fmt::format("key \"{}\" again", *text), "each key once");
      }
    }
    map.is_key_next = !map.is_key_next;
  }

  const YamlSource& source_;
  int documents_ = 0;
  std::vector<Level> levels_;
};

// Returns read(root of the text). Throws BadInput for a text that is no YAML or of which a part would be
// dropped.
template <typename Read>
auto ParseYaml(const std::string& text, const YamlSource& source, const Read& read) {
  // yaml-cpp takes this character, too, for the end of a text, and would drop the rest.
  constexpr char kEndOfText = 4;
  const size_t end = text.find_first_of(std::string{'\0', kEndOfText});
  if (end != std::string::npos) {
    throw BadInput(fmt::format("{}: byte {}: {}: found a control character, required: text; mend the file",
                               source.path, end, source.what));
  }
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    NothingIsDropped check(source);
    while (parser.HandleNextDocument(check)) continue;
    return read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw BadInput(fmt::format("{}: line {}: {}: found {}, required: YAML; mend the file", source.path,
                               error.mark.line + 1, source.what, error.msg));
  }
}

}  // namespace lutra::host
