// SPDX-License-Identifier: Apache-2.0
// Options that `compress evaluate` and `compress auto` share: the data, and the model that takes them.

#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "compressor/accuracy/dataset.h"
#include "host/model_file.h"

namespace lutra::compressor {

// `source` must outlive `verb`.
inline void AddDataOptions(CLI::App& verb, DatasetSource* source) {
  const std::string data = "Data";
  verb.add_option("--data", source->data, "Inputs: an .npy file or a folder")->required()->group(data);
  verb.add_option("--labels", source->labels, "What they should give, .npy")->group(data);
  verb.add_option("--pixel-scale", source->pixel_scale, "Of pictures: pixel * scale + offset")
      ->capture_default_str()
      ->group(data);
  verb.add_option("--pixel-offset", source->pixel_offset, "See --pixel-scale")
      ->capture_default_str()
      ->group(data);
}

// The only one of a model's inputs or outputs (`what`). Throws BadInput if there are several, or none.
inline TensorInfo OnlyTensor(const host::ModelFile& file, PackedList<int32_t> tensors,
                             const std::string& what) {
  if (tensors.size() != 1) {
    throw host::BadInput(
        fmt::format("{}: {}: found {}, required: 1; give another model", file.path, what, tensors.size()));
  }
  return file.model.tensor(0, tensors[0]);
}

}  // namespace lutra::compressor
