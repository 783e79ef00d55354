// SPDX-License-Identifier: Apache-2.0
// conformance model.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/model_samples.h"
#include "conformance/runner/whole_model.h"
#include "host/failures.h"
#include "host/node_data.h"
#include "host/output_file.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

struct ModelArguments {
  std::string model, data;
  std::vector<std::string> profiles = {"tflm", "single-rounding", "litert-reference", "litert-optimized",
                                       "xnnpack"};
  AdapterOptions adapter;
  int seeds = 10, samples = 100;
  int invokes = 0;  // 0: as the model says.
  bool json = false, no_taps = false;
  std::vector<std::string> exports;
};

const oracle::Profile& ProfileNamed(const std::string& name) {
  const oracle::Profile* profile = oracle::FindProfile(name);
  if (profile == nullptr) throw CLI::ValidationError("--profiles: no profile " + name);
  return *profile;
}

// For the table: names of the model's, as a terminal may show them.
void MakePrintable(std::vector<ModelDrift>* drifts) {
  for (ModelDrift& drift : *drifts) {
    drift.name = host::Printable(drift.name);
    drift.problem = host::Printable(drift.problem);
    for (LayerDrift& layer : drift.layers) {
      layer.op = host::Printable(layer.op);
      layer.tensor = host::Printable(layer.tensor);
    }
  }
}

Samples SamplesOf(const ModelArguments& line, const oracle::ModelObjects& model) {
  try {
    return line.data.empty() ? SeededSamples(model, line.seeds)
                             : ReadSamples(line.data, line.model, model, static_cast<size_t>(line.samples));
  } catch (const oracle::Unspecified& error) {
    throw host::BadInput(
        fmt::format("{}: inputs: found {}, required: types of 1, 2, 4 or 8 bytes", line.model, error.what()));
  }
}

void Print(ModelReport* report, bool json) {
  if (json) {
    fmt::print("{}", ModelReportJson(*report));
    return;
  }
  MakePrintable(&report->drifts);
  MakePrintable(&report->runtimes);
  fmt::print("{}", ModelReportTable(*report));
}

// Whose drift a file of --export has: a profile's, F.<profile>.explorer.json, or else the runtime's.
const ModelDrift& DriftFor(const std::string& path, const ModelReport& report) {
  for (const ModelDrift& drift : report.drifts) {
    if (path.ends_with("." + drift.name + host::kNodeDataEnding)) return drift;
  }
  return report.runtimes.front();
}

// Model Explorer's node data: codes that outputs of each layer differ by at most.
std::string NodeDataOf(const oracle::ModelObjects& model, const ModelDrift& drift) {
  std::vector<host::NodeValue> nodes;
  for (const LayerDrift& layer : drift.layers) {
    if (layer.drifted.elements > 0) nodes.push_back({layer.tensor, layer.drifted.largest});
  }
  return host::NodeDataText(model.subgraphs[0]->name, "drift of " + drift.name + ", codes", nodes);
}

void Run(const ModelArguments& line, int* exit_code) {
  const std::vector<host::OutputFile> exports(line.exports.begin(), line.exports.end());
  const std::unique_ptr<oracle::ModelObjects> model = ReadModelObjects(line.model);
  const oracle::Profile& reference = ProfileNamed(line.profiles[0]);
  const Trial trial = {.samples = SamplesOf(line, *model),
                       .invokes = line.invokes > 0 ? line.invokes : InvokesOf(*model)};
  ModelReport report = {.path = line.model,
                        .reference = reference.name,
                        .samples = static_cast<int>(trial.samples.size()),
                        .invokes = trial.invokes};
  for (size_t i = 1; i < line.profiles.size(); ++i) {
    report.drifts.push_back(DriftOfProfile(*model, trial, reference, ProfileNamed(line.profiles[i])));
  }
  AdapterProcess adapter(AdapterCommand(line.adapter), std::chrono::milliseconds(line.adapter.timeout_ms));
  const WorkFolder folder;
  report.runtimes.push_back(
      DriftOfRuntime(*model, trial, reference, &adapter, {folder.path() / "case", !line.no_taps}));
  for (size_t i = 0; i < exports.size(); ++i)
    exports[i].Write(NodeDataOf(*model, DriftFor(line.exports[i], report)));
  Print(&report, line.json);
  const std::string not_judged = report.DescribeNotJudged();
  if (!not_judged.empty()) fmt::print(stderr, "{}\n", host::Printable(not_judged));
  *exit_code = report.DiffersOnARuntime() ? host::kExitWrong
               : not_judged.empty()       ? host::kExitOk
                                          : host::kExitBadInput;
}

}  // namespace

void AddModelCommand(CLI::App& app, int* exit_code) {
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
  verb->add_option("--invokes", line->invokes,
                   "Inferences of each sample, from fresh state; 3 for a model that keeps state, else 1")
      ->check(CLI::Range(1, 1000));
  DeclareAdapterOptions(*verb, &line->adapter);
  verb->add_flag(
      "--no-taps", line->no_taps,
      "The runtime gives the model's own outputs alone: for recordings, model.0000/out0.bin and so on");
  verb->add_flag("--json", line->json, "Print JSON")->group("Output");
  verb->add_option("--export", line->exports,
                   "Also write F.explorer.json, the runtime's drift by layer for Model Explorer, or "
                   "F.PROFILE.explorer.json, a profile's")
      ->allow_extra_args(false)
      ->check([](const std::string& path) {
        return path.ends_with(host::kNodeDataEnding) ? "" : "the name must end in .explorer.json";
      })
      ->group("Output");
  verb->footer(
      "Of each profile, layer by layer: elements that differ from the reference in percent, and the largest\n"
      "difference; alone: with the reference's inputs; then with what the layers before gave. Last comes a\n"
      "runtime (--runner, or Lutra itself), with every tensor among the model's outputs, and for each layer "
      "the\n"
      "rule that gives what it gave for its own inputs. State begins anew with every sample.\n"
      "Exit codes: 0 the runtime is equal to the reference in every layer, 1 it is not, 2 bad usage, 3 bad "
      "input,\n"
      "or an operator that the oracle lacks, while no other layer differs.");
  verb->callback([line, exit_code] { Run(*line, exit_code); });
}

}  // namespace lutra::conformance
