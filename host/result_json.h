// SPDX-License-Identifier: Apache-2.0
// Writes and reads result files: the result record as JSON, schema_version 1.
//
//   WriteFileBytes(path, ...WriteResultJson(file));
//   ResultFile file = ParseResultJson(text, path);   // throws BadInput

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/result.h"

namespace lutra::host {

inline constexpr int kResultSchemaVersion = 1;

// `indent`: the spaces for each level.
std::string WriteResultJson(const ResultFile& file, int indent = 2);

// Keys that are missing or null leave their figures empty. Throws BadInput, naming `path`, if the text is no
// JSON of this version, or if a figure or a name has another type.
ResultFile ParseResultJson(const std::string& text, const std::string& path);

// Reads the file of `conformance run --results`. Also throws BadInput for a file without results of
// conformance.
ConformanceResult ReadConformanceResult(const std::string& path);
// Reads the same with its context.
ResultFile ReadConformanceFile(const std::string& path);

// Reads the record from JSON of this version. May throw nlohmann's exceptions, too.
ResultFile ReadResultJson(const nlohmann::json& json, const std::string& path);

// Returns the "context" of result files, for other files that record where they come from.
nlohmann::ordered_json EnvironmentJson(const Environment& environment);

// Returns JSON as text. Names may be any bytes; those that are not UTF-8 are replaced. Ends with a newline.
std::string JsonText(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace lutra::host
