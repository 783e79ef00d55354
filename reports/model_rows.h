// SPDX-License-Identifier: Apache-2.0
// Runs put into rows: one for each model and setting, with a run of each platform that has one.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/views.h"

namespace lutra::reports {

struct ModelRow {
  std::string model, setting;  // As shown; two models of one name have their hashes beside it.
  std::string group;           // The name of the uncompressed form, or the model's own.
  std::map<std::string, PlacedRun> by_platform;  // The last file wins.
};

// Reference kernels before others, and a compressed model after its uncompressed form.
std::vector<ModelRow> ModelRows(const std::vector<ResultFile>& files);

}  // namespace lutra::reports
