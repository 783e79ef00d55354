// SPDX-License-Identifier: Apache-2.0
// The result file of `conformance fuzz`, from which a later run goes on.

#pragma once

#include <string>

#include "conformance/fuzz/fuzz.h"

namespace lutra::conformance {

std::string FuzzJson(const FuzzOptions& options, const FuzzResult& result);

// What FuzzJson wrote for a run of the same seed, operators, profile and kind of cases. Throws BadInput for
// anything else. `path`: for messages.
FuzzResult ParseFuzzJson(const std::string& text, const std::string& path, const FuzzOptions& options);

// Puts the counts and failures of the run before to those of the run that went on from it.
void AddEarlier(const FuzzResult& earlier, FuzzResult* result);

}  // namespace lutra::conformance
