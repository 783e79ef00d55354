// SPDX-License-Identifier: Apache-2.0
// Finds the tensor by which a network decides, and makes it the output.

#include "compressor/accuracy/deciding_model.h"

#include "compressor/model_editor.h"
#include "host/prepared_model.h"
#include "lutra/node_info.h"

namespace lutra::compressor {
namespace {

// Returns the network's output, or the input of a SOFTMAX at its end.
int DecidingTensor(const host::ModelFile& file) {
  const int output = file.model.outputs(0)[0];
  for (int n = 0; n < file.model.node_count(0); ++n) {
    const NodeInfo node = file.model.node(0, n);
    if (node.code == BuiltinOperator::kSoftmax && node.outputs[0] == output) return node.inputs[0];
  }
  return output;
}

host::ModelFile WithOutput(const host::ModelFile& file, int tensor) {
  ModelEditor editor(file);
  editor.subgraph(0).outputs = {tensor};
  return LoadModel(editor.Write(), file.path);
}

}  // namespace

DecidingModel::DecidingModel(const host::ModelFile& base, const MetricFacts& metric)
    : file_(WithOutput(base, metric.is_of_answers() ? DecidingTensor(base) : base.model.outputs(0)[0])),
      arena_bytes_(host::SmallestArena(file_, {})) {}

}  // namespace lutra::compressor
