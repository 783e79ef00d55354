// SPDX-License-Identifier: Apache-2.0
// Tells whether platforms agree in every byte of the outputs of a model.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/views.h"

namespace lutra::reports {

// Runs of one model with the same inputs and rounding.
struct Agreement {
  std::string model, sha256, inputs, rounding;
  std::map<std::string, std::vector<PlacedRun>> by_outputs;

  // The value that most runs have; the first of equals.
  const std::string& majority() const;
  std::vector<std::string> Platforms() const;
};

std::vector<Agreement> Agreements(const std::vector<ResultFile>& files);

// Tells whether all platforms agree, and whether one agrees with the others.
Cell AgreementLine(const std::vector<Agreement>& agreements);
Cell AgreementCell(const std::vector<Agreement>& agreements, const std::string& platform);

}  // namespace lutra::reports
