// SPDX-License-Identifier: Apache-2.0
// The fingerprint of a runtime: for each operator the rule that reproduces all its outputs, or several rules
// and where each holds.
//
//   const Fingerprint fingerprint = Identify(cases, "./adapter", std::chrono::seconds(10), 2);
//   fmt::print("{}", FingerprintTable(fingerprint));

#pragma once

#include "conformance/runner/explain.h"
#include "conformance/runner/run.h"

namespace lutra::conformance {

struct ProfileFit {
  std::string profile;
  int operators = 0;                 // Operators that ran.
  std::vector<std::string> against;  // Operators that the profile does not explain.
};

struct Fingerprint {
  std::string backend;
  std::vector<OperatorFit> operators;
  std::vector<ProfileFit> profiles;  // The best first.
  // The cases that are not weighed: those of several operators, and models that must be refused.
  int composites = 0, to_be_refused = 0;

  // Operators with cases that no rule explains.
  int CountUnknown() const;
  // Names of operators none of whose cases ran.
  std::vector<std::string> NeverRan() const;
};

Fingerprint Identify(const std::vector<Case>& cases, const std::string& adapter,
                     std::chrono::milliseconds timeout, int jobs);
std::string FingerprintTable(const Fingerprint& fingerprint);
// `identify --json`.
std::string FingerprintJson(const Fingerprint& fingerprint);

}  // namespace lutra::conformance
