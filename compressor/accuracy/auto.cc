// SPDX-License-Identifier: Apache-2.0
// Sorts the data by margins, searches, and makes the model that the search chose.

#include "compressor/accuracy/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "compressor/accuracy/search.h"
#include "compressor/strip.h"
#include "compressor/trim.h"
#include "host/scores.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
namespace {

// Names are those of `model`, which is the given one: stripping removes names.
std::vector<host::ChosenTensor> Summarize(const Model& model, const PackResult& packed,
                                          const BinReport& binned) {
  std::vector<host::ChosenTensor> tensors;
  for (const PackedTensor& tensor : packed.tensors) {
    const Constant& constant = tensor.constant;
    host::ChosenTensor row = {.index = constant.id.tensor,
                              .name = model.tensor(constant.id.subgraph, constant.id.tensor).name,
                              .bits = tensor.coded ? tensor.coded->bits : 8 * ElementBytes(constant.type),
                              .codec = tensor.coded ? ToString(tensor.coded->entry.codec) : "plain",
                              .original_bytes = constant.bytes,
                              .bytes = tensor.coded ? tensor.coded->bytes() : constant.bytes,
                              .decode_us = tensor.decode_us()};
    for (const BinRow& bin : binned.rows) {
      if (bin.candidate.id != constant.id) continue;
      row.qsnr_db = bin.binned.qsnr_db;
      row.is_moved = bin.is_moved();
    }
    tensors.push_back(std::move(row));
  }
  return tensors;
}

// Reports the time of decoding, and the bytes that the codecs left out would have saved.
void DescribeDecoding(const PackResult& packed, const CodecChoice& codecs, AutoResult* result) {
  host::DecodingSummary& decoding = result->summary.decoding = SummarizeDecoding(packed);
  result->decoding_text = DecodingText(decoding);
  decoding.left_out.emplace();
  for (const CodecChoice::LeftOut& codec : codecs.left_out) {
    decoding.left_out->push_back({ToString(codec.codec), codec.saved_bytes, codec.decode_us});
    result->decoding_text += fmt::format(
        "left out: {}, which would save {} bytes at these widths, {:.1f} % of the model's: decoding could "
        "take\n"
        "  {:.1f} us with it, and where it takes more than {:.1f} us a codec must save over 5 %; --any-codec "
        "takes "
        "it\n",
        ToString(codec.codec), codec.saved_bytes,
        100.0 * static_cast<double>(codec.saved_bytes) / static_cast<double>(packed.aligned_bytes),
        codec.decode_us, codecs.free_us);
  }
}

// Describes the choice for `file`, and makes the resulting file.
AutoResult MakeResult(const host::ModelFile& file, const Searched& searched, const AutoOptions& options) {
  const Choices& choices = *searched.choices;
  const Solution& solution = searched.solution;
  Made made = BinAndPack(choices, options, solution.chosen);
  AutoResult result;
  result.plan = choices.PlanOf(solution.chosen);
  // Settings name tensors as the given model does.
  for (auto& [id, planned] : result.plan) planned.name = file.model.tensor(id.subgraph, id.tensor).name;
  DescribeDecoding(made.packed, solution.codecs, &result);
  host::AutoSummary& summary = result.summary;
  summary.model = file.path;
  summary.reaches_goal = solution.reaches_goal;
  summary.bytes_before = static_cast<int64_t>(file.bytes.size());
  summary.bytes_after = static_cast<int64_t>(made.packed.file.size());
  summary.evaluations = solution.evaluations;
  if (options.goal.decode_us) summary.decode_us = choices.DecodeUsOf(solution.chosen);
  const bool is_engine = options.sizes == AutoOptions::kGap9;
  if (is_engine) {
    summary.constant_bytes_before = choices.BytesOf(std::vector<int>(solution.chosen.size()));
    summary.constant_bytes_after = choices.BytesOf(solution.chosen);
  }
  if (options.goal.kind == SolverGoal::kMaxBytes) {
    summary.reaches_goal =
        (is_engine ? *summary.constant_bytes_after : summary.bytes_after) <= options.goal.bytes;
  }
  summary.tensors = Summarize(file.model, made.packed, made.binned);
  summary.steps = solution.steps;
  if (options.sensitivity) {
    summary.sensitivity = searched.sensitivity;
    for (host::TensorSensitivity& tensor : *summary.sensitivity) {
      tensor.name = file.model.tensor(static_cast<int>(tensor.subgraph), static_cast<int>(tensor.index)).name;
    }
  }
  summary.settings = {WritePlan(result.plan)};
  summary.spec = PackSpec(made.packed);
  result.file = std::move(made.packed.file);
  return result;
}

// Returns the goal in the metric's own numbers. Throws BadInput if the metric has no such goal.
SolverGoal GoalFor(const LabelledData& fit, const AutoOptions& options, const std::string& path) {
  SolverGoal goal = options.goal;
  const MetricFacts& metric = *fit.metric;
  const bool is_difference = metric.kind == MetricFacts::kLargest || metric.kind == MetricFacts::kMean;
  const bool keeps = goal.kind == SolverGoal::kKeepLabels && !metric.is_of_answers();
  if (options.search == AutoOptions::kNntool && !metric.is_of_answers()) {
    throw host::BadInput(
        fmt::format("{}: metric: found {}, required for --search=nntool: answers; leave out --search", path,
                    metric.name));
  }
  if (is_difference && (keeps || options.max_loss)) {
    throw host::BadInput(fmt::format(
        "{}: goal: found none for {}, which the unchanged model has of 0; give --max-difference or "
        "--max-bytes, or --labels",
        path, metric.name));
  }
  if (!keeps && !options.max_loss) return goal;
  goal.kind = SolverGoal::kLimit;
  const double loss = options.max_loss.value_or(0), value = fit.Value();
  goal.limit = metric.more_is_better ? std::max(0.0, value - loss) : value * (1 + loss);
  return goal;
}

}  // namespace

AutoResult Auto(const host::ModelFile& given, const Dataset& data, const AutoOptions& options) {
  // A trimmed model gives the same answers; settings and specs are for the file that compress trim writes.
  std::optional<host::ModelFile> trimmed;
  if (options.trim) trimmed = LoadModel(Trim(given).file, given.path);
  const host::ModelFile& file = trimmed ? *trimmed : given;
  LabelledData fit = LabelledFor(file, data, options.metric, options.jobs);
  LabelledData others;
  if (options.hold_out) std::tie(fit, others) = Halves(fit, options.split);
  if (options.hold_out && (fit.before.errors.empty() || others.before.errors.empty())) {
    throw host::BadInput(
        fmt::format("{}: data: found {} samples, required: two of a class for --hold-out; give more",
                    file.path, data.count()));
  }
  // The model is stripped before anything is chosen: widths and codecs are for the stripped file.
  std::optional<host::ModelFile> stripped;
  std::vector<std::string> gone;
  if (options.strip) {
    // The scales of biases stay until all is chosen, since errors of biases count by their scales.
    StripOptions stripping = {.names = !options.keep_names, .bias_quantization = false};
    stripped = LoadModel(Stripped(file, stripping).Write(), file.path);
    stripping.bias_quantization = true;
    Stripped(file, stripping, &gone);
  }
  AutoOptions asked = options;
  asked.goal = GoalFor(fit, options, file.path);
  const Searched searched = Search(stripped ? *stripped : file, fit, asked);
  AutoResult result = MakeResult(file, searched, asked);
  host::AutoSummary& summary = result.summary;
  summary.bytes_before = static_cast<int64_t>(given.bytes.size());
  summary.stripped = gone;
  for (const ParetoChoice& choice : searched.pareto) {
    const host::ModelFile made = searched.choices->Apply(choice.chosen);
    const host::AnswerChange fitted = Evaluate(fit, made, options.jobs);
    host::ParetoPoint point = {.bytes = choice.bytes,
                               .value = fitted.value_after,
                               .held_out = {},
                               .confidence_interval = fitted.interval_after,
                               .held_out_confidence_interval = {},
                               .is_result = choice.chosen == searched.solution.chosen};
    if (options.hold_out) {
      const host::AnswerChange held_out = Evaluate(others, made, options.jobs);
      point.held_out = held_out.value_after;
      point.held_out_confidence_interval = held_out.interval_after;
    }
    summary.pareto.push_back(point);
  }
  // The figures are those of the written file and of its answers, whatever margins the search asked for.
  const host::ModelFile made = LoadModel(result.file, file.path);
  summary.fitted = Evaluate(fit, made, options.jobs);
  summary.metric = fit.metric->name;
  if (!MeetsGoal(asked.goal, *fit.metric, summary.fitted)) summary.reaches_goal = false;
  if (options.hold_out) summary.held_out = Evaluate(others, made, options.jobs);
  return result;
}

}  // namespace lutra::compressor
