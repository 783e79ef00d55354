// SPDX-License-Identifier: Apache-2.0
// Orders runs by model, and for each model by platform.

#pragma once

#include <string>
#include <vector>

#include "reports/views.h"

namespace lutra::reports {

struct RunOfModel {
  std::string label;  // The platform, and the setting if the model has several.
  std::string row;    // The platform, and the setting if any of its models has several: a row of a table.
  std::string platform, setting;
  const host::ModelResult* run;
};

struct Model {
  std::string name;   // The name in the report; two models of one name have their hashes beside it.
  std::string group;  // The name of the uncompressed form, or the model's own.
  bool compressed = false;
  bool bundled = false;          // Whether the group is a model of models/.
  std::vector<RunOfModel> runs;  // Reference kernels come before others; equal runs occur once.
};

// Returns bundled models first, and compressed forms after their uncompressed one.
std::vector<Model> Models(const std::vector<ResultFile>& files);

// Returns the run of the uncompressed model with these kernels and this use of memory on the same platform.
// Null if there is none, or if it is `run` itself.
const host::ModelResult* PlainRunOf(const Model& model, const RunOfModel& run, const std::string& kernels,
                                    const std::vector<Model>& models);

}  // namespace lutra::reports
