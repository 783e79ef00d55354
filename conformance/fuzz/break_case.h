// SPDX-License-Identifier: Apache-2.0
// Breaks one rule of a valid model, for `conformance fuzz --invalid`: no runtime may run what comes out.
//
//   Random random(...);
//   const BreakPlan plan = DrawBreak(random);
//   Case test = family.draw(random);
//   if (Break(plan, &test)) { ... }      // test.must_refuse: "output_shape: ADD: dimension 1 of the
//   output..."

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/generator/case.h"

namespace lutra::conformance {

struct BreakPlan {
  size_t rule = 0;     // The rule to break; if it does not apply to the model, the next one that does.
  uint64_t place = 0;  // Decides the node, the operand and the dimension.
};
BreakPlan DrawBreak(Random& random);

// Changes the case's model and says in `must_refuse` which rule that breaks; `plain_model` becomes the model
// as it was. Returns false if no rule applies to the model.
bool Break(const BreakPlan& plan, Case* test);

// The name of the rule that was broken: what stands before the first colon of `must_refuse`.
std::string_view BrokenRule(const Case& test);
std::vector<std::string> BreakRules();

}  // namespace lutra::conformance
