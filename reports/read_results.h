// SPDX-License-Identifier: Apache-2.0
// Reads result files of generic_benchmark, device_results and conformance, and reports of compress.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/results.h"

namespace lutra::reports {

// Throws BadInput, naming `path`, if the text is neither a result file that this program knows (schema.json)
// nor a report of compress (compression_schema.json).
ResultFile ParseResultFile(const std::string& text, const std::string& path);

// Reads files, and every .json of folders in the order of their names. Platforms have the order of their
// names, files of one platform the given order. A file that is no result file is left out, and `refusals`
// gets a line that says why. Throws BadInput, with the first of these lines, if no file is left.
std::vector<ResultFile> ReadResultFiles(const std::vector<std::filesystem::path>& paths,
                                        std::vector<std::string>* refusals);

// Returns the files among these paths, and every .json of folders in the order of their names. Throws
// BadInput for a folder without any.
std::vector<std::filesystem::path> ExpandFolders(const std::vector<std::filesystem::path>& paths);

// Returns the name of the platform: the file's name up to its first dot, if that is a folder of platforms/ or
// begins with `context_platform` and a hyphen; else `context_platform`.
std::string PlatformOf(const std::filesystem::path& file, const std::string& context_platform);

}  // namespace lutra::reports
