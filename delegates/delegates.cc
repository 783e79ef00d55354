// SPDX-License-Identifier: Apache-2.0
// The table of delegates, and the parser of command lines that choose among them.

#include "delegates/delegates.h"

#include <algorithm>
#include <sstream>

#include "delegates/plugin.h"
#include "host/failures.h"
#if LUTRA_HAVE_VTA
#include "delegates/vta/program/simulated_delegate.h"
#endif
#include "lutra/delegates/example/example_delegate.h"

namespace lutra::delegates {
namespace {

// A delegate without settings and without memory of its own.
template <const Delegate& kTable>
class Constant : public OwnedDelegate {
 public:
  static std::unique_ptr<OwnedDelegate> Make(const Settings&) { return std::make_unique<Constant>(); }
  const Delegate& table() const override { return kTable; }
};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  if (text.ends_with(',')) parts.emplace_back();
  return parts;
}

std::string Names() {
  std::string names;
  for (const DelegateEntry& entry : AllDelegates())
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

const DelegateEntry& Find(const std::string& name) {
  for (const DelegateEntry& entry : AllDelegates()) {
    if (name == entry.name) return entry;
  }
  throw host::BadUsage("--delegate: found '" + name + "', required: one of " + Names());
}

// Returns the settings in `options` for this delegate.
Settings SettingsOf(const DelegateEntry& entry, bool only_one, std::vector<std::string>* options) {
  Settings settings;
  const std::string prefix = std::string(entry.name) + ".";
  for (auto option = options->begin(); option != options->end();) {
    const bool named = option->starts_with(prefix);
    if (!named && !only_one) {
      ++option;
      continue;
    }
    const std::string text = named ? option->substr(prefix.size()) : *option;
    const size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const bool known = std::find(entry.settings.begin(), entry.settings.end(), key) != entry.settings.end();
    if (equals == std::string::npos || !known || settings.count(key) > 0) {
      std::string keys;
      for (const std::string& k : entry.settings) keys += (keys.empty() ? "" : ", ") + k + "=";
      throw host::BadUsage("--delegate-options: found '" + *option + "', required for " + entry.name + ": " +
                           (keys.empty() ? "none, it has no options" : "each at most once of " + keys));
    }
    settings[key] = text.substr(equals + 1);
    option = options->erase(option);
  }
  return settings;
}

}  // namespace

const std::vector<DelegateEntry>& AllDelegates() {
  static const std::vector<DelegateEntry> entries = {
    {"example",
     "FULLY_CONNECTED of int8 on the CPU, to begin another with",
     {},
     Constant<kExampleDelegate>::Make},
#if LUTRA_HAVE_VTA
    {"vta", "VTA, simulated: convolutions, fully connected layers, sums and pools of int8", VtaSettings(),
     MakeVta},
#endif
  };
  return entries;
}

std::string DelegateHelp() {
  std::string help;
  for (const DelegateEntry& entry : AllDelegates()) {
    help += (help.empty() ? "" : "; ") + std::string(entry.name) + ": " + entry.description;
  }
  return help + "; ./npu.so: a library (lutra/delegate_plugin.h)";
}

ChosenDelegates::ChosenDelegates(const std::string& names, const std::string& options) {
  const std::vector<std::string> wanted = Split(names);
  std::vector<std::string> left = Split(options);
  if (wanted.empty() && !left.empty()) throw host::BadUsage("--delegate-options go with --delegate");
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::find(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(i), wanted[i]) !=
        wanted.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw host::BadUsage("--delegate: found '" + wanted[i] + "' twice, required: once");
    }
    if (IsPlugin(wanted[i])) {
      const DelegateEntry entry = {wanted[i].c_str(), "", {}, nullptr};
      SettingsOf(entry, wanted.size() == 1, &left);
      owned_.push_back(LoadPlugin(wanted[i]));
    } else {
      const DelegateEntry& entry = Find(wanted[i]);
      owned_.push_back(entry.make(SettingsOf(entry, wanted.size() == 1, &left)));
    }
    tables_.push_back(&owned_.back()->table());
  }
  if (!left.empty()) {
    throw host::BadUsage("--delegate-options: found '" + left[0] +
                         "', required with several delegates: name.k=v");
  }
  list_.delegates = {tables_.data(), tables_.size()};
}

}  // namespace lutra::delegates
