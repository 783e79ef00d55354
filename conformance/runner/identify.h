// SPDX-License-Identifier: Apache-2.0
// The fingerprint of a runtime: for each operator the rule that reproduces all its outputs.

#pragma once

#include "conformance/runner/run.h"

namespace lutra::conformance {

// How well a rule explains what a runtime gave.
struct RuleFit {
  std::string rule;
  int equal = 0;                     // Cases.
  int64_t different = 0;             // Elements, in the other cases.
  double largest = 0;                // Magnitude of a difference.
  std::vector<std::string> against;  // The first few cases that it does not explain.
};

struct OperatorFit {
  std::string op;
  int cases = 0;  // That ran.
  int unsupported = 0, crashed = 0;
  std::vector<RuleFit> fits;  // The best first, all rules.
  // Rules that explain everything; several: the cases cannot tell them apart.
  std::vector<std::string> Exact() const;
};

struct ProfileFit {
  std::string profile;
  int operators = 0;                 // That ran.
  std::vector<std::string> against;  // Operators whose rule in the profile does not explain them.
};

struct Fingerprint {
  std::string backend;
  std::vector<OperatorFit> operators;
  std::vector<ProfileFit> profiles;  // The best first.
};

Fingerprint Identify(const std::vector<Case>& cases, const std::string& adapter,
                     std::chrono::milliseconds timeout, int jobs);
std::string FingerprintTable(const Fingerprint& fingerprint);
std::string FingerprintJson(const Fingerprint& fingerprint);

}  // namespace lutra::conformance
