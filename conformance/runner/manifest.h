// SPDX-License-Identifier: Apache-2.0
// golden/manifest.jsonl: the frozen cases. It has a line for each, with the SHA-256 of its model, of its
// inputs, and of its outputs under each profile.

#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>

#include "conformance/runner/corpus.h"

namespace lutra::conformance {

class Manifest {
 public:
  Manifest() = default;
  // Empty if there is no such file. Throws BadInput for a line that is none, or for a case that has two.
  explicit Manifest(const std::filesystem::path& file);
  // From anywhere; `name` is for messages.
  Manifest(std::istream& lines, const std::string& name);

  bool empty() const { return lines_.empty(); }
  size_t size() const { return lines_.size(); }
  // Returns whether the case was frozen. A case that was not is live: only the oracle has its outputs.
  bool Has(const std::string& id) const { return lines_.count(id) != 0; }
  // Returns in which of model, inputs and outputs a frozen case differs from its line; empty: in none. Throws
  // BadInput if the line lacks one of the hashes.
  std::string Compare(const Case& test, const oracle::Profile& profile,
                      const std::optional<std::vector<oracle::Bytes>>& expected) const;
  // Frozen ids that match the pattern and are not among the cases.
  std::vector<std::string> Missing(const std::vector<Case>& cases, const std::string& pattern) const;
  std::vector<std::string> ids() const;
  // Counts the cases that each operator has, without those that are to be refused.
  std::map<std::string, size_t> CountByOperator() const;

 private:
  struct Line {
    std::string where, text;
  };
  std::map<std::string, Line> lines_;
};

// The case's line.
std::string ManifestLine(const Case& test);
// The id of a line.
std::string IdOfLine(const std::string& line);

// "3 cases are not frozen: ..."; empty if all are, or if there is no manifest.
std::string NotFrozenLine(size_t count);
std::string NotFrozenLine(const std::vector<Case>& cases, const Manifest& manifest);

}  // namespace lutra::conformance
