// SPDX-License-Identifier: Apache-2.0
// Op: one operator that the interpreter can run.
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

// One number may stand for any operand of a node: inputs count from 0, outputs from OutputOperand(0).
inline constexpr int kNoOperand = -1;
constexpr int OutputOperand(int i) { return 0x10000 + i; }

class GraphBuilder;
struct Graph;
struct NodeInfo;
struct Op;
struct TensorLifetime;

// An operator that calls subgraphs has these. The nodes of a called subgraph follow the node that calls it;
// where `then` is not null, one more node for the same operator follows them, which `then` runs.
struct Calls {
  // Reads which subgraph is called; false if the node does not say. Null: none; the node ends the last call.
  bool (*subgraph)(const NodeInfo& node, int32_t* subgraph);
  const Op* then;
  // Extends the lifetimes of the called subgraph's inputs, or of the outputs of the subgraph that has ended,
  // to the node at `position`. Null: there are neither.
  Status (*lifetimes)(Graph* graph, TensorLifetime* lifetimes, int position);
  // Lays out the subgraphs that `op`, for the main graph's node at `index`, calls, and all that these call.
  Status (*lay_out)(GraphBuilder* builder, bool fill, int index, const Op& op) = nullptr;
};

struct Op {
  using PrepareFn = Status (*)(PrepareContext& context);
  using EvalFn = Status (*)(EvalContext& context);

  constexpr Op() = default;
  constexpr Op(BuiltinOperator the_code, PrepareFn the_prepare, EvalFn the_eval,
               InputSet compressible = kNoInputs, const char* name = nullptr)
      : code(the_code),
        prepare(the_prepare),
        eval(the_eval),
        compressible_inputs(compressible),
        custom_code(name) {}
  constexpr Op(BuiltinOperator the_code, PrepareFn the_prepare, EvalFn the_eval, const Calls& what)
      : code(the_code), prepare(the_prepare), eval(the_eval), calls(&what) {}

  BuiltinOperator code = BuiltinOperator::kCustom;
  // Checks everything that can be checked, computes what does not change between runs, asks for
  // scratch and says which rows it reads. Called once. After it, eval cannot meet a bad shape.
  PrepareFn prepare = nullptr;
  // Computes the outputs. Fails only for values met at run time (a bad index).
  EvalFn eval = nullptr;
  // The inputs that COMPRESSION_METADATA may compress. Eval finds them decoded; prepare must not ask
  // for their values.
  InputSet compressible_inputs = kNoInputs;
  union {
    const char* custom_code = nullptr;  // The name of a kCustom operator.
    const Calls* calls;                 // Of CALL_ONCE, IF and WHILE.
  };
};

// Null for an operator that calls nothing.
constexpr const Calls* CallsOf(const Op& op) {
  const bool may_call = op.code == BuiltinOperator::kCallOnce || op.code == BuiltinOperator::kIf ||
                        op.code == BuiltinOperator::kWhile;
  return may_call ? op.calls : nullptr;
}

}  // namespace lutra
