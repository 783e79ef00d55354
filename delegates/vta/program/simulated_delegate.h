// SPDX-License-Identifier: Apache-2.0
// VTA's delegate over the simulator.

#pragma once

#include "delegates/delegates.h"

namespace lutra::delegates {

// The keys that delegates/vta/program/options.h takes.
std::vector<std::string> VtaSettings();
std::unique_ptr<OwnedDelegate> MakeVta(const Settings& settings);

}  // namespace lutra::delegates
