// SPDX-License-Identifier: Apache-2.0
// The specification as a document: every operator in the specification's words, with the rule of each
// profile, the linter's rules, the cases of the corpus, and the types that the runtime runs. All of it comes
// from the tables that linter, oracle, corpus and runtime use.
//
//   fmt::print("{}", SpecificationText(CollectSpecification(Manifest(golden / "manifest.jsonl"))));

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/linter/lint_rule.h"
#include "conformance/linter/specification.h"
#include "conformance/runner/manifest.h"

namespace lutra::conformance {

struct OperatorSpecification {
  std::string name;  // The oracle's: "QUANTIZE.float32".
  bool listed = false;
  std::vector<linter::SpecifiedOperand> operands;  // Empty: the specification's words do not fit this row.
  bool equal_quantization = false;
  std::vector<std::pair<std::string, std::string>> rules;      // Profile, rule.
  std::vector<std::pair<std::string, linter::Severity>> lint;  // "S-CONV_2D-bias-scale".
  size_t cases = 0;
  std::vector<std::string> types;  // "int8"
};

// Every operator that the oracle has, sorted by name.
std::vector<OperatorSpecification> CollectSpecification(const Manifest& manifest);

// Markdown.
std::string SpecificationText(const std::vector<OperatorSpecification>& operators);
std::string SpecificationJson(const std::vector<OperatorSpecification>& operators);

}  // namespace lutra::conformance
