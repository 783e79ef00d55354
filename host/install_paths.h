// SPDX-License-Identifier: Apache-2.0
// Finds a program's data and adapters relative to the program, so that an installed copy may be moved
// anywhere.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lutra::host {

// Returns golden/: share/lutra/golden beside the programs' folder; for a program in its build tree, which has
// a link to it, that of the sources. The folder may not exist.
std::filesystem::path GoldenFolder();

// Finds an adapter beside the program, or where the build puts it. Empty if it is in neither place.
std::optional<std::filesystem::path> FindAdapter(const std::string& name);

// Returns the folder of the running program.
std::filesystem::path ProgramFolder();

}  // namespace lutra::host
