// SPDX-License-Identifier: Apache-2.0
// For tests: the .tflite files below some folders, those that are there.

#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <vector>

namespace lutra::compressor {

inline std::vector<std::filesystem::path> ModelsBelow(std::initializer_list<std::filesystem::path> folders) {
  std::vector<std::filesystem::path> models;
  for (const std::filesystem::path& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".tflite") models.push_back(entry.path());
    }
  }
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace lutra::compressor
