// SPDX-License-Identifier: Apache-2.0
// Runs put in order: by model, and for each model by platform.

#pragma once

#include <string>
#include <vector>

#include "reports/views.h"

namespace lutra::reports {

struct RunOfModel {
  std::string label;  // The platform, and the setting where the model has several.
  std::string row;    // The platform, and the setting where any of its models has several: a row of a table.
  std::string platform, setting;
  const host::ModelResult* run;
};

struct Model {
  std::string name;   // As shown; two models of one name have their hashes beside it.
  std::string group;  // The name of the uncompressed form, or the model's own.
  bool compressed = false;
  bool bundled = false;          // The group is one of models/.
  std::vector<RunOfModel> runs;  // Reference kernels before others; equal ones once.
};

// Bundled models first, and compressed forms after their uncompressed one.
std::vector<Model> Models(const std::vector<ResultFile>& files);

// The uncompressed model with these kernels and this use of memory, on the same platform. Null if there is
// none, or if that is `run` itself.
const host::ModelResult* PlainRunOf(const Model& model, const RunOfModel& run, const std::string& kernels,
                                    const std::vector<Model>& models);

}  // namespace lutra::reports
