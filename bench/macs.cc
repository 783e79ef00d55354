// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulates, operator by operator.

#include "bench/macs.h"

#include "lutra/node_info.h"
#include "lutra/ops/facts.h"

namespace lutra::bench {

int64_t CountMacs(const Model& model, int subgraph, int index) {
  const OperatorFacts* const facts = FactsOf(model.node(subgraph, index).code);
  return facts == nullptr || facts->macs == nullptr ? 0 : facts->macs(OperandShapes(model, subgraph, index));
}

}  // namespace lutra::bench
