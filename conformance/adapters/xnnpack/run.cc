// SPDX-License-Identifier: Apache-2.0
// Finds the function of each operator, and runs the nodes in order.

#include "conformance/adapters/xnnpack/run.h"

#include "conformance/adapters/xnnpack/case.h"
#include "conformance/oracle/model.h"

namespace lutra::conformance::xnnpack {
namespace {

std::vector<oracle::Bytes> Run(const oracle::Bytes& bytes, const std::vector<oracle::Bytes>& inputs) {
  Check(xnn_initialize(nullptr));
  const std::unique_ptr<oracle::ModelObjects> model = oracle::ReadModel(bytes);
  const edit::SubGraphT& graph = *model->subgraphs[0];
  // Before anything is allocated for them.
  for (const auto& op : graph.operators) {
    Support(FunctionFor(oracle::CodeOf(*model, *op)) != nullptr,
            "no " + oracle::NameOf(*model, *op) + " for int8");
  }
  std::vector<oracle::Bytes> values;
  for (const auto& tensor : graph.tensors) {
    Support(!tensor->is_variable, "a variable tensor");
    values.push_back(oracle::DataOf(*model, *tensor));
  }
  Require(inputs.size() == graph.inputs.size(), "another number of inputs");
  for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  for (const auto& op : graph.operators) {
    FunctionFor(oracle::CodeOf(*model, *op))(Node(graph, *op, &values));
  }
  std::vector<oracle::Bytes> outputs;
  for (const int32_t tensor : graph.outputs) outputs.push_back(values[static_cast<size_t>(tensor)]);
  return outputs;
}

}  // namespace

CaseAnswer RunOnXnnpack(const oracle::Bytes& model, const std::vector<oracle::Bytes>& inputs,
                        std::vector<oracle::Bytes>* outputs) {
  try {
    *outputs = Run(model, inputs);
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
