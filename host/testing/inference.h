// SPDX-License-Identifier: Apache-2.0
// Runs a model on given inputs and returns its outputs, for tests against recorded outputs.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/model_file.h"
#include "lutra/delegate.h"
#include "lutra/micro_interpreter.h"

namespace lutra::host {

using Bytes = std::vector<uint8_t>;

struct RunOutcome {
  Status status = Status::kOk;
  std::string refusal;         // One line, if status is not kOk.
  std::vector<Bytes> outputs;  // The last inference's.
  std::vector<TensorType> types;
};

// Loads the model, fills the inputs before each of `invokes` inferences, and keeps the last outputs.
// The arena is large enough for any model of the tests; `regions`: memory for decoded tensors. Never throws
// for a bad model.
RunOutcome RunModel(const std::filesystem::path& model, const std::vector<Bytes>& inputs, int invokes,
                    const InterpreterOptions& options, Span<const AlternateMemoryRegion> regions = {},
                    const DelegateList& delegates = {});

Bytes ReadBytes(const std::filesystem::path& path);

// Empty if equal, else the first difference in words. Floats may differ by `tolerance` times the
// largest magnitude expected; all other types must be equal.
std::string Difference(const Bytes& actual, const Bytes& expected, TensorType type, double tolerance);

}  // namespace lutra::host
