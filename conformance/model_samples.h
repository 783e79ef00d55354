// SPDX-License-Identifier: Apache-2.0
// Models and their inputs, as verbs that run whole models read them.

#pragma once

#include <memory>
#include <string>

#include "conformance/runner/whole_model.h"

namespace lutra::conformance {

// Throws BadInput.
std::unique_ptr<oracle::ModelObjects> ReadModelObjects(const std::string& path);
// Reads samples from an .npy file, along its first axis, at most `most`, for a model with one input. Throws
// BadInput.
Samples ReadSamples(const std::string& data, const std::string& model_path, const oracle::ModelObjects& model,
                    size_t most);

}  // namespace lutra::conformance
