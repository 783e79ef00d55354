// SPDX-License-Identifier: Apache-2.0
// Finds the function of each operator, and runs the nodes in order.

#include "conformance/adapters/xnnpack/run.h"

#include "conformance/adapters/xnnpack/case.h"
#include "conformance/oracle/model.h"

namespace lutra::conformance::xnnpack {
namespace {

Function Choose(const oracle::ModelObjects& model, const edit::OperatorT& op, bool stand_ins) {
  const edit::BuiltinOperator code = oracle::CodeOf(model, op);
  Function function = FunctionFor(code);
  if (function == nullptr && stand_ins) function = StandInFor(code);
  Support(function != nullptr, "no " + oracle::NameOf(model, op) + " for int8");
  return function;
}

}  // namespace

struct XnnpackModel::State {
  State(std::unique_ptr<oracle::ModelObjects> objects, bool stand_ins)
      : model(std::move(objects)), graph(*model->subgraphs[0]), network(graph.tensors.size(), stand_ins) {}
  std::unique_ptr<oracle::ModelObjects> model;
  const edit::SubGraphT& graph;
  std::vector<oracle::Bytes> values;  // Of the first inference.
  Network network;
};

XnnpackModel::XnnpackModel(const oracle::Bytes& model, const std::vector<oracle::Bytes>& inputs,
                           bool stand_ins) {
  Check(xnn_initialize(nullptr));
  state_ = std::make_unique<State>(oracle::ReadModel(model), stand_ins);
  const edit::SubGraphT& graph = state_->graph;
  // Before anything is allocated for them.
  for (const auto& op : graph.operators) Choose(*state_->model, *op, stand_ins);
  std::vector<oracle::Bytes>& values = state_->values;
  for (const auto& tensor : graph.tensors) {
    Support(!tensor->is_variable, "a variable tensor");
    values.push_back(oracle::DataOf(*state_->model, *tensor));
  }
  Require(inputs.size() == graph.inputs.size(), "another number of inputs");
  for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  for (const auto& op : graph.operators) {
    Require(!op->outputs.empty(), "a node without outputs");
    Choose(*state_->model, *op, stand_ins)(Node(graph, *op, &values, &state_->network));
  }
}

XnnpackModel::~XnnpackModel() = default;

int XnnpackModel::stand_in_count() const { return state_->network.stand_in_count(); }

void XnnpackModel::Fill(const std::vector<oracle::Bytes>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    void* const memory = state_->network.MemoryOf(state_->graph.inputs[i], inputs[i].size());
    std::memcpy(memory, inputs[i].data(), inputs[i].size());
  }
}

void XnnpackModel::Run() { state_->network.Run(); }

std::vector<oracle::Bytes> XnnpackModel::Outputs() const {
  std::vector<oracle::Bytes> outputs;
  for (const int32_t tensor : state_->graph.outputs) {
    const oracle::Bytes& first = state_->values[static_cast<size_t>(tensor)];
    // What no operator makes or reads stays as it is.
    const void* const memory =
        state_->network.Knows(tensor) ? state_->network.MemoryOf(tensor, first.size()) : first.data();
    const auto* const begin = static_cast<const uint8_t*>(memory);
    outputs.emplace_back(begin, begin + first.size());
  }
  return outputs;
}

CaseAnswer RunOnXnnpack(const oracle::Bytes& model, const std::vector<oracle::Bytes>& inputs,
                        std::vector<oracle::Bytes>* outputs) {
  try {
    *outputs = XnnpackModel(model, inputs).Outputs();
    return {CaseAnswer::kOk, ""};
  } catch (const Unsupported& error) {
    return {CaseAnswer::kUnsupported, error.what()};
  } catch (const Refused& error) {
    return {CaseAnswer::kRefused, error.what()};
  } catch (const oracle::Unspecified& error) {
    return {CaseAnswer::kRefused, error.what()};
  } catch (const std::exception& error) {
    return {CaseAnswer::kError, error.what()};
  }
}

}  // namespace lutra::conformance::xnnpack
