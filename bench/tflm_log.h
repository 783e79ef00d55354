// SPDX-License-Identifier: Apache-2.0
// Reads what other programs print about a model into result records: TensorFlow Lite Micro's
// generic_model_benchmark, as a table or as CSV, and TensorFlow Lite's benchmark_model.
//
//   ModelResult result = ReadTflmLog("logs/kws.log", {"models"}, {.ticks_per_second = 1'000'000});
//
// The model is the one that the log names (metadata, or benchmark_model's graph), else the one with the log's
// name: kws.log, kws.tflite. Facts that the log lacks are taken from the model's file.

#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "host/result.h"

namespace lutra::bench {

struct TflmLogOptions {
  // The frequency of generic_model_benchmark's clock; without it the result has no times.
  std::optional<int64_t> ticks_per_second;
};

// Throws BadInput, naming file and line, for a log of neither program, one that is cut off or damaged,
// operators that are not the model's, and a model that is not found.
host::ModelResult ReadTflmLog(const std::filesystem::path& log,
                              const std::vector<std::filesystem::path>& model_folders,
                              const TflmLogOptions& options);
// `name` stands for the log's path.
host::ModelResult ReadTflmLog(std::istream& log, const std::string& name,
                              const std::vector<std::filesystem::path>& model_folders,
                              const TflmLogOptions& options);

}  // namespace lutra::bench
