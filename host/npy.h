// SPDX-License-Identifier: Apache-2.0
// Reads NumPy's .npy files (format 1 to 3, C order) for labelled data and single inputs.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/model_file.h"

namespace lutra::host {

struct NpyArray {
  TensorType type = TensorType::kInt8;
  std::vector<int64_t> shape;
  AlignedBytes file;
  const uint8_t* data = nullptr;  // Little-endian, inside `file`.
  size_t bytes = 0;

  int64_t count() const;
  // Returns the element as a number, whatever its type.
  double At(int64_t index) const;
};

// Throws BadInput, naming `name`, if the bytes are not an .npy file of a supported type and order, or are cut
// short.
NpyArray ParseNpy(AlignedBytes file, const std::string& name);
NpyArray ReadNpy(const std::filesystem::path& path);

}  // namespace lutra::host
