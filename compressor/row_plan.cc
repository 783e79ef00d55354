// SPDX-License-Identifier: Apache-2.0
// Searches groups of operators, and writes them into the model's metadata.

#include "compressor/row_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "host/failures.h"
#include "host/firmware.h"
#include "host/json_archive.h"
#include "host/prepared_model.h"
#include "host/printable.h"
#include "host/result.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/row_groups.h"

namespace lutra::compressor {
namespace {

constexpr int32_t kNoOffset = -1;

// The multipliers of one operator's channels: value and shift of each.
struct MultiplierTable {
  int node = 0;
  std::vector<int32_t> words;
};

// The result of AllocateTensors for a plan.
struct Trial {
  int node_count = 0;  // Nodes of the graph, more than the file's if the model calls subgraphs.
  int64_t head_bytes = 0;
  std::vector<int64_t> bounds;        // The head's bound at each operator.
  std::vector<OperatorGroup> groups;  // Groups that run.
  std::vector<PlannedBuffer> buffers;
  std::vector<MultiplierTable> tables;  // Tables in the arena, or in the plan.
};

class Planner {
 public:
  Planner(const host::ModelFile& file, const RowPlanOptions& options)
      : path_(file.path), placement_(PlacementOf(file)), options_(options), editor_(file) {
    auto& all = editor_.model().metadata;
    const auto is_plan = [](const auto& metadata) { return metadata->name == kRowPlanName; };
    all.erase(std::remove_if(all.begin(), all.end(), is_plan), all.end());
    for (const auto& metadata : all) {
      if (metadata->name == "OfflineMemoryAllocation") {
        throw host::BadInput(path_ +
                             ": the model says where its tensors lie (OfflineMemoryAllocation); remove "
                             "that metadata first");
      }
    }
    for (int s = 0; s < editor_.subgraph_count(); ++s) {
      tensor_count_ += static_cast<int32_t>(editor_.subgraph(s).tensors.size());
    }
    node_count_ = static_cast<int>(editor_.subgraph(0).operators.size());
  }

  RowPlanResult Run() {
    RowPlanResult result;
    result.path = path_;
    Trial before = Try({}, kSearchMoves);
    result.head_bytes_before = before.head_bytes;
    result.can_group = before.node_count == node_count_;
    if (options_.tables) {
      // With policy fast the interpreter keeps the multipliers.
      tables_ = Try({}, 0, MemoryPolicy::kFast).tables;
      before = Try({}, kSearchMoves);
    }
    const Choice choice = !result.can_group               ? Choice{{}, before, 0}
                          : options_.most_arena_bytes > 0 ? ChooseToFit(before)
                                                          : ChooseSmallest(before);
    result.head_bytes_after = choice.trial.head_bytes;
    for (const MultiplierTable& table : tables_) {
      result.table_bytes += static_cast<int64_t>(table.words.size() * sizeof(int32_t));
    }
    for (const OperatorGroup& group : choice.groups) result.groups.push_back({group, NamesOf(group)});
    result.needs_groups = options_.most_arena_bytes == 0 || !choice.groups.empty();
    result.file = FileOf(choice);
    NoteBoard(&result);
    return result;
  }

 private:
  static constexpr int kSearchMoves = 300;
  static constexpr size_t kBoardScratchBytes = 1 << 20;

  // Returns bounds and head of the model with these groups.
  Trial Try(const std::vector<OperatorGroup>& groups, int search_moves,
            MemoryPolicy policy = MemoryPolicy::kSmall) const {
    const host::ModelFile model = LoadModel(WithPlan(groups, nullptr), path_);
    Trial trial;
    trial.bounds.resize(static_cast<size_t>(node_count_));
    MicroInterpreter::Visitor visitor;
    visitor.user = &trial;
    visitor.buffer = [](void* user, const PlannedBuffer& b) {
      static_cast<Trial*>(user)->buffers.push_back(b);
    };
    visitor.row_group = [](void* user, int first, int count) {
      static_cast<Trial*>(user)->groups.push_back({first, count});
    };
    visitor.step_bound = [](void* user, int step, int64_t bytes) {
      std::vector<int64_t>& bounds = static_cast<Trial*>(user)->bounds;
      if (static_cast<size_t>(step) <= bounds.size()) bounds[static_cast<size_t>(step - 1)] = bytes;
    };
    visitor.multipliers = [](void* user, int node, const Multiplier* multipliers, int32_t channels) {
      MultiplierTable table{node, {}};
      for (int32_t c = 0; c < channels; ++c) {
        table.words.insert(table.words.end(), {multipliers[c].value, multipliers[c].shift});
      }
      static_cast<Trial*>(user)->tables.push_back(std::move(table));
    };
    InterpreterOptions options;
    options.policy = policy;
    options.plan.search_moves = search_moves;
    size_t arena_bytes = host::SmallestArena(model, options);
    // A board's kernels may need more scratch than the host's.
    BoardUse use;
    if (!options_.board.empty()) {
      use.kernels = host::BoardOf(options_.board).kernels.back();
      visitor.board = &use;
      options.cpu_features = kCpuAny;
      arena_bytes = 2 * arena_bytes + kBoardScratchBytes;
    }
    host::PreparedModel prepared(model, options, arena_bytes, visitor);
    trial.node_count = prepared->node_count();
    // A plan has tables of the model's own operators alone, and their numbers there.
    const auto node_of = [&](const MultiplierTable& table) -> const Node& {
      return prepared->node(table.node);
    };
    std::erase_if(trial.tables, [&](const MultiplierTable& table) { return node_of(table).subgraph != 0; });
    for (MultiplierTable& table : trial.tables) table.node = node_of(table).index;
    trial.head_bytes = static_cast<int64_t>(prepared->memory().head_bytes);
    return trial;
  }

  void NoteBoard(RowPlanResult* result) const {
    if (options_.board.empty()) return;
    result->board = {options_.board, ArenaOfBoard(editor_.Write(placement_)), ArenaOfBoard(result->file)};
  }

  int64_t ArenaOfBoard(const Bytes& file) const {
    const host::ModelFile model = LoadModel(file, path_);
    return static_cast<int64_t>(
        host::ArenaOn(host::BoardOf(options_.board), model, MemoryPolicy::kSmall).bytes);
  }

  struct Choice {
    std::vector<OperatorGroup> groups;
    Trial trial;
    int64_t bound = 0;  // The largest bound of all operators and groups.
  };

  // Returns the groups with the smallest bound; or, of those with a bound of at most `enough`, the ones with
  // the fewest operators.
  Choice Choose(const Trial& before, int64_t enough) {
    Choice choice = Best(before, enough);
    choice.groups = WithoutNeedless(std::move(choice.groups), enough);
    choice.trial = Try(choice.groups, kSearchMoves);
    return choice;
  }

  // Returns the groups of the smallest head, or no groups if they save nothing.
  Choice ChooseSmallest(const Trial& before) {
    Choice choice = Choose(before, 0);
    Choice none = {{}, before, 0};
    if (choice.trial.head_bytes >= before.head_bytes) return none;
    // A group also needs persistent memory for its records.
    const bool gains = options_.board.empty() || ArenaOfBoard(FileOf(choice)) < ArenaOfBoard(FileOf(none));
    return gains ? choice : none;
  }

  // Puts more and more operators into groups, until the arena is small enough. Returns the choice of the
  // smallest arena if none is.
  Choice ChooseToFit(const Trial& before) {
    Choice choice = {{}, before, 0};
    for (const int64_t bound : before.bounds) choice.bound = std::max(choice.bound, bound);
    Choice smallest = choice;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t enough = choice.bound; choice.bound <= enough;) {
      const int64_t arena = ArenaOfBoard(FileOf(choice));
      if (arena < least) {
        least = arena;
        smallest = choice;
      }
      if (least <= options_.most_arena_bytes) break;
      enough = choice.bound - 1;
      choice = Choose(before, enough);
    }
    return smallest;
  }

  Bytes FileOf(const Choice& choice) const {
    return WithPlan(choice.groups, choice.groups.empty() ? nullptr : &choice.trial);
  }

  // Returns the groups whose largest bound is smallest, or at most `enough`; of equal ones, those with the
  // fewest operators.
  Choice Best(const Trial& alone, int64_t enough) {
    struct Cost {
      int64_t bytes = std::numeric_limits<int64_t>::max();
      int grouped = 0;
      int last_count = 0;  // The number of operators in the last group.
      bool operator<(const Cost& other) const {
        return std::pair(bytes, grouped) < std::pair(other.bytes, other.grouped);
      }
    };
    std::vector<Cost> best(static_cast<size_t>(node_count_) + 1);
    best[0] = {0, 0, 0};
    for (int end = 1; end <= node_count_; ++end) {
      for (int count = 1; count <= std::min(end, options_.longest); ++count) {
        const int64_t bound =
            count == 1 ? alone.bounds[static_cast<size_t>(end - 1)] : BoundOf({end - count, count});
        if (bound < 0) continue;
        const Cost& rest = best[static_cast<size_t>(end - count)];
        const Cost cost = {std::max({rest.bytes, bound, enough}), rest.grouped + (count == 1 ? 0 : count),
                           count};
        best[static_cast<size_t>(end)] = std::min(best[static_cast<size_t>(end)], cost);
      }
    }
    Choice choice;
    for (int end = node_count_; end > 0; end -= best[static_cast<size_t>(end)].last_count) {
      const int count = best[static_cast<size_t>(end)].last_count;
      const OperatorGroup group = {end - count, count};
      choice.bound =
          std::max(choice.bound, count == 1 ? alone.bounds[static_cast<size_t>(end - 1)] : BoundOf(group));
      if (count > 1) choice.groups.insert(choice.groups.begin(), group);
    }
    return choice;
  }

  // Returns the head's bound while this group runs; -1 if it cannot run.
  int64_t BoundOf(const OperatorGroup& group) {
    const auto [known, is_new] = bounds_.try_emplace({group.first, group.count}, -1);
    if (!is_new) return known->second;
    const Trial trial = Try({group}, 0);
    if (!trial.groups.empty()) {
      known->second = trial.bounds[static_cast<size_t>(group.first + group.count - 1)];
    }
    return known->second;
  }

  // Returns the groups without those that the smallest head, or one of `enough` bytes, does not need.
  std::vector<OperatorGroup> WithoutNeedless(std::vector<OperatorGroup> groups, int64_t enough) const {
    int64_t bytes = std::max(enough, Try(groups, kSearchMoves).head_bytes);
    for (size_t i = groups.size(); i-- > 0;) {
      std::vector<OperatorGroup> fewer = groups;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const int64_t without = std::max(enough, Try(fewer, kSearchMoves).head_bytes);
      if (without > bytes) continue;
      bytes = without;
      groups = std::move(fewer);
    }
    return groups;
  }

  // Returns the model with these groups, the places of a trial and the tables; without a plan if there are no
  // groups and tables.
  Bytes WithPlan(const std::vector<OperatorGroup>& groups, const Trial* places) const {
    if (groups.empty() && tables_.empty()) return editor_.Write(placement_);
    constexpr int32_t kWithoutTables = 1;  // Versions of the format.
    constexpr int32_t kWithTables = 2;
    ModelEditor planned = editor_;
    std::vector<int32_t> words = {tables_.empty() ? kWithoutTables : kWithTables, node_count_,
                                  places != nullptr ? tensor_count_ : 0, static_cast<int32_t>(groups.size()),
                                  places != nullptr ? static_cast<int32_t>(places->head_bytes) : 0};
    if (!tables_.empty()) words.push_back(static_cast<int32_t>(tables_.size()));
    for (const OperatorGroup& group : groups) {
      words.push_back(group.first);
      words.push_back(group.count);
    }
    if (places != nullptr) {
      const size_t begin = words.size();
      words.resize(begin + static_cast<size_t>(tensor_count_), kNoOffset);
      for (const PlannedBuffer& buffer : places->buffers) {
        if (buffer.tensor >= 0) words[begin + TensorNumber(buffer)] = buffer.offset;
      }
    }
    for (const MultiplierTable& table : tables_) {
      words.insert(words.end(), {table.node, static_cast<int32_t>(table.words.size() / 2)});
    }
    for (const MultiplierTable& table : tables_) {
      words.insert(words.end(), table.words.begin(), table.words.end());
    }
    Bytes bytes;
    for (const int32_t word : words) {
      for (int shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(word) >> shift));
      }
    }
    auto metadata = std::make_unique<edit::MetadataT>();
    metadata->name = kRowPlanName;
    metadata->buffer = planned.AddBuffer(std::move(bytes));
    planned.model().metadata.push_back(std::move(metadata));
    return planned.Write(placement_);
  }

  size_t TensorNumber(const PlannedBuffer& buffer) const {
    size_t number = static_cast<size_t>(buffer.tensor);
    for (int s = 0; s < buffer.subgraph; ++s) number += editor_.subgraph(s).tensors.size();
    return number;
  }

  std::vector<std::string> NamesOf(const OperatorGroup& group) const {
    std::vector<std::string> names;
    for (int i = group.first; i < group.first + group.count; ++i) {
      names.push_back(editor_.NameOf(*editor_.subgraph(0).operators[static_cast<size_t>(i)]));
    }
    return names;
  }

  std::string path_;
  Placement placement_;
  RowPlanOptions options_;
  ModelEditor editor_;
  std::vector<MultiplierTable> tables_;
  std::map<std::pair<int, int>, int64_t> bounds_;  // Bounds by first operator and count.
  int32_t tensor_count_ = 0;
  int node_count_ = 0;
};

}  // namespace

RowPlanResult PlanRows(const host::ModelFile& file, const RowPlanOptions& options) {
  const RowPlanResult result = Planner(file, options).Run();
  if (options.most_arena_bytes > 0 && result.board->arena_bytes_after > options.most_arena_bytes) {
    throw host::BadInput(
        fmt::format("{}: found an arena of {} bytes at least on {}, required: at most {} (--arena-bytes)",
                    file.path, result.board->arena_bytes_after, options.board, options.most_arena_bytes));
  }
  return result;
}

std::string RowPlanTable(const RowPlanResult& result) {
  std::string text = fmt::format("{}: activations of {} bytes become {}\n", host::Printable(result.path),
                                 result.head_bytes_before, result.head_bytes_after);
  for (const RowPlanResult::Group& group : result.groups) {
    text += fmt::format("operators {} to {}  {}\n", group.operators.first,
                        group.operators.first + group.operators.count - 1, fmt::join(group.names, ", "));
  }
  if (!result.can_group) {
    text += "no groups: operators of called subgraphs run between the model's own\n";
  } else if (!result.needs_groups) {
    text += "no groups: the arena is small enough without\n";
  } else if (result.groups.empty()) {
    text += "no group of operators would make them smaller\n";
  }
  if (result.table_bytes > 0) text += fmt::format("multipliers of channels: {} bytes\n", result.table_bytes);
  if (result.board) {
    text += fmt::format("on {}: an arena of {} bytes becomes {}, policy small\n", result.board->name,
                        result.board->arena_bytes_before, result.board->arena_bytes_after);
  }
  return text;
}

template <typename Archive>
void Fields(Archive& archive, const RowPlanResult::Group& group) {
  archive("first_operator", group.operators.first);
  archive("operators", group.names);
}

template <typename Archive>
void Fields(Archive& archive, const RowPlanResult::OnBoard& board) {
  archive("name", board.name);
  archive("arena_bytes_before", board.arena_bytes_before);
  archive("arena_bytes_after", board.arena_bytes_after);
}

template <typename Archive>
void Fields(Archive& archive, const RowPlanResult& result) {
  archive("schema_version", host::kResultSchemaVersion);
  archive("model", result.path);
  archive("head_bytes_before", result.head_bytes_before);
  archive("head_bytes_after", result.head_bytes_after);
  archive("table_bytes", result.table_bytes);
  archive("groups", result.groups);
  archive.IfAny("platform", result.board);
}

std::string RowPlanJson(const RowPlanResult& result) { return host::JsonText(host::ToJson(result), 1); }

}  // namespace lutra::compressor
