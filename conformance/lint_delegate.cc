// SPDX-License-Identifier: Apache-2.0
// Asks delegates about a model, if the runtime takes it.

#include "conformance/lint_delegate.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "delegates/delegates.h"
#include "delegates/taken_nodes.h"
#include "host/model_file.h"
#include "lutra/node_info.h"

namespace lutra::conformance {
namespace {

constexpr char kExplanation[] = "the node runs on the CPU; compress pack --delegate keeps it the delegate's";

struct Line {
  std::string delegate;
  std::string options;
};

std::vector<linter::Finding> Findings(const Line& line, const std::string& path) {
  const delegates::ChosenDelegates chosen(line.delegate, line.options);
  if (chosen.empty()) return {};
  host::ModelFile file;
  file.bytes = host::ReadFileBytes(path);
  Diagnosis diagnosis;
  // If the model is wrong, the rules report it.
  if (Model::Load(file.bytes.span(), &file.model, &diagnosis) != Status::kOk) return {};
  std::vector<linter::Finding> findings;
  for (const delegates::CompressedOperand& operand :
       delegates::KeptByCompression(file.model, chosen.tables())) {
    const NodeInfo node = file.model.node(0, operand.node);
    const std::string name = operand.delegate->Name(operand.delegate->state);
    findings.push_back({.rule = "E-delegate-codec",
                        .severity = linter::Severity::kWarning,
                        .subgraph = 0,
                        .node = operand.node,
                        .op = NameOf(node.code, node.custom_code),
                        .tensor = operand.tensor,
                        .tensor_name = file.model.tensor(0, operand.tensor).name,
                        .found = std::string("codec ") + ToString(operand.codec),
                        .required = "a codec that delegate " + name +
                                    " takes: " + delegates::NamesOf(operand.delegate->compressed),
                        .explanation = kExplanation});
  }
  return findings;
}

}  // namespace

LintExtension DelegateLint() {
  const auto line = std::make_shared<Line>();
  return {.declare =
              [line](CLI::App& verb) {
                verb.add_option("--delegate", line->delegate,
                                "Also warn of compressed constants that keep nodes from it. " +
                                    delegates::DelegateHelp());
                verb.add_option("--delegate-options", line->options, "Options of the delegate: k=v,...");
              },
          .findings = [line](const std::string& path) { return Findings(*line, path); }};
}

}  // namespace lutra::conformance
