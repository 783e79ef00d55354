// SPDX-License-Identifier: Apache-2.0
// compress bin: gives the weights of a model fewer values.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "compressor/bin_options.h"
#include "compressor/clusters.h"
#include "compressor/commands.h"
#include "host/output_file.h"
#include "host/printable.h"

namespace lutra::compressor {
namespace {

struct BinArguments {
  std::string input, output, load, save, target = "tflm", rules;
  BinOptions options;
  int bits = 0;
  double min_qsnr_db = 0;
  std::string export_clusters, import;
  bool off = false, on = false, clear = false, write_metadata = false;
  bool json = false;
};

constexpr char kFooter[] =
    R"(Example:
  compress bin in.tflite binned.tflite --bits=4

Each weight becomes the nearest of 2^bits values, the best there are for the tensor. The model's
format stays; `compress pack` then stores indices and a table.
QSNR = 10 log10(sum x^2 / sum (x - y)^2) in dB, with x the tensor's values in real units before binning
and before the threshold, y those after; infinite where nothing changed.
Without --tensor and --step: all weights and biases of more than 4 elements, int8, int16, int32 or float32;
those of one dimension, as biases, where they become smaller with their table. Shapes, axes and indices are
left out. Patterns and steps leave out the same; an index or a full name does not.
Settings in the model's metadata, LUTRA_BINNING, count as those of --settings do.)";

constexpr char kSettingsFooter[] =
    "Example:\n  compress settings in.tflite --min-qsnr=22.5\n\n"
    "What `compress bin` would do with each tensor, and what that would give; the model is not written. "
    "Without "
    "options:\n"
    "the settings in the model's metadata, LUTRA_BINNING.";

// Declares the options that both verbs have.
void Declare(CLI::App* verb, BinArguments* line) {
  const std::string quality = "Quality";
  CLI::Option* bits = verb->add_option("--bits", line->bits, "2^N values for each table, N from 1 to 8")
                          ->check(CLI::Range(1, kMaxBinBits))
                          ->group(quality);
  verb->add_option(
          "--min-qsnr", line->min_qsnr_db,
          "The fewest bits that reach this many dB, a real number; a tensor that misses it at 8 bits, "
          "or would not become smaller, stays as it is")
      ->group(quality)
      ->excludes(bits);
  AddBinOptions(*verb, &line->options);
  verb->add_option("--target", line->target,
                   "Whose form decides whether biases gain. tflm: those with a scale for each stay; lutra")
      ->capture_default_str()
      ->check(CLI::IsMember({"tflm", "lutra"}))
      ->group(quality);
  verb->add_option("--rules", line->rules,
                   "nntool: widths, whole decibels and sizes as GreenWaves' tool has them, for comparison; "
                   "lutra (the default)")
      ->check(CLI::IsMember({"lutra", "nntool"}))
      ->group(quality);
  const std::string settings = "Settings";
  verb->add_option("--settings", line->load,
                   "Start from these (JSON); the other options change the named tensors")
      ->group(settings);
  verb->add_option("--save", line->save, "Write the settings used")->group(settings);
  CLI::Option* off =
      verb->add_flag("--off", line->off, "Leave the named tensors as they are, keep their settings")
          ->group(settings);
  CLI::Option* on = verb->add_flag("--on", line->on, "The opposite")->group(settings)->excludes(off);
  verb->add_flag("--clear", line->clear, "Forget the settings of the named tensors")
      ->group(settings)
      ->excludes(off)
      ->excludes(on);
  verb->add_flag("--json", line->json, "Report as JSON")->group("Output");
}

[[noreturn]] void Misuse(const std::string& message) { throw CLI::ValidationError(message); }

// Changes the plan as the options say.
void Revise(const CLI::App& verb, const BinArguments& line, const std::vector<BinCandidate>& chosen,
            BinPlan* plan) {
  const bool has_quality = verb.count("--bits") > 0 || verb.count("--min-qsnr") > 0;
  for (const BinCandidate& candidate : chosen) {
    if (line.clear) plan->erase(candidate.id);
    if (line.clear && !has_quality) continue;
    PlannedTensor& planned = (*plan)[candidate.id];
    planned.name = candidate.name;
    BinSettings& settings = planned.settings;
    if (has_quality) {
      settings.bits.reset();
      settings.min_qsnr_db.reset();
      settings.values.clear();
      if (verb.count("--bits") > 0) settings.bits = line.bits;
      if (verb.count("--min-qsnr") > 0) settings.min_qsnr_db = line.min_qsnr_db;
    }
    ApplyTo(verb, line.options, &settings);
    if (!line.rules.empty()) FromString(line.rules, &settings.rules);
    if (settings.rules != nullptr && (settings.per == TableScope::kChannel || settings.pin_zero)) {
      Misuse("--rules=nntool has one table for a tensor, and pins no value");
    }
    if (line.off) settings.enabled = false;
    if (line.on) settings.enabled = true;
    if (!settings.bits && !settings.min_qsnr_db && settings.values.empty()) {
      Misuse(fmt::format("tensor {} \"{}\" has neither --bits nor --min-qsnr", ToText(candidate.id),
                         host::Printable(candidate.name)));
    }
  }
}

// Makes the plan that the options, a file or the model's metadata ask for. *no_gain says why tensors that the
// options name are not in it.
BinPlan MakePlan(const CLI::App& verb, const BinArguments& line, const host::ModelFile& file,
                 const ModelEditor& editor, std::map<TensorId, std::string>* no_gain) {
  const bool switches = line.off || line.on || line.clear;
  const bool has_quality = verb.count("--bits") > 0 || verb.count("--min-qsnr") > 0;
  const bool changes = switches || has_quality || AnyGiven(verb) || !line.rules.empty();
  const std::optional<BinPlan> known = !line.import.empty() ? ImportClusters(line.import, file.model)
                                       : line.load.empty()  ? PlanInMetadata(editor, file.model)
                                                            : ReadPlan(line.load, file.model);
  const bool may_be_empty = verb.get_name() == "settings";
  if (!changes && !known && !may_be_empty) Misuse("give --bits, --min-qsnr or --settings");
  if (!changes && line.options.names_tensors()) {
    Misuse("--tensor and --step need an option that changes the tensors");
  }
  if (switches && !known && !line.options.names_tensors()) {
    Misuse("--off, --on and --clear are for tensors that have settings; give --settings, --tensor or --step");
  }
  BinPlan plan = known.value_or(BinPlan());
  if (!changes) return plan;
  std::vector<BinCandidate> chosen = BinCandidates(file.model);
  if (switches && !line.options.names_tensors()) {
    // Takes all tensors that have settings.
    std::erase_if(chosen, [&](const BinCandidate& candidate) { return !plan.contains(candidate.id); });
  } else {
    chosen = ChooseTensors(editor, chosen, line.options);
  }
  // Whether a tensor becomes smaller is known only if a quality is the goal.
  std::erase_if(chosen, [&](const BinCandidate& candidate) {
    return !has_quality && candidate.only_if_smaller && !candidate.is_named && !plan.contains(candidate.id);
  });
  Revise(verb, line, chosen, &plan);
  const Target target = line.target == "lutra" ? Target::kLutra : Target::kTflm;
  if (has_quality) *no_gain = DropWhatDoesNotGain(file, chosen, target, &plan);
  return plan;
}

void TellOfZeros(const BinReport& report) {
  for (const BinRow& row : report.rows) {
    if (!row.applied || !row.binned.all_became_zero) continue;
    fmt::print(stderr,
               "{}: tensor {} \"{}\": threshold: found all of its values below {:g}, and made them 0; a "
               "smaller one keeps "
               "some\n",
               host::Printable(report.path), ToText(row.candidate.id), host::Printable(row.candidate.name),
               row.settings.threshold);
  }
}

void Run(const CLI::App& verb, const BinArguments& line) {
  if (line.write_metadata && line.output.empty()) Misuse("--write-metadata needs OUT");
  const host::OutputFile output(line.output, line.input), save(line.save, line.load);
  const host::ModelFile file = host::ReadModelFile(line.input);
  ModelEditor editor(file);
  std::map<TensorId, std::string> no_gain;
  const BinPlan plan = MakePlan(verb, line, file, editor, &no_gain);
  BinReport report = BinModel(file, plan, &editor);
  for (BinCandidate& candidate : report.left_out) {
    const auto found = no_gain.find(candidate.id);
    if (found != no_gain.end()) candidate.left_out_by_default = found->second;
  }
  if (line.write_metadata) WritePlanToMetadata(plan, &editor);
  // This may refuse its folder, and then nothing is written.
  if (!line.export_clusters.empty()) ExportClusters(line.export_clusters, file, report, editor);
  if (output.wanted()) output.Write(editor.Write());
  save.Write(WritePlan(plan));
  TellOfZeros(report);
  fmt::print("{}", line.json ? WriteBinJson(report) : WriteBinTable(report));
}

}  // namespace

void AddBinCommand(CLI::App& app) {
  const auto line = std::make_shared<BinArguments>();
  CLI::App* verb = app.add_subcommand("bin", "Replace weights by a few values, so that they compress");
  verb->footer(HelpFooter(kFooter));
  verb->add_option("IN", line->input, "Model")->required();
  verb->add_option("OUT", line->output, "Model to write; left out: only the table of what would be done");
  Declare(verb, line.get());
  verb->add_flag("--write-metadata", line->write_metadata,
                 "Also write the settings into OUT, where bin and settings find them")
      ->group("Settings");
  verb->add_option("--export-clusters", line->export_clusters,
                   "Also write values and indices of the binned tensors into this folder, as .npy, for "
                   "training that keeps clusters")
      ->group("Settings");
  verb->add_option("--import", line->import, "Instead of settings: such a folder; models get its values")
      ->group("Settings")
      ->excludes(verb->get_option("--settings"));
  verb->callback([verb, line] { Run(*verb, *line); });
}

void AddSettingsCommand(CLI::App& app) {
  const auto line = std::make_shared<BinArguments>();
  CLI::App* verb =
      app.add_subcommand("settings", "What bin would do with each tensor, and what that would give");
  verb->footer(HelpFooter(kSettingsFooter));
  verb->add_option("MODEL", line->input, "Model")->required();
  Declare(verb, line.get());
  verb->callback([verb, line] { Run(*verb, *line); });
}

}  // namespace lutra::compressor
