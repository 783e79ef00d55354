// SPDX-License-Identifier: Apache-2.0
// Finds the rules that the corpus distinguishes.

#pragma once

#include <string_view>

#include "conformance/runner/corpus.h"

namespace lutra::conformance {

// Two rules, and the cases that give different bytes under them.
struct RulePair {
  std::string op, first, second;
  int cases = 0;
  std::string equivalent;  // Why no case can distinguish them, if that is known.
};

// Returns whether no input distinguishes these rules of an operator.
bool AreEquivalent(std::string_view op, std::string_view rule, std::string_view other);

// Returns every pair of rules of every operator that has several.
std::vector<RulePair> Separate(const std::vector<Case>& cases);
std::string SeparationTable(const std::vector<RulePair>& pairs);

}  // namespace lutra::conformance
