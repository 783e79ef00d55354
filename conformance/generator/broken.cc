// SPDX-License-Identifier: Apache-2.0
// Builds correct models of one operator, which broken_*.cc break.

#include "conformance/generator/broken.h"

#include <algorithm>
#include <cctype>

#include "conformance/oracle/operators.h"

namespace lutra::conformance {
namespace {

using oracle::Shape;

// Builds operators that Layers does not, on int8 tensors of one scale.
class Single {
 public:
  Single(std::string_view op, ModelMaker& maker) : op_(op), maker_(maker) {}

  bool Make() { return MakeUnary() || MakeBinary() || MakeReduction() || MakeMove() || MakeSpace(); }

 private:
  // A list orders the calls, so that tensors are numbered in the order of the text, whatever the compiler.
  struct Wires {
    std::vector<int> inputs, outputs;
  };
  int In(const Shape& shape) { return maker_.Input({.shape = shape, .scale = 0.25f, .zero_point = 3}); }
  int Out(const Shape& shape, int8_t type = oracle::kInt8) {
    return maker_.Output(
        {.shape = shape, .type = type, .scale = type == oracle::kInt8 ? 0.25f : 0.0f, .zero_point = 3});
  }
  int Truths() { return maker_.Input({.shape = {2, 5}, .type = oracle::kBool}); }
  int Ints(const std::vector<int32_t>& values) {
    return maker_.Int32Constant(values, {static_cast<int32_t>(values.size())});
  }
  bool Is(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), op_) != names.end();
  }
  template <typename Options>
  bool Op(
      const Wires& wires, const std::function<void(Options&)>& set = [](Options&) {}) {
    maker_.Op<Options>(op_, wires.inputs, wires.outputs, set);
    return true;
  }
  bool Plain(const Wires& wires) {
    maker_.Op(op_, wires.inputs, wires.outputs);
    return true;
  }

  bool MakeUnary() {
    const auto fixed = [&](float scale, int64_t zero_point) {
      return maker_.Output({.shape = {2, 5}, .scale = scale, .zero_point = zero_point});
    };
    if (Is({"RSQRT"})) {
      const int x = maker_.Input({.shape = {2, 5}, .scale = 0.25f, .zero_point = -128});
      return Plain({{x}, {Out({2, 5})}});
    }
    if (Is({"ZEROS_LIKE"})) return Op<edit::ZerosLikeOptionsT>({{In({2, 5})}, {Out({2, 5})}});
    if (Is({"LOGICAL_NOT"})) return Op<edit::LogicalNotOptionsT>({{Truths()}, {Out({2, 5}, oracle::kBool)}});
    if (Is({"CEIL", "COS", "EXP", "FLOOR", "LOG", "NEG", "ROUND", "SIN", "SQRT"})) {
      return Plain({{In({2, 5})}, {Out({2, 5})}});
    }
    if (Is({"SQUARE"})) return Op<edit::SquareOptionsT>({{In({2, 5})}, {Out({2, 5})}});
    if (Is({"ELU", "RELU", "RELU6", "HARD_SWISH", "ABS", "QUANTIZE"}))
      return Plain({{In({2, 5})}, {Out({2, 5})}});
    if (Is({"LEAKY_RELU"})) {
      return Op<edit::LeakyReluOptionsT>({{In({2, 5})}, {Out({2, 5})}}, [](auto& o) { o.alpha = 0.5f; });
    }
    if (Is({"GELU"})) return Op<edit::GeluOptionsT>({{In({2, 5})}, {Out({2, 5})}});
    if (Is({"LOGISTIC"})) return Plain({{In({2, 5})}, {fixed(0x1p-8f, -128)}});
    if (Is({"TANH"})) return Plain({{In({2, 5})}, {fixed(0x1p-7f, 0)}});
    if (Is({"LOG_SOFTMAX"})) return Op<edit::LogSoftmaxOptionsT>({{In({2, 5})}, {fixed(0x1p-4f, 127)}});
    if (Is({"L2_NORMALIZATION"})) return Op<edit::L2NormOptionsT>({{In({2, 5})}, {fixed(0x1p-7f, 0)}});
    if (Is({"DEQUANTIZE"})) return Plain({{In({2, 5})}, {Out({2, 5}, oracle::kFloat32)}});
    if (Is({"CAST"})) return Op<edit::CastOptionsT>({{In({2, 5})}, {Out({2, 5}, oracle::kInt32)}});
    return false;
  }

  bool MakeBinary() {
    const auto two = [&] { return std::vector<int>{In({2, 5}), In({2, 5})}; };
    if (Is({"LOGICAL_AND", "LOGICAL_OR"})) return Plain({{Truths(), Truths()}, {Out({2, 5}, oracle::kBool)}});
    if (Is({"DIV"})) {
      const std::vector<int> inputs = two();
      return Op<edit::DivOptionsT>({inputs, {maker_.Output({.shape = {2, 5}, .scale = 0x1p-8f})}});
    }
    if (Is({"ADD_N"})) return Op<edit::AddNOptionsT>({two(), {Out({2, 5})}});
    if (Is({"FLOOR_DIV"})) return Op<edit::FloorDivOptionsT>({two(), {Out({2, 5})}});
    if (Is({"FLOOR_MOD"})) return Op<edit::FloorModOptionsT>({two(), {Out({2, 5})}});
    if (Is({"SQUARED_DIFFERENCE"})) return Op<edit::SquaredDifferenceOptionsT>({two(), {Out({2, 5})}});
    if (Is({"MINIMUM"})) return Op<edit::MaximumMinimumOptionsT>({two(), {Out({2, 5})}});
    if (Is({"EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"})) {
      return Plain({two(), {Out({2, 5}, oracle::kBool)}});
    }
    if (Is({"PRELU"})) {
      const int alpha = maker_.Constant({.shape = {1, 1, 4}, .scale = 0.125f}, oracle::Bytes{1, 2, 0xFD, 4});
      return Plain({{In({1, 2, 3, 4}), alpha}, {Out({1, 2, 3, 4})}});
    }
    if (Is({"SELECT_V2"})) {
      const int condition = maker_.Input({.shape = {2, 5}, .type = oracle::kBool});
      const std::vector<int> values = two();
      return Op<edit::SelectV2OptionsT>({{condition, values[0], values[1]}, {Out({2, 5})}});
    }
    return false;
  }

  bool MakeReduction() {
    if (Is({"SUM", "REDUCE_MAX", "REDUCE_MIN"})) {
      return Op<edit::ReducerOptionsT>({{In({1, 2, 3, 4}), Ints({1, 2})}, {Out({1, 4})}});
    }
    if (Is({"REDUCE_ALL"})) {
      return Op<edit::ReducerOptionsT>({{Truths(), Ints({1})}, {Out({2}, oracle::kBool)}});
    }
    if (Is({"ARG_MAX"})) {
      return Op<edit::ArgMaxOptionsT>(
          {{In({2, 5}), maker_.Int32Constant({1}, {})}, {Out({2}, oracle::kInt32)}},
          [](auto& o) { o.output_type = oracle::kInt32; });
    }
    if (Is({"ARG_MIN"})) {
      return Op<edit::ArgMinOptionsT>(
          {{In({2, 5}), maker_.Int32Constant({1}, {})}, {Out({2}, oracle::kInt32)}},
          [](auto& o) { o.output_type = oracle::kInt32; });
    }
    if (Is({"CUMSUM"})) {
      return Op<edit::CumsumOptionsT>({{In({2, 5}), maker_.Int32Constant({1}, {})}, {Out({2, 5})}});
    }
    if (Is({"L2_POOL_2D"})) {
      return Op<edit::Pool2DOptionsT>({{In({1, 4, 4, 2})}, {Out({1, 2, 2, 2})}}, [](auto& o) {
        o.filter_height = o.filter_width = o.stride_h = o.stride_w = 2;
        o.padding = 1;
      });
    }
    if (Is({"RESIZE_BILINEAR"})) {
      return Op<edit::ResizeBilinearOptionsT>({{In({1, 2, 3, 2}), Ints({4, 6})}, {Out({1, 4, 6, 2})}});
    }
    return false;
  }

  bool MakeMove() {
    if (Is({"SQUEEZE"})) {
      return Op<edit::SqueezeOptionsT>({{In({1, 2, 1, 5})}, {Out({2, 5})}}, [](auto& o) {
        o.squeeze_dims = {0, 2};
      });
    }
    if (Is({"EXPAND_DIMS"})) {
      return Op<edit::ExpandDimsOptionsT>({{In({2, 5}), maker_.Int32Constant({1}, {})}, {Out({2, 1, 5})}});
    }
    if (Is({"SHAPE"})) {
      return Op<edit::ShapeOptionsT>({{In({2, 5})}, {Out({2}, oracle::kInt32)}},
                                     [](auto& o) { o.out_type = oracle::kInt32; });
    }
    if (Is({"SPLIT_V"})) {
      return Op<edit::SplitVOptionsT>(
          {{In({2, 5}), Ints({2, 3}), maker_.Int32Constant({1}, {})}, {Out({2, 2}), Out({2, 3})}},
          [](auto& o) { o.num_splits = 2; });
    }
    if (Is({"PACK"})) {
      return Op<edit::PackOptionsT>({{In({2, 5}), In({2, 5})}, {Out({2, 2, 5})}}, [](auto& o) {
        o.values_count = 2;
        o.axis = 1;
      });
    }
    if (Is({"UNPACK"})) {
      return Op<edit::UnpackOptionsT>({{In({2, 5})}, {Out({5}), Out({5})}}, [](auto& o) { o.num = 2; });
    }
    if (Is({"SLICE"})) {
      return Op<edit::SliceOptionsT>({{In({3, 5}), Ints({1, 2}), Ints({2, 3})}, {Out({2, 3})}});
    }
    if (Is({"STRIDED_SLICE"})) {
      return Op<edit::StridedSliceOptionsT>(
          {{In({3, 6}), Ints({0, 1}), Ints({3, 5}), Ints({1, 2})}, {Out({3, 2})}});
    }
    if (Is({"REVERSE_V2"})) return Op<edit::ReverseV2OptionsT>({{In({2, 5}), Ints({1})}, {Out({2, 5})}});
    if (Is({"BROADCAST_TO"})) {
      return Op<edit::BroadcastToOptionsT>({{In({1, 5}), Ints({3, 5})}, {Out({3, 5})}});
    }
    if (Is({"FILL"})) return Op<edit::FillOptionsT>({{Ints({2, 5}), In({})}, {Out({2, 5})}});
    if (Is({"BROADCAST_ARGS"})) {
      const int a = maker_.Input({.shape = {2}, .type = oracle::kInt32});
      const int b = maker_.Input({.shape = {2}, .type = oracle::kInt32});
      return Plain({{a, b}, {Out({2}, oracle::kInt32)}});
    }
    if (Is({"EMBEDDING_LOOKUP"})) return Plain({{Ints({2, 0}), In({3, 5})}, {Out({2, 5})}});
    if (Is({"DYNAMIC_UPDATE_SLICE"})) {
      return Op<edit::DynamicUpdateSliceOptionsT>({{In({3, 5}), In({2, 2}), Ints({1, 2})}, {Out({3, 5})}});
    }
    if (Is({"GATHER"})) {
      return Op<edit::GatherOptionsT>({{In({3, 5}), Ints({2, 0})}, {Out({3, 2})}},
                                      [](auto& o) { o.axis = 1; });
    }
    if (Is({"GATHER_ND"})) {
      return Op<edit::GatherNdOptionsT>(
          {{In({3, 5}), maker_.Int32Constant({0, 1, 2, 4}, {2, 2})}, {Out({2})}});
    }
    return false;
  }

  bool MakeSpace() {
    const auto pairs = [&](const std::vector<int32_t>& values) {
      return maker_.Int32Constant(values, {static_cast<int32_t>(values.size() / 2), 2});
    };
    if (Is({"PADV2"})) {
      const int value = maker_.Constant({.shape = {1}, .scale = 0.25f, .zero_point = 3}, {9});
      return Op<edit::PadV2OptionsT>({{In({2, 3}), pairs({1, 0, 0, 2}), value}, {Out({3, 5})}});
    }
    if (Is({"MIRROR_PAD"})) {
      return Op<edit::MirrorPadOptionsT>({{In({2, 3}), pairs({1, 0, 0, 2})}, {Out({3, 5})}});
    }
    if (Is({"SPACE_TO_DEPTH"})) {
      return Op<edit::SpaceToDepthOptionsT>({{In({1, 4, 6, 2})}, {Out({1, 2, 3, 8})}},
                                            [](auto& o) { o.block_size = 2; });
    }
    if (Is({"DEPTH_TO_SPACE"})) {
      return Op<edit::DepthToSpaceOptionsT>({{In({1, 2, 3, 8})}, {Out({1, 4, 6, 2})}},
                                            [](auto& o) { o.block_size = 2; });
    }
    if (Is({"SPACE_TO_BATCH_ND"})) {
      return Op<edit::SpaceToBatchNDOptionsT>(
          {{In({1, 4, 6, 2}), Ints({2, 2}), pairs({0, 0, 0, 0})}, {Out({4, 2, 3, 2})}});
    }
    if (Is({"BATCH_TO_SPACE_ND"})) {
      return Op<edit::BatchToSpaceNDOptionsT>(
          {{In({4, 2, 3, 2}), Ints({2, 2}), pairs({0, 0, 0, 0})}, {Out({1, 4, 6, 2})}});
    }
    if (Is({"SVDF"})) return MakeSvdf();
    if (Is({"UNIDIRECTIONAL_SEQUENCE_LSTM"})) return MakeLstm();
    return false;
  }

  // There are one batch, 3 inputs, 2 units of rank 1 and 2 steps of memory.
  bool MakeSvdf() {
    const int x = In({1, 3});
    const int feature = maker_.Constant({.shape = {2, 3}, .scale = 0.5f}, {1, 2, 3, 4, 5, 6});
    const int time = maker_.Constant({.shape = {2, 2}, .type = oracle::kInt16, .scale = 0.5f},
                                     ToBytes(std::vector<int16_t>{1, 2, 3, 4}));
    const int bias = maker_.Constant({.shape = {2}, .type = oracle::kInt32, .scale = 0.125f},
                                     ToBytes(std::vector<int32_t>{5, -7}));
    const int state =
        maker_.Activation({.shape = {1, 4}, .type = oracle::kInt16, .scale = 0.25f, .is_variable = true});
    return Op<edit::SVDFOptionsT>({{x, feature, time, bias, state}, {Out({1, 2})}},
                                  [](auto& o) { o.rank = 1; });
  }

  // There are one batch, 2 steps of 3 inputs, and 2 units; optional operands of LSTM are absent.
  bool MakeLstm() {
    constexpr int kGates = 4, kAbsent = -1;
    std::vector<int> operands = {In({1, 2, 3})};
    for (int gate = 0; gate < kGates; ++gate) {
      operands.push_back(maker_.Constant({.shape = {2, 3}, .scale = 0x1p-7f}, {1, 2, 3, 4, 5, 6}));
    }
    for (int gate = 0; gate < kGates; ++gate) {
      operands.push_back(maker_.Constant({.shape = {2, 2}, .scale = 0x1p-7f}, {1, 2, 3, 4}));
    }
    operands.insert(operands.end(), 3, kAbsent);
    for (int gate = 0; gate < kGates; ++gate) {
      operands.push_back(maker_.Constant({.shape = {2}, .type = oracle::kInt32, .scale = 0x1p-9f},
                                         ToBytes(std::vector<int32_t>{5, -7})));
    }
    operands.insert(operands.end(), 2, kAbsent);
    operands.push_back(
        maker_.Activation({.shape = {1, 2}, .scale = 0.25f, .zero_point = 3, .is_variable = true}));
    operands.push_back(
        maker_.Activation({.shape = {1, 2}, .type = oracle::kInt16, .scale = 0x1p-11f, .is_variable = true}));
    operands.insert(operands.end(), 4, kAbsent);
    return Op<edit::UnidirectionalSequenceLSTMOptionsT>({operands, {Out({1, 2, 2})}}, [](auto& o) {
      constexpr int8_t kTanh = 4;
      o.fused_activation_function = kTanh;
    });
  }

  std::string_view op_;
  ModelMaker& maker_;
};

Case MakeLayer(std::string_view op, Random& random) {
  Layers net(random);
  const auto image = [&] { return net.Input({1, 4, 4, 3}); };
  const auto flat = [&] { return net.Input({2, 6}); };
  if (op == "CONV_2D") return net.Finish({net.Conv(image(), {.filter = 3})});
  if (op == "DEPTHWISE_CONV_2D") return net.Finish({net.Depthwise(image(), {.filter = 3})});
  if (op == "TRANSPOSE_CONV") return net.Finish({net.TransposeConv(image(), {})});
  if (op == "FULLY_CONNECTED") return net.Finish({net.FullyConnected(flat(), {.per_channel = false})});
  if (op == "AVERAGE_POOL_2D") return net.Finish({net.AveragePool(image(), {.filter = 2})});
  if (op == "MAX_POOL_2D") return net.Finish({net.MaxPool(image(), {.filter = 2})});
  if (op == "PAD") return net.Finish({net.Pad(image(), 1, 1)});
  if (op == "MEAN") return net.Finish({net.Mean(image(), true)});
  if (op == "RESHAPE") return net.Finish({net.Reshape(flat(), {3, 4})});
  if (op == "TRANSPOSE") return net.Finish({net.Transpose(image(), {0, 3, 1, 2})});
  if (op == "SPLIT") return net.Finish(net.Split(flat(), 2));
  if (op == "RESIZE_NEAREST_NEIGHBOR") return net.Finish({net.Enlarge(image(), 2)});
  if (op == "SOFTMAX") return net.Finish({net.Softmax(flat())});
  const Layer x = flat();
  if (op == "CONCATENATION") return net.Finish({net.Concatenation({x, net.InputLike(x)}, 1)});
  if (op == "MAXIMUM") return net.Finish({net.Maximum(x, net.InputLike(x))});
  if (op == "BATCH_MATMUL") return net.Finish({net.BatchMatmul(x, net.Input({6, 3}), false)});
  const Layer y = flat();
  if (op == "ADD") return net.Finish({net.Add(x, y)});
  if (op == "SUB") return net.Finish({net.Sub(x, y)});
  if (op == "MUL") return net.Finish({net.Mul(x, y)});
  throw std::logic_error("no model of " + std::string(op));
}

edit::ModelT MakeModel(std::string_view op) {
  ModelMaker maker;
  if (Single(op, maker).Make()) return std::move(maker.model());
  Random random(op);
  return std::move(*oracle::ReadModel(MakeLayer(op, random).model));
}

// A tensor that is too large is refused before its input is read, so a short input suffices.
constexpr int64_t kMostInputBytes = 1024;

std::vector<oracle::Bytes> ZerosFor(const edit::SubGraphT& graph) {
  std::vector<oracle::Bytes> inputs;
  for (const int32_t index : graph.inputs) {
    if (static_cast<size_t>(index) >= graph.tensors.size()) continue;
    const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(index)];
    int64_t bytes = oracle::BytesOf(tensor.type);
    for (const int32_t dim : tensor.shape) bytes *= std::max(dim, 0);
    inputs.emplace_back(static_cast<size_t>(std::min(bytes, kMostInputBytes)), 0);
  }
  return inputs;
}

}  // namespace

Broken::Broken(std::string_view op) : model_(MakeModel(op)) {}

void Broken::SetInt32(size_t input, const std::vector<int32_t>& values, const Shape& shape) {
  in(input).shape = shape;
  Data(in(input)) = ToBytes(values);
}

void Broken::SetInt32(size_t input, const std::vector<int32_t>& values) {
  SetInt32(input, values, {static_cast<int32_t>(values.size())});
}

void Broken::MakeInput(size_t input) {
  in(input).buffer = 0;
  graph().inputs.push_back(op().inputs[input]);
}

void Broken::SetScaleCount(edit::TensorT& t, size_t count) {
  t.quantization->scale.resize(count, t.quantization->scale[0]);
  t.quantization->zero_point.resize(count, 0);
}

int Broken::AddTensor(const edit::TensorT& like) {
  graph().tensors.push_back(std::make_unique<edit::TensorT>(like));
  return static_cast<int>(graph().tensors.size()) - 1;
}

void Broken::BecomeUint8() {
  for (auto& tensor : graph().tensors) {
    if (tensor->quantization && tensor->quantization->scale.size() > 1) SetScaleCount(*tensor, 1);
    if (tensor->type != oracle::kInt8) continue;
    tensor->type = oracle::kUint8;
    if (tensor->quantization && !tensor->quantization->zero_point.empty()) ZeroPoint(*tensor) += 128;
    for (uint8_t& code : Data(*tensor)) code ^= 0x80;
  }
  // The bias keeps its scale, as the weights keep their first scale, from which it follows.
}

Change InputShape(size_t input, Shape shape) {
  return [=](Broken& m) { m.in(input).shape = shape; };
}
Change OutputShape(Shape shape) {
  return [=](Broken& m) { m.out().shape = shape; };
}
Change InputType(size_t input, int8_t type) {
  return [=](Broken& m) { m.in(input).type = type; };
}
Change OutputType(int8_t type) {
  return [=](Broken& m) { m.out().type = type; };
}
Change Integers(size_t input, std::vector<int32_t> values) {
  return [=](Broken& m) { m.SetInt32(input, values); };
}
Change Integers(size_t input, std::vector<int32_t> values, Shape shape) {
  return [=](Broken& m) { m.SetInt32(input, values, shape); };
}
Change NotQuantized(size_t input) {
  return [=](Broken& m) { m.in(input).quantization.reset(); };
}
Change ScaleCount(size_t input, size_t count) {
  return [=](Broken& m) { m.SetScaleCount(m.in(input), count); };
}
Change ByteMissing(size_t input) {
  return [=](Broken& m) { m.Data(m.in(input)).pop_back(); };
}
Change All(std::vector<Change> changes) {
  return [=](Broken& m) {
    for (const Change& change : changes) change(m);
  };
}

void Refuser::Add(const Refusal& refusal) {
  Broken broken(refusal.op);
  refusal.change(broken);
  std::string name(refusal.op);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  Case test = {.id = ids_(name + "." + std::string(refusal.rule)),
               .op = std::string(refusal.op),
               .model = oracle::WriteModel(broken.model()),
               .inputs = ZerosFor(broken.graph()),
               .must_refuse = refusal.why};
  sink_(std::move(test));
}

void Refuser::AddFile(const std::string& rule, const char* why, oracle::Bytes bytes) {
  sink_({.id = ids_("file." + rule), .op = "composite", .model = std::move(bytes), .must_refuse = why});
}

}  // namespace lutra::conformance
