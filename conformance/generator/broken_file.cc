// SPDX-License-Identifier: Apache-2.0
// Cases that must be refused: files and graphs that are wrong before any operator is checked.

#include "conformance/generator/broken.h"

namespace lutra::conformance {
namespace {

const Refusal kGraphs[] = {
    {"ADD", "tensor_buffer", "a tensor names a buffer that the file lacks",
     [](Broken& m) { m.in().buffer = 77; }},
    {"CONV_2D", "tensor_buffer", "the filter names a buffer that the file lacks",
     [](Broken& m) { m.in(1).buffer = 77; }},
    {"ADD", "operator_code", "an operator names a code that the file lacks",
     [](Broken& m) { m.op().opcode_index = 5; }},
    {"ADD", "tensor_negative", "an input is tensor -2", [](Broken& m) { m.op().inputs[0] = -2; }},
    {"ADD", "input_missing", "an input is left out", [](Broken& m) { m.op().inputs[1] = -1; }},
    {"CONV_2D", "input_missing", "the filter is left out", [](Broken& m) { m.op().inputs[1] = -1; }},
    {"SOFTMAX", "output_index", "the output is no tensor of the graph",
     [](Broken& m) { m.op().outputs[0] = 40; }},
    {"MUL", "graph_input_index", "a graph input is no tensor of the graph",
     [](Broken& m) { m.graph().inputs[0] = 12; }},
    {"MUL", "graph_output_index", "a graph output is no tensor of the graph",
     [](Broken& m) { m.graph().outputs[0] = 12; }},
    {"RELU", "not_produced", "a tensor is read that nobody writes",
     [](Broken& m) {
       const edit::TensorT like = m.in();
       m.op().inputs[0] = m.AddTensor(like);
     }},
    {"RELU", "output_not_produced", "a graph output is written by nobody",
     [](Broken& m) {
       const edit::TensorT like = m.out();
       m.graph().outputs[0] = m.AddTensor(like);
     }},
    {"ADD", "reads_itself", "an operator reads what it writes",
     [](Broken& m) { m.op().inputs[1] = m.op().outputs[0]; }},
    {"ADD", "writes_input", "an operator writes a graph input",
     [](Broken& m) { m.op().outputs[0] = m.op().inputs[0]; }},
    {"CONV_2D", "writes_constant", "an operator writes a constant",
     [](Broken& m) { m.op().outputs[0] = m.op().inputs[2]; }},
    {"RELU", "written_twice", "two operators write one tensor",
     [](Broken& m) { m.graph().operators.push_back(std::make_unique<edit::OperatorT>(m.op())); }},
    {"CONV_2D", "options", "the operator has another one's options",
     [](Broken& m) { m.op().builtin_options.Set(edit::AddOptionsT()); }},
    {"SOFTMAX", "options", "the operator has no options", [](Broken& m) { m.op().builtin_options.Reset(); }},
    {"MAX_POOL_2D", "options", "the operator has no options",
     [](Broken& m) { m.op().builtin_options.Reset(); }},
    {"RELU", "large", "2^40 elements",
     [](Broken& m) {
       m.in().shape = m.out().shape = {1 << 20, 1 << 20};
     }},
};

void AddFiles(Refuser& refuser) {
  const oracle::Bytes whole = oracle::WriteModel(Broken("CONV_2D").model());
  const auto cut = [&](size_t size) {
    return oracle::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
  };
  refuser.AddFile("empty", "the file is empty", {});
  refuser.AddFile("short", "the file has 7 bytes", cut(7));
  refuser.AddFile("truncated", "the second half of the file is missing", cut(whole.size() / 2));
  refuser.AddFile("truncated", "the last 40 bytes of the file are missing", cut(whole.size() - 40));
  oracle::Bytes changed = whole;
  changed[7] = '2';
  refuser.AddFile("identifier", "the file's identifier is TFL2", changed);
  changed = whole;
  changed[3] = 0x7F;
  refuser.AddFile("root_offset", "the root lies outside the file", changed);
  Broken version("CONV_2D");
  version.model().version = 2;
  refuser.AddFile("version", "the schema version is 2", oracle::WriteModel(version.model()));
  Broken graphs("CONV_2D");
  graphs.model().subgraphs.clear();
  refuser.AddFile("subgraphs", "the model has no subgraph", oracle::WriteModel(graphs.model()));
}

}  // namespace

void RefuseFiles(Refuser& refuser) {
  refuser.Add(kGraphs);
  AddFiles(refuser);
}

}  // namespace lutra::conformance
