// SPDX-License-Identifier: Apache-2.0
// A file for what another program writes, without a name: it vanishes when its descriptor is closed.
//
//   const Descriptor errors = OpenTemporaryFile();   // Throws BadInput.

#pragma once

#include <filesystem>

#include "host/descriptor.h"

namespace lutra::host {

// Returns the folder that TMPDIR names, else /tmp. Throws BadInput, which names it, if it is no folder.
std::filesystem::path TemporaryFolder();

// Opens a new file in that folder, to read, and to append to.
Descriptor OpenTemporaryFile();

}  // namespace lutra::host
