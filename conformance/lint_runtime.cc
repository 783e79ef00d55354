// SPDX-License-Identifier: Apache-2.0
// Counts the operators that were not checked, and prepares the model.

#include "conformance/lint_runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/linter/lint.h"
#include "host/kernels_owner.h"
#include "host/model_file.h"
#include "host/prepared_model.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "lutra/row_groups.h"

namespace lutra::conformance {
namespace {

// A model that needs a larger arena is not prepared to the end.
constexpr size_t kMostArenaBytes = size_t{1} << 28;

// Prepares the model in larger and larger arenas. Returns why this runtime refuses it; empty if it does not.
std::string RefusalOf(host::ModelFile* file) {
  constexpr size_t kFirstArenaBytes = size_t{1} << 16;
  Diagnosis diagnosis;
  Status status = Model::Load(file->bytes.span(), &file->model, &diagnosis);
  const auto attempt = [&](size_t bytes) -> size_t {
    if (bytes > kMostArenaBytes) return 0;
    const host::AlignedBytes memory(bytes);
    MicroInterpreter interpreter(file->model, AllOps(), memory.span());
    const host::KernelsOwner owner(&interpreter);
    const Status prepared = interpreter.AllocateTensors();
    if (prepared == Status::kArenaTooSmall) return std::max(bytes + 1, interpreter.diagnosis().wanted_bytes);
    status = prepared;
    diagnosis = interpreter.diagnosis();
    return 0;
  };
  if (status == Status::kOk) (void)host::GrowArena(kFirstArenaBytes, attempt);
  if (status == Status::kOk) return "";
  const std::string why = host::DescribeRefusal(*file, status, diagnosis);
  return why.starts_with(file->path + ": ") ? why.substr(file->path.size() + 2) : why;
}

// Returns "2 operators of INT16 (ADD, CONV_2D)" and so on, by type.
std::string DescribeNotChecked(const std::vector<linter::NotChecked>& operators) {
  struct OfType {
    int count = 0;
    std::vector<std::string> names;
  };
  std::map<std::string, OfType> types;
  for (const linter::NotChecked& one : operators) {
    OfType& type = types[one.type];
    ++type.count;
    if (std::find(type.names.begin(), type.names.end(), one.op) == type.names.end())
      type.names.push_back(one.op);
  }
  std::string text;
  for (const auto& [name, type] : types) {
    text += fmt::format("{}{} operator{} of {} ({})", text.empty() ? "" : ", ", type.count,
                        type.count == 1 ? "" : "s", name, fmt::join(type.names, ", "));
  }
  return text;
}

linter::Finding NotCheckedFinding(const std::vector<linter::NotChecked>& operators,
                                  const std::string& refusal) {
  return {.rule = "S-ANY-not-checked",
          .severity = linter::Severity::kNote,
          .subgraph = operators[0].subgraph,
          .node = operators[0].node,
          .op = operators[0].op,
          .tensor = -1,
          .tensor_name = "",
          .found = DescribeNotChecked(operators),
          .required = "INT8 activations",
          .explanation = "rules about values did not look at these operators; this runtime " +
                         (refusal.empty() ? "runs the model" : "refuses the model: " + refusal)};
}

// Returns a finding about a model that this runtime refuses, for its row plan or for another reason.
linter::Finding RefusalFinding(const std::string& refusal, bool is_of_plan) {
  linter::Finding finding = {.rule = "E-ANY-refused",
                             .severity = linter::Severity::kWarning,
                             .subgraph = 0,
                             .node = -1,
                             .op = "",
                             .tensor = -1,
                             .tensor_name = "",
                             .found = "a model that this runtime refuses",
                             .required = "one that it runs",
                             .explanation = refusal};
  if (is_of_plan) {
    // Other runtimes ignore the plan; Lutra refuses a wrong one.
    finding.rule = "S-ANY-row-plan";
    finding.severity = linter::Severity::kError;
    finding.found = std::string("metadata ") + kRowPlanName + " that this runtime refuses";
    finding.required = "a plan that compress plan has made of this file";
  }
  return finding;
}

std::vector<linter::Finding> FindAll(const std::string& path) {
  host::ModelFile file;
  file.path = path;
  file.bytes = host::ReadFileBytes(path);
  const auto model = oracle::ReadModel({file.bytes.span().begin(), file.bytes.span().end()});
  const std::vector<linter::NotChecked> operators = linter::OperatorsNotChecked(*model);
  const std::string refusal = RefusalOf(&file);
  std::vector<linter::Finding> findings;
  if (!operators.empty()) findings.push_back(NotCheckedFinding(operators, refusal));
  // The finding above tells any other refusal.
  const bool is_of_plan = refusal.find("row-plan: ") != std::string::npos;
  if (is_of_plan || (operators.empty() && !refusal.empty()))
    findings.push_back(RefusalFinding(refusal, is_of_plan));
  return findings;
}

}  // namespace

LintExtension RuntimeLint() { return {.declare = {}, .findings = FindAll}; }

}  // namespace lutra::conformance
