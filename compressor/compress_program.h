// SPDX-License-Identifier: Apache-2.0
// For tests of the program `compress`: runs it, and provides a network with data for its searches.
//
//   const Searched searched(folder);
//   const json report = RunJson("auto " + searched.model + " out.tflite" + searched.data);

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "compressor/accuracy/test_data.h"
#include "host/testing/program.h"
#include "runtime/testing/sanitized.h"

namespace lutra::compressor {

inline const std::string kPlain = "models/kws.tflite";

inline std::string ReadModel(const std::string& path) {
  return host::ReadAll(std::filesystem::path(LUTRA_SOURCE_DIR) / path);
}

inline host::Outcome RunWell(const std::string& arguments) {
  host::Outcome outcome = host::RunProgram(arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
  return outcome;
}

inline nlohmann::json RunJson(const std::string& arguments) {
  return nlohmann::json::parse(RunWell(arguments + " --json").out);
}

inline constexpr int kSamples = kSanitized ? 20 : 60;

// Returns --data and --labels: the first of the 1,000 samples that keyword spotting is validated with.
inline std::string FewSamples(const host::ScratchFolder& folder) {
  const auto cut = [&](const std::string& name) {
    std::string file = ReadModel("models/kws.validation." + name + ".npy");
    file.replace(file.find("1000"), 4, "  " + std::to_string(kSamples));
    std::ofstream(folder / name, std::ios::binary) << file;
    return folder / name;
  };
  return " --data " + cut("inputs") + " --labels " + cut("labels");
}

// A network to search, and --data and --labels for it. Searches of keyword spotting take minutes under
// sanitizers.
struct Searched {
  explicit Searched(const host::ScratchFolder& folder) {
    if (kSanitized) {
      const SmallClassifier small(folder / "");
      model = small.model;
      data = small.data;
    } else {
      data = FewSamples(folder);
    }
    bytes = static_cast<int64_t>(std::filesystem::file_size(std::filesystem::path(LUTRA_SOURCE_DIR) / model));
  }
  std::string model = kPlain;
  std::string data;
  int64_t bytes = 0;
};

}  // namespace lutra::compressor
