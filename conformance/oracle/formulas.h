// SPDX-License-Identifier: Apache-2.0
// Every rule said in words and integers, for people: what an operator computes before anything is rounded,
// and how each of its rules makes a code of it. conformance/RULES.md is made of them.

#pragma once

#include <string>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {

// "acc = sum of (q - z_in) over the axes; ratio = s_in / s_out". Empty: there is none, which a test finds.
std::string_view ComputedBy(const Operator& op);
// "code = clamp(DR(acc, ratio) + z_out)". The rule's own for this operator, else what all operators mean by
// the name.
std::string_view FormulaOf(const Operator& op, const ArithmeticRule& rule);

// All of them as Markdown, with the profiles that have each.
std::string RulesPage();

}  // namespace lutra::conformance::oracle
