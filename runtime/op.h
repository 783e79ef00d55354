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

}  // namespace lutra
