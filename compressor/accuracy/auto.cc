// SPDX-License-Identifier: Apache-2.0
// Data in the order of their margins, a search, and the model that it chose.

#include "compressor/accuracy/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <tuple>

#include "compressor/accuracy/codec_choice.h"
#include "compressor/accuracy/importance.h"
#include "compressor/accuracy/interval_json.h"
#include "compressor/decoding_cost.h"
#include "compressor/gap9/nntool/search.h"
#include "compressor/strip.h"
#include "host/prepared_model.h"
#include "host/printable.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

struct LabelledData {
  Dataset data;
  std::vector<int64_t> labels;
  std::vector<char> right;  // Whether the model answers so.

  double Accuracy() const {
    return static_cast<double>(std::count(right.begin(), right.end(), 1)) / static_cast<double>(right.size());
  }
};

// Those of the samples that `wanted` names.
LabelledData Select(const LabelledData& all, const std::vector<size_t>& wanted) {
  LabelledData some = {.data = all.data, .labels = {}, .right = {}};
  some.data.samples.clear();
  some.data.names.clear();
  some.data.labels.clear();
  for (const size_t i : wanted) {
    const uint8_t* sample = all.data.sample(static_cast<int64_t>(i));
    some.data.samples.insert(some.data.samples.end(), sample, sample + all.data.sample_bytes);
    some.labels.push_back(all.labels[i]);
    some.data.labels.push_back(static_cast<double>(all.labels[i]));
    some.right.push_back(all.right[i]);
  }
  return some;
}

// Those to fit on, and the others: of each two samples of a class that follow one another in the order given
// one each. Split 0 fits on the first of them; in others chance decides.
std::pair<LabelledData, LabelledData> Halves(const LabelledData& all, uint64_t split) {
  struct Class {
    bool is_second = false;
    size_t half = 0;  // Where the last sample went.
  };
  std::map<int64_t, Class> classes;
  std::mt19937_64 random(split);
  std::vector<size_t> halves[2];
  for (size_t i = 0; i < all.labels.size(); ++i) {
    Class& c = classes[all.labels[i]];
    const size_t first = split == 0 ? 0 : random() % 2;
    c.half = c.is_second ? 1 - c.half : first;
    c.is_second = !c.is_second;
    halves[c.half].push_back(i);
  }
  return {Select(all, halves[0]), Select(all, halves[1])};
}

// The samples that a model is least sure of come first: what changes an answer is seen soon.
LabelledData InOrderOfMargins(const host::ModelFile& file, const Dataset& data, int jobs) {
  const TensorInfo input = file.model.tensor(0, file.model.inputs(0)[0]);
  const TensorInfo output = file.model.tensor(0, file.model.outputs(0)[0]);
  const TensorType labels = data.labels.empty() ? TensorType::kInt32 : data.label_type;
  const std::string metric = host::DefaultMetric(labels, input, output);
  if (metric != "accuracy" || output.shape.Count() < 2) {
    throw host::BadInput(fmt::format(
        "{}: metric: found a model and labels for {}, required: classes; choose widths with compress "
        "evaluate",
        file.path, output.shape.Count() < 2 ? "one output" : metric));
  }
  const Evaluator evaluator(data, jobs);
  const Bytes answers = data.labels.empty() ? evaluator.Outputs(file) : Bytes();
  const Evaluation base = evaluator.Evaluate(file, "accuracy", answers);
  std::vector<size_t> order(base.inputs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return base.inputs[a].margin < base.inputs[b].margin; });
  LabelledData all = {.data = data, .labels = {}, .right = {}};
  for (const InputResult& input : base.inputs) {
    all.labels.push_back(input.label);
    all.right.push_back(input.answer == input.label ? 1 : 0);
  }
  return Select(all, order);
}

HeldOut AnswersOn(const LabelledData& samples, const host::ModelFile& file, int jobs) {
  const Evaluation after = Evaluator(samples.data, jobs, true).Evaluate(file, "accuracy", {});
  HeldOut result = {.count = after.count, .value_before = samples.Accuracy(), .value_after = after.value};
  for (size_t i = 0; i < samples.labels.size(); ++i) {
    if (samples.right[i] != 0 && after.inputs[i].answer != samples.labels[i]) ++result.lost;
  }
  return result;
}

// Whether the answers of a run meet the goal.
bool Keeps(const SolverGoal& goal, const HeldOut& run) {
  return goal.kind == SolverGoal::kKeepLabels    ? run.lost == 0
         : goal.kind == SolverGoal::kMinAccuracy ? run.value_after >= goal.accuracy - 1e-9
                                                 : true;
}

// The same number of bits for all tensors that gain by it, as few as reach the goal.
Solution SearchUniform(const Choices& choices, const LabelledData& fit, int jobs, const SolverGoal& goal) {
  Solution best;
  for (int bits = kMaxBinBits; bits >= 0; --bits) {
    std::vector<int> chosen(choices.tensors().size());
    for (size_t t = 0; t < chosen.size(); ++t) {
      const auto& options = choices.tensors()[t].options;
      const auto option = static_cast<size_t>(kMaxBinBits + 1 - bits);
      // The widest are first; before them stands the tensor as it is.
      if (bits > 0 && option < options.size() && options[option].codec != "plain") {
        chosen[t] = static_cast<int>(option);
      }
    }
    if (bits == 0 && best.reaches_goal) break;  // The model as it is.
    const HeldOut run = AnswersOn(fit, choices.Apply(chosen), jobs);
    ++best.evaluations;
    const int64_t bytes = choices.BytesOf(chosen);
    const bool reaches = Keeps(goal, run) && (goal.kind != SolverGoal::kMaxBytes || bytes <= goal.bytes);
    const auto right = std::llround(run.value_after * static_cast<double>(run.count));
    const bool better = goal.kind == SolverGoal::kMaxBytes ? right > best.right : bytes < best.bytes;
    if (best.chosen.empty() || (reaches && (!best.reaches_goal || better))) {
      best.chosen = chosen;
      best.bytes = bytes;
      best.right = right;
      best.lost = run.lost;
      best.reaches_goal = reaches;
    }
  }
  return best;
}

// Names are those of `model`, the one that was given: stripping takes them away.
void Describe(const Model& model, const PackResult& packed, const BinReport& binned, AutoResult* result) {
  for (const PackedTensor& tensor : packed.tensors) {
    const Constant& constant = tensor.constant;
    AutoTensor row = {.index = constant.id.tensor,
                      .name = model.tensor(constant.id.subgraph, constant.id.tensor).name,
                      .bits = tensor.coded ? tensor.coded->bits : 8 * ElementBytes(constant.type),
                      .codec = tensor.coded ? ToString(tensor.coded->entry.codec) : "plain",
                      .original_bytes = constant.bytes,
                      .bytes = tensor.coded ? tensor.coded->bytes() : constant.bytes,
                      .decode_us = tensor.decode_us(),
                      .qsnr_db = INFINITY};
    for (const BinRow& bin : binned.rows) {
      if (bin.candidate.id != constant.id) continue;
      row.qsnr_db = bin.binned.qsnr_db;
      row.is_moved = bin.is_moved();
    }
    result->tensors.push_back(std::move(row));
  }
}

struct Made {
  BinReport binned;
  PackResult packed;
};

// Bins and packs what was chosen.
Made Make(const Choices& choices, const AutoOptions& options, const std::vector<int>& chosen) {
  const std::string& path = choices.base().path;
  Made made;
  ModelEditor editor(choices.base());
  made.binned = BinModel(choices.base(), choices.PlanOf(chosen), &editor);
  PackOptions pack;
  pack.target = options.target;
  pack.placement = PlacementFor(options.target);
  if (options.goal.decode_us || options.sizes == AutoOptions::kGap9) pack.spec = choices.SpecOf(chosen);
  // A tensor may become smaller in a codec that decodes as fast as the chosen one, the rest in lookup tables.
  if (!options.solver.any_codec) {
    std::map<TensorId, DecodeType> slowest;
    for (const SpecEntry& entry : choices.SpecOf(chosen)) slowest[entry.id] = entry.codec;
    pack.may_take_time = [slowest](TensorId id, DecodeType codec) {
      const auto found = slowest.find(id);
      const DecodeType most = found == slowest.end() ? DecodeType::kLut : found->second;
      return DecodesAsFast(codec, most);
    };
  }
  made.packed = Pack(LoadModel(editor.Write(), path), pack);
  return made;
}

// Reports the time of decoding, and the bytes that codecs which were left out would have saved.
void DescribeDecoding(const PackResult& packed, const CodecChoice& codecs, AutoResult* result) {
  result->decoding = DecodingJson(packed);
  result->decoding_text = DecodingText(packed);
  auto left_out = nlohmann::ordered_json::array();
  for (const CodecChoice::LeftOut& codec : codecs.left_out) {
    left_out.push_back({{"codec", ToString(codec.codec)},
                        {"saved_bytes", codec.saved_bytes},
                        {"decode_us", codec.decode_us}});
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
  result->decoding["left_out"] = left_out;
}

void Finish(const host::ModelFile& file, const Choices& choices, const AutoOptions& options,
            const Solution& solution, AutoResult* result) {
  const std::vector<int>& chosen = solution.chosen;
  Made made = Make(choices, options, chosen);
  DescribeDecoding(made.packed, solution.codecs, result);
  const bool is_engine = options.sizes == AutoOptions::kGap9;
  if (options.goal.decode_us) result->decode_us = choices.DecodeUsOf(chosen);
  if (is_engine) {
    result->constants = {choices.BytesOf(std::vector<int>(chosen.size())), choices.BytesOf(chosen)};
  }
  Describe(file.model, made.packed, made.binned, result);
  result->spec = PackSpec(made.packed);
  result->file = std::move(made.packed.file);
  result->bytes_before = static_cast<int64_t>(file.bytes.size());
  result->bytes_after = static_cast<int64_t>(result->file.size());
  if (options.goal.kind == SolverGoal::kMaxBytes) {
    const int64_t bytes = is_engine ? result->constants->after : result->bytes_after;
    result->reaches_goal = bytes <= options.goal.bytes;
  }
}

// Measures the weights for a search that fits on these samples. A compressed model, which Choices refuses,
// gives nothing.
Calibration Calibrate(const host::ModelFile& file, const Evaluator& evaluator, const AutoOptions& options) {
  const ModelEditor editor(file);
  if (IsCompressed(editor)) return {};
  // As Choices has it: biases of the same bytes have one place there, and none of them can be moved alone.
  const std::vector<FilterInputs> inputs =
      MeasureFilterInputs(LoadModel(editor.Write(), file.path), evaluator);
  Calibration calibration;
  if (options.bias_correction) calibration.correction = BiasCorrection(inputs);
  if (options.importance) calibration.importance = Importance(file, inputs, options.bias_correction);
  if (options.assignment) calibration.assigners = Assigners(file, inputs, options.bias_correction);
  return calibration;
}

struct Searched {
  std::unique_ptr<Choices> choices;
  Solution solution;
  std::vector<ParetoChoice> pareto;
};

// Runs the solver for a target; `options` say from where it begins.
Searched SearchFor(const host::ModelFile& file, const Evaluator& evaluator, const LabelledData& fit,
                   const Calibration& calibration, const SolverGoal& goal, const AutoOptions& options,
                   Runs* runs) {
  Searched searched;
  searched.choices = std::make_unique<Choices>(
      file, options.target, options.sizes == AutoOptions::kGap9 ? Widths::kEngine : Widths::kUseful,
      calibration, options.goal.decode_us.has_value());
  SolverOptions solver_options = options.solver;
  solver_options.target = options.target;
  if (options.sizes == AutoOptions::kFile) {
    solver_options.file_bytes = [&](const std::vector<int>& chosen) {
      return static_cast<int64_t>(Make(*searched.choices, options, chosen).packed.file.size());
    };
  }
  Solver solver(*searched.choices, evaluator, fit.labels, goal, solver_options, runs);
  searched.solution = solver.Solve();
  searched.pareto = solver.Pareto(searched.solution);
  return searched;
}

// Whether `a` is what should be written rather than `b`.
bool IsBetter(const Searched& a, int64_t a_bytes, const Searched& b, int64_t b_bytes,
              const SolverGoal& goal) {
  if (a.solution.reaches_goal != b.solution.reaches_goal) return a.solution.reaches_goal;
  const bool counts_right = goal.kind == SolverGoal::kMaxBytes && a.solution.right != b.solution.right;
  return counts_right ? a.solution.right > b.solution.right : a_bytes < b_bytes;
}

// The solver's choice. All that TFLM reads is read for the target lutra, too, so what is found for TFLM is
// where the search for lutra begins, and it is never worse.
Searched SearchBySolver(const host::ModelFile& file, const Evaluator& evaluator, const LabelledData& fit,
                        const SolverGoal& goal, const AutoOptions& options) {
  const Calibration calibration = Calibrate(file, evaluator, options);
  Runs runs(options.log);
  AutoOptions first = options;
  const bool is_superset = options.target == Target::kLutra && options.sizes == AutoOptions::kFile;
  if (is_superset) first.target = Target::kTflm;
  Searched found = SearchFor(file, evaluator, fit, calibration, goal, first, &runs);
  if (!is_superset) return found;
  AutoOptions second = options;
  second.solver.start = found.choices->ValuesOf(found.solution.chosen);
  Searched further = SearchFor(file, evaluator, fit, calibration, goal, second, &runs);
  further.solution.evaluations += found.solution.evaluations;
  found.solution.evaluations = further.solution.evaluations;
  const auto bytes = [&](const Searched& searched) {
    return static_cast<int64_t>(
        Make(*searched.choices, options, searched.solution.chosen).packed.file.size());
  };
  return IsBetter(found, bytes(found), further, bytes(further), goal) ? std::move(found) : std::move(further);
}

}  // namespace

AutoResult Auto(const host::ModelFile& file, const Dataset& data, const AutoOptions& options) {
  LabelledData fit = InOrderOfMargins(file, data, options.jobs);
  LabelledData others;
  if (options.hold_out) std::tie(fit, others) = Halves(fit, options.split);
  if (options.hold_out && (fit.labels.empty() || others.labels.empty())) {
    throw host::BadInput(
        fmt::format("{}: data: found {} samples, required: two of a class for --hold-out; give more",
                    file.path, data.count()));
  }
  const Evaluator evaluator(fit.data, options.jobs, true);
  // The model is stripped before anything is chosen: widths and codecs are for the file that comes out.
  std::optional<host::ModelFile> stripped;
  if (options.strip) stripped = LoadModel(Stripped(file).Write(), file.path);
  const host::ModelFile& base = stripped ? *stripped : file;
  AutoResult result;
  result.path = file.path;
  result.count = evaluator.data().count();
  result.value_before = fit.Accuracy();
  SolverGoal goal = options.goal;
  if (options.max_loss) goal.accuracy = std::max(0.0, result.value_before - *options.max_loss);
  Searched searched;
  Solution& solution = searched.solution;
  if (options.search == AutoOptions::kSolver) {
    searched = SearchBySolver(base, evaluator, fit, goal, options);
    for (const ParetoChoice& choice : searched.pareto) {
      const host::ModelFile made = searched.choices->Apply(choice.chosen);
      ParetoPoint point = {.bytes = choice.bytes,
                           .value = AnswersOn(fit, made, options.jobs).value_after,
                           .held_out = {},
                           .is_result = choice.chosen == solution.chosen};
      if (options.hold_out) point.held_out = AnswersOn(others, made, options.jobs).value_after;
      result.pareto.push_back(point);
    }
  } else {
    searched.choices = std::make_unique<Choices>(base, options.target, Widths::kUniform);
    if (!options.solver.any_codec) searched.choices->StoreIn(FastCodecsOf(options.target));
    solution = options.search == AutoOptions::kNntool
                   ? SearchAsNntool(*searched.choices, evaluator, fit.labels)
                   : SearchUniform(*searched.choices, fit, options.jobs, goal);
  }
  result.evaluations = solution.evaluations;
  result.steps = solution.steps;
  result.reaches_goal = solution.reaches_goal;
  result.plan = searched.choices->PlanOf(solution.chosen);
  Finish(file, *searched.choices, options, solution, &result);
  // Settings are read with the names of the model that was given.
  for (auto& [id, planned] : result.plan) planned.name = file.model.tensor(id.subgraph, id.tensor).name;
  // The figures are those of the file that comes out and of its answers, whatever margins the search asked
  // for.
  const host::ModelFile made = LoadModel(result.file, file.path);
  const HeldOut after = AnswersOn(fit, made, options.jobs);
  result.value_after = after.value_after;
  result.lost = after.lost;
  if (!Keeps(goal, after)) result.reaches_goal = false;
  if (options.hold_out) result.held_out = AnswersOn(others, made, options.jobs);
  return result;
}

namespace {

std::string ConfidenceLine(double before, double after, int64_t count) {
  return fmt::format("95 % confidence: {} before, {} after\n", host::ConfidenceText(before, count),
                     host::ConfidenceText(after, count));
}

}  // namespace

std::string AutoTable(const AutoResult& result) {
  std::string text;
  for (const SearchStep& step : result.steps) {
    text += fmt::format("QSNR {:<9} step {:<8} {:<4} {:>5} inputs  {}\n", step.qsnr_db, step.step_db,
                        step.is_up ? "up" : "down", step.inputs,
                        step.from_memory ? (step.is_good ? "good, from memory" : "bad, from memory")
                        : step.is_good   ? "good"
                                         : fmt::format("{} bad", step.bad));
  }
  text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>4} {:<12} {:>8} {:>8}\n", "tensor", "name", "bytes",
                      "stored", "bits", "codec", "dec. us", "QSNR dB");
  for (const AutoTensor& tensor : result.tensors) {
    text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>4} {:<12} {:>8.2f} {:>8}\n", tensor.index,
                        host::ShortName(tensor.name, 20), tensor.original_bytes, tensor.bytes, tensor.bits,
                        tensor.codec, tensor.decode_us, QsnrText(tensor.qsnr_db, tensor.is_moved));
  }
  text += fmt::format(
      "{}: {} bytes become {} ({:.1f} %), accuracy {:.4f} becomes {:.4f} over {} inputs, {} of those "
      "that were right are wrong; {} evaluations\n",
      result.path, result.bytes_before, result.bytes_after,
      100.0 * static_cast<double>(result.bytes_after) / static_cast<double>(result.bytes_before),
      result.value_before, result.value_after, result.count, result.lost, result.evaluations);
  text += ConfidenceLine(result.value_before, result.value_after, result.count);
  if (result.constants) {
    text += fmt::format(
        "weights and biases: {} bytes become {} ({:.1f} %), as GAP9's engine reads them\n",
        result.constants->before, result.constants->after,
        100.0 * static_cast<double>(result.constants->after) / static_cast<double>(result.constants->before));
  }
  text += result.decoding_text;
  if (result.decode_us) {
    text += fmt::format("decoding, measured: {:.2f} us of an inference on this machine\n", *result.decode_us);
  }
  if (result.held_out) {
    text += fmt::format(
        "fitted on these {} inputs; on {} others accuracy {:.4f} becomes {:.4f}, {} of those that were right "
        "are wrong\n",
        result.count, result.held_out->count, result.held_out->value_before, result.held_out->value_after,
        result.held_out->lost);
    text +=
        ConfidenceLine(result.held_out->value_before, result.held_out->value_after, result.held_out->count);
  }
  return text;
}

std::string AutoJson(const AutoResult& result) {
  using Json = nlohmann::ordered_json;
  Json tensors = Json::array(), steps = Json::array();
  for (const AutoTensor& tensor : result.tensors) {
    tensors.push_back({{"index", tensor.index},
                       {"name", tensor.name},
                       {"bits", tensor.bits},
                       {"codec", tensor.codec},
                       {"original_bytes", tensor.original_bytes},
                       {"bytes", tensor.bytes},
                       {"decode_us", tensor.decode_us},
                       {"qsnr_db", std::isinf(tensor.qsnr_db) ? Json() : Json(tensor.qsnr_db)},
                       {"moved", tensor.is_moved}});
  }
  for (const SearchStep& step : result.steps) {
    steps.push_back({{"qsnr_db", step.qsnr_db},
                     {"step_db", step.step_db},
                     {"up", step.is_up},
                     {"final", step.is_final},
                     {"from_memory", step.from_memory},
                     {"inputs", step.inputs},
                     {"good", step.is_good},
                     {"bad", step.bad}});
  }
  Json pareto = Json::array();
  for (const ParetoPoint& point : result.pareto) {
    pareto.push_back({{"bytes", point.bytes},
                      {"value", point.value},
                      {"held_out", point.held_out ? Json(*point.held_out) : Json()},
                      {"confidence_interval", IntervalJson(point.value, result.count)},
                      {"held_out_confidence_interval",
                       point.held_out ? IntervalJson(*point.held_out, result.held_out->count) : Json()},
                      {"result", point.is_result}});
  }
  Json held_out;
  if (result.held_out) {
    held_out = {
        {"count", result.held_out->count},
        {"value_before", result.held_out->value_before},
        {"value_after", result.held_out->value_after},
        {"confidence_interval_before", IntervalJson(result.held_out->value_before, result.held_out->count)},
        {"confidence_interval_after", IntervalJson(result.held_out->value_after, result.held_out->count)},
        {"lost", result.held_out->lost}};
  }
  const Json object = {{"schema_version", 1},
                       {"model", result.path},
                       {"reaches_goal", result.reaches_goal},
                       {"bytes_before", result.bytes_before},
                       {"bytes_after", result.bytes_after},
                       {"value_before", result.value_before},
                       {"value_after", result.value_after},
                       {"confidence_interval_before", IntervalJson(result.value_before, result.count)},
                       {"confidence_interval_after", IntervalJson(result.value_after, result.count)},
                       {"lost", result.lost},
                       {"count", result.count},
                       {"evaluations", result.evaluations},
                       {"decoding", result.decoding},
                       {"decode_us", result.decode_us ? Json(*result.decode_us) : Json()},
                       {"constant_bytes_before", result.constants ? Json(result.constants->before) : Json()},
                       {"constant_bytes_after", result.constants ? Json(result.constants->after) : Json()},
                       {"held_out", held_out},
                       {"tensors", tensors},
                       {"steps", steps},
                       {"pareto", pareto},
                       {"settings", Json::parse(WritePlan(result.plan))},
                       {"spec", result.spec}};
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lutra::compressor
