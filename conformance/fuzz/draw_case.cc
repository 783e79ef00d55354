// SPDX-License-Identifier: Apache-2.0
// Chooses an operator, and draws a case of it.

#include "conformance/fuzz/draw_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "conformance/fuzz/break_case.h"
#include "conformance/runner/corpus.h"
#include "host/failures.h"
#include "host/glob.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

// Returns how often a family is drawn: graphs stand for all operators in them, codecs for all operators that
// read them.
int WeightOf(const CaseFamily& family) {
  if (family.op == "composite") return 12;
  return family.op == "LUT" || family.op == "DECODE" ? 4 : 1;
}

std::vector<std::string> PatternsIn(const std::string& ops) {
  std::vector<std::string> patterns;
  std::stringstream text(ops);
  for (std::string pattern; std::getline(text, pattern, ',');) {
    if (!pattern.empty()) patterns.push_back(pattern);
  }
  if (patterns.empty()) patterns.emplace_back("*");
  return patterns;
}

}  // namespace

CaseDrawer::CaseDrawer(const std::string& ops, bool is_broken) : is_broken_(is_broken) {
  for (const std::string& pattern : PatternsIn(ops)) {
    bool is_known = false;
    for (const CaseFamily& family : AllFamilies()) {
      if (family.draw == nullptr || !host::Matches(pattern, family.op)) continue;
      is_known = true;
      if (std::find(families_.begin(), families_.end(), &family) != families_.end()) continue;
      families_.insert(families_.end(), static_cast<size_t>(WeightOf(family)), &family);
    }
    if (!is_known) {
      throw host::BadInput(fmt::format("--ops: found \"{}\", required: one of {}",
                                       host::Printable(pattern, 60), fmt::join(CaseDrawer("").ops(), ", ")));
    }
  }
}

std::optional<DrawnCase> CaseDrawer::DrawFrom(const CaseFamily& family, Random& random) const {
  try {
    const BreakPlan plan = is_broken_ ? DrawBreak(random) : BreakPlan();
    DrawnCase drawn = {.family = family.op, .test = family.draw(random)};
    if (drawn.test.op.empty()) drawn.test.op = family.op;
    if (is_broken_ && !Break(plan, &drawn.test)) return std::nullopt;
    return drawn;
  } catch (const host::BadInput&) {
    return std::nullopt;  // The compressor refuses these settings.
  }
}

std::optional<DrawnCase> CaseDrawer::Draw(uint64_t seed, int64_t index, Draws* draws) const {
  // The choice of the family is no part of a case's draws: Redraw gets it as an argument.
  Random chooser(fmt::format("fuzz {} {}", seed, index));
  const CaseFamily& family = *chooser.Pick(families_);
  Random random(fmt::format("fuzz {} {} {}", seed, index, family.op), draws);
  std::optional<DrawnCase> drawn = DrawFrom(family, random);
  if (drawn) drawn->test.id = fmt::format("fuzz.{}.{}", seed, index);
  return drawn;
}

std::optional<DrawnCase> CaseDrawer::Redraw(const std::string& family, const Draws& draws,
                                            Draws* made) const {
  made->clear();
  Random random(draws, made);
  for (const CaseFamily* known : families_) {
    if (known->op == family) return DrawFrom(*known, random);
  }
  return std::nullopt;
}

std::vector<std::string> CaseDrawer::ops() const {
  std::vector<std::string> names;
  for (const CaseFamily* family : families_) names.push_back(family->op);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace lutra::conformance
