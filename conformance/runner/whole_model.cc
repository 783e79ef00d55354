// SPDX-License-Identifier: Apache-2.0
// Layers of a model under other profiles and on a runtime, against the reference.

#include "conformance/runner/whole_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/runner/case_run.h"
#include "conformance/runner/verdict.h"
#include "host/core/seeded_input.h"
#include "lutra/builtin_operator.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;
using oracle::Bytes;

std::string NameOfOperator(const oracle::ModelObjects& model, const edit::OperatorT& op) {
  return NameOf(static_cast<BuiltinOperator>(oracle::CodeOf(model, op)),
                model.operator_codes[op.opcode_index]->custom_code.c_str());
}

// Operators of subgraph 0 with an output that is computed, and the tensor they give first.
std::vector<LayerDrift> Layers(const oracle::ModelObjects& model) {
  std::vector<LayerDrift> layers;
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const edit::OperatorT& op = *graph.operators[i];
    if (op.outputs.empty()) continue;
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

// Counts one sample whose tensors are all known.
void CountSample(const oracle::ModelObjects& model, const std::vector<Bytes>& expected,
                 const std::vector<Bytes>& actual, int sample, ModelDrift* drift) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (LayerDrift& layer : drift->layers) {
    const size_t tensor = FirstOutput(model, layer);
    Count(*graph.tensors[tensor], expected[tensor], actual[tensor], sample, &layer.drifted);
  }
  const auto output = static_cast<size_t>(graph.outputs[0]);
  Count(*graph.tensors[output], expected[output], actual[output], sample, &drift->output);
  CountAnswer(model, expected[output], actual[output], drift);
}

Json DifferenceJson(const Difference& d) {
  return {{"elements", d.elements},
          {"different", d.different},
          {"largest", d.largest},
          {"first_sample", d.first_sample < 0 ? Json(nullptr) : Json(d.first_sample)}};
}

std::string Share(const Difference& d) {
  if (d.elements == 0) return "-";
  if (d.different == 0) return "equal";
  return fmt::format("{:.3g} %, {:g}",
                     100.0 * static_cast<double>(d.different) / static_cast<double>(d.elements), d.largest);
}

}  // namespace

std::optional<size_t> AnswerOf(const oracle::ModelObjects& model, const Bytes& output) {
  const auto tensor = static_cast<size_t>(model.subgraphs[0]->outputs[0]);
  if (model.subgraphs[0]->tensors[tensor]->type != oracle::kInt8 || output.size() < 2) return std::nullopt;
  const auto below = [](uint8_t a, uint8_t b) { return static_cast<int8_t>(a) < static_cast<int8_t>(b); };
  return static_cast<size_t>(std::max_element(output.begin(), output.end(), below) - output.begin());
}

Samples SeededSamples(const oracle::ModelObjects& model, int count) {
  Samples samples;
  const edit::SubGraphT& graph = *model.subgraphs[0];
  for (int seed = 1; seed <= count; ++seed) {
    host::SeededInput stream(static_cast<uint64_t>(seed));
    std::vector<Bytes> inputs;
    for (const int32_t index : graph.inputs) {
      const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(index)];
      Bytes bytes(static_cast<size_t>(oracle::ElementCount(tensor.shape) * oracle::BytesOf(tensor.type)));
      host::FillSeeded(stream, static_cast<TensorType>(tensor.type), bytes.data(), bytes.size());
      inputs.push_back(std::move(bytes));
    }
    samples.push_back(std::move(inputs));
  }
  return samples;
}

ModelDrift DriftOfProfile(const oracle::ModelObjects& model, const Samples& samples,
                          const oracle::Profile& reference, const oracle::Profile& profile) {
  ModelDrift drift = {.name = profile.name, .layers = Layers(model)};
  oracle::Evaluation expected(model, oracle::RulesOf(reference));
  oracle::Evaluation actual(model, oracle::RulesOf(profile));
  oracle::Evaluation alone(model, oracle::RulesOf(profile));
  const edit::SubGraphT& graph = *model.subgraphs[0];
  try {
    for (const auto& inputs : samples) {
      expected.Invoke(inputs);
      actual.Invoke(inputs);
      CountSample(model, expected.values(), actual.values(), drift.samples, &drift);
      for (LayerDrift& layer : drift.layers) {
        const size_t tensor = FirstOutput(model, layer);
        const edit::OperatorT& op = *graph.operators[static_cast<size_t>(layer.index)];
        for (const int32_t input : op.inputs) {
          if (input < 0 || graph.tensors[static_cast<size_t>(input)]->is_variable) continue;
          alone.values()[static_cast<size_t>(input)] = expected.values()[static_cast<size_t>(input)];
        }
        alone.RunOperator(static_cast<size_t>(layer.index));
        Count(*graph.tensors[tensor], expected.values()[tensor], alone.values()[tensor], drift.samples,
              &layer.alone);
      }
      ++drift.samples;
    }
  } catch (const oracle::Unspecified& error) {
    drift.problem = error.what();
  }
  return drift;
}

ModelDrift DriftOfRuntime(const oracle::ModelObjects& model, const Samples& samples,
                          const oracle::Profile& reference, AdapterProcess* adapter,
                          const std::filesystem::path& folder) {
  ModelDrift drift = {.name = adapter->Greeting(), .layers = Layers(model)};
  oracle::ModelObjects tapped = model;
  std::vector<int32_t>& outputs = tapped.subgraphs[0]->outputs;
  for (const LayerDrift& layer : drift.layers) {
    const auto tensor = static_cast<int32_t>(FirstOutput(model, layer));
    if (std::find(outputs.begin(), outputs.end(), tensor) == outputs.end()) outputs.push_back(tensor);
  }
  oracle::Evaluation expected(model, oracle::RulesOf(reference));
  try {
    for (const auto& inputs : samples) {
      expected.Invoke(inputs);
      const Case test = {
          .id = "model", .op = "composite", .model = oracle::WriteModel(tapped), .inputs = inputs};
      std::vector<Bytes> values = expected.values();
      std::vector<size_t> sizes;
      for (const int32_t tensor : outputs) sizes.push_back(values[static_cast<size_t>(tensor)].size());
      const CaseRun run = RunCase(test, sizes, adapter, folder);
      if (run.answer.kind != AdapterAnswer::kOk || !run.problem.empty()) {
        drift.problem = run.problem.empty() ? run.answer.why : run.problem;
        return drift;
      }
      for (size_t i = 0; i < outputs.size(); ++i) {
        values[static_cast<size_t>(outputs[i])] = run.outputs[i];
      }
      CountSample(model, expected.values(), values, drift.samples, &drift);
      ++drift.samples;
    }
  } catch (const oracle::Unspecified& error) {
    drift.problem = error.what();
  }
  return drift;
}

std::string ModelReportTable(const ModelReport& report) {
  std::string text = fmt::format("{}, against profile {}\n", report.path, report.reference);
  for (const ModelDrift& drift : report.drifts) {
    text += fmt::format("\n{}\n", drift.name);
    if (!drift.problem.empty()) {
      text += fmt::format("  nothing to compare: {}\n", drift.problem);
      continue;
    }
    const LayerDrift* first = nullptr;
    for (const LayerDrift& layer : drift.layers) {
      if (first == nullptr && layer.drifted.different > 0) first = &layer;
    }
    if (first == nullptr) {
      text += fmt::format("  equal in every layer, {} samples\n", drift.samples);
      continue;
    }
    text += fmt::format("  {:>3} {:<24}{:>16}{:>24}\n", "#", "operator", "alone", "with those before it");
    for (const LayerDrift& layer : drift.layers) {
      if (layer.drifted.different == 0 && layer.alone.different == 0) continue;
      text += fmt::format("  {:>3} {:<24}{:>16}{:>24}\n", layer.index, layer.op, Share(layer.alone),
                          Share(layer.drifted));
    }
    text += fmt::format("  the first that differs: #{} {}, \"{}\" (sample {})\n", first->index, first->op,
                        first->tensor, first->drifted.first_sample);
    text += fmt::format("  output: {} of {} elements differ, by at most {:g}\n", drift.output.different,
                        drift.output.elements, drift.output.largest);
    if (drift.other_answers >= 0) {
      text += fmt::format("  another answer (largest output) in {} of {} samples\n", drift.other_answers,
                          drift.samples);
    }
  }
  return text;
}

std::string ModelReportJson(const ModelReport& report) {
  Json drifts = Json::array();
  for (const ModelDrift& drift : report.drifts) {
    Json layers = Json::array();
    for (const LayerDrift& layer : drift.layers) {
      layers.push_back({{"index", layer.index},
                        {"op", layer.op},
                        {"tensor", layer.tensor},
                        {"alone", DifferenceJson(layer.alone)},
                        {"drifted", DifferenceJson(layer.drifted)}});
    }
    drifts.push_back({{"name", drift.name},
                      {"problem", drift.problem.empty() ? Json(nullptr) : Json(drift.problem)},
                      {"samples", drift.samples},
                      {"other_answers", drift.other_answers < 0 ? Json(nullptr) : Json(drift.other_answers)},
                      {"output", DifferenceJson(drift.output)},
                      {"layers", layers}});
  }
  return Json{{"schema_version", 1},
              {"model", report.path},
              {"reference", report.reference},
              {"drifts", drifts}}
             .dump(1) +
         "\n";
}

}  // namespace lutra::conformance
