// SPDX-License-Identifier: Apache-2.0
// Says whether platforms agree in every byte of a model's outputs.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/views.h"

namespace lutra::reports {

// The runs of one model with the same inputs and rounding.
struct Agreement {
  std::string model, sha256, inputs, rounding;
  std::map<std::string, std::vector<PlacedRun>> by_outputs;

  // Returns the outputs that most runs have; of equals, the first.
  const std::string& majority() const;
  std::vector<std::string> Platforms() const;
};

std::vector<Agreement> Agreements(const std::vector<ResultFile>& files);

// Says whether all platforms agree, or whether one of them agrees with the others.
Cell AgreementLine(const std::vector<Agreement>& agreements);
Cell AgreementCell(const std::vector<Agreement>& agreements, const std::string& platform);

}  // namespace lutra::reports
