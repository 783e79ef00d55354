// SPDX-License-Identifier: Apache-2.0
// The text of --firmware.

#include "bench/firmware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/printable.h"
#include "host/wrap.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"

namespace lutra::bench {
namespace {

std::string ArenaLine(const char* policy, const host::BoardArena& arena) {
  return fmt::format("  {:<8}{}{} bytes: {} activations and scratch, {} that persist\n", policy,
                     arena.exact ? "" : "at most ", arena.bytes, arena.head_bytes, arena.persistent_bytes);
}

}  // namespace

std::string DescribeFirmware(const host::ModelFile& file, const host::Board& board) {
  const host::BoardArena small = host::ArenaOn(board, file, MemoryPolicy::kSmall);
  const host::BoardArena fast = host::ArenaOn(board, file, MemoryPolicy::kFast);
  std::string ops;
  for (const std::string& name : host::OperatorsOf(file.model)) {
    ops += fmt::format("    lutra::{},\n", name);
  }
  return fmt::format(
      "{}: on {}\n\nconstexpr lutra::Op kOps[] = {{\n{}}};\n\narena by memory policy\n{}{}"
      "flash of the model\n          {} bytes, aligned to 16\n",
      host::Printable(file.path), board.name == "32" ? "any board of 32 bits" : board.name, ops,
      ArenaLine("small", small), ArenaLine("fast", fast), file.bytes.size());
}

}  // namespace lutra::bench
