// SPDX-License-Identifier: Apache-2.0
// Data in the order of their margins, a search, and the model that it chose.

#include "compressor/accuracy/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "compressor/accuracy/search.h"
#include "compressor/strip.h"

namespace lutra::compressor {
namespace {

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

// Describes what was found, and makes the file.
AutoResult MakeResult(const host::ModelFile& file, const Searched& searched, const AutoOptions& options) {
  const Choices& choices = *searched.choices;
  const Solution& solution = searched.solution;
  Made made = BinAndPack(choices, options, solution.chosen);
  AutoResult result;
  result.path = file.path;
  result.evaluations = solution.evaluations;
  result.steps = solution.steps;
  result.reaches_goal = solution.reaches_goal;
  result.plan = choices.PlanOf(solution.chosen);
  // Settings are read with the names of the model that was given.
  for (auto& [id, planned] : result.plan) planned.name = file.model.tensor(id.subgraph, id.tensor).name;
  DescribeDecoding(made.packed, solution.codecs, &result);
  const bool is_engine = options.sizes == AutoOptions::kGap9;
  if (options.goal.decode_us) result.decode_us = choices.DecodeUsOf(solution.chosen);
  if (is_engine) {
    result.constants = {choices.BytesOf(std::vector<int>(solution.chosen.size())),
                        choices.BytesOf(solution.chosen)};
  }
  Describe(file.model, made.packed, made.binned, &result);
  result.spec = PackSpec(made.packed);
  result.file = std::move(made.packed.file);
  result.bytes_before = static_cast<int64_t>(file.bytes.size());
  result.bytes_after = static_cast<int64_t>(result.file.size());
  if (options.goal.kind == SolverGoal::kMaxBytes) {
    const int64_t bytes = is_engine ? result.constants->after : result.bytes_after;
    result.reaches_goal = bytes <= options.goal.bytes;
  }
  return result;
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
  // The model is stripped before anything is chosen: widths and codecs are for the file that comes out.
  std::optional<host::ModelFile> stripped;
  if (options.strip) stripped = LoadModel(Stripped(file).Write(), file.path);
  AutoOptions asked = options;
  if (options.max_loss) asked.goal.accuracy = std::max(0.0, fit.Accuracy() - *options.max_loss);
  const Searched searched = Search(stripped ? *stripped : file, fit, asked);
  AutoResult result = MakeResult(file, searched, asked);
  for (const ParetoChoice& choice : searched.pareto) {
    const host::ModelFile made = searched.choices->Apply(choice.chosen);
    ParetoPoint point = {.bytes = choice.bytes,
                         .value = Evaluate(fit, made, options.jobs).value_after,
                         .held_out = {},
                         .is_result = choice.chosen == searched.solution.chosen};
    if (options.hold_out) point.held_out = Evaluate(others, made, options.jobs).value_after;
    result.pareto.push_back(point);
  }
  // The figures are those of the file that comes out and of its answers, whatever margins the search asked
  // for.
  const host::ModelFile made = LoadModel(result.file, file.path);
  result.fitted = Evaluate(fit, made, options.jobs);
  if (!MeetsGoal(asked.goal, result.fitted)) result.reaches_goal = false;
  if (options.hold_out) result.held_out = Evaluate(others, made, options.jobs);
  return result;
}

}  // namespace lutra::compressor
