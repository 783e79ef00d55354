// SPDX-License-Identifier: Apache-2.0
// Draws models of IF and WHILE, nested, whose subgraphs are called once or twice.

#include "conformance/generator/draw.h"

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
    const State in = {maker_.Input(kFlag), maker_.Input(kCount), maker_.Input(x_like_)};
    const int x = AddStatements(0, in, 0);
    // Not an input itself.
    const int y = Tensor(0, x_like_);
    Add(0, BuiltinOperator::MAXIMUM, {x, in.x}, {y}).builtin_options.Set(edit::MaximumMinimumOptionsT());
    maker_.model().subgraphs[0]->outputs = {y};
    Case test = {.model = maker_.Finish(),
                 .inputs = {{static_cast<uint8_t>(random_.Int(0, 1))},
                            {static_cast<uint8_t>(random_.Int(0, 3))},
                            MakeCodes(random_, oracle::ElementCount(x_like_.shape), DrawValues(random_))}};
    test.op = "composite";
    test.invokes = random_.OneIn(3) ? 2 : 1;
    return test;
  }

 private:
  // What each subgraph takes: a flag, a small number and what is computed.
  struct State {
    int flag, count, x;
  };
  static inline const MadeTensor kFlag = {.shape = {1}, .type = oracle::kBool};
  static inline const MadeTensor kCount = {.shape = {1}, .scale = 0.5f};

  edit::SubGraphT& graph(size_t subgraph) { return *maker_.model().subgraphs[subgraph]; }

  int Tensor(size_t subgraph, const MadeTensor& like) {
    // The maker adds to the main graph.
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
    return AddOperator(maker_.model(), subgraph, code, 2, inputs, outputs);
  }

  // A subgraph that takes State; `fill` gives its outputs.
  template <typename Fill>
  int32_t AddSubgraph(const Fill& fill) {
    const size_t subgraph = maker_.model().subgraphs.size();
    maker_.model().subgraphs.push_back(std::make_unique<edit::SubGraphT>());
    const State in = {Tensor(subgraph, kFlag), Tensor(subgraph, kCount), Tensor(subgraph, x_like_)};
    graph(subgraph).inputs = {in.flag, in.count, in.x};
    const std::vector<int> outputs = fill(subgraph, in);
    graph(subgraph).outputs.assign(outputs.begin(), outputs.end());
    return static_cast<int32_t>(subgraph);
  }

  // Whether the number is below a constant.
  int AddLess(size_t subgraph, int count) {
    const int less = Tensor(subgraph, kFlag);
    const int limit = Constant(subgraph, kCount, {static_cast<uint8_t>(random_.Int(0, 4))});
    Add(subgraph, BuiltinOperator::LESS, {count, limit}, {less}).builtin_options.Set(edit::LessOptionsT());
    return less;
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
      const int count = Tensor(inner, kCount);
      Add(inner, BuiltinOperator::ADD, {in.count, Constant(inner, kCount, {1})}, {count})
          .builtin_options.Set(edit::AddOptionsT());
      return std::vector<int>{in.flag, count, x};
    });
    const int flag = Tensor(subgraph, kFlag), count = Tensor(subgraph, kCount), x = Tensor(subgraph, x_like_);
    Add(subgraph, BuiltinOperator::WHILE, {now.flag, now.count, now.x}, {flag, count, x})
        .builtin_options.Set(std::move(options));
    return x;
  }

  Random& random_;
  ModelMaker maker_;
  MadeTensor x_like_;
  std::vector<int32_t> branches_;  // That are complete.
};

}  // namespace

Case DrawControlFlow(Random& random) { return Program(random).Draw(); }

}  // namespace lutra::conformance
