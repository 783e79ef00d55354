// SPDX-License-Identifier: Apache-2.0
// Compares layers of a model under other profiles and on a runtime with the reference.

#include "conformance/runner/whole_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "conformance/runner/case_run.h"
#include "conformance/runner/verdict.h"
#include "host/core/byte_order.h"
#include "host/core/seeded_input.h"
#include "host/model_file.h"
#include "host/model_inputs.h"
#include "lutra/builtin_operator.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

constexpr char kOfflinePlanName[] = "OfflineMemoryAllocation";
constexpr int kInvokesWithState = 3;
// Rules are weighed on so many samples: each takes several evaluations, and few of them distinguish rules.
constexpr int kSamplesWeighed = 10;

std::string NameOfOperator(const oracle::ModelObjects& model, const edit::OperatorT& op) {
  return NameOf(static_cast<BuiltinOperator>(oracle::CodeOf(model, op)),
                model.operator_codes[op.opcode_index]->custom_code.c_str());
}

// Returns whether the oracle has the tensor's bytes: it has none for handles of variables and for strings.
bool HasElements(const edit::TensorT& tensor) {
  switch (tensor.type) {
    case oracle::kFloat32:
    case oracle::kInt32:
    case oracle::kUint8:
    case oracle::kInt64:
    case oracle::kBool:
    case oracle::kInt16:
    case oracle::kInt8:
      return true;
    default:
      return false;
  }
}

// Returns the operators of subgraph 0 with a computed output, and the first tensor that they give.
std::vector<LayerDrift> Layers(const oracle::ModelObjects& model) {
  std::vector<LayerDrift> layers;
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const edit::OperatorT& op = *graph.operators[i];
    if (op.outputs.empty() || !HasElements(*graph.tensors[static_cast<size_t>(op.outputs[0])])) continue;
    layers.push_back({.index = static_cast<int>(i),
                      .op = NameOfOperator(model, op),
                      .tensor = graph.tensors[static_cast<size_t>(op.outputs[0])]->name});
  }
  return layers;
}

size_t FirstOutput(const oracle::ModelObjects& model, const LayerDrift& layer) {
  return static_cast<size_t>(model.subgraphs[0]->operators[static_cast<size_t>(layer.index)]->outputs[0]);
}

void Count(const edit::TensorT& tensor, const Bytes& expected, const Bytes& actual, int sample,
           Difference* difference) {
  const auto mismatch = CompareBytes(expected, actual, tensor.type);
  difference->elements += static_cast<int64_t>(expected.size()) / oracle::BytesOf(tensor.type);
  if (!mismatch) return;
  if (difference->first_sample < 0) difference->first_sample = sample;
  difference->different += mismatch->different;
  difference->largest = std::max(difference->largest, mismatch->largest);
}

void CountAnswer(const oracle::ModelObjects& model, const Bytes& expected, const Bytes& actual,
                 ModelDrift* drift) {
  const auto answer = AnswerOf(model, expected);
  if (!answer) return;
  drift->other_answers = std::max(drift->other_answers, 0) + (answer != AnswerOf(model, actual) ? 1 : 0);
}

// Returns whether the reference has a rule for the operator.
bool IsJudged(const oracle::ModelObjects& model, const std::vector<Bytes>& expected, const ModelDrift& drift,
              int index) {
  const auto is_it = [index](const NotJudged& other) { return other.index == index; };
  if (std::any_of(drift.not_judged.begin(), drift.not_judged.end(), is_it)) return false;
  const auto& outputs = model.subgraphs[0]->operators[static_cast<size_t>(index)]->outputs;
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](int32_t tensor) { return IsKnown(model, expected, tensor); });
}

bool IsOutputJudged(const oracle::ModelObjects& model, const std::vector<Bytes>& expected,
                    const ModelDrift& drift) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  const int32_t output = graph.outputs[0];
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const auto& outputs = graph.operators[i]->outputs;
    if (std::find(outputs.begin(), outputs.end(), output) != outputs.end() &&
        !IsJudged(model, expected, drift, static_cast<int>(i))) {
      return false;
    }
  }
  return IsKnown(model, expected, output);
}

// Notes an operator for which the reference has no rule; `values` are those before it. Later operators whose
// inputs are therefore unknown are not noted.
void NoteWhatIsNotJudged(const oracle::ModelObjects& model, size_t node, const oracle::Unspecified& why,
                         const std::vector<Bytes>& values, ModelDrift* drift) {
  const edit::OperatorT& op = *model.subgraphs[0]->operators[node];
  if (!std::all_of(op.inputs.begin(), op.inputs.end(),
                   [&](int32_t tensor) { return IsKnown(model, values, tensor); })) {
    return;
  }
  NotJudged note = {static_cast<int>(node), NameOfOperator(model, op), why.what()};
  if (std::find(drift->not_judged.begin(), drift->not_judged.end(), note) == drift->not_judged.end())
    drift->not_judged.push_back(std::move(note));
}

// Counts differences of each layer when its inputs are the reference's values; state is the layer's own.
void CountAlone(const oracle::ModelObjects& model, const std::vector<Bytes>& expected, int sample,
                oracle::Evaluation* alone, ModelDrift* drift) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (LayerDrift& layer : drift->layers) {
    if (!IsJudged(model, expected, *drift, layer.index)) continue;
    const size_t tensor = FirstOutput(model, layer);
    const edit::OperatorT& op = *graph.operators[static_cast<size_t>(layer.index)];
    for (const int32_t input : op.inputs) {
      if (input < 0 || graph.tensors[static_cast<size_t>(input)]->is_variable) continue;
      alone->values()[static_cast<size_t>(input)] = expected[static_cast<size_t>(input)];
    }
    alone->RunOperator(static_cast<size_t>(layer.index));
    Count(*graph.tensors[tensor], expected[tensor], alone->values()[tensor], sample, &layer.alone);
  }
}

// A model whose computed tensors are outputs, too, after its own outputs.
class Tapped {
 public:
  Tapped(const oracle::ModelObjects& model, bool tap) : outputs_(model.subgraphs[0]->outputs) {
    oracle::ModelObjects tapped = model;
    const edit::SubGraphT& graph = *model.subgraphs[0];
    for (const auto& op : graph.operators) {
      for (const int32_t tensor : op->outputs) {
        const bool is_new = std::find(outputs_.begin(), outputs_.end(), tensor) == outputs_.end();
        if (tap && is_new && HasElements(*graph.tensors[static_cast<size_t>(tensor)]))
          outputs_.push_back(tensor);
      }
    }
    tapped.subgraphs[0]->outputs = outputs_;
    // An offline plan lets tensors overlap that are not alive together; as outputs, all are alive.
    if (tap)
      std::erase_if(tapped.metadata, [](const auto& entry) { return entry->name == kOfflinePlanName; });
    bytes_ = oracle::WriteModel(tapped);
    for (const int32_t index : outputs_) {
      const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(index)];
      sizes_.push_back(oracle::ByteCount(tensor));
    }
  }
  const Bytes& bytes() const { return bytes_; }
  const std::vector<size_t>& sizes() const { return sizes_; }  // Of the tapped model's outputs.
  // Returns the bytes that a runtime gave for the tensor; null if it is no output, or if the runtime gave
  // none.
  const Bytes* Given(int32_t tensor, const std::vector<Bytes>& outputs) const {
    const auto place = std::find(outputs_.begin(), outputs_.end(), tensor);
    return place == outputs_.end() || outputs.empty()
               ? nullptr
               : &outputs[static_cast<size_t>(place - outputs_.begin())];
  }
  // Returns `values` with the outputs that a runtime gave.
  std::vector<Bytes> Values(std::vector<Bytes> values, const std::vector<Bytes>& outputs) const {
    for (size_t i = 0; i < outputs_.size(); ++i) values[static_cast<size_t>(outputs_[i])] = outputs[i];
    return values;
  }

 private:
  std::vector<int32_t> outputs_;
  std::vector<size_t> sizes_;
  Bytes bytes_;
};

// Counts one sample. All tensors that the reference knows are compared.
void CountSample(const oracle::ModelObjects& model, const std::vector<Bytes>& expected,
                 const std::vector<Bytes>& actual, int sample, ModelDrift* drift) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (LayerDrift& layer : drift->layers) {
    if (!IsJudged(model, expected, *drift, layer.index)) continue;
    const size_t tensor = FirstOutput(model, layer);
    Count(*graph.tensors[tensor], expected[tensor], actual[tensor], sample, &layer.drifted);
  }
  if (!IsOutputJudged(model, expected, *drift)) return;
  const auto output = static_cast<size_t>(graph.outputs[0]);
  Count(*graph.tensors[output], expected[output], actual[output], sample, &drift->output);
  CountAnswer(model, expected[output], actual[output], drift);
}

}  // namespace

std::optional<size_t> AnswerOf(const oracle::ModelObjects& model, const Bytes& output) {
  const auto tensor = static_cast<size_t>(model.subgraphs[0]->outputs[0]);
  if (model.subgraphs[0]->tensors[tensor]->type != oracle::kInt8 || output.size() < 2) return std::nullopt;
  const auto below = [](uint8_t a, uint8_t b) { return static_cast<int8_t>(a) < static_cast<int8_t>(b); };
  return static_cast<size_t>(std::max_element(output.begin(), output.end(), below) - output.begin());
}

Samples SeededSamples(const oracle::ModelObjects& model, int count) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  const Bytes file = oracle::WriteModel(model);
  host::AlignedBytes aligned(file.size());
  std::copy(file.begin(), file.end(), aligned.data());
  Model loaded;
  Diagnosis diagnosis;
  const bool loads = Model::Load({aligned.data(), aligned.size()}, &loaded, &diagnosis) == Status::kOk;
  Samples samples;
  for (int seed = 1; seed <= count; ++seed) {
    const auto number = static_cast<uint64_t>(seed);
    std::vector<Bytes> inputs;
    if (loads) inputs = host::SeededInputs(loaded, number);
    // Lutra does not load this model, so any values will do.
    host::SeededInput stream(number);
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(graph.inputs[i])];
      const auto type = static_cast<TensorType>(tensor.type);
      const size_t bytes = oracle::ByteCount(tensor);
      if (!loads) {
        inputs.emplace_back(bytes);
        host::FillSeeded(stream, type, inputs[i].data(), bytes);
      }
      host::SwapToOrFromLittleEndian(type, inputs[i].data(), bytes);
    }
    samples.push_back(std::move(inputs));
  }
  return samples;
}

int InvokesOf(const oracle::ModelObjects& model) {
  const auto is_variable = [](const auto& tensor) { return tensor->is_variable; };
  for (const auto& graph : model.subgraphs) {
    if (std::any_of(graph->tensors.begin(), graph->tensors.end(), is_variable)) return kInvokesWithState;
    for (const auto& op : graph->operators) {
      if (oracle::CodeOf(model, *op) == edit::BuiltinOperator::ASSIGN_VARIABLE) return kInvokesWithState;
    }
  }
  return 1;
}

namespace {

void AddDifference(const Difference& next, Difference* sum) {
  sum->elements += next.elements;
  sum->different += next.different;
  sum->largest = std::max(sum->largest, next.largest);
  if (sum->first_sample < 0) sum->first_sample = next.first_sample;
}

// Returns the drift of a sample that cannot be compared: without counts, but with the operators not judged.
ModelDrift WithoutCounts(const ModelDrift& sample, const std::string& problem) {
  ModelDrift drift = {.name = sample.name,
                      .layers = sample.layers,
                      .not_judged = sample.not_judged,
                      .problem = problem,
                      .is_refused = sample.is_refused};
  for (LayerDrift& layer : drift.layers) layer.alone = layer.drifted = {};
  return drift;
}

ModelDrift SampleUnderProfile(const oracle::ModelObjects& model, const Trial& trial, int sample,
                              const oracle::Profile& profile) {
  ModelDrift drift = {.name = profile.name, .layers = Layers(model), .samples = 1};
  try {
    oracle::Evaluation expected(model, oracle::Judging(trial.reference));
    oracle::Evaluation actual(model, oracle::Judging(profile));
    oracle::Evaluation alone(model, oracle::Judging(profile));
    expected.set_skip([&](size_t node, const oracle::Unspecified& why) {
      NoteWhatIsNotJudged(model, node, why, expected.values(), &drift);
    });
    // If the reference has a rule for the operator, the profile needs one, too.
    actual.set_skip([&](size_t node, const oracle::Unspecified& why) {
      if (IsJudged(model, expected.values(), drift, static_cast<int>(node))) throw why;
    });
    const auto& inputs = trial.samples[static_cast<size_t>(sample)];
    for (int i = 0; i < trial.invokes; ++i) {
      expected.Invoke(inputs);
      actual.Invoke(inputs);
      CountAlone(model, expected.values(), sample, &alone, &drift);
    }
    CountSample(model, expected.values(), actual.values(), sample, &drift);
  } catch (const oracle::Unspecified& error) {
    return WithoutCounts(drift, error.what());
  }
  return drift;
}

ModelDrift SampleOnRuntime(const oracle::ModelObjects& model, const Trial& trial, int sample,
                           AdapterProcess* adapter, const Tapped& tapped, const RuntimeRun& run) {
  ModelDrift drift = {.name = adapter->Greeting(), .samples = 1};
  if (run.tap) drift.layers = Layers(model);
  LayerRules rules(model);
  try {
    const auto& inputs = trial.samples[static_cast<size_t>(sample)];
    oracle::Evaluation expected(model, oracle::Judging(trial.reference));
    std::vector<Bytes> given;
    // Values that the reference does not know are taken from the runtime, so that later layers can be judged.
    expected.set_skip([&](size_t node, const oracle::Unspecified& why) {
      NoteWhatIsNotJudged(model, node, why, expected.values(), &drift);
      for (const int32_t tensor : model.subgraphs[0]->operators[node]->outputs) {
        const Bytes* const bytes = tapped.Given(tensor, given);
        if (bytes != nullptr) expected.values()[static_cast<size_t>(tensor)] = *bytes;
      }
    });
    // Rules are weighed after the first inference, when state still is the model's.
    for (int invokes = 1; invokes <= trial.invokes; ++invokes) {
      if (invokes > 1 && invokes < trial.invokes && drift.not_judged.empty()) {
        expected.Invoke(inputs);
        continue;
      }
      const Case test = {.id = fmt::format("model.{:04}", sample),
                         .op = "composite",
                         .model = tapped.bytes(),
                         .inputs = inputs,
                         .invokes = invokes};
      const CaseRun outcome = RunCase(test, tapped.sizes(), adapter, run.folder);
      if (outcome.answer.kind != AdapterAnswer::kOk || !outcome.problem.empty()) {
        drift.is_refused = outcome.answer.kind == AdapterAnswer::kUnsupported ||
                           outcome.answer.kind == AdapterAnswer::kRefused;
        expected.Invoke(inputs);  // It notes what is not judged.
        return WithoutCounts(drift, outcome.problem.empty() ? outcome.answer.why : outcome.problem);
      }
      given = outcome.outputs;
      expected.Invoke(inputs);
      const std::vector<Bytes> values = tapped.Values(expected.values(), given);
      if (invokes == 1 && run.tap && sample < kSamplesWeighed) rules.Weigh(values);
      if (invokes == trial.invokes) CountSample(model, expected.values(), values, sample, &drift);
    }
  } catch (const oracle::Unspecified& error) {
    return WithoutCounts(drift, error.what());
  }
  for (LayerDrift& layer : drift.layers) layer.rules = rules.RulesOf(layer.index);
  return drift;
}

}  // namespace

const LayerDrift* FirstThatDiffers(const ModelDrift& drift) {
  const auto found = std::find_if(drift.layers.begin(), drift.layers.end(),
                                  [](const LayerDrift& layer) { return layer.drifted.different > 0; });
  return found == drift.layers.end() ? nullptr : &*found;
}

void AddDrift(const ModelDrift& next, ModelDrift* drift) {
  if (!drift->problem.empty()) return;
  for (const NotJudged& one : next.not_judged) {
    if (std::find(drift->not_judged.begin(), drift->not_judged.end(), one) == drift->not_judged.end())
      drift->not_judged.push_back(one);
  }
  drift->problem = next.problem;
  drift->is_refused = next.is_refused;
  const auto is_same = [](const LayerDrift& a, const LayerDrift& b) {
    return a.index == b.index && a.op == b.op && a.tensor == b.tensor;
  };
  if (!std::equal(next.layers.begin(), next.layers.end(), drift->layers.begin(), drift->layers.end(),
                  is_same))
    throw std::invalid_argument("other layers");
  for (size_t i = 0; i < next.layers.size(); ++i) {
    LayerDrift& layer = drift->layers[i];
    AddDifference(next.layers[i].alone, &layer.alone);
    AddDifference(next.layers[i].drifted, &layer.drifted);
    Intersect(next.layers[i].rules, &layer.rules);
  }
  AddDifference(next.output, &drift->output);
  if (next.other_answers >= 0) drift->other_answers = std::max(drift->other_answers, 0) + next.other_answers;
  drift->samples += next.samples;
}

ModelDrift DriftOfProfile(const oracle::ModelObjects& model, const Trial& trial, SampleRange range,
                          const oracle::Profile& profile) {
  ModelDrift drift = {.name = profile.name, .layers = Layers(model)};
  for (int sample = range.first; sample < range.end && drift.problem.empty(); ++sample) {
    AddDrift(SampleUnderProfile(model, trial, sample, profile), &drift);
  }
  return drift;
}

ModelDrift DriftOfRuntime(const oracle::ModelObjects& model, const Trial& trial, SampleRange range,
                          AdapterProcess* adapter, const RuntimeRun& run) {
  ModelDrift drift = {.name = adapter->Greeting()};
  if (run.tap) drift.layers = Layers(model);
  try {
    const Tapped tapped(model, run.tap);
    for (int sample = range.first; sample < range.end && drift.problem.empty(); ++sample) {
      AddDrift(SampleOnRuntime(model, trial, sample, adapter, tapped, run), &drift);
    }
  } catch (const oracle::Unspecified& error) {
    drift.problem = error.what();
  }
  return drift;
}

}  // namespace lutra::conformance
