// SPDX-License-Identifier: Apache-2.0
// compress auto: searches the smallest model that still reaches a goal.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>

#include "compressor/accuracy/auto.h"
#include "compressor/accuracy/data_options.h"
#include "compressor/commands.h"
#include "compressor/decoding_cost.h"
#include "host/command_line.h"
#include "host/failures.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/shard.h"
#include "host/sign_checks.h"

namespace lutra::compressor {
namespace {

struct AutoArguments {
  std::string input;
  std::string output;
  DatasetSource source;
  AutoOptions options;
  std::string target = "tflm";
  std::string search = "solver";
  std::string importance = "data";
  std::string sizes = "file";
  std::string reference;
  MetricGoal metric_goal;
  double max_loss = 0;
  double max_decode_us = 0;
  bool keep_labels = false;
  std::string save;
  std::string write_spec;
  std::string report;
  std::string sensitivity;
  bool no_strip = false;
  bool json = false;
};

constexpr char kAutoFooter[] =
    "Example:\n  compress auto models/ic.tflite ic.tflite --data models/ic.validation.inputs.npy \\\n"
    "    --labels models/ic.validation.labels.npy --max-loss 1\n\n"
    "Bins every weight tensor with as few values as its answers bear, and packs it. A codec with "
    "which\n"
    "decoding takes over 10 % of an inference's time, as Huffman's mostly does, must save over 5 % of the "
    "model's bytes.\n"
    "Both times are estimated by a table of costs, never measured: the same seed gives the same file. "
    "--any-codec looks\n"
    "at bytes alone, --max-decode-us at times that are measured here. --keep-labels, the default: each\n"
    "input that the model answers rightly stays right; without --labels its own answers are the right ones. "
    "Auto-encoders\n"
    "are measured by auc, regressions by rmse: by default no worse than the model. Without labels,\n"
    "--max-difference holds the outputs of any model to those of the uncompressed one. Data are\n"
    "those of compress evaluate. --search=nntool is the search of GreenWaves' tool, for comparison.\n"
    "Exit codes: 0 success, 1 the goal cannot be reached: what came nearest is told, and nothing written, 2 "
    "bad usage,\n"
    "3 bad input.";

void DeclareGoal(CLI::App& verb, AutoArguments* line) {
  const std::string goal = "Goal";
  CLI::Option* bytes =
      verb.add_option("--max-bytes", line->options.goal.bytes, "The file's size at most, as right as can be")
          ->check(CLI::Range(int64_t{1}, INT64_MAX))
          ->group(goal);
  CLI::Option* loss =
      verb.add_option(
              "--max-loss", line->max_loss,
              "Below the model's: points of accuracy or auc, in percent (1: 0.01); for rmse percent of "
              "the model's own")
          ->check(CLI::Range(0.0, 1e6))
          ->group(goal);
  CLI::Option* keep =
      verb.add_flag("--keep-labels", line->keep_labels, "No right answer becomes wrong")->group(goal);
  verb.add_option("--max-decode-us", line->max_decode_us,
                  "Besides: decoding takes no longer in an inference, in microseconds on this machine")
      ->check(host::NonNegativeNumber())
      ->group(goal);
  verb.add_flag("--any-codec", line->options.solver.any_codec,
                "Take codecs by their bytes alone, however long they take to decode")
      ->group(goal);
  AddMetricOptions(verb, "", goal, &line->metric_goal, {bytes, loss, keep});
}

// Declares options for comparing results with those of other searches.
void DeclareComparison(CLI::App& verb, AutoArguments* line) {
  verb.add_option(
          "--reference", line->reference,
          "The answers of this model are the right ones, instead of labels; its input may have another "
          "type, as before convert-uint8")
      ->excludes(verb.get_option("--labels"))
      ->group("Data");
  verb.add_option(
          "--sizes", line->sizes,
          "Bytes that count. file: the whole file's; gap9: of weights and biases as GAP9's engine reads "
          "them, one table for a tensor, plain or sparse")
      ->capture_default_str()
      ->check(CLI::IsMember({"file", "gap9"}))
      ->group("Search");
  verb.add_option("--sensitivity-samples", line->options.solver.sensitivity_samples,
                  "Samples that each tensor is tried alone on; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000000))
      ->group("Search");
}

void DeclareOutput(CLI::App& verb, AutoArguments* line) {
  const std::string output = "Output";
  verb.add_flag("--trim", line->options.trim,
                "Remove channels that decide nothing first, as compress trim does")
      ->group(output);
  CLI::Option* strip = verb.add_flag("--strip", line->options.strip,
                                     "Leave out what no runtime needs, as compress strip does: the default")
                           ->group(output);
  CLI::Option* no_strip =
      verb.add_flag("--no-strip", line->no_strip, "Leave out nothing")->group(output)->excludes(strip);
  verb.add_flag("--keep-names", line->options.keep_names, "Strip all but names and descriptions")
      ->group(output)
      ->excludes(no_strip);
  verb.add_option("--save", line->save, "Write the settings, for compress bin --settings")->group(output);
  verb.add_option(
          "--write-spec", line->write_spec,
          "Write the codecs, for compress pack --strip --spec: with --save's settings it makes OUT again")
      ->group(output);
  verb.add_option("--report", line->report, "Also write the report as JSON")->group(output);
  verb.add_option("--sensitivity", line->sensitivity,
                  "Print, and write as JSON, what each tensor alone does at each of its widths: error, "
                  "answers changed, bytes, time of decoding; the report has it, too")
      ->group(output);
  verb.add_flag("--json", line->json, "Print the report as JSON")->group(output);
}

struct Inputs {
  host::ModelFile file;
  Dataset data;
};

Inputs ReadInputs(const AutoArguments& line) {
  const host::OutputFile log(line.options.log);  // The search continues a log, so it must not be an input.
  Inputs inputs;
  inputs.file = host::ReadModelFile(line.input);
  const TensorInfo in = OnlyTensor(inputs.file, inputs.file.model.inputs(0), "inputs");
  const TensorInfo out = OnlyTensor(inputs.file, inputs.file.model.outputs(0), "outputs");
  inputs.data = line.reference.empty()
                    ? ReadDataset(line.source, in, out)
                    : LabelledBy(line.reference, line.source, inputs.file, line.options.jobs);
  return inputs;
}

// Throws CLI::ValidationError for options that do not go together.
AutoOptions OptionsOf(const CLI::App& verb, const AutoArguments& line) {
  AutoOptions options = line.options;
  options.target = line.target == "tflm" ? Target::kTflm : Target::kLutra;
  options.search = line.search == "nntool"    ? AutoOptions::kNntool
                   : line.search == "uniform" ? AutoOptions::kUniform
                                              : AutoOptions::kSolver;
  options.importance = line.importance == "data";
  options.sizes = line.sizes == "gap9" ? AutoOptions::kGap9 : AutoOptions::kFile;
  if (options.sizes == AutoOptions::kGap9 &&
      (options.search != AutoOptions::kSolver || options.target != Target::kLutra)) {
    throw CLI::ValidationError("--sizes=gap9 is for the solver, and for --target=lutra");
  }
  if (verb.count("--max-bytes") > 0) options.goal.kind = SolverGoal::kMaxBytes;
  options.metric = line.metric_goal.metric;
  if (line.metric_goal.limit) {
    options.goal.kind = SolverGoal::kLimit;
    options.goal.limit = *line.metric_goal.limit;
  }
  if (verb.count("--max-loss") > 0) {
    options.max_loss = line.max_loss / 100;
  }
  if (verb.count("--max-decode-us") > 0) {
    options.goal.decode_us = line.max_decode_us;
    if (options.search != AutoOptions::kSolver || !options.log.empty()) {
      throw CLI::ValidationError(
          "--max-decode-us is for the solver, and without --log: times are no two alike");
    }
  }
  const bool has_goal = options.goal.kind != SolverGoal::kKeepLabels || options.max_loss;
  if (options.search == AutoOptions::kNntool && has_goal) {
    throw CLI::ValidationError("--search=nntool keeps labels; leave out the other goal");
  }
  if (line.no_strip) options.strip = false;
  options.sensitivity = !line.sensitivity.empty();
  if (options.sensitivity && options.search != AutoOptions::kSolver) {
    throw CLI::ValidationError("--sensitivity is what the solver measures; leave out --search");
  }
  return options;
}

void RunAuto(const CLI::App& verb, const AutoArguments& line, int* exit_code) {
  const AutoOptions options = OptionsOf(verb, line);
  const host::OutputFile output(line.output, line.input);
  const host::OutputFile save(line.save), spec(line.write_spec), report(line.report);
  const host::OutputFile sensitivity(line.sensitivity);
  const Inputs inputs = ReadInputs(line);
  const AutoResult result = Auto(inputs.file, inputs.data, options);
  const host::AutoSummary& summary = result.summary;
  if (sensitivity.wanted()) sensitivity.Write(SensitivityJson(summary));
  const int64_t held_out = summary.held_out ? summary.held_out->count : summary.fitted.count;
  if (FindMetric(summary.metric)->is_of_answers()) {
    fmt::print(stderr, "{}", FewSamplesWarning(line.source, std::min(summary.fitted.count, held_out)));
  }
  if (summary.reaches_goal) {
    output.Write(result.file);
    if (save.wanted()) save.Write(summary.settings.text);
    if (spec.wanted()) spec.Write(summary.spec);
    if (report.wanted()) report.Write(AutoJson(result));
  } else {
    fmt::print(stderr, "compress: {}: the goal cannot be reached; this came nearest, nothing was written\n",
               host::Printable(line.input));
    *exit_code = 1;
  }
  if (options.sensitivity && !line.json) fmt::print("{}\n", SensitivityTable(summary));
  fmt::print("{}", line.json ? AutoJson(result) : AutoTable(result));
}

void DeclareAuto(CLI::App& verb, AutoArguments* line) {
  verb.add_option("IN", line->input, "Model")->required();
  verb.add_option("OUT", line->output, "Model to write")->required();
  AddDataOptions(verb, &line->source);
  DeclareGoal(verb, line);
  DeclareComparison(verb, line);
  const std::string search = "Search";
  verb.add_option(
          "--search", line->search,
          "solver; for comparison nntool, its one QSNR for all, and uniform, one number of bits for all")
      ->capture_default_str()
      ->check(CLI::IsMember({"solver", "nntool", "uniform"}))
      ->group(search);
  verb.add_option("--importance", line->importance,
                  "data: a weight's error counts by what the weight is multiplied by on the data; equal")
      ->capture_default_str()
      ->check(CLI::IsMember({"data", "equal"}))
      ->group(search);
  // A flag of CLI11 that stands for false would show {false} in the help.
  verb.add_flag_callback(
          "--nearest", [line] { line->options.assignment = false; },
          "Each weight becomes the value nearest to it, whatever the errors of the others are")
      ->group(search);
  verb.add_flag_callback(
          "--no-bias-correction", [line] { line->options.bias_correction = false; },
          "Leave biases as they are, or as binned: do not take from them by what binned weights move "
          "the means of outputs")
      ->group(search);
  verb.add_option("--spare", line->options.solver.spare,
                  "An answer counts as right if it also keeps this share of its margin: spare for data not "
                  "seen; auc, rmse and mean-difference count as worse by five times so many standard "
                  "errors of their change; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->group(search);
  CLI::Option* hold_out =
      verb.add_flag("--hold-out", line->options.hold_out,
                    "Fit on every second sample of each class, and report on the others, too")
          ->group(search);
  verb.add_option("--split", line->options.split,
                  "With --hold-out: another number is another half, drawn by chance")
      ->capture_default_str()
      ->needs(hold_out)
      ->group(search);
  verb.add_option("--target", line->target, "tflm: only what TFLM reads; lutra: every codec")
      ->capture_default_str()
      ->check(CLI::IsMember({"tflm", "lutra"}))
      ->group(search);
  verb.add_option("--seed", line->options.solver.seed, "Of the moves that are tried")
      ->capture_default_str()
      ->group(search);
  verb.add_option("--evaluations", line->options.solver.evaluations,
                  "Runs over the data at most; with --target=lutra, which begins with what is "
                  "found for tflm, in each of the two searches")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000000))
      ->group(search);
  verb.add_option("--log", line->options.log, "What was run; a search that was interrupted goes on from it")
      ->group(search);
  verb.add_option("--jobs", line->options.jobs, "Threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024))
      ->group(search);
  DeclareOutput(verb, line);
}

// --list: runs a list of models, a line for each.

struct ListedModel {
  std::string place;  // "models.txt:3"
  CLI::App verb;
  AutoArguments line;
  int64_t cost = 1;
};

// Returns the options of a command line, which precede those of each model.
std::vector<std::string> WordsOf(const CLI::App& verb, const std::vector<std::string>& without) {
  std::vector<std::string> words;
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(without.begin(), without.end(), name) != without.end()) continue;
    if (option->get_items_expected_max() == 0) {
      words.push_back(name);
      continue;
    }
    for (const std::string& value : option->results()) words.push_back(name + "=" + value);
  }
  return words;
}

// Estimates the microseconds of one run over the data. A model that cannot be read costs next to nothing.
int64_t CostOf(const AutoArguments& line) try {
  namespace fs = std::filesystem;
  const host::ModelFile file = host::ReadModelFile(line.input);
  const int64_t sample_bytes = std::max(OnlyTensor(file, file.model.inputs(0), "inputs").bytes, 1);
  double samples = 0;
  for (const std::string& data : line.source.data) {
    const int64_t count = fs::is_directory(data) ? std::distance(fs::recursive_directory_iterator(data), {})
                                                 : static_cast<int64_t>(fs::file_size(data)) / sample_bytes;
    samples += static_cast<double>(std::min(count, line.source.first));
  }
  return static_cast<int64_t>(std::clamp(InferenceUs(file.model) * samples, 1.0, 1e15));
} catch (const host::BadInput&) {
  return 1;
} catch (const std::filesystem::filesystem_error&) {
  return 1;
}

// The files of all lines of a list, by their paths after following links. All lines are checked before one
// runs, as an output of one line may be read by another.
class ListedFiles {
 public:
  explicit ListedFiles(const std::string& list) { read_.push_back({list, "", "the list", list}); }

  void Add(const ListedModel& model) {
    const AutoArguments& line = model.line;
    const std::string& place = model.place;
    read_.push_back({line.input, place, "IN", line.input});
    for (const std::string& data : line.source.data) read_.push_back({data, place, "--data", data});
    read_.push_back({line.source.labels, place, "--labels", line.source.labels});
    read_.push_back({line.reference, place, "--reference", line.reference});
    const std::pair<const char*, std::string> outputs[] = {{"OUT", line.output},
                                                           {"--save", line.save},
                                                           {"--write-spec", line.write_spec},
                                                           {"--report", line.report},
                                                           {"--sensitivity", line.sensitivity},
                                                           {"--log", line.options.log}};
    for (const auto& [option, path] : outputs) written_.push_back({path, place, option, path});
  }

  // Throws BadUsage for an output that is another's output or input. A model may replace its own input, and
  // searches may share a log.
  void RefuseConflicts() {
    for (std::vector<Use>* const uses : {&read_, &written_}) {
      std::erase_if(*uses, [](const Use& use) { return use.path.empty() || IsDevice(use.path); });
      for (Use& use : *uses) use.path = Resolved(use.path);
    }
    std::map<std::string, const Use*> outputs;  // By paths.
    for (const Use& use : written_) {
      const auto [at, is_new] = outputs.emplace(use.path, &use);
      const Use& other = *at->second;
      const bool is_shared_log = use.option == "--log" && other.option == "--log";
      if (!is_new && !is_shared_log) Refuse(use, other);
    }
    for (const Use& use : read_) {
      const auto at = outputs.find(use.path);
      if (at == outputs.end()) continue;
      const Use& output = *at->second;
      const bool is_own = use.option == "IN" && output.option == "OUT" && use.place == output.place;
      if (!is_own) Refuse(output, use);
    }
  }

 private:
  struct Use {
    std::string path, place, option, given;
  };

  // Several outputs may go to a device or a pipe.
  static bool IsDevice(const std::string& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
           !std::filesystem::is_directory(status);
  }
  static std::string Resolved(const std::string& path) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    const std::filesystem::path found = std::filesystem::weakly_canonical(absolute, error);
    return (error ? absolute : found).string();
  }
  [[noreturn]] static void Refuse(const Use& output, const Use& other) {
    throw host::BadUsage(fmt::format("{}: {}: found {}, required: another file than {}{}", output.place,
                                     output.option, output.given, other.option,
                                     other.place.empty() ? "" : " of " + other.place));
  }

  std::vector<Use> read_, written_;
};

// Throws BadUsage, naming the line, for a line that `compress auto` would not take.
std::vector<std::unique_ptr<ListedModel>> ReadList(const std::string& path,
                                                   const std::vector<std::string>& common) {
  std::vector<std::unique_ptr<ListedModel>> models;
  ListedFiles files(path);
  std::istringstream text(host::ReadInputText(path));
  int number = 0;
  for (std::string row; std::getline(text, row);) {
    ++number;
    const size_t begin = row.find_first_not_of(" \t\r");
    if (begin == std::string::npos || row[begin] == '#') continue;
    auto model = std::make_unique<ListedModel>();
    model->place = fmt::format("{}:{}", path, number);
    DeclareAuto(model->verb, &model->line);
    host::CheckValues(model->verb);
    std::vector<std::string> words = CLI::detail::split_up(row);
    words.insert(words.begin(), common.begin(), common.end());
    std::reverse(words.begin(), words.end());
    try {
      model->verb.parse(words);
      OptionsOf(model->verb, model->line);
    } catch (const CLI::ParseError& error) {
      throw host::BadUsage(model->place + ": " + host::DescribeMisuse(model->verb, error));
    }
    files.Add(*model);
    model->cost = CostOf(model->line);
    models.push_back(std::move(model));
  }
  files.RefuseConflicts();
  if (models.empty())
    throw host::BadInput(path, "no model", "lines of IN OUT [OPTIONS], as behind `compress auto`");
  return models;
}

// Continues after a model that is refused. Sets `*exit_code` to the largest of the models'.
void RunList(const CLI::App& verb, const std::string& path, const std::string& shard_option, int* exit_code) {
  const host::Shard shard = host::ChosenShard(shard_option);
  const auto models = ReadList(path, WordsOf(verb, {"--list", "--shard"}));
  std::vector<int64_t> costs;
  for (const auto& model : models) costs.push_back(model->cost);
  int written = 0, missed = 0, refused = 0;
  for (const size_t at : host::WorkOfShard(costs, shard)) {
    const ListedModel& model = *models[at];
    int code = host::kExitOk;
    fmt::print("{}: {}\n", host::Printable(model.place), host::Printable(model.line.input));
    try {
      RunAuto(model.verb, model.line, &code);
    } catch (const host::BadInput& error) {
      fmt::print(stderr, "{}: {}\n", host::Printable(model.place), error.what());
      code = host::kExitBadInput;
    }
    ++(code == host::kExitOk ? written : code == host::kExitWrong ? missed : refused);
    *exit_code = std::max(*exit_code, code);
    fmt::print("\n");
    std::fflush(stdout);
  }
  const int count = written + missed + refused;
  fmt::print("{} {}: {} written, {} that miss their goal, {} refused{}\n", count,
             count == 1 ? "model" : "models", written, missed, refused, ShardSuffix(shard));
}

}  // namespace

void AddAutoCommand(CLI::App& app, int* exit_code) {
  struct AutoLine : AutoArguments {
    std::string list, shard;
  };
  const auto line = std::make_shared<AutoLine>();
  CLI::App* verb = app.add_subcommand("auto", "Bin and pack as much as the model's answers bear");
  verb->footer(kAutoFooter);
  DeclareAuto(*verb, line.get());
  // Each line of the list has the options that one model needs.
  std::vector<CLI::Option*> of_a_model;
  for (const char* const name : {"IN", "OUT", "--data"}) of_a_model.push_back(verb->get_option(name));
  CLI::Option* const list =
      verb->add_option_function<std::string>(
              "--list",
              [line, of_a_model](const std::string& path) {
                line->list = path;
                for (CLI::Option* const option : of_a_model) option->required(false);
              },
              "Many models, instead of IN and OUT: a file with a line for each, IN OUT [OPTIONS]; the "
              "options beside --list are for all")
          ->excludes(of_a_model[0])
          ->excludes(of_a_model[1])
          ->group("Many models");
  // These name files that each model writes for itself.
  for (const char* const name : {"--log", "--save", "--write-spec", "--report", "--sensitivity", "--json"})
    list->excludes(verb->get_option(name));
  verb->add_option("--shard", line->shard, "Of --list i/n: the i-th of n parts of equal work")
      ->needs(list)
      ->group("Many models");
  verb->callback([verb, line, exit_code] {
    line->list.empty() ? RunAuto(*verb, *line, exit_code)
                       : RunList(*verb, line->list, line->shard, exit_code);
  });
}

}  // namespace lutra::compressor
