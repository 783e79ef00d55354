// SPDX-License-Identifier: Apache-2.0
// Runs models over data, in threads, and scores their answers.

#include "compressor/accuracy/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <set>

#include "compressor/qsnr.h"
#include "host/jobs.h"
#include "host/prepared_model.h"
#include "host/progress.h"
#include "host/scores.h"
#include "lutra/node_info.h"

namespace lutra::compressor {
namespace {

TensorInfo OnlyOutput(const host::ModelFile& file) { return file.model.tensor(0, file.model.outputs(0)[0]); }

TensorInfo OnlyInput(const host::ModelFile& file) { return file.model.tensor(0, file.model.inputs(0)[0]); }

void RequireOneInput(const host::ModelFile& file, const Dataset& data) {
  if (file.model.inputs(0).size() != 1) {
    throw host::BadInput(
        fmt::format("{}: inputs: found {}, required: 1 that the data fill; give another model", file.path,
                    file.model.inputs(0).size()));
  }
  const TensorInfo input = OnlyInput(file);
  if (static_cast<size_t>(input.bytes) != data.sample_bytes || input.type != data.type) {
    throw host::BadInput(fmt::format(
        "{}: input: found {} bytes of {}, required: {} of {} as in the data; check model and data", file.path,
        input.bytes, ToString(input.type), data.sample_bytes, ToString(data.type)));
  }
}

void RequireOneOutput(const host::ModelFile& file) {
  if (file.model.outputs(0).size() == 1) return;
  throw host::BadInput(fmt::format("{}: outputs: found {}, required: 1; give a model with one output",
                                   file.path, file.model.outputs(0).size()));
}

}  // namespace

Evaluator::Evaluator(Dataset data, int jobs, bool quiet)
    : data_(std::move(data)), jobs_(host::JobCount(jobs)), quiet_(quiet) {}

template <typename Run>
void Evaluator::ForEachSample(const std::vector<const host::ModelFile*>& files,
                              const std::vector<size_t>& arena_bytes, const Run& run) const {
  for (const host::ModelFile* file : files) RequireOneInput(*file, data_);
  const int64_t count = data_.count();
  std::optional<host::Progress> progress;
  if (!quiet_) progress.emplace(files[0]->path + ": evaluating");
  std::atomic<int64_t> next = 0;
  const auto evaluate = [&](int job) {
    std::deque<host::PreparedModel> models;
    for (size_t i = 0; i < files.size(); ++i) {
      models.emplace_back(*files[i], InterpreterOptions{}, arena_bytes[i]);
    }
    for (int64_t i = next++; i < count; i = next++) {
      for (host::PreparedModel& model : models) {
        std::memcpy(model->input(0).data, data_.sample(i), data_.sample_bytes);
        model->ResetVariables();
        model.Invoke();
      }
      if (!run(models, i)) next = count;
      if (job == 0 && progress && i % 16 < jobs_) progress->Update(i, count);
    }
  };
  host::RunJobs(static_cast<int>(std::min<int64_t>(jobs_, count)), evaluate, [&] { next = count; });
}

Bytes Evaluator::Outputs(const host::ModelFile& file) const {
  RequireOneOutput(file);
  const auto bytes = static_cast<size_t>(OnlyOutput(file).bytes);
  Bytes outputs(bytes * static_cast<size_t>(data_.count()));
  ForEachOutput(file, host::SmallestArena(file, {}), [&](int64_t sample, const uint8_t* output) {
    std::memcpy(outputs.data() + static_cast<size_t>(sample) * bytes, output, bytes);
    return true;
  });
  return outputs;
}

void Evaluator::ForEachOutput(const host::ModelFile& file, size_t arena_bytes,
                              const std::function<bool(int64_t sample, const uint8_t* output)>& use) const {
  ForEachSample({&file}, {arena_bytes}, [&](std::deque<host::PreparedModel>& models, int64_t sample) {
    return use(sample, static_cast<const uint8_t*>(models[0]->output(0).data));
  });
}

Evaluation Evaluator::Evaluate(const host::ModelFile& file, const std::string& metric,
                               const Bytes& reference) const {
  RequireOneOutput(file);
  RequireOneInput(file, data_);
  const Scoring scoring(data_, file, reference, metric);
  Evaluation result;
  result.metric = scoring.metric().name;
  result.count = data_.count();
  const Bytes outputs = Outputs(file);
  const TensorInfo output = OnlyOutput(file);
  const auto classes = static_cast<size_t>(output.shape.Count());
  const bool is_of_answers = scoring.metric().is_of_answers();
  if (is_of_answers) result.confusion.assign(classes, std::vector<int64_t>(classes));
  for (int64_t i = 0; i < result.count; ++i) {
    const uint8_t* values = outputs.data() + static_cast<size_t>(i) * static_cast<size_t>(output.bytes);
    const InputResult input = scoring.ResultOf(i, values);
    result.inputs.push_back(input);
    result.samples.errors.push_back(scoring.ErrorOf(i, values));
    if (!is_of_answers) continue;
    result.margin += input.margin;
    ++result.confusion[static_cast<size_t>(input.label)][static_cast<size_t>(input.answer)];
  }
  result.samples.positive = scoring.Positive();
  result.margin /= static_cast<double>(result.count);
  result.value = ValueOf(scoring.metric(), result.samples);
  result.interval = IntervalOf(scoring.metric(), result.samples);
  return result;
}

void Evaluator::ForEachActivations(
    const host::ModelFile& file, const std::vector<int>& tensors,
    const std::function<void(int64_t sample, const std::vector<Tensor>& values)>& use) const {
  ModelEditor editor(file);
  const std::set<int> tapped(tensors.begin(), tensors.end());
  editor.subgraph(0).outputs.assign(tapped.begin(), tapped.end());
  const host::ModelFile model = LoadModel(editor.Write(), file.path);
  ForEachSample({&model}, {host::SmallestArena(model, {})},
                [&](std::deque<host::PreparedModel>& models, int64_t sample) {
                  std::vector<Tensor> values;
                  for (const int tensor : tensors) {
                    const auto place = std::distance(tapped.begin(), tapped.find(tensor));
                    values.push_back(models[0]->output(static_cast<int>(place)));
                  }
                  use(sample, values);
                  return true;
                });
}

void LabelByAnswers(const host::ModelFile& model, const Dataset& same, int jobs, Dataset* data) {
  RequireOneOutput(model);
  const TensorInfo info = OnlyOutput(model);
  data->labels.resize(static_cast<size_t>(same.count()));
  data->label_type = TensorType::kInt32;
  Evaluator(same, jobs)
      .ForEachOutput(model, host::SmallestArena(model, {}), [&](int64_t sample, const uint8_t* output) {
        data->labels[static_cast<size_t>(sample)] = static_cast<double>(host::ArgMax(info, output));
        return true;
      });
}

void LabelByValues(const host::ModelFile& file, const Bytes& outputs, Dataset* data) {
  const TensorInfo info = OnlyOutput(file);
  data->labels.clear();
  data->label_type = TensorType::kFloat64;
  for (int64_t sample = 0; sample < data->count(); ++sample) {
    const uint8_t* values = outputs.data() + sample * info.bytes;
    for (int64_t i = 0; i < info.shape.Count(); ++i) data->labels.push_back(host::RealValue(info, values, i));
  }
}

host::ModelFile WithAllOutputs(const host::ModelFile& file, std::vector<int>* operators) {
  ModelEditor editor(file);
  edit::SubGraphT& graph = editor.subgraph(0);
  graph.outputs.clear();
  operators->clear();
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    for (const int32_t output : graph.operators[i]->outputs) {
      if (output < 0) continue;
      graph.outputs.push_back(output);
      operators->push_back(static_cast<int>(i));
    }
  }
  return LoadModel(editor.Write(), file.path);
}

std::vector<LayerResult> Evaluator::CompareLayers(const host::ModelFile& file,
                                                  const host::ModelFile& reference) const {
  std::vector<int> operators, reference_operators;
  const host::ModelFile tapped = WithAllOutputs(file, &operators);
  const host::ModelFile reference_tapped = WithAllOutputs(reference, &reference_operators);
  const auto info = [](const host::ModelFile& model, size_t layer) {
    return model.model.tensor(0, model.model.outputs(0)[static_cast<int>(layer)]);
  };
  bool same = operators == reference_operators;
  for (size_t layer = 0; same && layer < operators.size(); ++layer) {
    same = info(tapped, layer).shape == info(reference_tapped, layer).shape &&
           info(tapped, layer).type == info(reference_tapped, layer).type;
  }
  if (!same) {
    throw host::BadInput(
        fmt::format("{}: operators: found others than in {}, required: the same model before "
                    "compression; check --reference",
                    file.path, reference.path));
  }
  // Each sample is summed by itself and all in the order of samples, so that threads do not change the
  // result.
  const auto count = static_cast<size_t>(data_.count());
  const size_t layers = operators.size();
  std::vector<Qsnr> parts(layers * count);
  const std::vector<size_t> arenas = {host::SmallestArena(tapped, {}),
                                      host::SmallestArena(reference_tapped, {})};
  ForEachSample({&tapped, &reference_tapped}, arenas,
                [&](std::deque<host::PreparedModel>& models, int64_t sample) {
                  for (size_t layer = 0; layer < layers; ++layer) {
                    const Tensor x = models[1]->output(static_cast<int>(layer));
                    const Tensor y = models[0]->output(static_cast<int>(layer));
                    Qsnr& part = parts[static_cast<size_t>(sample) * layers + layer];
                    for (int64_t i = 0; i < x.info.shape.Count(); ++i) {
                      part.Add(host::RealValue(x.info, static_cast<const uint8_t*>(x.data), i),
                               host::RealValue(y.info, static_cast<const uint8_t*>(y.data), i));
                    }
                  }
                  return true;
                });
  std::vector<LayerResult> results;
  for (size_t layer = 0; layer < layers; ++layer) {
    Qsnr qsnr;
    for (size_t sample = 0; sample < count; ++sample) qsnr.Add(parts[sample * layers + layer]);
    const NodeInfo node = file.model.node(0, operators[layer]);
    results.push_back(
        {operators[layer], NameOf(node.code, node.custom_code), qsnr.db(), info(tapped, layer).name});
  }
  return results;
}

}  // namespace lutra::compressor
