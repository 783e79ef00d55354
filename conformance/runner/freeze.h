// SPDX-License-Identifier: Apache-2.0
// golden/: written anew, or added to.
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

// Writes manifest, must-pass lists, primitives and the smoke set. Throws BadInput if it cannot. Nothing is
// put in place before everything is written, the manifest last.
FreezeResult FreezeAnew(const std::vector<Case>& cases, const std::filesystem::path& folder);
// Adds the cases that the manifest lacks, where the generator has them. Refuses if a line of what stands
// would change, vanish or move; smoke cases stay, and those of an operator that has too few are added.
FreezeResult AddToFrozen(const std::vector<Case>& cases, const std::filesystem::path& folder);

}  // namespace lutra::conformance
