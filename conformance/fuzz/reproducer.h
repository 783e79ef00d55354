// SPDX-License-Identifier: Apache-2.0
// Writes and reads the choices by which a reproducer of `conformance fuzz` draws its case.

#pragma once

#include <filesystem>

#include "conformance/generator/found.h"

namespace lutra::conformance {

// The line of a README.txt before the operator and its choices.
inline constexpr char kChoicesLine[] = "The choices by which it is drawn, for CaseDrawer::Redraw:";

// Returns the case in this folder. Throws BadInput if its README.txt has no such line, or if the choices no
// longer draw the folder's model, because the code that draws the operator has changed.
FoundCase ReadReproducer(const std::filesystem::path& folder);

}  // namespace lutra::conformance
