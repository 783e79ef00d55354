// SPDX-License-Identifier: Apache-2.0
// Op: one operator the interpreter can run, and Node: one use of it in a graph.
//
// An op resolver is an array of ops; an application that lists only what its models use links only
// that:
//
//   constexpr lutra::Op kOps[] = {lutra::kConv2D, lutra::kReshape, lutra::kSoftmax};

#pragma once

#include <stdint.h>

#include "lutra/builtin_operator.h"
#include "lutra/status.h"

namespace lutra {

class MicroContext;

inline constexpr uint32_t kAllInputs = 0xFFFFFFFF;

struct Op {
  BuiltinOperator code;
  // Checks everything that can be checked, computes what does not change between runs, asks for
  // scratch and says which rows it reads. Called once. After it, eval cannot meet a bad shape.
  Status (*prepare)(MicroContext& context);
  // Computes the outputs. Fails only for values met at run time (a bad index).
  Status (*eval)(MicroContext& context);
  // Inputs that COMPRESSION_METADATA may compress, bit i for input i, or kAllInputs. Eval finds them
  // decoded; prepare must not ask for their values.
  uint32_t compressible_inputs = 0;
  const char* custom_code = nullptr;  // Of a kCustom operator.
};

struct Node {
  const Op* op = nullptr;
  void* data = nullptr;         // What prepare computed; persistent.
  void** addresses = nullptr;   // Of inputs, then outputs; null for an input left out.
  uint32_t scratch_offset = 0;  // From the arena's base. While preparing: bytes asked for.
  int32_t rows_per_call = 0;    // 0: the kernel makes all rows in one call.
  uint16_t index = 0;           // In its subgraph.
  uint16_t input_count = 0;
  uint16_t output_count = 0;
  uint8_t subgraph = 0;
  bool rows_downwards = false;  // The last rows first.
};

}  // namespace lutra
