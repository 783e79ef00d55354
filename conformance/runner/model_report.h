// SPDX-License-Identifier: Apache-2.0
// Says how a model drifts, as `conformance model` prints it.
//
//   fmt::print("{}", ModelReportTable(report));

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/runner/whole_model.h"

namespace lutra::conformance {

struct ModelReport {
  std::string path, reference;
  int samples = 0, invokes = 1;
  std::vector<ModelDrift> drifts;  // Of profiles.
  std::vector<ModelDrift> runtimes;

  // Returns whether a runtime could not be compared, or differs from the reference. A runtime that refuses a
  // model of which some operators are not judged does not differ.
  bool DiffersOnARuntime() const;
  // The operators of runtimes that are not judged, as one line; empty if all are.
  std::string DescribeNotJudged() const;
  // "50 samples, 12 layers: 0 wrong": of the first runtime.
  std::string Summary() const;
};

// Adds the samples that follow, of the same trial.
void AddReport(const ModelReport& next, ModelReport* report);

std::string ModelReportTable(const ModelReport& report);
nlohmann::ordered_json ModelReportJson(const ModelReport& report);

}  // namespace lutra::conformance
