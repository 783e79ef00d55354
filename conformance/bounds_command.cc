// SPDX-License-Identifier: Apache-2.0
// conformance bounds.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "conformance/commands.h"
#include "conformance/model_samples.h"
#include "conformance/runner/bounds.h"
#include "conformance/runner/derive_bounds.h"
#include "host/failures.h"
#include "host/output_file.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

struct BoundsArguments {
  std::string models, data, output;
  int seeds = 10, samples = 10;
  BearingOptions bearing;
};

// Returns the files of the folder whose names end with `end`, sorted; a folder or a device of such a name is
// refused when it is read.
std::vector<fs::path> FilesIn(const std::string& folder, const std::string& end) {
  if (!fs::is_directory(folder)) {
    throw host::BadInput(
        fmt::format("{}: folder: found none, required: a folder of {} files; check the path", folder, end));
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(end)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns NAME.npy, else NAME.*inputs.npy; empty if neither exists.
std::string DataFor(const fs::path& model, const std::vector<fs::path>& arrays) {
  const std::string stem = model.stem();
  std::string found;
  for (const fs::path& file : arrays) {
    const std::string name = file.filename();
    if (name == stem + ".npy") return file;
    if (found.empty() && name.starts_with(stem + ".") && name.ends_with("inputs.npy")) found = file;
  }
  return found;
}

void Run(const BoundsArguments& line) {
  const host::OutputFile output(line.output);
  std::vector<std::unique_ptr<oracle::ModelObjects>> owned;
  std::vector<BearingModel> models;
  const std::vector<fs::path> arrays =
      line.data.empty() ? std::vector<fs::path>() : FilesIn(line.data, ".npy");
  for (const fs::path& path : FilesIn(line.models, ".tflite")) {
    owned.push_back(ReadModelObjects(path));
    const std::string data = DataFor(path, arrays);
    Samples samples = data.empty()
                          ? SeededSamples(*owned.back(), line.seeds)
                          : ReadSamples(data, path, *owned.back(), static_cast<size_t>(line.samples));
    fmt::print("{}: {} samples {}\n", host::Printable(path.filename().string()), samples.size(),
               data.empty() ? "of random numbers" : "of " + host::Printable(data));
    models.push_back({path.filename(), *owned.back(), std::move(samples)});
  }
  if (models.empty()) {
    throw host::BadInput(fmt::format(
        "{}: models: found none, required: a .tflite file or more; check the folder", line.models));
  }
  try {
    const auto derived = DeriveBounds(models, line.bearing);
    for (const auto& [op, entry] : derived) {
      fmt::print("{:<26}{:>4}  {}\n", host::Printable(op, 25), entry.bound,
                 entry.limit.empty()
                     ? "no more was tried"
                     : fmt::format("one more changes the answer of {}", host::Printable(entry.limit)));
    }
    output.Write(BoundsJson(BoundsOf(derived)));
  } catch (const oracle::Unspecified& error) {
    throw host::BadInput(
        fmt::format("{}: models: found {}, required: models that the oracle runs; leave it out", line.models,
                    error.what()));
  }
}

}  // namespace

void AddBoundsCommand(CLI::App& app) {
  const auto line = std::make_shared<BoundsArguments>();
  CLI::App* verb = app.add_subcommand(
      "bounds", "By how many codes may each operator be off before models answer otherwise?");
  verb->add_option("--models", line->models, "Folder with .tflite models")->required();
  verb->add_option("--data", line->data,
                   "Folder with their inputs: NAME.npy or NAME.*inputs.npy for NAME.tflite");
  verb->add_option("--seeds", line->seeds, "Random inputs for a model without any")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  verb->add_option("--samples", line->samples, "At most so many of each file")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000000));
  verb->add_option("--most", line->bearing.most, "No more codes are tried")
      ->capture_default_str()
      ->check(CLI::Range(1, kLargestBound));
  verb->add_option("--max-difference", line->bearing.max_difference,
                   "What outputs that are no classes may differ by: one value, or the shape of the input")
      ->capture_default_str()
      ->check(CLI::Range(0, kLargestBound));
  verb->add_option("-o,--output", line->output, "Write the bounds, for `run --profile bounded --bounds`")
      ->required();
  verb->footer(
      R"(Of one operator at a time, all int8 outputs are moved by up to e codes: all up, all down, in turn, the
reverse, at random. Its bound is the largest e at which, and below which, every model answers on every
sample as it does under the profile tflm: the place of the largest output stays.

Example:
  conformance bounds --models models --data models -o bounds.json
  conformance run --profile bounded --bounds bounds.json --runner ./my_adapter)");
  verb->callback([line] { Run(*line); });
}

}  // namespace lutra::conformance
