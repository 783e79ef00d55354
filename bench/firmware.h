// SPDX-License-Identifier: Apache-2.0
// generic_benchmark --firmware: what a firmware needs for a model, without a cross compiler or an emulator.

#pragma once

#include <string>

#include "host/firmware.h"
#include "host/model_file.h"

namespace lutra::bench {

// Lists operators as a kOps list and the arena under both policies; also flash of model and code, and all
// RAM, if the platform has a table of sizes (host/flash_size.h). Throws BadInput if a firmware would refuse
// the model.
std::string DescribeFirmware(const host::ModelFile& file, const host::Board& board);

}  // namespace lutra::bench
