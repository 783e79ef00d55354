// SPDX-License-Identifier: Apache-2.0
// compress evaluate: measures what a model answers on data.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "compressor/accuracy/data_options.h"
#include "compressor/accuracy/evaluate.h"
#include "compressor/bin_model.h"
#include "compressor/commands.h"
#include "compressor/pack.h"
#include "compressor/unpack.h"
#include "host/node_data.h"
#include "host/output_file.h"

namespace lutra::compressor {
namespace {

struct EvaluateArguments {
  std::string model;
  std::string reference;
  DatasetSource source;
  MetricGoal goal;
  int jobs = 0;
  bool per_input = false;
  bool layers = false;
  bool widths = false;
  bool json = false;
  std::string export_path;
};

constexpr char kEvaluateFooter[] =
    "Example:\n  compress evaluate models/ic.tflite --data models/ic.validation.inputs.npy \\\n"
    "    --labels models/ic.validation.labels.npy\n\n"
    "Data: an .npy array whose first axis is the sample, of the input's type (codes) or float32 (real "
    "values, which\n"
    "are quantised), or a folder of .npy and .ppm files named LABEL_... or in folders LABEL. Labels: "
    "classes, one-hot\n"
    "rows, or the values that rmse compares with. Without labels the answers of --reference count, and "
    "without it\n"
    "those of the model as it was before pack.\n"
    "accuracy: the largest output, the first of several; its margin is what it exceeds the second by, and "
    "its "
    "95 %\n"
    "confidence is Wilson's interval for other samples of the kind: fewer than 200 are warned of. auc: of "
    "an\n"
    "auto-encoder's mean squared difference between output and input. rmse: of the outputs. agreement, "
    "difference and\n"
    "mean-difference compare with the answers and outputs of --reference, whatever the labels.\n"
    "Exit codes: 0 success, 1 a limit is not kept, 2 bad usage, 3 bad input.";

// Prints for each number of bits the bytes after compress bin and compress pack, and the answers. `bytes`: of
// the given file.
void PrintWidths(const host::ModelFile& file, size_t bytes, const Evaluator& evaluator,
                 const std::string& metric, const Bytes& answers) {
  constexpr int kFewestBits = 2;
  const bool has_interval = FindMetric(metric)->kind != MetricFacts::kLargest;
  fmt::print("| bits | bytes | QSNR dB | {} |{}\n|---|---|---|---|{}\n", metric,
             has_interval ? " 95 % confidence |" : "", has_interval ? "---|" : "");
  const auto value_cells = [&](const host::ModelFile& model) {
    const Evaluation result = evaluator.Evaluate(model, metric, answers);
    return fmt::format("{:.3f} |{}", result.value,
                       has_interval ? fmt::format(" {} |", IntervalText(result.interval)) : "");
  };
  for (int bits = kFewestBits; bits <= kMaxBinBits; ++bits) {
    const std::vector<BinCandidate> candidates = BinCandidates(file.model);
    BinPlan plan;
    for (const BinCandidate& candidate : candidates) {
      if (!candidate.reason.empty() || !candidate.left_out_by_default.empty()) continue;
      plan[candidate.id] = {candidate.name, {.bits = bits}};
    }
    DropWhatDoesNotGain(file, candidates, Target::kTflm, &plan);
    ModelEditor editor(file);
    double sum_db = 0;
    int lossy = 0;
    for (const BinRow& row : BinModel(file, plan, &editor).rows) {
      if (std::isinf(row.binned.qsnr_db)) continue;
      sum_db += row.binned.qsnr_db;
      ++lossy;
    }
    const PackResult packed = Pack(LoadModel(editor.Write(), file.path), {});
    fmt::print("| {} | {} | {} | {}\n", bits, packed.file.size(),
               lossy == 0 ? "lossless" : fmt::format("{:.1f}", sum_db / lossy),
               value_cells(LoadModel(packed.file, file.path)));
  }
  fmt::print("| none | {} | | {}\n", bytes, value_cells(file));
}

// Writes Model Explorer's node data: layers that are equal to the reference have no value.
std::string QsnrOfLayers(const std::vector<LayerResult>& layers) {
  std::vector<host::NodeValue> nodes;
  for (const LayerResult& layer : layers) {
    if (!std::isinf(layer.qsnr_db)) nodes.push_back({layer.tensor, layer.qsnr_db});
  }
  return host::NodeDataText("", "QSNR dB", nodes);
}

// Throws CLI::ValidationError for a goal that any model would reach, as it would be compared with itself.
void RefuseGoalForItself(const EvaluateArguments& line, bool has_labels) {
  if (!line.goal.limit || !line.reference.empty()) return;
  if (!FindMetric(line.goal.metric)->is_of_change) {
    if (has_labels) return;
    throw CLI::ValidationError(fmt::format(
        "the goal of {} compares the model with itself: give --labels or --reference", line.goal.metric));
  }
  throw CLI::ValidationError(
      fmt::format("the goal of {} compares the model with itself: give --reference", line.goal.metric));
}

void RunEvaluate(const EvaluateArguments& line, int* exit_code) {
  const host::OutputFile exported(line.export_path);
  const host::ModelFile file = host::ReadModelFile(line.model);
  const TensorInfo input = OnlyTensor(file, file.model.inputs(0), "inputs");
  const TensorInfo output = OnlyTensor(file, file.model.outputs(0), "outputs");
  Dataset data = ReadDataset(line.source, input, output);
  RefuseGoalForItself(line, !data.labels.empty());
  const host::ModelFile plain = LoadModel(Unpack(file).editor.Write(), line.model);
  std::optional<host::ModelFile> given;
  if (!line.reference.empty()) {
    const host::ModelFile reference = host::ReadModelFile(line.reference);
    const TensorInfo of_reference = OnlyTensor(reference, reference.model.inputs(0), "inputs");
    if (of_reference.type != input.type && data.labels.empty()) {
      data = LabelledBy(line.reference, line.source, file, line.jobs);
    } else {
      given = LoadModel(Unpack(reference).editor.Write(), line.reference);
    }
  }
  const Evaluator evaluator(std::move(data), line.jobs);
  const host::ModelFile& reference = given ? *given : plain;
  const bool is_of_change = !line.goal.metric.empty() && FindMetric(line.goal.metric)->is_of_change;
  const Bytes answers =
      is_of_change || evaluator.data().labels.empty() ? evaluator.Outputs(reference) : Bytes();
  const Evaluation result = evaluator.Evaluate(file, line.goal.metric, answers);
  const MetricFacts& metric = *FindMetric(result.metric);
  if (metric.is_of_answers()) fmt::print(stderr, "{}", FewSamplesWarning(line.source, result.count));
  if (line.widths) {
    PrintWidths(plain, file.bytes.size(), evaluator, result.metric, answers);
    return;
  }
  std::vector<LayerResult> layers;
  if (line.layers || exported.wanted()) layers = evaluator.CompareLayers(plain, reference);
  exported.Write(QsnrOfLayers(layers));
  if (!line.layers) layers.clear();
  fmt::print("{}", line.json ? EvaluationJson(line.model, result, layers, line.per_input, line.layers)
                             : EvaluationTable(line.model, result, layers, line.per_input));
  if (line.goal.limit && !(metric.Loss(result.value) <= metric.Loss(*line.goal.limit))) *exit_code = 1;
}

}  // namespace

void AddEvaluateCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<EvaluateArguments>();
  CLI::App* verb = app.add_subcommand("evaluate", "What a model answers on data");
  verb->footer(kEvaluateFooter);
  verb->add_option("MODEL", line->model, "Model")->required();
  AddDataOptions(*verb, &line->source);
  verb->add_option("--reference", line->reference, "The model before it was compressed");
  AddMetricOptions(*verb, "; exit 1 beyond it", "Metric", &line->goal, {});
  verb->add_option("--jobs", line->jobs, "Threads; 0: one for each processor")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  verb->add_flag("--per-input", line->per_input, "A line for each input")->group("Output");
  verb->add_flag("--layers", line->layers, "QSNR of every operator's output against the reference")
      ->group("Output");
  CLI::Option* json = verb->add_flag("--json", line->json, "Print JSON")->group("Output");
  CLI::Option* exported =
      verb->add_option("--export", line->export_path,
                       "Also write F.explorer.json: QSNR of each layer, for Model Explorer")
          ->check([](const std::string& path) {
            return path.ends_with(host::kNodeDataEnding) ? "" : "the name must end in .explorer.json";
          })
          ->group("Output");
  CLI::Option* widths =
      verb->add_flag("--widths", line->widths,
                     "Instead: bytes, QSNR and answers of the model binned to 2 to 8 bits and packed")
          ->excludes(json)
          ->excludes(exported)
          ->group("Output");
  for (const char* const name : {"--min-accuracy", "--min-auc", "--min-agreement", "--max-rmse",
                                 "--max-difference", "--per-input", "--layers"}) {
    widths->excludes(verb->get_option(name));
  }
  verb->callback([line, exit_code] { RunEvaluate(*line, exit_code); });
}

}  // namespace lutra::compressor
