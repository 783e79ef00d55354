// SPDX-License-Identifier: Apache-2.0
// Runs models over data, in threads, and scores what they say.

#include "compressor/accuracy/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "compressor/qsnr.h"
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

// The largest value, and by how much it exceeds the second.
InputResult AnswerOf(const TensorInfo& info, const uint8_t* values) {
  InputResult result;
  result.answer = host::ArgMax(info, values);
  double second = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < info.shape.Count(); ++i) {
    if (i != result.answer) second = std::max(second, host::RealValue(info, values, i));
  }
  result.margin = host::RealValue(info, values, result.answer) - second;
  return result;
}

}  // namespace

Evaluator::Evaluator(Dataset data, int jobs, bool quiet)
    : data_(std::move(data)),
      jobs_(jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      quiet_(quiet) {}

template <typename Run>
void Evaluator::ForEachSample(const std::vector<const host::ModelFile*>& files,
                              const std::vector<size_t>& arena_bytes, const Run& run) const {
  for (const host::ModelFile* file : files) RequireOneInput(*file, data_);
  const int64_t count = data_.count();
  std::optional<host::Progress> progress;
  if (!quiet_) progress.emplace(files[0]->path + ": evaluating");
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto loop = [&](bool shows_progress) {
    try {
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
        if (shows_progress && progress && i % 16 < jobs_) progress->Update(i, count);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> threads;
    const int64_t jobs = std::min<int64_t>(jobs_, count);
    for (int64_t i = 1; i < jobs; ++i) threads.emplace_back(loop, false);
    loop(true);
  }
  if (failure) std::rethrow_exception(failure);
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

// Sets labels beside outputs.
class Evaluator::Errors {
 public:
  Errors(const Dataset& data, const host::ModelFile& file, const Bytes& reference)
      : data_(data),
        path_(file.path),
        input_(OnlyInput(file)),
        output_(OnlyOutput(file)),
        reference_(reference) {}

  // Throws BadInput.
  std::string MetricFor(const std::string& wanted) const {
    std::string metric = wanted;
    const auto values = static_cast<size_t>(output_.shape.Count());
    const auto count = static_cast<size_t>(data_.count());
    if (metric.empty() && !data_.labels.empty()) {
      metric = host::DefaultMetric(data_.label_type, input_, output_);
    } else if (metric.empty()) {
      metric = values > 1 && output_.shape != input_.shape ? "accuracy" : "rmse";
    }
    const size_t labels = data_.labels.size();
    if (labels == 0 && metric == "auc")
      Refuse("labels: found none, required: 0 or 1 for each sample; give --labels");
    if (metric == "auc" && values != static_cast<size_t>(input_.shape.Count())) {
      Refuse(
          fmt::format("metric: auc compares output with input, found {} and {} values; give another --metric",
                      values, input_.shape.Count()));
    }
    const size_t required = metric == "rmse" ? count * values : count;
    if (labels != 0 && labels != required) {
      Refuse(fmt::format("labels: found {}, required: {} for {} of {} samples; check the labels", labels,
                         required, metric, count));
    }
    if (labels != 0 && metric == "accuracy" && data_.label_type == TensorType::kBool && values > 2) {
      Refuse(fmt::format(
          "labels: found bool, which tells two classes apart, required: a whole number from 0 to {} for each "
          "sample, or one-hot rows; check the labels",
          values - 1));
    }
    const double most = metric == "auc" ? 1 : static_cast<double>(values) - 1;
    for (size_t i = 0; i < labels; ++i) {
      const double label = data_.labels[i];
      if (metric == "rmse") {
        if (std::isfinite(label)) continue;
        Refuse(fmt::format("labels: found {} at {}, required: finite numbers; check the labels", label, i));
      }
      if (label == std::floor(label) && label >= 0 && label <= most) continue;
      Refuse(fmt::format(
          "labels: found {} for sample {}, required: a whole number from 0 to {}; check the labels", label, i,
          most));
    }
    return metric;
  }

  InputResult Classify(int64_t sample, const uint8_t* values) const {
    InputResult result = AnswerOf(output_, values);
    result.label = data_.labels.empty() ? host::ArgMax(output_, ReferenceOf(sample))
                                        : static_cast<int64_t>(data_.labels[static_cast<size_t>(sample)]);
    return result;
  }

  // The sum of squares.
  double Squares(int64_t sample, const uint8_t* values) const {
    const int64_t count = output_.shape.Count();
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double wanted = data_.labels.empty() ? host::RealValue(output_, ReferenceOf(sample), i)
                                                 : data_.labels[static_cast<size_t>(sample * count + i)];
      const double error = host::RealValue(output_, values, i) - wanted;
      sum += error * error;
    }
    return sum;
  }

  double Score(int64_t sample, const uint8_t* values) const {
    return host::MeanSquaredDifference(output_, values, input_, data_.sample(sample));
  }

  const TensorInfo& output() const { return output_; }
  [[noreturn]] void Refuse(const std::string& what) const {
    throw host::BadInput(fmt::format("{}: {}", path_, what));
  }

 private:
  const uint8_t* ReferenceOf(int64_t sample) const {
    const auto bytes = static_cast<size_t>(output_.bytes);
    if (reference_.size() != bytes * static_cast<size_t>(data_.count())) {
      Refuse(
          "output: found another size than the reference's, required: the same model before compression; "
          "check "
          "--reference");
    }
    return reference_.data() + static_cast<size_t>(sample) * bytes;
  }

  const Dataset& data_;
  const std::string& path_;
  const TensorInfo input_;
  const TensorInfo output_;
  const Bytes& reference_;
};

Evaluation Evaluator::Evaluate(const host::ModelFile& file, const std::string& metric,
                               const Bytes& reference) const {
  RequireOneOutput(file);
  RequireOneInput(file, data_);
  const Errors errors(data_, file, reference);
  Evaluation result;
  result.metric = errors.MetricFor(metric);
  result.count = data_.count();
  const Bytes outputs = Outputs(file);
  const auto bytes = static_cast<size_t>(errors.output().bytes);
  const auto values = static_cast<size_t>(errors.output().shape.Count());
  if (result.metric == "accuracy") result.confusion.assign(values, std::vector<int64_t>(values));
  double sum = 0;
  std::vector<double> scores;
  for (int64_t i = 0; i < result.count; ++i) {
    const uint8_t* output = outputs.data() + static_cast<size_t>(i) * bytes;
    InputResult input;
    if (result.metric == "accuracy") {
      input = errors.Classify(i, output);
      sum += input.answer == input.label ? 1 : 0;
      result.margin += input.margin;
      ++result.confusion[static_cast<size_t>(input.label)][static_cast<size_t>(input.answer)];
    } else if (result.metric == "auc") {
      input.error = errors.Score(i, output);
      input.label = static_cast<int64_t>(data_.labels[static_cast<size_t>(i)]);
      scores.push_back(input.error);
    } else {
      const double squares = errors.Squares(i, output);
      input.error = std::sqrt(squares / static_cast<double>(values));
      sum += squares;
    }
    result.inputs.push_back(input);
  }
  const auto count = static_cast<double>(result.count);
  result.margin /= count;
  result.value = result.metric == "rmse" ? std::sqrt(sum / count / static_cast<double>(values)) : sum / count;
  if (result.metric != "auc") return result;
  std::vector<bool> positive;
  for (const double label : data_.labels) positive.push_back(label != 0);
  const auto positives = std::count(positive.begin(), positive.end(), true);
  if (positives == 0 || positives == result.count) {
    errors.Refuse(
        fmt::format("labels: auc needs both classes, found {} of {} samples positive; check the labels",
                    positives, result.count));
  }
  result.value = host::AreaUnderCurve(scores, positive);
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

int DecidingTensor(const host::ModelFile& file) {
  const int output = file.model.outputs(0)[0];
  for (int n = 0; n < file.model.node_count(0); ++n) {
    const NodeInfo node = file.model.node(0, n);
    if (node.code == BuiltinOperator::kSoftmax && node.outputs[0] == output) return node.inputs[0];
  }
  return output;
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
  // Sums of each sample apart, so that their order is that of samples, whatever the threads.
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
