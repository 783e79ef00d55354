// SPDX-License-Identifier: Apache-2.0
// The delegates that host programs find by name, for --delegate. A new one is a row in delegates.cc.
//
//   const ChosenDelegates chosen("example", "");      // throws BadUsage, with the list
//   interpreter.AllocateTensors(chosen.list());
//
// The chosen delegates serve one program; they outlive the interpreters that use them.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lutra/delegate.h"

namespace lutra::delegates {

// The settings of --delegate-options, k=v,..., by name.
using Settings = std::map<std::string, std::string>;

// A delegate and all objects that it needs.
class OwnedDelegate {
 public:
  virtual ~OwnedDelegate() = default;
  virtual const Delegate& table() const = 0;
};

struct DelegateEntry {
  const char* name;
  const char* description;
  std::vector<std::string> settings;  // The keys of its settings.
  // Throws BadUsage for an invalid value.
  std::unique_ptr<OwnedDelegate> (*make)(const Settings& settings);
};

// Returns the delegates in the order of their names.
const std::vector<DelegateEntry>& AllDelegates();
// Returns "example: what it is" for each, for the help of --delegate.
std::string DelegateHelp();

class ChosenDelegates {
 public:
  // `names`: one delegate, or several in order of preference with commas between them; empty: none.
  // `options`: "k=v,..."; with several delegates "name.k=v". Throws BadUsage.
  ChosenDelegates(const std::string& names, const std::string& options);

  const std::vector<const Delegate*>& tables() const { return tables_; }
  bool empty() const { return owned_.empty(); }
  // Empty if no delegate was chosen.
  const DelegateList& list() const { return list_; }

 private:
  std::vector<std::unique_ptr<OwnedDelegate>> owned_;
  std::vector<const Delegate*> tables_;
  DelegateList list_;
};

}  // namespace lutra::delegates
