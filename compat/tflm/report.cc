// SPDX-License-Identifier: Apache-2.0

#include "compat/tflm/report.h"

#include "lutra/builtin_operator.h"
#include "lutra/node_info.h"
#include "lutra/options.h"
#include "tensorflow/lite/micro/micro_log.h"

#if LUTRA_HOSTED
#include "lutra/diagnosis_text.h"
#endif

namespace lutra::compat {
namespace {

// Devices have only the names of custom operators, which are in the model.
const char* NameOfNode(const Diagnosis& diagnosis, const Model* model) {
  if (model == nullptr || diagnosis.node < 0) return "";
  const NodeInfo node = model->node(diagnosis.subgraph, diagnosis.node);
#if LUTRA_HOSTED
  return NameOf(node.code, node.custom_code);
#else
  return node.code == BuiltinOperator::kCustom ? node.custom_code : "";
#endif
}

}  // namespace

void Report(const char* where, Status status, const Diagnosis& diagnosis, const Model* model) {
  MicroPrintf("%s: status %d, rule %d, node %d %s", where, static_cast<int>(status),
              static_cast<int>(diagnosis.rule), static_cast<int>(diagnosis.node),
              NameOfNode(diagnosis, model));
  if (diagnosis.tensor >= 0) MicroPrintf("%s: tensor %d", where, static_cast<int>(diagnosis.tensor));
  if (diagnosis.found != kNoValue) {
    MicroPrintf("%s: found %d, required %d", where, static_cast<int>(diagnosis.found),
                static_cast<int>(diagnosis.required));
  }
  if (diagnosis.wanted_bytes != 0) {
    MicroPrintf("%s: Lutra's part of the arena needs at least %u bytes", where,
                static_cast<unsigned>(diagnosis.wanted_bytes));
  }
#if LUTRA_HOSTED
  const RuleText text = Describe(diagnosis.rule);
  MicroPrintf("%s: %s: required: %s; %s", where, text.name, text.requirement, text.next);
#endif
}

}  // namespace lutra::compat
