// SPDX-License-Identifier: Apache-2.0
// Asks the runtime whether it prepares a model of each type.

#include "conformance/runtime_types.h"

#include <algorithm>

#include "conformance/generator/type_models.h"
#include "host/model_file.h"
#include "lutra/micro_interpreter.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"

namespace lutra::conformance {
namespace {

// Returns whether the oracle's row is for this model.
bool IsOf(const oracle::Operator& op, const edit::ModelT& model) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  std::vector<oracle::Bytes> values(graph.tensors.size());
  try {
    return &oracle::OperatorOf(model, oracle::Node(graph, *graph.operators[0], &values)) == &op;
  } catch (const oracle::Unspecified&) {
    return false;
  }
}

bool IsPrepared(const edit::ModelT& model) {
  const oracle::Bytes bytes = oracle::WriteModel(model);
  const host::AlignedBytes file(bytes.size());
  std::copy(bytes.begin(), bytes.end(), file.data());
  Model loaded;
  Diagnosis diagnosis;
  if (Model::Load(file.span(), &loaded, &diagnosis) != Status::kOk) return false;
  constexpr size_t kArenaBytes = 64 * 1024;
  const host::AlignedBytes arena(kArenaBytes);
  MicroInterpreter interpreter(loaded, AllOps(), arena.span());
  return interpreter.AllocateTensors() == Status::kOk;
}

}  // namespace

std::vector<int8_t> TypesThatTheRuntimeRuns(const oracle::Operator& op) {
  std::vector<int8_t> types;
  for (const int8_t type : ModelTypes()) {
    const std::vector<edit::ModelT> models = ModelsOfType(op, type);
    if (std::any_of(models.begin(), models.end(),
                    [&](const edit::ModelT& model) { return IsOf(op, model) && IsPrepared(model); })) {
      types.push_back(type);
    }
  }
  return types;
}

}  // namespace lutra::conformance
