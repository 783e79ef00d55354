// SPDX-License-Identifier: Apache-2.0
// Makes a failing case smaller: fewer nodes, then fewer elements, then plainer choices.
//
//   const Shrunk smallest = Shrink(drawer, family, draws, still_fails, deadline);
//
// It changes the choices by which the case was drawn and draws it anew, so that everything it tries is a
// valid case of the same operator. This is the method of Hypothesis (MacIver and Donaldson, "Test-Case
// Reduction via Test-Case Generation", ECOOP 2020).

#pragma once

#include <chrono>
#include <functional>

#include "conformance/fuzz/draw_case.h"

namespace lutra::conformance {

struct Shrunk {
  DrawnCase drawn;
  Draws draws;
  int tries = 0;
};

// `fails` runs a case and returns whether it fails as the first one did.
Shrunk Shrink(const CaseDrawer& drawer, DrawnCase first, Draws draws,
              const std::function<bool(const Case& test)>& fails,
              std::chrono::steady_clock::time_point deadline);

// Shrink makes these numbers smaller, in this order.
struct CaseSize {
  int64_t nodes = 0, elements = 0;  // Elements of all tensors.
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize SizeOf(const Case& test);

}  // namespace lutra::conformance
