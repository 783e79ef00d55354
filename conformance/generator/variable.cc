// SPDX-License-Identifier: Apache-2.0
// Models with state: inferences read and assign variables, and a subgraph initialises them once.

#include "conformance/generator/layers.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

using edit::BuiltinOperator;

constexpr int8_t kResource = 13;

// Adds operators on state, which the oracle's list lacks, to either subgraph.
class StatefulModel {
 public:
  explicit StatefulModel(edit::ModelT& model) : model_(model) {}

  int Handle(size_t subgraph, const std::string& name, const std::string& container = "") {
    auto tensor = std::make_unique<edit::TensorT>();
    tensor->type = kResource;
    tensor->name = name;
    auto& tensors = model_.subgraphs[subgraph]->tensors;
    tensors.push_back(std::move(tensor));
    edit::VarHandleOptionsT options;
    options.shared_name = name;
    options.container = container;
    const int handle = static_cast<int>(tensors.size()) - 1;
    Add(subgraph, BuiltinOperator::VAR_HANDLE, {}, {handle}).builtin_options.Set(std::move(options));
    return handle;
  }
  void Read(int handle, const Layer& to) { Add(0, BuiltinOperator::READ_VARIABLE, {handle}, {to.tensor}); }
  void Assign(int handle, const Layer& from) {
    Add(0, BuiltinOperator::ASSIGN_VARIABLE, {handle, from.tensor}, {});
  }

  // Must precede later operators of the main graph. The subgraph assigns `codes` to each of the variables.
  void InitialiseOnce(const std::vector<std::string>& names, const Layer& like,
                      const std::vector<oracle::Bytes>& codes) {
    edit::CallOnceOptionsT options;
    options.init_subgraph_index = static_cast<int32_t>(model_.subgraphs.size());
    Add(0, BuiltinOperator::CALL_ONCE, {}, {}).builtin_options.Set(std::move(options));
    const size_t subgraph = model_.subgraphs.size();
    model_.subgraphs.push_back(std::make_unique<edit::SubGraphT>());
    for (size_t i = 0; i < names.size(); ++i) {
      const int handle = Handle(subgraph, names[i]);
      auto buffer = std::make_unique<edit::BufferT>();
      buffer->data = codes[i];
      model_.buffers.push_back(std::move(buffer));
      auto tensor =
          std::make_unique<edit::TensorT>(*model_.subgraphs[0]->tensors[static_cast<size_t>(like.tensor)]);
      tensor->buffer = static_cast<uint32_t>(model_.buffers.size()) - 1;
      auto& tensors = model_.subgraphs[subgraph]->tensors;
      tensors.push_back(std::move(tensor));
      Add(subgraph, BuiltinOperator::ASSIGN_VARIABLE, {handle, static_cast<int>(tensors.size()) - 1}, {});
    }
  }

 private:
  edit::OperatorT& Add(size_t subgraph, BuiltinOperator code, const std::vector<int>& inputs,
                       const std::vector<int>& outputs) {
    return AddOperator(model_, subgraph, code, 1, inputs, outputs);
  }

  edit::ModelT& model_;
};

struct Setting {
  int repeat = 0;
  bool initialised = false;
  oracle::Shape shape;  // The state's shape; empty: drawn.
};

oracle::Bytes Codes(Random& random, const Layer& like) {
  return MakeCodes(random, oracle::ElementCount(like.shape), Values::kRandom);
}

oracle::Shape StateShape(Random& random, const Setting& setting) {
  if (!setting.shape.empty()) return setting.shape;
  static const std::vector<oracle::Shape> shapes = {{1}, {1, 7}, {2, 16}, {1, 3, 3, 5}, {33}};
  return random.Pick(shapes);
}

// Computes state = state / 2 + input.
Case Accumulator(Random& random, Layers& net, StatefulModel& state, const Setting& setting) {
  const Layer x = net.Input(StateShape(random, setting));
  const Layer old = net.Like(x);
  if (setting.initialised) state.InitialiseOnce({"sum"}, old, {Codes(random, old)});
  const int handle = state.Handle(0, "sum");
  state.Read(handle, old);
  const Layer sum = net.Add(net.Mul(old, net.Half(x.shape)), x, 0, &old);
  state.Assign(handle, sum);
  return net.Finish({sum});
}

// Outputs the input of the inference before, which is assigned first or last.
Case Delay(Random& random, Layers& net, StatefulModel& state, const Setting& setting) {
  const Layer x = net.Input(StateShape(random, setting));
  const Layer old = net.Like(x);
  if (setting.initialised) state.InitialiseOnce({"last"}, old, {Codes(random, old)});
  const int handle = state.Handle(0, "last");
  state.Read(handle, old);
  const Layer y = net.Sub(x, old);
  state.Assign(handle, setting.repeat % 2 == 0 ? x : net.Maximum(x, old));
  return net.Finish({y, old});
}

// Frames shift through the state: the newest enters, the oldest leaves.
Case Window(Random& random, Layers& net, StatefulModel& state, const Setting& setting) {
  const auto channels = random.Int(2, 9);
  const Layer x = net.Input({1, 1, 1, channels});
  const Layer old = net.Like(x, {1, 3, 1, channels});
  if (setting.initialised) state.InitialiseOnce({"frames"}, old, {Codes(random, old)});
  const int handle = state.Handle(0, "frames");
  state.Read(handle, old);
  const Layer all = net.Concatenation({old, x}, 1);
  state.Assign(handle, net.Drop(all));
  return net.Finish({net.Depthwise(all, {.filter = 3, .activation = kRelu})});
}

// Two variables exchange their values.
Case Exchange(Random& random, Layers& net, StatefulModel& state, const Setting& setting) {
  const Layer x = net.Input(StateShape(random, setting));
  const Layer a = net.Like(x), b = net.Like(x);
  if (setting.initialised) {
    oracle::Bytes first = Codes(random, a);
    state.InitialiseOnce({"a", "b"}, a, {std::move(first), Codes(random, b)});
  }
  const int handle_a = state.Handle(0, "a"), handle_b = state.Handle(0, "b");
  state.Read(handle_a, a);
  state.Read(handle_b, b);
  state.Assign(handle_a, net.Add(b, x, 0, &x));
  state.Assign(handle_b, a);
  return net.Finish({net.Maximum(a, b)});
}

// The same name in another container is another variable; two handles of one name are one variable.
Case Names(Random& random, Layers& net, StatefulModel& state, const Setting& setting) {
  const Layer x = net.Input(StateShape(random, setting));
  const Layer old = net.Like(x), fresh = net.Like(x), other = net.Like(x);
  if (setting.initialised) state.InitialiseOnce({"v"}, old, {Codes(random, old)});
  const int handle = state.Handle(0, "v");
  const int again = state.Handle(0, "v");
  const int elsewhere = state.Handle(0, "v", "box");
  state.Read(handle, old);
  state.Assign(again, x);
  state.Read(handle, fresh);
  state.Read(elsewhere, other);
  state.Assign(elsewhere, old);
  return net.Finish({old, fresh, other});
}

struct Kind {
  const char* name;
  Case (*make)(Random&, Layers&, StatefulModel&, const Setting&);
};
constexpr Kind kKinds[] = {{"accumulator", Accumulator},
                           {"delay", Delay},
                           {"window", Window},
                           {"exchange", Exchange},
                           {"names", Names}};

void GenerateVariable(Series& series) {
  for (const Kind& kind : kKinds) {
    for (const bool initialised : {false, true}) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        Layers net(series.random);
        StatefulModel state(net.maker().model());
        Case test = kind.make(series.random, net, state, {repeat, initialised, {}});
        test.invokes = repeat + 1 + (initialised ? 0 : 1);
        series.Add(std::string(kind.name) + (initialised ? ".initialised" : ".zero"), std::move(test));
      }
    }
  }
}

// Variables have more bytes than eight and sixteen bits count.
void GenerateRealVariable(RealSizes& series) {
  const std::vector<oracle::Shape> shapes = {{1, 261}, {3, 5, 131}, {1, 1031}, {2, 33013}};
  for (const Kind& kind : {kKinds[0], kKinds[1], kKinds[3]}) {
    for (const oracle::Shape& shape : shapes) {
      for (const bool initialised : {false, true}) {
        Layers net(series.random);
        StatefulModel state(net.maker().model());
        Case test = kind.make(series.random, net, state, {1, initialised, shape});
        test.invokes = 3;
        test.smoke = shape[1] == 261 && initialised ? Smoke::kAlways : Smoke::kNever;
        series.Add(kind.name, std::move(test));
      }
    }
  }
}

}  // namespace

extern const CaseFamilies kVariableCases = {
    Family("composite", "int8.variable.", GenerateVariable, GenerateRealVariable),
};

}  // namespace lutra::conformance
