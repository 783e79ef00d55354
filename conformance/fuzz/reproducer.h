// SPDX-License-Identifier: Apache-2.0
// Writes and reads what a reproducer of `conformance fuzz` says of its case.

#pragma once

#include <filesystem>

#include "conformance/generator/found.h"

namespace lutra::conformance {

// The line of a README.txt before the operator and its choices.
inline constexpr char kChoicesLine[] = "The choices by which it is drawn, for CaseDrawer::Redraw:";

// The case in this folder. Throws BadInput if it has no such line, if nothing is drawn from its choices, or
// another model than stands there: the operator is drawn otherwise by now.
FoundCase ReadReproducer(const std::filesystem::path& folder);

}  // namespace lutra::conformance
