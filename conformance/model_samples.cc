// SPDX-License-Identifier: Apache-2.0
// Reads models, and samples of their inputs.

#include "conformance/model_samples.h"

#include <fmt/format.h>

#include "host/model_file.h"
#include "host/npy.h"

namespace lutra::conformance {

std::unique_ptr<oracle::ModelObjects> ReadModelObjects(const std::string& path) {
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  try {
    std::unique_ptr<oracle::ModelObjects> model =
        oracle::ReadModel({bytes.span().begin(), bytes.span().end()});
    oracle::RequireMemory(*model);
    return model;
  } catch (const oracle::Unspecified& error) {
    throw host::BadInput(fmt::format("{}: {}", path, error.what()));
  }
}

Samples ReadSamples(const std::string& data_path, const std::string& model_path,
                    const oracle::ModelObjects& model, size_t most) {
  const host::NpyArray data = host::ReadNpy(data_path);
  const edit::SubGraphT& graph = *model.subgraphs[0];
  if (graph.inputs.empty())
    throw host::BadInput(model_path + ": input-count: --data needs a model with an input");
  const edit::TensorT& input = *graph.tensors[static_cast<size_t>(graph.inputs[0])];
  const auto bytes = oracle::ByteCount(input);
  if (graph.inputs.size() != 1 || bytes == 0 || data.bytes == 0 || data.bytes % bytes != 0 ||
      static_cast<int8_t>(data.type) != input.type) {
    throw host::BadInput(
        fmt::format("{}: found {} bytes of {}, required: samples of {} bytes for a model with one input",
                    data_path, data.bytes, ToString(data.type), bytes));
  }
  Samples samples;
  for (size_t at = 0; at < data.bytes && samples.size() < most; at += bytes) {
    samples.push_back({oracle::Bytes(data.data + at, data.data + at + bytes)});
  }
  return samples;
}

}  // namespace lutra::conformance
