// SPDX-License-Identifier: Apache-2.0
// Tells what a firmware needs for a model, without a cross compiler or an emulator.
//
//   const Board& board = BoardOf("cortex-m4");                                // throws BadUsage
//   const BoardArena arena = ArenaOn(board, file, MemoryPolicy::kSmall);      // throws BadInput
//   fmt::print("{} {}\n", arena.bytes, fmt::join(OperatorsOf(file), ", "));   // kConv2D, kReshape

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "host/model_file.h"
#include "lutra/board.h"
#include "lutra/options.h"

namespace lutra::host {

// A platform of 32 bits without an operating system. `32` stands for all of them.
struct Board {
  std::string name;
  std::vector<BoardKernels> kernels;  // Of those boards that the name stands for.
};
const std::vector<Board>& Boards();
std::vector<std::string> BoardNames();
// Throws BadUsage, which lists the names.
const Board& BoardOf(const std::string& name);

// The smallest arena that works on the board; if the name stands for several boards, the largest of their
// figures.
struct BoardArena {
  size_t bytes = 0;
  size_t persistent_bytes = 0;
  size_t head_bytes = 0;  // Activations and scratch.
};

// The interpreter's options, besides the policy, that a model needs.
struct BoardOptions {
  bool decode = false;      // Tensors that COMPRESSION_METADATA lists.
  bool int4 = false;        // Weights of int4.
  bool row_groups = false;  // Groups of a LUTRA_PLAN.
  // The library is built with these CMake options: "LUTRA_INT16".
  std::set<std::string> library;
};
BoardOptions BoardOptionsOf(const Model& model);
// Lines that say which options the library is built with; empty where any will do.
std::string LibraryText(const BoardOptions& needs);

// Throws BadInput if a firmware would refuse the model.
BoardArena ArenaOn(const Board& board, const ModelFile& file, MemoryPolicy policy);

// The name that a firmware of `compress embed` has for the model of this file, an identifier: kws of
// models/kws.tflite, model_1x of 1x.tflite.
std::string FirmwareNameOf(const std::string& path);

// The constants of lutra/ops/ops.h that a model needs, sorted: "kConv2D".
std::vector<std::string> OperatorsOf(const Model& model);

}  // namespace lutra::host
