// SPDX-License-Identifier: Apache-2.0
// The delegates that host programs know by name: what --delegate takes. A new one is a row in delegates.cc.
//
//   const ChosenDelegates chosen("example", "");      // throws BadUsage, with the list
//   interpreter.AllocateTensors(chosen.list());
//
// A chosen delegate serves one program; it outlives the interpreters that use it.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lutra/delegate.h"

namespace lutra::delegates {

// The settings of --delegate-options, k=v,..., by name.
using Settings = std::map<std::string, std::string>;

// A delegate and all that it needs.
class OwnedDelegate {
 public:
  virtual ~OwnedDelegate() = default;
  virtual const Delegate& table() const = 0;
};

struct DelegateEntry {
  const char* name;
  const char* description;
  std::vector<std::string> settings;  // The keys that it takes.
  // Throws BadUsage for a value that is none.
  std::unique_ptr<OwnedDelegate> (*make)(const Settings& settings);
};

// In the order of their names.
const std::vector<DelegateEntry>& AllDelegates();
// "example: what it is" for each, for the help of --delegate.
std::string DelegateHelp();

class ChosenDelegates {
 public:
  // `names`: one, or several in order of preference with commas between them; empty: none. `options`:
  // "k=v,..."; with several delegates "name.k=v". Throws BadUsage.
  ChosenDelegates(const std::string& names, const std::string& options);

  const std::vector<const Delegate*>& tables() const { return tables_; }
  bool empty() const { return owned_.empty(); }
  // Empty if there is none.
  const DelegateList& list() const { return list_; }

 private:
  std::vector<std::unique_ptr<OwnedDelegate>> owned_;
  std::vector<const Delegate*> tables_;
  DelegateList list_;
};

}  // namespace lutra::delegates
