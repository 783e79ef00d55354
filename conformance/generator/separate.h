// SPDX-License-Identifier: Apache-2.0
// Cases that tell rules apart: candidates are made until every two rules of the operator differ on some.
//
//   AddSeparators(sink, "ADD", 5, 400, [](Random& random) { return MakeAdd(random, ...); });

#pragma once

#include <functional>
#include <map>
#include <utility>

#include "conformance/generator/case.h"
#include "conformance/generator/random.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance {

// Returns the outputs of the case, one after the other, if its operator follows the rule; empty if the oracle
// has none. `look` is called with each node of the operator before it is evaluated.
oracle::Bytes OutputsUnder(const Case& test, const oracle::Operator& op, const oracle::ArithmeticRule& rule,
                           const std::function<void(const oracle::Node&)>& look = {});

// The rules to separate, and the names of the cases.
struct Separation {
  const char* what = "separate";
  size_t rules =
      0;  // The operator's first ones; 0: all. Cases that were frozen before a rule was known stay.
};

// Draws at most `tries` candidates and adds those that separate two rules which fewer than `wanted` cases
// before separate. Ids: <prefix of the op>separate.NNNN.
void AddSeparators(const CaseSink& sink, const char* op, int wanted, int tries,
                   const std::function<Case(Random&)>& candidate, const Separation& separation = {});

// "CONV_2D" -> "int8.conv_2d.", "QUANTIZE.float32" -> "int8.quantize_float32."
std::string PrefixOf(std::string_view op);

}  // namespace lutra::conformance
