// SPDX-License-Identifier: Apache-2.0
// The result file of `conformance fuzz`, from which a later run goes on.

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/fuzz/fuzz.h"
#include "host/result.h"

namespace lutra::conformance {

// `environment`: where it ran.
std::string FuzzJson(const FuzzOptions& options, const FuzzResult& result,
                     const host::Environment& environment);

// Reads what FuzzJson wrote for a run of the same seed, operators, profile, kind of cases and shard. Throws
// BadInput for anything else. `path`: for messages.
FuzzResult ParseFuzzJson(const std::string& text, const std::string& path, const FuzzOptions& options);

// Reads a file of results; throws nlohmann's exceptions if it is none.
FuzzResult FuzzResultIn(const nlohmann::ordered_json& file);
// Replaces the result in the file by this one.
void PutFuzzResult(const FuzzResult& result, bool with_coverage, nlohmann::ordered_json* file);
// The bytes of the file.
std::string FuzzText(const nlohmann::ordered_json& file);

// Adds the counts and failures of an earlier run to those of the run that resumed it.
void AddEarlier(const FuzzResult& earlier, FuzzResult* result);

}  // namespace lutra::conformance
