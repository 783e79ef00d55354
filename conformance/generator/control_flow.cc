// SPDX-License-Identifier: Apache-2.0
// Models of IF and WHILE, also nested, whose subgraphs are called once or twice.

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

using edit::BuiltinOperator;

constexpr int kMostDepth = 3;

class Program {
 public:
  explicit Program(Random& random)
      : random_(random),
        x_like_({.shape = DrawShape(random, 1, 3, 24),
                 .scale = random.Scale(-5, 0),
                 .zero_point = random.ZeroPoint()}) {}

  Case Draw() {
    const State in = AddInputs();
    return Finish(in, AddStatements(0, in, 0));
  }

  // A loop exchanges two tensors: the outputs of its body are its inputs.
  Case Exchange() {
    const State in = AddInputs();
    const int other =
        Constant(0, x_like_, MakeCodes(random_, oracle::ElementCount(x_like_.shape), Values::kRandom));
    // Values that the body does not change are passed on.
    edit::WhileOptionsT options;
    options.cond_subgraph_index = AddSubgraph(
        [&](size_t inner, const State& now) { return std::vector<int>{AddLess(inner, now.count)}; }, true);
    options.body_subgraph_index = AddSubgraph(
        [&](size_t inner, const State& now) {
          return std::vector<int>{now.flag, AddNext(inner, now.count), now.other, now.x};
        },
        true);
    const int flag = Tensor(0, kFlag), count = Tensor(0, kCount);
    const int x = Tensor(0, x_like_), y = Tensor(0, x_like_);
    Add(0, BuiltinOperator::WHILE, {in.flag, in.count, in.x, other}, {flag, count, x, y})
        .builtin_options.Set(std::move(options));
    return Finish(in, x, {y, count});
  }

  // The first branch returns its input unchanged.
  Case Through() {
    const State in = AddInputs();
    edit::IfOptionsT options;
    options.then_subgraph_index =
        AddSubgraph([](size_t, const State& now) { return std::vector<int>{now.x}; });
    options.else_subgraph_index = AddSubgraph(
        [&](size_t inner, const State& now) { return std::vector<int>{AddStatements(inner, now, 2)}; });
    const int y = Tensor(0, x_like_);
    Add(0, BuiltinOperator::IF, {in.flag, in.flag, in.count, in.x}, {y})
        .builtin_options.Set(std::move(options));
    return Finish(in, y);
  }

 private:
  // Inputs of each subgraph: a flag, a small number and the values with which it computes.
  struct State {
    int flag, count, x;
    int other = -1;  // Another tensor, if there is one.
  };
  static inline const MadeTensor kFlag = {.shape = {1}, .type = oracle::kBool};
  static inline const MadeTensor kCount = {.shape = {1}, .scale = 0.5f};

  State AddInputs() {
    const int flag = maker_.Input(kFlag), count = maker_.Input(kCount);
    return {flag, count, maker_.Input(x_like_)};
  }

  // Returns the greater of `x` and the input, so that no output is an input itself.
  Case Finish(const State& in, int x, const std::vector<int>& outputs = {}) {
    const int y = Tensor(0, x_like_);
    Add(0, BuiltinOperator::MAXIMUM, {x, in.x}, {y}).builtin_options.Set(edit::MaximumMinimumOptionsT());
    std::vector<int>& all = graph(0).outputs;
    all = {y};
    all.insert(all.end(), outputs.begin(), outputs.end());
    const auto flag = static_cast<uint8_t>(random_.Int(0, 1));
    const auto count = static_cast<uint8_t>(random_.Int(0, 3));
    Case test = {.model = maker_.Finish(), .inputs = {{flag}, {count}}};
    const Values values = DrawValues(random_);
    test.inputs.push_back(MakeCodes(random_, oracle::ElementCount(x_like_.shape), values));
    test.op = "composite";
    test.invokes = random_.OneIn(3) ? 2 : 1;
    return test;
  }

  edit::SubGraphT& graph(size_t subgraph) { return *maker_.model().subgraphs[subgraph]; }

  int Tensor(size_t subgraph, const MadeTensor& like) {
    // The maker can only add to the main graph.
    const int made = maker_.Activation(like);
    if (subgraph == 0) return made;
    auto& from = graph(0).tensors;
    graph(subgraph).tensors.push_back(std::move(from.back()));
    from.pop_back();
    return static_cast<int>(graph(subgraph).tensors.size()) - 1;
  }

  int Constant(size_t subgraph, const MadeTensor& like, oracle::Bytes data) {
    auto buffer = std::make_unique<edit::BufferT>();
    buffer->data = std::move(data);
    maker_.model().buffers.push_back(std::move(buffer));
    const int made = Tensor(subgraph, like);
    graph(subgraph).tensors.back()->buffer = static_cast<uint32_t>(maker_.model().buffers.size() - 1);
    return made;
  }

  edit::OperatorT& Add(size_t subgraph, BuiltinOperator code, const std::vector<int>& inputs,
                       const std::vector<int>& outputs) {
    const bool is_call = code == BuiltinOperator::IF || code == BuiltinOperator::WHILE;
    return AddOperator(maker_.model(), subgraph, code, is_call ? 1 : 2, inputs, outputs);
  }

  // Adds a subgraph that takes State; `fill` returns its outputs.
  template <typename Fill>
  int32_t AddSubgraph(const Fill& fill, bool takes_other = false) {
    const size_t subgraph = maker_.model().subgraphs.size();
    maker_.model().subgraphs.push_back(std::make_unique<edit::SubGraphT>());
    State in = {Tensor(subgraph, kFlag), Tensor(subgraph, kCount), Tensor(subgraph, x_like_)};
    graph(subgraph).inputs = {in.flag, in.count, in.x};
    if (takes_other) graph(subgraph).inputs.push_back(in.other = Tensor(subgraph, x_like_));
    const std::vector<int> outputs = fill(subgraph, in);
    graph(subgraph).outputs.assign(outputs.begin(), outputs.end());
    return static_cast<int32_t>(subgraph);
  }

  // Adds a subgraph that asks whether the number is below a constant.
  int AddLess(size_t subgraph, int count) {
    const int less = Tensor(subgraph, kFlag);
    const int limit = Constant(subgraph, kCount, {static_cast<uint8_t>(random_.Int(0, 4))});
    Add(subgraph, BuiltinOperator::LESS, {count, limit}, {less}).builtin_options.Set(edit::LessOptionsT());
    return less;
  }

  int AddNext(size_t subgraph, int count) {
    const int next = Tensor(subgraph, kCount);
    Add(subgraph, BuiltinOperator::ADD, {count, Constant(subgraph, kCount, {1})}, {next})
        .builtin_options.Set(edit::AddOptionsT());
    return next;
  }

  int AddStatements(size_t subgraph, const State& in, int depth) {
    State now = in;
    for (int left = random_.Int(depth == 0 ? 1 : 0, 3); left > 0; --left) {
      now.x = AddStatement(subgraph, now, depth);
    }
    return now.x;
  }

  int AddStatement(size_t subgraph, const State& now, int depth) {
    const int kind = random_.Int(0, depth < kMostDepth ? 4 : 1);
    if (kind == 2 || kind == 3) return AddChoice(subgraph, now, depth);
    if (kind == 4) return AddLoop(subgraph, now, depth);
    const int y = Tensor(subgraph, x_like_);
    if (kind == 0) {
      Add(subgraph, BuiltinOperator::RELU, {now.x}, {y});
      return y;
    }
    const int other =
        Constant(subgraph, x_like_, MakeCodes(random_, oracle::ElementCount(x_like_.shape), Values::kRandom));
    Add(subgraph, BuiltinOperator::ADD, {now.x, other}, {y}).builtin_options.Set(edit::AddOptionsT());
    return y;
  }

  int AddChoice(size_t subgraph, const State& now, int depth) {
    const int condition = random_.OneIn(2) ? AddLess(subgraph, now.count) : now.flag;
    edit::IfOptionsT options;
    if (depth == 0 && !branches_.empty() && random_.OneIn(4)) {
      options.then_subgraph_index = options.else_subgraph_index = branches_.back();
    } else {
      const auto branch = [&](size_t inner, const State& in) {
        return std::vector<int>{AddStatements(inner, in, depth + 1)};
      };
      options.then_subgraph_index = AddSubgraph(branch);
      options.else_subgraph_index = AddSubgraph(branch);
      branches_.push_back(options.then_subgraph_index);
    }
    const int y = Tensor(subgraph, x_like_);
    Add(subgraph, BuiltinOperator::IF, {condition, now.flag, now.count, now.x}, {y})
        .builtin_options.Set(std::move(options));
    return y;
  }

  int AddLoop(size_t subgraph, const State& now, int depth) {
    edit::WhileOptionsT options;
    options.cond_subgraph_index = AddSubgraph(
        [&](size_t inner, const State& in) { return std::vector<int>{AddLess(inner, in.count)}; });
    options.body_subgraph_index = AddSubgraph([&](size_t inner, const State& in) {
      const int x = AddStatements(inner, in, depth + 1);
      return std::vector<int>{in.flag, AddNext(inner, in.count), x};
    });
    const int flag = Tensor(subgraph, kFlag), count = Tensor(subgraph, kCount), x = Tensor(subgraph, x_like_);
    Add(subgraph, BuiltinOperator::WHILE, {now.flag, now.count, now.x}, {flag, count, x})
        .builtin_options.Set(std::move(options));
    return x;
  }

  Random& random_;
  ModelMaker maker_;
  MadeTensor x_like_;
  std::vector<int32_t> branches_;  // Branches that are complete.
};

void GenerateControlFlow(Series& series) {
  for (int i = 0; i < 8; ++i) {
    series.Add("exchange", Program(series.random).Exchange());
    series.Add("through", Program(series.random).Through());
  }
  // A model without a call would test nothing here.
  for (int left = 64; left > 0;) {
    Case test = Program(series.random).Draw();
    if (oracle::ReadModel(test.model)->subgraphs.size() == 1) continue;
    series.Add("drawn", std::move(test));
    --left;
  }
}

void GenerateRealControlFlow(RealSizes& series) {
  series.AddSmoke("exchange", Program(series.random).Exchange());
  for (int left = 6; left > 0;) {
    Case test = Program(series.random).Draw();
    if (oracle::ReadModel(test.model)->subgraphs.size() < 5) continue;
    series.AddSmoke("drawn", std::move(test));
    --left;
  }
}

}  // namespace

Case DrawControlFlow(Random& random) { return Program(random).Draw(); }

extern const CaseFamilies kControlFlowCases = {
    Family("composite", "int8.control_flow.", GenerateControlFlow, GenerateRealControlFlow),
};

}  // namespace lutra::conformance
