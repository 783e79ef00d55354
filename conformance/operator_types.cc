// SPDX-License-Identifier: Apache-2.0
// Runs models of each type, and notes which runtimes ran them.

#include "conformance/operator_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/generator/model_maker.h"
#include "conformance/generator/type_models.h"
#include "conformance/runner/case_run.h"
#include "conformance/runner/run.h"
#include "host/glob.h"

namespace lutra::conformance {
namespace {

constexpr char kNoReason[] = "no reason is known";

bool IsIn(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string OperandName(const oracle::Operator& op, int input) {
  const oracle::Role role = oracle::RoleAt(op.operands.inputs, static_cast<size_t>(input));
  const char* const what = role == oracle::kWeights    ? "weights"
                           : role == oracle::kBias     ? "bias"
                           : role == oracle::kSteering ? "axes, sizes, indices"
                                                       : "values";
  return fmt::format("{} ({})", input, what);
}

// Returns whether the runtime answers that it ran the case, and gives outputs of the sizes in the file.
bool Runs(const Case& test, AdapterProcess* adapter, const std::filesystem::path& folder) {
  const auto model = oracle::ReadModel(test.model);
  const edit::SubGraphT& graph = *model->subgraphs[0];
  std::vector<size_t> sizes;
  for (const int32_t output : graph.outputs) {
    const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(output)];
    sizes.push_back(oracle::ByteCount(tensor));
  }
  const CaseRun run = RunCase(test, sizes, adapter, folder);
  return run.answer.kind == AdapterAnswer::kOk && run.problem.empty() && run.outputs.size() == sizes.size();
}

// Returns "1" for "1 (axes, sizes, indices)".
std::string FirstWord(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string IdOf(const std::string& op, const std::string& what) { return op + "." + FirstWord(what); }

}  // namespace

RuntimeTypes RunTypes(const std::string& adapter, std::chrono::milliseconds timeout, int jobs) {
  RuntimeTypes types;
  std::vector<Case> cases;
  for (const oracle::Operator* op : TypedOperators()) {
    OperatorTypes& row = types.operators.emplace_back(OperatorTypes{.op = op->name()});
    const auto ask = [&](Case test, const std::string& what) {
      test.id = IdOf(row.op, what);
      cases.push_back(std::move(test));
    };
    for (const int8_t type : ModelTypes()) {
      row.types.emplace_back(TypeName(type));
      for (const edit::ModelT& model : ModelsOfType(*op, type)) ask(CaseOf(model), row.types.back());
    }
    for (ComputedOperand& operand : ComputedOperands(*op)) {
      row.computed.push_back(OperandName(*op, operand.input));
      ask(std::move(operand.test), row.computed.back());
    }
  }
  // The questions that the runtime has answered: one of several models suffices.
  std::set<std::string> done;
  std::mutex mutex;
  const CaseWork run = [&](const Case& test, AdapterProcess* process, const std::filesystem::path& folder) {
    if (!Runs(test, process, folder)) return;
    const std::lock_guard lock(mutex);
    done.insert(test.id);
  };
  types.greeting = ForEachCase(cases, adapter, timeout, jobs, run);
  for (OperatorTypes& row : types.operators) {
    const auto is_left = [&](const std::string& what) { return done.count(IdOf(row.op, what)) == 0; };
    std::erase_if(row.types, is_left);
    std::copy_if(row.computed.begin(), row.computed.end(), std::back_inserter(row.constant), is_left);
    std::erase_if(row.computed, is_left);
  }
  return types;
}

std::string_view ReasonToLack(std::string_view op, std::string_view what) {
  struct Reason {
    const char *op, *what;  // Patterns.
    std::string_view why;
  };
  constexpr std::string_view kSums = "TFLM's sums are off by the zero point, and no converter writes it";
  constexpr std::string_view kBytes =
      "TFLM looks at no type here: it reads some of the bytes as truth values";
  constexpr std::string_view kPlanned =
      "what is moved or reduced is planned once, before the first inference; converters write constants";
  static constexpr Reason kReasons[] = {
      {"ADD_N", "int8", kSums},
      {"CUMSUM", "int8", kSums},
      {"RSQRT", "int16", "TFLM's codes are not those of LiteRT, and no known model has it"},
      {"LOGICAL_*", "*", kBytes},
      {"ARG_M*", "1", kPlanned},
      {"BATCH_TO_SPACE_ND", "?", kPlanned},
      {"SPACE_TO_BATCH_ND", "?", kPlanned},
      {"MEAN", "1", kPlanned},
      {"SUM", "1", kPlanned},
      {"REDUCE_*", "1", kPlanned},
      {"MIRROR_PAD", "1", kPlanned},
      {"PADV2", "2", kPlanned},
      {"REVERSE_V2", "1", kPlanned},
      {"SLICE", "?", kPlanned},
      {"SPLIT_V", "1", kPlanned},
  };
  for (const Reason& reason : kReasons) {
    if (host::Matches(reason.op, std::string(op)) && host::Matches(reason.what, std::string(what))) {
      return reason.why;
    }
  }
  return {};
}

namespace {

std::string ReasonText(const std::string& op, const std::string& what) {
  const std::string_view reason = ReasonToLack(op, what);
  return std::string(reason.empty() ? kNoReason : reason);
}

std::string TypeTable(const RuntimeTypes& ours, const RuntimeTypes& theirs, const std::string& name) {
  std::string head = "| operator |", line = "|---|", rows;
  for (const int8_t type : ModelTypes()) {
    head += fmt::format(" {} |", TypeName(type));
    line += "---|";
  }
  for (size_t i = 0; i < ours.operators.size(); ++i) {
    rows += fmt::format("| {} |", ours.operators[i].op);
    for (const int8_t type : ModelTypes()) {
      const bool here = IsIn(ours.operators[i].types, TypeName(type));
      const bool there = IsIn(theirs.operators[i].types, TypeName(type));
      rows += fmt::format(" {} |", here && there ? "both" : here ? "Lutra" : there ? name : "");
    }
    rows += "\n";
  }
  return head + "\n" + line + "\n" + rows;
}

std::string ReasonTable(const RuntimeTypes& ours, const RuntimeTypes& theirs) {
  std::string rows;
  for (size_t i = 0; i < ours.operators.size(); ++i) {
    const std::string& op = ours.operators[i].op;
    for (const std::string& type : theirs.operators[i].types) {
      if (IsIn(ours.operators[i].types, type)) continue;
      rows += fmt::format("| {} | {} | {} |\n", op, type, ReasonText(op, type));
    }
  }
  return rows.empty() ? "Nothing.\n" : "| operator | type | why not here |\n|---|---|---|\n" + rows;
}

std::string OperandTable(const RuntimeTypes& ours, const RuntimeTypes& theirs, const std::string& name) {
  std::string rows;
  for (size_t i = 0; i < ours.operators.size(); ++i) {
    const OperatorTypes &here = ours.operators[i], &there = theirs.operators[i];
    for (const std::string& operand : here.constant) {
      const bool is_free = IsIn(there.computed, operand);
      rows += fmt::format("| {} | {} | {} | {} |\n", here.op, operand, is_free ? "Lutra" : "both",
                          is_free ? ReasonText(here.op, FirstWord(operand)) : "");
    }
    for (const std::string& operand : there.constant) {
      if (IsIn(here.constant, operand)) continue;
      rows += fmt::format("| {} | {} | {} | |\n", here.op, operand, name);
    }
  }
  return "| operator | operand | constant in | why |\n|---|---|---|---|\n" + rows;
}

}  // namespace

std::string TypesPage(const RuntimeTypes& ours, const RuntimeTypes& theirs, const std::string& name) {
  std::string text = fmt::format("# Types of operators: Lutra and {}\n\n", name);
  text += fmt::format(
      "Written by `conformance types`: for each operator and type a small model, run on both ({} and {}).\n"
      "The type is that of the first activation, or of the first input where there is none; int4: of weights "
      "beside int8.\n"
      "That a runtime runs a model does not say that its bytes are right: `conformance run` does.\n"
      "Operators of state and control flow take any type in both; custom operators are not asked.\n",
      ours.greeting, theirs.greeting);
  text += "\n" + TypeTable(ours, theirs, name);
  text += fmt::format("\n## What {} alone runs\n\n", name) + ReasonTable(ours, theirs);
  text +=
      "\n## Operands that must be constant\n\nOf those that converters write as constants, the others may be "
      "computed.\n\n";
  return text + OperandTable(ours, theirs, name);
}

std::string TypesJson(const RuntimeTypes& ours, const RuntimeTypes& theirs) {
  nlohmann::ordered_json operators = nlohmann::ordered_json::array();
  for (size_t i = 0; i < ours.operators.size(); ++i) {
    const OperatorTypes &here = ours.operators[i], &there = theirs.operators[i];
    operators.push_back({{"op", here.op},
                         {"types", nlohmann::json::array({here.types, there.types})},
                         {"constant", nlohmann::json::array({here.constant, there.constant})}});
  }
  const nlohmann::ordered_json document = {{"runtimes", {ours.greeting, theirs.greeting}},
                                           {"operators", std::move(operators)}};
  return document.dump(1) + "\n";
}

}  // namespace lutra::conformance
