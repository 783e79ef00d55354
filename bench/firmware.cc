// SPDX-License-Identifier: Apache-2.0
// The text of --firmware.

#include "bench/firmware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "host/flash_size.h"
#include "host/printable.h"
#include "host/wrap.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"

namespace lutra::bench {
namespace {

std::string ArenaLine(const char* policy, const host::BoardArena& arena) {
  return fmt::format("  {:<8}{} bytes: {} activations and scratch, {} that persist\n", policy, arena.bytes,
                     arena.head_bytes, arena.persistent_bytes);
}

// Returns flash and RAM in all. The code's size is known for platforms that were measured.
std::string SizesText(const host::ModelFile& file, const host::BoardOptions& needs, const host::Board& board,
                      size_t arena_bytes) {
  std::vector<std::string> operators = host::OperatorsOf(file.model);
  if (needs.row_groups) operators.push_back(host::kRowGroupsToken);
  const size_t model_bytes = file.bytes.size();
  std::string text = fmt::format("flash\n  model   {} bytes, aligned to 16\n", model_bytes);
  if (!needs.library.empty()) return text + "  code    not measured for a library with these options\n";
  const std::optional<host::FlashSize> code = host::FlashSizeOf(board.name, operators);
  if (!code) return text + "  code    not measured for this platform\n";
  text += fmt::format("  code    {} bytes, within 2 %: a firmware of compress embed with these operators\n",
                      code->code_bytes);
  text += fmt::format("  total   {} bytes\n", model_bytes + code->code_bytes);
  return text +
         fmt::format("RAM\n  total   {} bytes and the stack: the smaller arena, and {} bytes of variables\n",
                     arena_bytes + code->static_ram_bytes, code->static_ram_bytes);
}

}  // namespace

std::string DescribeFirmware(const host::ModelFile& file, const host::Board& board) {
  const host::BoardArena small = host::ArenaOn(board, file, MemoryPolicy::kSmall);
  const host::BoardArena fast = host::ArenaOn(board, file, MemoryPolicy::kFast);
  std::string ops;
  for (const std::string& name : host::OperatorsOf(file.model)) {
    ops += fmt::format("    lutra::{},\n", name);
  }
  const host::BoardOptions needs = host::BoardOptionsOf(file.model);
  return fmt::format(
      "{}: on {}\n\nconstexpr lutra::Op kOps[] = {{\n{}}};\n\n{}arena by memory policy\n{}{}{}",
      host::Printable(file.path), board.name == "32" ? "any board of 32 bits" : board.name, ops,
      host::LibraryText(needs), ArenaLine("small", small), ArenaLine("fast", fast),
      SizesText(file, needs, board, std::min(small.bytes, fast.bytes)));
}

}  // namespace lutra::bench
