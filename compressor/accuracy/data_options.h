// SPDX-License-Identifier: Apache-2.0
// Options that `compress evaluate` and `compress auto` share: the data, and the model that takes them.

#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cfloat>
#include <optional>
#include <string>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "host/model_file.h"
#include "host/printable.h"
#include "host/scores.h"

namespace lutra::compressor {

// `source` must outlive `verb`.
inline void AddDataOptions(CLI::App& verb, DatasetSource* source) {
  const std::string data = "Data";
  verb.add_option("--data", source->data, "Inputs: an .npy file or a folder; may be repeated")
      ->required()
      ->allow_extra_args(false)
      ->group(data);
  verb.add_option("--labels", source->labels, "What they should give, .npy")->group(data);
  verb.add_option("--pixel-scale", source->pixel_scale, "Of pictures: pixel * scale + offset")
      ->capture_default_str()
      ->group(data);
  verb.add_option("--pixel-offset", source->pixel_offset, "See --pixel-scale")
      ->capture_default_str()
      ->group(data);
  verb.add_flag("--resize", source->resize,
                "Scale pictures, and int8 or uint8 arrays of them, to the model's input: bilinear; grey "
                "becomes three equal channels")
      ->group(data);
  verb.add_option("--first", source->first,
                  "Of each --data so many samples at most; --labels may be theirs or those of all")
      ->check(CLI::Range(int64_t{1}, INT64_MAX))
      ->group(data);
}

// The metric, and how good it must be: --metric, and for each metric an option with its limit.
struct MetricGoal {
  std::string metric;           // Empty: the one that fits data and model.
  std::optional<double> limit;  // In the metric's own numbers.
};

// Each limit excludes the others, and these `goals`. `goal` must outlive `verb`.
inline void AddMetricOptions(CLI::App& verb, const std::string& effect, const std::string& group,
                             MetricGoal* goal, std::vector<CLI::Option*> goals) {
  verb.add_option("--metric", goal->metric, "What is measured; default: what labels and output fit")
      ->check(CLI::IsMember(MetricNames()))
      ->group(group);
  const auto add = [&](const std::string& name, const std::string& metric, const std::string& what,
                       double most) {
    const auto take = [goal, metric, name](const double& limit) {
      const bool is_mean = goal->metric == "mean-difference" && metric == "difference";
      if (!goal->metric.empty() && goal->metric != metric && !is_mean) {
        throw CLI::ValidationError(
            fmt::format("{} is of {}, and --metric says {}; leave one out", name, metric, goal->metric));
      }
      if (!is_mean) goal->metric = metric;
      goal->limit = limit;
    };
    goals.push_back(verb.add_option_function<double>(name, take, what + effect)
                        ->check(CLI::Range(0.0, most))
                        ->group(group));
  };
  add("--min-accuracy", "accuracy", "Share of right answers", 1);
  add("--min-auc", "auc", "Area under the curve of an auto-encoder's scores", 1);
  add("--min-agreement", "agreement", "Share of answers as the uncompressed model gives them", 1);
  add("--max-rmse", "rmse", "Root of the mean squared error", DBL_MAX);
  add("--max-difference", "difference",
      "Largest difference of an output from the uncompressed model's, in real units; with "
      "--metric=mean-difference the mean",
      DBL_MAX);
  for (CLI::Option* a : goals) {
    for (CLI::Option* b : goals) {
      if (a != b) a->excludes(b);
    }
  }
}

// Returns host::FewSamplesWarning of these data.
inline std::string FewSamplesWarning(const DatasetSource& source, int64_t count) {
  return host::FewSamplesWarning(host::Printable(fmt::format("{}: data", fmt::join(source.data, ", "))),
                                 count);
}

// The only one of a model's inputs or outputs (`what`). Throws BadInput if there are several, or none.
inline TensorInfo OnlyTensor(const host::ModelFile& file, PackedList<int32_t> tensors,
                             const std::string& what) {
  if (tensors.size() != 1) {
    throw host::BadInput(
        fmt::format("{}: {}: found {}, required: 1; give another model", file.path, what, tensors.size()));
  }
  return file.model.tensor(0, tensors[0]);
}

// The data of `source` for `file`, with the answers of the model `reference` as labels.
inline Dataset LabelledBy(const std::string& reference, const DatasetSource& source,
                          const host::ModelFile& file, int jobs) {
  const host::ModelFile model = host::ReadModelFile(reference);
  const auto read = [&](const host::ModelFile& reader) {
    return ReadDataset(source, OnlyTensor(reader, reader.model.inputs(0), "inputs"),
                       OnlyTensor(reader, reader.model.outputs(0), "outputs"));
  };
  Dataset data = read(file);
  LabelByAnswers(model, read(model), jobs, &data);
  return data;
}

}  // namespace lutra::compressor
