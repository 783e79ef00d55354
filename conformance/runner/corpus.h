// SPDX-License-Identifier: Apache-2.0
// Makes, reads and writes the cases of a corpus.

#pragma once

#include <filesystem>
#include <optional>

#include "conformance/generator/found.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// The oracle's name of the model's only operator, "composite", or "unknown".
std::string OperatorIn(const oracle::Bytes& model);

// Cases of the generator whose id matches the pattern (`*`, `?`).
std::vector<Case> GeneratedCases(const std::string& pattern);
// Returns the same with these found cases (generator/found.h) in place of the program's.
std::vector<Case> GeneratedCases(const std::string& pattern, const std::vector<FoundCase>& found);
// Cases of a folder in the exported layout: cases/<id>/model.tflite, in0.bin..., invokes; plain.tflite
// where the model holds compressed weights, `refuse` (why) where it must be refused,
// `optional` where it may be. Throws BadInput, also if the folder has a manifest.jsonl that lists other
// cases.
std::vector<Case> CasesIn(const std::filesystem::path& folder, const std::string& pattern);
// Writes the files of one case.
void WriteCase(const std::filesystem::path& folder, const Case& test);
// Writes these files, the same as .npy files, and the case's outputs under each profile.
void ExportCase(const std::filesystem::path& folder, const Case& test);

}  // namespace lutra::conformance
