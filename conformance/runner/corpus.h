// SPDX-License-Identifier: Apache-2.0
// Where cases come from, and what they must give.

#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// The oracle's name of the model's only operator, "composite", or "unknown".
std::string OperatorIn(const oracle::Bytes& model);

// Cases of the generator whose id matches the pattern (`*`, `?`).
std::vector<Case> GeneratedCases(const std::string& pattern);
// Cases of a folder in the exported layout: cases/<id>/model.tflite, in0.bin..., invokes; plain.tflite
// where the model holds compressed weights, `refuse` (why) where it must be refused,
// `optional` where it may be. Throws BadInput.
std::vector<Case> CasesIn(const std::filesystem::path& folder, const std::string& pattern);
// The other way: the files of one case.
void WriteCase(const std::filesystem::path& folder, const Case& test);
// The same, with .npy files, and what the case must give under each profile.
void ExportCase(const std::filesystem::path& folder, const Case& test);

// What a case gives under a profile; nothing where the profile has no rule for its operator, or the
// oracle does not know it.
std::optional<std::vector<oracle::Bytes>> ExpectedOutputs(const Case& test, const oracle::Profile& profile);

// golden/manifest.jsonl: for each case the SHA-256 of model, inputs, and outputs under each profile.
class Manifest {
 public:
  explicit Manifest(const std::filesystem::path& file);
  bool empty() const { return lines_.empty(); }
  size_t size() const { return lines_.size(); }
  // Empty, or how the case differs from what was frozen: another model, other inputs, other outputs.
  std::string Compare(const Case& test, const oracle::Profile& profile,
                      const std::optional<std::vector<oracle::Bytes>>& expected) const;
  std::vector<std::string> ids() const;

 private:
  std::map<std::string, std::string> lines_;
};

// A line of it.
std::string ManifestLine(const Case& test);

}  // namespace lutra::conformance
