// SPDX-License-Identifier: Apache-2.0
// A runtime's choice of a kernel, and with it of a rule, may depend on these traits. A delegate takes nodes,
// not operators: "BATCH_MATMUL: FP32 where the second operand's zero point is 0, else DR".

#pragma once

#include <span>
#include <string_view>

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

struct Trait {
  std::string_view name;  // A sentence that may follow "where".
  bool (*holds)(const Node&);
};

// Lists the most telling traits first: where several explain what a runtime does, the first is reported.
std::span<const Trait> AllTraits();
// Null if there is none of that name.
const Trait* FindTrait(std::string_view name);

}  // namespace lutra::conformance::oracle
