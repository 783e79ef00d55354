// SPDX-License-Identifier: Apache-2.0
// Result files: the result record as JSON, schema_version 1, and back.
//
//   WriteFileBytes(path, ...WriteResultJson(file));
//   ResultFile file = ParseResultJson(text, path);   // throws BadInput

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/result.h"

namespace lutra::host {

inline constexpr int kResultSchemaVersion = 1;

// `indent`: spaces for each level.
std::string WriteResultJson(const ResultFile& file, int indent = 2);

// Keys that are missing or null leave their figures empty. Throws BadInput, naming `path`, if the text is no
// JSON of this version, or holds something else where a figure or a name should be.
ResultFile ParseResultJson(const std::string& text, const std::string& path);

// Reads the file of `conformance run --results`. Throws BadInput for a file without its part, too.
ConformanceResult ReadConformanceResult(const std::string& path);
// Reads the same with its context.
ResultFile ReadConformanceFile(const std::string& path);

// Reads the record in JSON that is parsed already and of this version. Throws nlohmann's exceptions, too.
ResultFile ReadResultJson(const nlohmann::json& json, const std::string& path);

// The "context" of result files, for other files that say where they come from.
nlohmann::ordered_json EnvironmentJson(const Environment& environment);

// Names may be any bytes, JSON is UTF-8: what is not is replaced. Ends with a newline.
std::string JsonText(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace lutra::host
