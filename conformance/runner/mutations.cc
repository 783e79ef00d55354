// SPDX-License-Identifier: Apache-2.0
// Reads lists of faults, and applies them.

#include "conformance/runner/mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Refuse(const std::string& where, const std::string& what) {
  throw host::BadInput(fmt::format("{}: {}", where, what));
}

void RequireWhole(const Mutation& mutation) {
  const auto require = [&](const std::string& value, const char* key) {
    if (value.empty())
      Refuse(mutation.where, fmt::format("found no line \"{}\", required: one in each mutation", key));
  };
  require(mutation.id, "mutation");
  require(mutation.file, "file");
  require(mutation.why, "why");
  require(mutation.from, "-");
  if (mutation.from == mutation.to)
    Refuse(mutation.where, "found an edit that changes nothing, required: a fault");
  const fs::path file = mutation.file;
  if (file.is_absolute() || std::find(file.begin(), file.end(), "..") != file.end()) {
    Refuse(mutation.where, fmt::format("found the file \"{}\", required: a path inside the sources",
                                       host::Printable(mutation.file, 80)));
  }
}

// Returns the text after the key of a line in `*rest`; returns false if it has another key.
bool TakeKey(std::string_view line, std::string_view key, std::string_view* rest) {
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  if (!line.empty() && line[0] != ' ') return false;
  *rest = line.empty() ? line : line.substr(1);
  return true;
}

void AddLine(std::string_view line, bool* is_first, std::string* text) {
  if (!*is_first) *text += '\n';
  *is_first = false;
  *text += line;
}

}  // namespace

std::vector<Mutation> ParseMutations(const std::string& text, const std::string& name) {
  std::vector<Mutation> mutations;
  std::istringstream lines(text);
  std::string file, cases = "*", kernels, delegate;
  bool first_from = true, first_to = true;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::string_view rest;
    if (TakeKey(line, "mutation", &rest)) {
      if (!mutations.empty()) RequireWhole(mutations.back());
      Mutation& mutation = mutations.emplace_back();
      mutation.id = rest;
      mutation.file = file;
      mutation.cases = cases;
      mutation.kernels = kernels;
      mutation.delegate = delegate;
      mutation.where = fmt::format("{}:{}", name, number);
      first_from = first_to = true;
      continue;
    }
    if (TakeKey(line, "file", &rest)) {
      file = rest;
      cases = "*";
      kernels.clear();
      delegate.clear();
      continue;
    }
    if (TakeKey(line, "cases", &rest)) {
      cases = rest;
      continue;
    }
    if (TakeKey(line, "kernels", &rest)) {
      kernels = rest;
      continue;
    }
    if (TakeKey(line, "delegate", &rest)) {
      delegate = rest;
      continue;
    }
    const std::string where = fmt::format("{}:{}", name, number);
    if (mutations.empty()) Refuse(where, "found a line before the first mutation, required: mutation ID");
    Mutation& mutation = mutations.back();
    if (TakeKey(line, "-", &rest)) {
      AddLine(rest, &first_from, &mutation.from);
    } else if (TakeKey(line, "+", &rest)) {
      AddLine(rest, &first_to, &mutation.to);
    } else if (TakeKey(line, "why", &rest)) {
      mutation.why = rest;
    } else {
      Refuse(where,
             fmt::format("found \"{}\", required: mutation, file, cases, kernels, delegate, why, - or +",
                         host::Printable(line, 40)));
    }
  }
  if (!mutations.empty()) RequireWhole(mutations.back());
  return mutations;
}

std::vector<Mutation> ReadMutations(const fs::path& list) {
  return ParseMutations(host::ReadFileText(list), list.string());
}

std::vector<Mutation> MutationsIn(const fs::path& folder) {
  std::vector<fs::path> lists;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".txt") lists.push_back(entry.path());
    }
  }
  std::sort(lists.begin(), lists.end());
  std::vector<Mutation> all;
  std::map<std::string, std::string> places;
  for (const fs::path& list : lists) {
    for (Mutation& mutation : ReadMutations(list)) {
      const auto [place, is_new] = places.emplace(mutation.id, mutation.where);
      if (!is_new)
        Refuse(mutation.where, fmt::format("found {} again, required: each once; it stands in {}",
                                           mutation.id, place->second));
      all.push_back(std::move(mutation));
    }
  }
  if (all.empty()) Refuse(folder.string(), "found no mutation, required: lists of them, *.txt");
  return all;
}

std::string Mutated(const std::string& source, const Mutation& mutation) {
  const size_t at = source.find(mutation.from);
  if (at == std::string::npos || source.find(mutation.from, at + 1) != std::string::npos) {
    Refuse(mutation.where,
           fmt::format("{}: found its text in {} {}, required: once; write the edit anew", mutation.id,
                       mutation.file, at == std::string::npos ? "nowhere" : "more than once"));
  }
  std::string edited = source;
  edited.replace(at, mutation.from.size(), mutation.to);
  return edited;
}

}  // namespace lutra::conformance
