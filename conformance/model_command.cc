// SPDX-License-Identifier: Apache-2.0
// conformance model.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/model_samples.h"
#include "conformance/runner/whole_model.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

struct ModelArguments {
  std::string model, data;
  std::vector<std::string> profiles = {"tflm", "single-rounding", "litert-reference", "litert-optimized",
                                       "xnnpack"};
  AdapterOptions adapter;
  int seeds = 10, samples = 100;
  bool json = false;
};

const oracle::Profile& ProfileNamed(const std::string& name) {
  const oracle::Profile* profile = oracle::FindProfile(name);
  if (profile == nullptr) throw CLI::ValidationError("--profiles: no profile " + name);
  return *profile;
}

// For the table: names of the model's, as a terminal may show them.
ModelReport WithPrintableNames(ModelReport report) {
  for (ModelDrift& drift : report.drifts) {
    drift.name = host::Printable(drift.name);
    drift.problem = host::Printable(drift.problem);
    for (LayerDrift& layer : drift.layers) {
      layer.op = host::Printable(layer.op);
      layer.tensor = host::Printable(layer.tensor);
    }
  }
  return report;
}

void Run(const ModelArguments& line) {
  const std::unique_ptr<oracle::ModelObjects> model = ReadModelObjects(line.model);
  const oracle::Profile& reference = ProfileNamed(line.profiles[0]);
  ModelReport report = {.path = line.model, .reference = reference.name};
  const Samples samples = line.data.empty()
                              ? SeededSamples(*model, line.seeds)
                              : ReadSamples(line.data, line.model, *model, static_cast<size_t>(line.samples));
  for (size_t i = 1; i < line.profiles.size(); ++i) {
    report.drifts.push_back(DriftOfProfile(*model, samples, reference, ProfileNamed(line.profiles[i])));
  }
  AdapterProcess adapter(AdapterCommand(line.adapter), std::chrono::milliseconds(line.adapter.timeout_ms));
  const WorkFolder folder;
  report.drifts.push_back(DriftOfRuntime(*model, samples, reference, &adapter, folder.path() / "case"));
  fmt::print("{}", line.json ? ModelReportJson(report) : ModelReportTable(WithPrintableNames(report)));
}

}  // namespace

void AddModelCommand(CLI::App& app) {
  const auto line = std::make_shared<ModelArguments>();
  CLI::App* verb =
      app.add_subcommand("model", "Will this model answer the same on the phone and on the microcontroller?");
  verb->add_option("MODEL", line->model, "Model")->required();
  verb->add_option("--profiles", line->profiles, "The first is the reference")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  CLI::Option* seeds = verb->add_option("--seeds", line->seeds, "Random inputs")
                           ->capture_default_str()
                           ->check(CLI::Range(1, 1000000));
  verb->add_option("--data", line->data, "Inputs, .npy, first axis = sample")->excludes(seeds);
  verb->add_option("--samples", line->samples, "At most so many of --data")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000000));
  DeclareAdapterOptions(*verb, &line->adapter);
  verb->add_flag("--json", line->json, "Print JSON")->group("Output");
  verb->footer(
      "Layer by layer: elements that differ from the reference in percent, and the largest difference; "
      "alone:\n"
      "with the reference's inputs; then with what the layers before gave. Last comes a runtime (--runner,\n"
      "or Lutra itself), with every tensor among the model's outputs.");
  verb->callback([line] { Run(*line); });
}

}  // namespace lutra::conformance
