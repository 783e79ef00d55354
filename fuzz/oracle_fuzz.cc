// SPDX-License-Identifier: Apache-2.0
// Readers: conformance/oracle/model.cc conformance/oracle/evaluate.cc runtime/model.cc
// Fuzz target: a .tflite file of integers that the runtime runs. The oracle gives the same bytes, or says
// that the specification does not cover the model.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "conformance/oracle/evaluate.h"
#include "conformance/oracle/model.h"
#include "runtime/testing/try_to_run.h"

namespace {

namespace oracle = lutra::conformance::oracle;
using oracle::Bytes;

// The arena is small, so that no model takes long.
constexpr size_t kArenaBytes = 16 * 1024;
constexpr size_t kMostOperators = 20;

// Returns whether outputs can be compared: float32 may differ in the last bit, and inputs that are constants
// get no values here.
bool IsComparable(const oracle::ModelObjects& model) {
  for (const auto& graph : model.subgraphs) {
    if (graph->operators.size() > kMostOperators) return false;
    for (const auto& tensor : graph->tensors) {
      if (tensor->type == static_cast<int8_t>(lutra::TensorType::kFloat32)) return false;
    }
  }
  const auto& graph = *model.subgraphs[0];
  return std::all_of(graph.inputs.begin(), graph.inputs.end(), [&](int32_t input) {
    return model.buffers[graph.tensors[static_cast<size_t>(input)]->buffer]->data.empty();
  });
}

Bytes OutputsOf(const oracle::ModelObjects& model) {
  oracle::Evaluation run(model, oracle::Judging(*oracle::FindProfile("tflm")));
  std::vector<Bytes> inputs;
  for (const int32_t input : model.subgraphs[0]->inputs) {
    const auto& tensor = *model.subgraphs[0]->tensors[static_cast<size_t>(input)];
    inputs.emplace_back(oracle::ByteCount(tensor), lutra::kTrialInput);
  }
  Bytes outputs;
  for (const Bytes& output : run.Invoke(inputs)) outputs.insert(outputs.end(), output.begin(), output.end());
  return outputs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const lutra::Trial trial = lutra::Try({data, size}, {}, {}, kArenaBytes);
  if (trial.status != lutra::Status::kOk) return 0;
  try {
    const auto model = oracle::ReadModel({data, data + size});
    if (!IsComparable(*model) || OutputsOf(*model) == trial.outputs) return 0;
  } catch (const oracle::Unspecified&) {
    return 0;
  }
  std::fprintf(stderr, "oracle_fuzz: found other outputs, required: those of the oracle\n");
  abort();
}
