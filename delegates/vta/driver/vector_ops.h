// SPDX-License-Identifier: Apache-2.0
// ALU instructions on many accumulators: a rectangle of vectors, or a row of them. A loop that runs once has
// no factor, so that any extent fits the fields.

#pragma once

#include "delegates/vta/driver/command_stream.h"

namespace lutra::vta {

// Vectors from `first` on: rows `pitch` apart, columns `step`.
struct VectorRect {
  uint32_t first = 0;
  uint32_t pitch = 0, step = 1;
};

class VectorOps {
 public:
  VectorOps(CommandStream& commands, uint32_t rows, uint32_t columns)
      : commands_(commands), rows_(rows), columns_(columns) {}

  void Zero(VectorRect dst) {
    Record(dst, {dst.first, 0, 0});
    (void)commands_.PushGemmOp(true);
  }
  void WithVector(AluOpcode opcode, VectorRect dst, VectorRect src) {
    Record(dst, src);
    (void)commands_.PushAluOp(opcode);
  }
  // Applies one vector to all.
  void WithConstant(AluOpcode opcode, VectorRect dst, uint32_t constant) {
    WithVector(opcode, dst, {constant, 0, 0});
  }
  void WithNumber(AluOpcode opcode, VectorRect dst, int32_t number) {
    Record(dst, dst);
    (void)commands_.PushAluImmediateOp(opcode, number);
  }
  // Adds a number that may exceed an immediate, in several instructions.
  void AddNumber(VectorRect dst, int32_t number) {
    for (; number > INT16_MAX; number -= INT16_MAX) WithNumber(AluOpcode::kAdd, dst, INT16_MAX);
    for (; number < INT16_MIN; number -= INT16_MIN) WithNumber(AluOpcode::kAdd, dst, INT16_MIN);
    if (number != 0) WithNumber(AluOpcode::kAdd, dst, number);
  }

 private:
  void Record(VectorRect dst, VectorRect src) {
    Loop(rows_, dst.pitch, src.pitch);
    Loop(columns_, dst.step, src.step);
    (void)commands_.UopPush({dst.first, src.first, 0});
    (void)commands_.UopLoopEnd();
    (void)commands_.UopLoopEnd();
  }
  void Loop(uint32_t extent, uint32_t dst, uint32_t src) {
    const uint32_t used = extent == 1 ? 0 : 1;
    (void)commands_.UopLoopBegin(extent, dst * used, src * used, 0);
  }

  CommandStream& commands_;
  uint32_t rows_, columns_;
};

}  // namespace lutra::vta
