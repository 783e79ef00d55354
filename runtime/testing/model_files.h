// SPDX-License-Identifier: Apache-2.0
// Files of models, as tests read them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace lutra {

inline std::vector<uint8_t> ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the .tflite files that `Iterator` (directory_iterator or recursive_directory_iterator) finds in the
// folder, sorted; none if the folder does not exist.
template <typename Iterator = std::filesystem::directory_iterator>
std::vector<std::filesystem::path> ModelsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> models;
  if (!std::filesystem::is_directory(folder)) return models;
  for (const auto& entry : Iterator(folder)) {
    if (entry.path().extension() == ".tflite") models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

// Returns the models below some folders.
inline std::vector<std::filesystem::path> ModelsBelow(std::initializer_list<std::filesystem::path> folders) {
  std::vector<std::filesystem::path> models;
  for (const std::filesystem::path& folder : folders) {
    const auto found = ModelsIn<std::filesystem::recursive_directory_iterator>(folder);
    models.insert(models.end(), found.begin(), found.end());
  }
  return models;
}

}  // namespace lutra
