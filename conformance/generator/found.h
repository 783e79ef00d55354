// SPDX-License-Identifier: Apache-2.0
// Cases that `conformance fuzz` found and that became part of the corpus. found.inc has the choices by which
// their operator draws them; `conformance freeze --add --from REPRODUCER` adds a line to it.
//
//   GenerateFound(family, FoundCases(), sink);      // int8.add.found.0000
//
// A change of a family's `draw` changes its found cases, too, and `freeze` refuses that.

#pragma once

#include <string>
#include <vector>

#include "conformance/generator/case.h"

namespace lutra::conformance {

struct FoundCase {
  std::string op;  // CaseFamily::op
  Draws draws;
  friend bool operator==(const FoundCase&, const FoundCase&) = default;
};

const std::vector<FoundCase>& FoundCases();
// The line of found.inc.
std::string LineOf(const FoundCase& found);

// Gives the found cases of this family, in their order.
void GenerateFound(const CaseFamily& family, const std::vector<FoundCase>& found, const CaseSink& sink);

}  // namespace lutra::conformance
