// SPDX-License-Identifier: Apache-2.0
// Finds the rules that the corpus tells apart.

#pragma once

#include <string_view>

#include "conformance/runner/corpus.h"

namespace lutra::conformance {

// Cases that give other bytes under one rule than under the other.
struct RulePair {
  std::string op, first, second;
  int cases = 0;
  std::string equivalent;  // Why no case can tell them apart, where that is known.
};

// Returns whether no input at all tells these rules of an operator apart.
bool AreEquivalent(std::string_view op, std::string_view rule, std::string_view other);

// Every two rules of every operator that has more than one.
std::vector<RulePair> Separate(const std::vector<Case>& cases);
std::string SeparationTable(const std::vector<RulePair>& pairs);

}  // namespace lutra::conformance
