// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM of int8, and of int16 with weights of int8 and biases of int64, both with a
// cell state of int16. The rules are TensorFlow Lite Micro's; LiteRT's differ.

#include <array>
#include <cmath>

#include "conformance/oracle/int16.h"
#include "conformance/oracle/operators.h"
#include "conformance/oracle/sigmoid16.h"

namespace lutra::conformance::oracle {
namespace {

enum Gate : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate, kGates };

constexpr int kInputWeights = 1, kRecurrentWeights = 5, kBiases = 12, kHidden = 18, kCell = 19;

int64_t Clamp16(int64_t x) { return Clamp(x, INT16_MIN, INT16_MAX); }

// The product of one gate's weights with the input, or with the hidden state.
struct Product {
  Codes weights;
  int64_t zero_point;
  Multiplier multiplier;
  bool is_wide;  // The sum has 64 bits.

  int64_t Of(const Codes& values, size_t first, size_t count, size_t unit, int64_t bias,
             Rounding rounding) const {
    int64_t sum = bias;
    for (size_t i = 0; i < count; ++i) sum += weights[unit * count + i] * (values[first + i] - zero_point);
    return Clamp16(is_wide ? ScaleWide(sum, multiplier) : Scale(Wrap32(sum), multiplier, rounding));
  }
};

Product ProductOf(const Node& node, int values, int weights, const ArithmeticRule& rule) {
  const Quantization in = QuantizationOf(node.input(values)), w = QuantizationOf(node.input(weights));
  if (w.zero_point != 0) node.Refuse("weights with a zero point");
  if (node.input(weights).quantization->scale.size() != 1) node.Refuse("weights of more than one scale");
  const float product = in.scale * w.scale;
  const double factor =
      rule.precision == ScalePrecision::kFloat ? double{product} : double{in.scale} * double{w.scale};
  const Multiplier multiplier = QuantizeMultiplier(factor * 4096, rule.rounding);
  const bool is_wide = node.input(values).type == kInt16;
  if (is_wide && multiplier.shift > 7) node.Refuse("a gate's multiplier of 2^7 or more");
  return {node.Get(weights), in.zero_point, multiplier, is_wide};
}

class Lstm {
 public:
  Lstm(const Node& node, const ArithmeticRule& rule);
  void Run();

 private:
  // Inputs of gate `gate` of a unit, in units of 1/12288.
  int64_t GateOf(size_t gate, size_t row, const Codes& before, size_t batch, size_t unit) const;
  void Step(size_t row, size_t batch);

  const Node& node_;
  Rounding rounding_;
  size_t batches_ = 0, times_ = 0, depth_ = 0, units_ = 0;
  bool time_major_ = false;
  Codes x_, h_, c_, y_;
  std::array<Product, kGates> of_input_, of_hidden_;
  std::array<Codes, kGates> bias_;
  Multiplier forget_, update_, hidden_;
  int64_t hidden_zero_ = 0;
  int64_t clip_ = -1;  // Negative: none. A clip of less than a unit is 0.
  int cell_shift_ = 0;
  Range codes_ = {INT8_MIN, INT8_MAX};
};

void RequireTypes(const Node& node) {
  const bool is_int16 = node.input(0).type == kInt16;
  const int8_t codes = is_int16 ? kInt16 : kInt8, biases = is_int16 ? kInt64 : kInt32;
  const auto require = [&](const edit::TensorT& tensor, int8_t type) {
    if (tensor.type != type) node.Refuse("\"" + tensor.name + "\" has a type that is not specified");
    if (type != biases && !(QuantizationOf(tensor).scale > 0))
      node.Refuse("\"" + tensor.name + "\" has no scale");
  };
  for (const int absent : {9, 10, 11, 16, 17, 20, 21, 22, 23}) {
    if (node.has_input(absent)) node.Refuse("peepholes, a projection or a layer normalisation");
  }
  for (const int i : {0, kHidden}) require(node.input(i), codes);
  for (const int i : {1, 2, 3, 4, 5, 6, 7, 8}) require(node.input(i), kInt8);
  for (size_t gate = 0; gate < kGates; ++gate) require(node.input(kBiases + static_cast<int>(gate)), biases);
  require(node.input(kCell), kInt16);
  for (const int state : {kHidden, kCell}) {
    if (!node.input(state).is_variable) node.Refuse("a state that is no variable");
  }
  if (QuantizationOf(node.input(kCell)).zero_point != 0) node.Refuse("a cell state with a zero point");
  require(node.output(0), codes);
  if (node.input(0).shape.size() != 3) node.Refuse("an input that has not three dimensions");
}

Lstm::Lstm(const Node& node, const ArithmeticRule& rule) : node_(node), rounding_(rule.rounding) {
  const Rounding rounding = rounding_;
  const auto& options = OptionsOf(node.op().builtin_options.AsUnidirectionalSequenceLSTMOptions());
  constexpr int8_t kTanh = 4;
  if (options.fused_activation_function != kTanh) node.Refuse("an activation other than TANH");
  RequireTypes(node);
  const Shape& shape = node.input(0).shape;
  time_major_ = options.time_major;
  batches_ = static_cast<size_t>(shape[time_major_ ? 1 : 0]);
  times_ = static_cast<size_t>(shape[time_major_ ? 0 : 1]);
  depth_ = static_cast<size_t>(shape[2]);
  x_ = node.Get(0);
  h_ = node.Get(kHidden);
  c_ = node.Get(kCell);
  bias_[0] = node.Get(kBiases);
  units_ = bias_[0].size();
  y_.resize(static_cast<size_t>(ElementCount(node.output(0).shape)));
  if (h_.size() != batches_ * units_ || c_.size() != h_.size() || y_.size() != batches_ * times_ * units_) {
    node.Refuse("shapes that do not fit");
  }
  for (size_t gate = 0; gate < kGates; ++gate) {
    const int at = static_cast<int>(gate);
    of_input_[gate] = ProductOf(node, 0, kInputWeights + at, rule);
    of_hidden_[gate] = ProductOf(node, kHidden, kRecurrentWeights + at, rule);
    bias_[gate] = node.Get(kBiases + at);
    if (of_input_[gate].weights.size() != units_ * depth_ ||
        of_hidden_[gate].weights.size() != units_ * units_ || bias_[gate].size() != units_) {
      node.Refuse("shapes that do not fit");
    }
  }
  const double cell_scale = double{QuantizationOf(node.input(kCell)).scale};
  const Quantization hidden = QuantizationOf(node.input(kHidden)), out = QuantizationOf(node.output(0));
  if (hidden.scale != out.scale || hidden.zero_point != out.zero_point) {
    node.Refuse("an output with other parameters than the hidden state");
  }
  hidden_zero_ = hidden.zero_point;
  if (node.input(0).type == kInt16) codes_ = kInt16Codes;
  forget_ = QuantizeMultiplier(std::ldexp(1.0, -15), rounding);
  update_ = QuantizeMultiplier(std::ldexp(1.0, -30) / cell_scale, rounding);
  hidden_ = QuantizeMultiplier(std::ldexp(1.0, -30) / double{hidden.scale}, rounding);
  cell_shift_ = 12 + static_cast<int>(std::lround(std::log2(cell_scale)));
  if (options.cell_clip > 0) {
    clip_ = static_cast<int64_t>(std::trunc(std::min(double{options.cell_clip} / cell_scale, 32767.0)));
  }
}

int64_t Lstm::GateOf(size_t gate, size_t row, const Codes& before, size_t batch, size_t unit) const {
  const int64_t a = of_input_[gate].Of(x_, row * depth_, depth_, unit, bias_[gate][unit], rounding_);
  const int64_t r = of_hidden_[gate].Of(before, batch * units_, units_, unit, 0, rounding_);
  return Clamp16(a + r) * 3;
}

void Lstm::Step(size_t row, size_t batch) {
  const Codes before = h_;
  for (size_t unit = 0; unit < units_; ++unit) {
    const int64_t forget = Logistic16(GateOf(kForgetGate, row, before, batch, unit));
    const int64_t input = Logistic16(GateOf(kInputGate, row, before, batch, unit));
    const int64_t cell = Tanh16(GateOf(kCellGate, row, before, batch, unit));
    const int64_t output = Logistic16(GateOf(kOutputGate, row, before, batch, unit));
    int64_t& c = c_[batch * units_ + unit];
    c = Clamp16(Clamp16(Scale(forget * c, forget_, rounding_)) +
                Clamp16(Scale(input * cell, update_, rounding_)));
    if (clip_ >= 0) c = Clamp(c, -clip_, clip_);
    const int64_t y = cell_shift_ >= 0 ? c * (int64_t{3} << cell_shift_)
                                       : (c * 3 + (int64_t{1} << (-cell_shift_ - 1))) >> -cell_shift_;
    h_[batch * units_ + unit] = y_[row * units_ + unit] =
        Clamp(Wrap32(Scale(Tanh16(y) * output, hidden_, rounding_) + hidden_zero_), codes_.low, codes_.high);
  }
}

void Lstm::Run() {
  for (size_t t = 0; t < times_; ++t) {
    for (size_t batch = 0; batch < batches_; ++batch) {
      Step(time_major_ ? t * batches_ + batch : batch * times_ + t, batch);
    }
  }
  node_.PutState(kHidden, h_);
  node_.PutState(kCell, c_);
  node_.Put(0, y_);
}

void EvalLstm(const Node& node, const ArithmeticRule& rule) { Lstm(node, rule).Run(); }

constexpr Operands kLstmOperands = {"xwwwwwwww...bbbb..ss....", "x"};

constexpr Operator kLstmRows[] = {
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, kLstmOperands, {kDrFloat, kSrFloat, kDrDouble}, EvalLstm},
    Int16Row(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, kLstmOperands, {kDrFloat, kSrFloat, kDrDouble},
             EvalLstm),
};

}  // namespace

const OperatorFamily kLstmOperators = kLstmRows;

}  // namespace lutra::conformance::oracle
