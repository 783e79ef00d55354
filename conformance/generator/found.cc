// SPDX-License-Identifier: Apache-2.0
// Draws found cases again.

#include "conformance/generator/found.h"

#include "conformance/generator/model_maker.h"

namespace lutra::conformance {

const std::vector<FoundCase>& FoundCases() {
  static const std::vector<FoundCase> found = {
#include "conformance/generator/found.inc"
  };
  return found;
}

std::string LineOf(const FoundCase& found) {
  std::string line = "{\"" + found.op + "\", {";
  for (size_t i = 0; i < found.draws.size(); ++i)
    line += (i == 0 ? "" : ", ") + std::to_string(found.draws[i]);
  return line + "}},\n";
}

void GenerateFound(const CaseFamily& family, const std::vector<FoundCase>& found, const CaseSink& sink) {
  if (family.draw == nullptr) return;
  NumberedIds ids(family.prefix);
  for (const FoundCase& one : found) {
    if (one.op != family.op) continue;
    Random random(one.draws);
    Case test = family.draw(random);
    test.id = ids("found");
    if (test.op.empty()) test.op = family.op;
    if (test.smoke == Smoke::kMaybe) test.smoke = Smoke::kNever;
    sink(std::move(test));
  }
}

}  // namespace lutra::conformance
