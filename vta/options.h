// SPDX-License-Identifier: Apache-2.0
// The delegate's options as texts: what `vta` and --delegate-options take.

#pragma once

#include <map>
#include <string>

#include "runtime/delegates/vta/driver.h"

namespace lutra::vta::sim {

// By mode, add, threads, config and profile; what is not there is as in DriverOptions. Throws BadUsage, with
// `where` before the key: "--" for an option, "vta." for one of several delegates.
DriverOptions ParseOptions(const std::map<std::string, std::string>& texts, const std::string& where);

}  // namespace lutra::vta::sim
