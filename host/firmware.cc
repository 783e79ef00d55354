// SPDX-License-Identifier: Apache-2.0
// Counts what a model needs of boards: the runtime itself counts, with the record sizes of the board.

#include "host/firmware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "host/prepared_model.h"
#include "lutra/graph.h"
#include "lutra/int16.h"
#include "lutra/micro_interpreter.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "lutra/row_groups.h"
#include "lutra/uint8.h"

namespace lutra::host {
namespace {

// Returns the operator's constant; null if the runtime does not have the operator.
const char* ConstantOf(const NodeInfo& node) {
#define LUTRA_NAME_CUSTOM_OPERATOR(name, code_of_it, prepare, eval)                                \
  if (node.code == BuiltinOperator::kCustom && std::string_view(node.custom_code) == (code_of_it)) \
    return "k" #name;
  LUTRA_CUSTOM_OPERATORS(LUTRA_NAME_CUSTOM_OPERATOR)
#undef LUTRA_NAME_CUSTOM_OPERATOR
#define LUTRA_NAME_OPERATOR(name, prepare, eval, compressible, constant, macs) \
  if (node.code == BuiltinOperator::k##name) return "k" #name;
  LUTRA_OPERATORS(LUTRA_NAME_OPERATOR)
#undef LUTRA_NAME_OPERATOR
  return nullptr;
}

constexpr char kInt16Library[] = "LUTRA_INT16";
constexpr char kUint8Library[] = "LUTRA_UINT8";
constexpr size_t kFirstArenaBytes = 256 * 1024;

InterpreterOptions OptionsFor(const BoardOptions& needs, MemoryPolicy policy) {
  InterpreterOptions options = OptionsOfBoards(policy);
  if (!needs.decode && !needs.int4) options.decode = nullptr;
  if (!needs.row_groups) options.row_groups = nullptr;
  if (needs.library.contains(kInt16Library)) options.int16 = &kInt16Operators;
  if (needs.library.contains(kUint8Library)) options.uint8 = &kUint8Operators;
  return options;
}

// Returns the library's option without which a board refuses the model; null if there is none.
const char* MissingLibrary(const Model& model, const BoardOptions& needs) {
  Diagnosis diagnosis;
  (void)GrowArena(kFirstArenaBytes, [&](size_t bytes) {
    const AlignedBytes memory(bytes);
    MicroInterpreter interpreter(model, AllOps(), memory.span(), OptionsFor(needs, MemoryPolicy::kSmall));
    const Status status = interpreter.AllocateTensors();
    diagnosis = interpreter.diagnosis();
    return status == Status::kArenaTooSmall ? std::max(bytes + kArenaAlignment, diagnosis.wanted_bytes) : 0;
  });
  if (diagnosis.rule == Rule::kUint8) return kUint8Library;
  const bool names_tensor =
      diagnosis.rule == Rule::kOperandType && diagnosis.subgraph >= 0 && diagnosis.tensor >= 0;
  const bool is_int16 =
      names_tensor && model.tensor(diagnosis.subgraph, diagnosis.tensor).type == TensorType::kInt16;
  return is_int16 ? kInt16Library : nullptr;
}

BoardArena CountArena(BoardKernels kernels, const ModelFile& file, const InterpreterOptions& options) {
  BoardArena arena;
  const auto attempt = [&](size_t bytes) {
    const AlignedBytes memory(bytes);
    MicroInterpreter interpreter(file.model, AllOps(), memory.span(), options);
    BoardUse use{.kernels = kernels};
    interpreter.set_visitor({.board = &use});
    const Status status = interpreter.AllocateTensors();
    if (status == Status::kArenaTooSmall) {
      return std::max(bytes + kArenaAlignment, interpreter.diagnosis().wanted_bytes);
    }
    if (status != Status::kOk) throw BadInput(DescribeRefusal(file, status, interpreter.diagnosis()));
    arena = {use.used_bytes, use.persistent_bytes, interpreter.memory().head_bytes};
    return size_t{0};
  };
  if (GrowArena(kFirstArenaBytes, attempt).enough == 0) {
    throw BadInput(file.path + ": the model needs more than 4 GiB of arena");
  }
  return arena;
}

}  // namespace

const std::vector<Board>& Boards() {
  static const std::vector<Board> boards = {
      {"32", {BoardKernels::kReference, BoardKernels::kArmdsp, BoardKernels::kMve}},
      {"cortex-m0", {BoardKernels::kReference}},
      {"cortex-m3", {BoardKernels::kReference}},
      {"cortex-m33", {BoardKernels::kArmdsp}},
      {"cortex-m4", {BoardKernels::kArmdsp}},
      {"cortex-m55", {BoardKernels::kMve}},
      {"cortex-m55-gcc", {BoardKernels::kMve}},
      {"cortex-m7", {BoardKernels::kArmdsp}},
      {"rv32imc", {BoardKernels::kReference}},
      {"wasm", {BoardKernels::kReference}},
      {"xtensa-lx106", {BoardKernels::kReference}},
  };
  return boards;
}

std::vector<std::string> BoardNames() {
  std::vector<std::string> names;
  for (const Board& board : Boards()) names.push_back(board.name);
  return names;
}

const Board& BoardOf(const std::string& name) {
  for (const Board& board : Boards()) {
    if (board.name == name) return board;
  }
  throw BadUsage(fmt::format("{}: no such platform; there are {}", name, fmt::join(BoardNames(), ", ")));
}

BoardOptions BoardOptionsOf(const Model& model) {
  BoardOptions needs;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int t = 0; t < model.tensor_count(s); ++t) {
      const TensorInfo info = model.tensor(s, t);
      needs.int4 |= info.is_int4;
      needs.decode |= info.is_compressed && !info.is_int4;
    }
  }
  needs.row_groups = !model.Metadata(kRowPlanName).empty();
  for (;;) {
    const char* const name = MissingLibrary(model, needs);
    // A model that is still refused with this option is refused whatever the library has.
    if (name == nullptr || !needs.library.insert(name).second) return needs;
  }
}

std::string LibraryText(const BoardOptions& needs) {
  std::string text;
  for (const std::string& option : needs.library) {
    text += (text.empty() ? "the board's library is built with\n  -D" : "  -D") + option + "=ON\n";
  }
  return text;
}

BoardArena ArenaOn(const Board& board, const ModelFile& file, MemoryPolicy policy) {
  const InterpreterOptions options = OptionsFor(BoardOptionsOf(file.model), policy);
  BoardArena largest;
  for (const BoardKernels kernels : board.kernels) {
    const BoardArena arena = CountArena(kernels, file, options);
    if (arena.bytes > largest.bytes) largest = arena;
  }
  return largest;
}

std::string FirmwareNameOf(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "model_" + name : name;
}

std::vector<std::string> OperatorsOf(const Model& model) {
  std::set<std::string> names;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int n = 0; n < model.node_count(s); ++n) {
      const char* const name = ConstantOf(model.node(s, n));
      if (name != nullptr) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace lutra::host
