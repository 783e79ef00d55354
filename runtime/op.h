// SPDX-License-Identifier: Apache-2.0
// Op: one operator that the interpreter can run, and Node: one use of it in a graph.
//
// An op resolver is an array of ops. An application that lists only what its models use links only that:
//
//   constexpr lutra::Op kOps[] = {lutra::kConv2D, lutra::kReshape, lutra::kSoftmax};
//
// An operator of one's own is one more:
//
//   constexpr lutra::Op kMine = {lutra::BuiltinOperator::kCustom, PrepareMine, EvalMine,
//                                lutra::kNoInputs, "MINE"};

#pragma once

#include <stdint.h>

#include "lutra/builtin_operator.h"
#include "lutra/status.h"

namespace lutra {

class PrepareContext;
class EvalContext;

// A set of an operator's inputs, bit i for input i.
using InputSet = uint32_t;
inline constexpr InputSet kNoInputs = 0;
inline constexpr InputSet kAllInputs = 0xFFFFFFFF;

template <typename... Numbers>
constexpr InputSet Inputs(Numbers... numbers) {
  return ((InputSet{1} << numbers) | ...);
}

constexpr bool Contains(InputSet set, int input) {
  return set == kAllInputs || (input < 32 && (set >> input & 1) != 0);
}

// Where one number stands for any operand of a node: inputs count from 0, outputs from OutputOperand(0).
inline constexpr int kNoOperand = -1;
constexpr int OutputOperand(int i) { return 0x10000 + i; }

struct Op {
  BuiltinOperator code;
  // Checks everything that can be checked, computes what does not change between runs, asks for
  // scratch and says which rows it reads. Called once. After it, eval cannot meet a bad shape.
  Status (*prepare)(PrepareContext& context);
  // Computes the outputs. Fails only for values met at run time (a bad index).
  Status (*eval)(EvalContext& context);
  // The inputs that COMPRESSION_METADATA may compress. Eval finds them decoded; prepare must not ask
  // for their values.
  InputSet compressible_inputs = kNoInputs;
  const char* custom_code = nullptr;  // The name of a kCustom operator.
};

// The requests of a node while it is prepared.
struct NodeRequest {
  uint32_t scratch_bytes;
};

// The memory plan's answers.
struct NodePlan {
  uint32_t scratch_offset;  // From the arena's base.
  int32_t rows_per_call;    // 0: the kernel makes all rows in one call.
};

struct Node {
  const Op* op = nullptr;
  void* data = nullptr;        // What prepare computed; persistent.
  void** addresses = nullptr;  // One for each input, then each output; null for an input left out.
  // The request until memory is planned, the plan from then on: models have many nodes.
  union {
    NodeRequest request = {};
    NodePlan plan;
  };
  uint16_t index = 0;  // In its subgraph.
  uint16_t input_count = 0;
  uint16_t output_count = 0;
  uint8_t subgraph = 0;
  bool rows_downwards = false;  // The last rows are made first.
};

}  // namespace lutra
