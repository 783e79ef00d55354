// SPDX-License-Identifier: Apache-2.0
// Models and their inputs, for verbs that run whole models.

#pragma once

#include <memory>
#include <string>

#include "conformance/runner/whole_model.h"

namespace lutra::conformance {

// Throws BadInput if the file is no model that the oracle reads.
std::unique_ptr<oracle::ModelObjects> ReadModelObjects(const std::string& path);
// Reads at most `most` samples along the first axis of an .npy file, for a model with one input. Throws
// BadInput.
Samples ReadSamples(const std::string& data, const std::string& model_path, const oracle::ModelObjects& model,
                    size_t most);

}  // namespace lutra::conformance
