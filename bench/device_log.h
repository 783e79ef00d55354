// SPDX-License-Identifier: Apache-2.0
// Reads the lines that a program on a device prints (`lutra1 ...`, platforms/README.md) into result records.
//
//   std::vector<ModelResult> results = ReadDeviceLogs({"logs/kws.log"}, {"models"});
//
// The lines name the model; shapes, names, MACs and the hash are taken from its file. Logs of a serial port
// can be read as well: other lines, and text before `lutra1 ` on a line, are ignored.

#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "host/result.h"

namespace lutra::bench {

// Returns one result for each model, in the order of the logs. Several logs of one model make one result with
// the last figures; their outputs must be the same. Models are searched by name in `model_folders`, in that
// order. Throws BadInput, naming file and line, for a line that is cut off or damaged, a run without all of
// its outputs, a model that is not found or has another size.
std::vector<host::ModelResult> ReadDeviceLogs(const std::vector<std::filesystem::path>& logs,
                                              const std::vector<std::filesystem::path>& model_folders);
// One log, wherever it is from, added to `results`; `name` is for messages.
void ReadDeviceLog(std::istream& log, const std::string& name,
                   const std::vector<std::filesystem::path>& model_folders,
                   std::vector<host::ModelResult>* results);

// The model of this file name in the first folder that has it; BadInput if none has.
std::filesystem::path FindModel(const std::string& name, const std::vector<std::filesystem::path>& folders);
// Returns the figures that follow from the model's file, without those of a run on the device. `streamed`:
// operators decode their own weights, and there may be no TFLM_DECODE.
host::ModelResult DescribeModel(const std::filesystem::path& path, bool streamed = false);

// The lines `lutra1 count kernel ...` of a counted run of run_variants. Throws BadInput as ReadDeviceLogs
// does.
std::vector<host::KernelResult> ReadKernelCounts(const std::filesystem::path& log);
std::vector<host::KernelResult> ReadKernelCounts(std::istream& log, const std::string& name);

}  // namespace lutra::bench
