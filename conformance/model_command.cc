// SPDX-License-Identifier: Apache-2.0
// conformance model.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/model_samples.h"
#include "conformance/runner/model_results.h"
#include "host/environment.h"
#include "host/failures.h"
#include "host/jobs.h"
#include "host/model_file.h"
#include "host/node_data.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/sha256.h"
#include "host/shard.h"

namespace lutra::conformance {
namespace {

struct ModelArguments {
  std::string model, data;
  std::vector<std::string> profiles = {"tflm", "single-rounding", "litert-reference", "litert-optimized",
                                       "xnnpack"};
  AdapterOptions adapter;
  int seeds = 10, samples = 100;
  int invokes = 0;  // 0: as many as the model says.
  bool json = false, no_taps = false;
  std::string shard, results;
  std::vector<std::string> exports;
};

const oracle::Profile& ProfileNamed(const std::string& name) {
  const oracle::Profile* profile = oracle::FindProfile(name);
  if (profile == nullptr) throw CLI::ValidationError("--profiles: no profile " + name);
  return *profile;
}

// Replaces bytes of the model's names that a terminal would obey, for the table.
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
    fmt::print("{}", host::JsonText(ModelReportJson(*report), 1));
    return;
  }
  MakePrintable(&report->drifts);
  MakePrintable(&report->runtimes);
  fmt::print("{}", ModelReportTable(*report));
}

// Returns the drift for a file of --export: a profile's, F.<profile>.explorer.json, or else the runtime's.
const ModelDrift& DriftFor(const std::string& path, const ModelReport& report) {
  for (const ModelDrift& drift : report.drifts) {
    if (path.ends_with("." + drift.name + host::kNodeDataEnding)) return drift;
  }
  return report.runtimes.front();
}

// Returns Model Explorer's node data: the largest difference of each layer's outputs, in codes.
std::string NodeDataOf(const oracle::ModelObjects& model, const ModelDrift& drift) {
  std::vector<host::NodeValue> nodes;
  for (const LayerDrift& layer : drift.layers) {
    if (layer.drifted.elements > 0) nodes.push_back({layer.tensor, layer.drifted.largest});
  }
  return host::NodeDataText(model.subgraphs[0]->name, "drift of " + drift.name + ", codes", nodes);
}

SampleRange PartOf(SampleRange whole, host::Shard shard) {
  const auto first_of = [&](int index) {
    return whole.first + static_cast<int>(host::FirstOfShard(whole.end - whole.first, {index, shard.count}));
  };
  return {first_of(shard.index), first_of(shard.index + 1)};
}

// Tries some samples. Each job has an adapter of its own.
ModelReport TryRange(const ModelArguments& line, const oracle::ModelObjects& model, const Trial& trial,
                     SampleRange range) {
  ModelReport report = {.path = line.model,
                        .reference = trial.reference.name,
                        .samples = range.end - range.first,
                        .invokes = trial.invokes};
  for (size_t i = 1; i < line.profiles.size(); ++i) {
    report.drifts.push_back(DriftOfProfile(model, trial, range, ProfileNamed(line.profiles[i])));
  }
  AdapterProcess adapter(AdapterCommand(line.adapter), std::chrono::milliseconds(line.adapter.timeout_ms));
  const WorkFolder folder;
  report.runtimes.push_back(
      DriftOfRuntime(model, trial, range, &adapter, {folder.path() / "case", !line.no_taps}));
  return report;
}

ModelReport Try(const ModelArguments& line, const oracle::ModelObjects& model, const Trial& trial,
                SampleRange range) {
  const int count = range.end - range.first, jobs = std::min(JobsOf(line.adapter), count);
  std::vector<ModelReport> parts(static_cast<size_t>(jobs));
  host::RunJobs(jobs, [&](int job) {
    parts[static_cast<size_t>(job)] = TryRange(line, model, trial, PartOf(range, {job + 1, jobs}));
  });
  for (size_t i = 1; i < parts.size(); ++i) AddReport(parts[i], parts.data());
  return parts[0];
}

std::string Sha256Of(const Samples& samples) {
  std::string hashes;
  for (const auto& inputs : samples) {
    for (const oracle::Bytes& input : inputs) hashes += host::Sha256(input.data(), input.size());
  }
  return host::Sha256(hashes.data(), hashes.size());
}

void Tell(const ModelReport& report, int* exit_code) {
  const std::string not_judged = report.DescribeNotJudged();
  if (!not_judged.empty()) fmt::print(stderr, "{}\n", host::Printable(not_judged));
  *exit_code = report.DiffersOnARuntime() ? host::kExitWrong
               : not_judged.empty()       ? host::kExitOk
                                          : host::kExitBadInput;
}

void Run(const ModelArguments& line, int* exit_code) {
  const std::vector<host::OutputFile> exports(line.exports.begin(), line.exports.end());
  const host::OutputFile file(line.results);
  const host::Shard shard = host::ChosenShard(line.shard);
  if (shard.count > 1 && !exports.empty())
    throw host::BadUsage("--export: found a shard, required: all samples; merge has no export");
  const std::unique_ptr<oracle::ModelObjects> model = ReadModelObjects(line.model);
  const Trial trial = {.samples = SamplesOf(line, *model),
                       .invokes = line.invokes > 0 ? line.invokes : InvokesOf(*model),
                       .reference = ProfileNamed(line.profiles[0])};
  const auto count = static_cast<int>(trial.samples.size());
  if (count < shard.count) {
    throw host::BadInput("--shard", fmt::format("{} samples in {} shards", count, shard.count),
                         "one or more for each shard: --seeds, --samples");
  }
  ModelReport report = Try(line, *model, trial, PartOf({0, count}, shard));
  for (size_t i = 0; i < exports.size(); ++i)
    exports[i].Write(NodeDataOf(*model, DriftFor(line.exports[i], report)));
  if (file.wanted()) {
    const host::AlignedBytes bytes = host::ReadFileBytes(line.model);
    const TrialIdentity identity = {.model_sha256 = host::Sha256(bytes.span().data(), bytes.span().size()),
                                    .inputs_sha256 = Sha256Of(trial.samples),
                                    .samples = count};
    file.Write(ModelResultsText({report, shard, identity}, host::DescribeEnvironment("conformance")));
  }
  Print(&report, line.json);
  if (shard.count > 1 && !line.json) fmt::print("\n{}{}\n", report.Summary(), ShardSuffix(shard));
  Tell(report, exit_code);
}

}  // namespace

void MergeModelFiles(const std::vector<std::string>& paths, const host::OutputFile& output,
                     const MergeOptions& options, int* exit_code) {
  MergedModel merged = MergeModel(paths, options);
  output.Write(merged.json);
  Print(&merged.report, false);
  fmt::print("\n{}{}\n", merged.report.Summary(), merged.shards.empty() ? "" : ", shards " + merged.shards);
  Tell(merged.report, exit_code);
}

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
  verb->add_option("--shard", line->shard,
                   "i/n: the i-th of n parts of the samples; `merge` puts them together");
  verb->add_flag("--json", line->json, "Print JSON")->group("Output");
  verb->add_option("--results", line->results, "Write the report as JSON, of a shard what `merge` needs")
      ->group("Output");
  verb->add_option("--export", line->exports,
                   "Also write F.explorer.json, the runtime's drift by layer for Model Explorer, or "
                   "F.PROFILE.explorer.json, a profile's")
      ->allow_extra_args(false)
      ->check([](const std::string& path) {
        return path.ends_with(host::kNodeDataEnding) ? "" : "the name must end in .explorer.json";
      })
      ->group("Output");
  verb->footer(
      R"(Of each profile, layer by layer: elements that differ from the reference in percent, and the largest
difference; alone: with the reference's inputs; then with what the layers before gave. Last comes a
runtime (--runner, or Lutra itself), with every tensor among the model's outputs, and for each layer the
rule that gives what it gave for its own inputs. State begins anew with every sample.
Without --shard, GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX say which part runs.
Exit codes: 0 the runtime is equal to the reference in every layer, 1 it is not, 2 bad usage, 3 bad input,
or an operator that the oracle lacks, while no other layer differs.)");
  verb->callback([line, exit_code] { Run(*line, exit_code); });
}

}  // namespace lutra::conformance
