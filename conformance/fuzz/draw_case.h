// SPDX-License-Identifier: Apache-2.0
// The cases of `conformance fuzz`: the same seed and number give the same case on every machine.
//
//   const CaseDrawer drawer("CONV_2D,ADD");
//   Draws draws;
//   std::optional<DrawnCase> drawn = drawer.Draw(1, 17, &draws);      // the 17th case of seed 1
//   std::optional<DrawnCase> again = drawer.Redraw("ADD", draws, &made);

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/generator/case.h"

namespace lutra::conformance {

struct DrawnCase {
  std::string family;  // CaseFamily::op, for Redraw.
  Case test;
};

class CaseDrawer {
 public:
  // `ops`: names or patterns of operators (`*`, `?`), separated by commas; empty: all that have cases to
  // draw. Throws BadInput for one that names none.
  // `is_broken`: each model breaks one rule, so that every runtime must refuse it (break_case.h).
  explicit CaseDrawer(const std::string& ops, bool is_broken = false);

  // Returns nothing if the drawn model cannot be written, for example because its weights have more values
  // than a codec takes. `draws`, if not null, gets the choices for Redraw.
  std::optional<DrawnCase> Draw(uint64_t seed, int64_t index, Draws* draws = nullptr) const;
  // Returns the case of these choices. `made` gets the choices that were in fact made.
  std::optional<DrawnCase> Redraw(const std::string& family, const Draws& draws, Draws* made) const;

  // The operators that are drawn.
  std::vector<std::string> ops() const;

 private:
  std::optional<DrawnCase> DrawFrom(const CaseFamily& family, Random& random) const;

  bool is_broken_;
  std::vector<const CaseFamily*> families_;  // A family that is drawn more often is listed more than once.
};

}  // namespace lutra::conformance
