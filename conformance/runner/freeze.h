// SPDX-License-Identifier: Apache-2.0
// Writes golden/ anew, or adds to it.
//
//   const FreezeResult result = AddToFrozen(GeneratedCases("*"), "golden");
//   if (!result.refused.empty()) { ... }  // Nothing was written.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/generator/case.h"

namespace lutra::conformance {

struct FreezeResult {
  size_t cases = 0, added = 0;  // Lines of the manifest; those among them that are new.
  size_t smoke_added = 0;
  // "int8.abs.same.0000: would change" and so on: why nothing was written.
  std::vector<std::string> refused;
};

// What becomes of a manifest that is in the folder.
enum class Existing { kKeepLines, kReplace };

// Writes manifest, must-pass lists, primitives and the smoke set. Throws BadInput if it cannot. With
// kKeepLines it refuses if a line of an existing manifest would change, vanish or move. All files are
// written elsewhere before the first is moved to its place; the manifest is moved last.
FreezeResult FreezeAnew(const std::vector<Case>& cases, const std::filesystem::path& folder,
                        Existing existing = Existing::kKeepLines);
// Adds the cases that the manifest lacks, in the generator's order. Refuses if a line of the manifest would
// change, vanish or move. Smoke cases stay, and operators that have too few get more.
FreezeResult AddToFrozen(const std::vector<Case>& cases, const std::filesystem::path& folder);

}  // namespace lutra::conformance
