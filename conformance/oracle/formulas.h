// SPDX-License-Identifier: Apache-2.0
// Every rule in words and integers, for people: what an operator computes before it rounds, and how each of
// its rules makes a code of that. conformance/RULES.md is generated from these texts.

#pragma once

#include <string>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {

// "acc = sum of (q - z_in) over the axes; ratio = s_in / s_out". Empty: the text is missing; a test finds
// that.
std::string_view ComputedBy(const Operator& op);
// "code = clamp(DR(acc, ratio) + z_out)". Returns the rule's formula for this operator, else the one that all
// operators share under the rule's name.
std::string_view FormulaOf(const Operator& op, const ArithmeticRule& rule);

// All of them as Markdown, with the profiles that have each.
std::string RulesPage();

}  // namespace lutra::conformance::oracle
