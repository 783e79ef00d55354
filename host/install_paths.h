// SPDX-License-Identifier: Apache-2.0
// Finds what a program needs besides itself from where it stands: an installed copy may be moved anywhere.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lutra::host {

// golden/: share/lutra/golden beside the programs' folder. For a program in its build tree, which has a link
// to it, that of the sources. It may not be there.
std::filesystem::path GoldenFolder();

// An adapter: it stands beside the program, or where the build puts it. Empty if it is in neither place.
std::optional<std::filesystem::path> FindAdapter(const std::string& name);

// Returns the folder of the running program.
std::filesystem::path ProgramFolder();

}  // namespace lutra::host
