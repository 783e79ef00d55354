// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED, BATCH_MATMUL and SVDF are products of matrices.

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// The product of two scales is rounded to float32 if both are scales of whole tensors.
constexpr ArithmeticRule kMatrixDru = {"DRU", Method::kFixedPoint, Rounding::kDoubleUp,
                                       ScalePrecision::kFloat};

// The first `inputs` inputs and the output must be int8 with a scale; the second may have the type `other`.
void RequireInt8(const Node& node, int inputs, int8_t other = kInt8) {
  const auto require = [&](const edit::TensorT& tensor, int8_t or_else) {
    if (tensor.type != kInt8 && tensor.type != or_else) node.Refuse("only int8 is specified");
    if (!(QuantizationOf(tensor).scale > 0)) node.Refuse("tensor \"" + tensor.name + "\" has no scale");
  };
  for (int i = 0; i < inputs; ++i) require(node.input(i), i == 1 ? other : int8_t{kInt8});
  require(node.output(0), kInt8);
}

// Returns zeros if the bias is left out.
Codes BiasOf(const Node& node, int input, size_t count) {
  if (!node.has_input(input)) return Codes(count, 0);
  Codes bias = node.Get(input);
  if (bias.size() != count) node.Refuse("a bias of another size");
  return bias;
}

// The two dimensions of a matrix.
struct Matrix {
  size_t rows, columns;
};

Matrix MatrixOf(const Node& node, const edit::TensorT& tensor) {
  const Shape& shape = tensor.shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) node.Refuse("\"" + tensor.name + "\" is no matrix");
  return {static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1])};
}

// Computes sum[r, c] = bias[c] + sum over i of weights[c, i] * (q[r, i] - z_in), with weights [channel,
// depth].
void EvalFullyConnected(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsFullyConnectedOptions());
  RequireInt8(node, 2, kInt4);
  const edit::TensorT& weights = node.input(1);
  if (QuantizationOf(weights).zero_point != 0) node.Refuse("weights with a zero point");
  const auto [channels, depth] = MatrixOf(node, weights);
  const Codes x = node.Get(0), w = node.Get(1), bias = BiasOf(node, 2, channels);
  const Quantization in = QuantizationOf(node.input(0));
  const std::vector<float> scales = ScalesOf(weights, weights.shape[0]);
  const bool per_channel = weights.quantization->scale.size() > 1;
  const bool float_product = rule.precision == ScalePrecision::kFloat && !per_channel;
  Codes y(static_cast<size_t>(ElementCount(node.output(0).shape)));
  if (y.size() * depth != x.size() * channels) node.Refuse("an output of another size");
  for (size_t c = 0; c < channels; ++c) {
    const Requantizer requantizer(rule, in.scale, scales[c], QuantizationOf(node.output(0)),
                                  options.fused_activation_function, float_product);
    for (size_t row = 0; row < y.size() / channels; ++row) {
      int64_t sum = bias[c];
      for (size_t i = 0; i < depth; ++i) sum += w[c * depth + i] * (x[row * depth + i] - in.zero_point);
      y[row * channels + c] = requantizer.Apply(sum);
    }
  }
  node.Put(0, y);
}

// The matrices of a tensor are its last two dimensions; the others broadcast.
struct Matrices {
  size_t rows, columns;
  bool transposed;  // The file holds [column, row].
  size_t At(size_t matrix, size_t row, size_t column) const {
    return matrix * rows * columns + (transposed ? column * rows + row : row * columns + column);
  }
};

Matrices MatricesOf(const Node& node, const edit::TensorT& tensor, bool transposed) {
  const size_t rank = tensor.shape.size();
  if (rank < 2) node.Refuse("an operand that is no matrix");
  const auto a = static_cast<size_t>(tensor.shape[rank - 2]), b = static_cast<size_t>(tensor.shape[rank - 1]);
  return transposed ? Matrices{b, a, true} : Matrices{a, b, false};
}

Shape OuterOf(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

}  // namespace

Codes MatrixSums(const Node& node, int64_t zero_a, int64_t zero_b) {
  const auto& options = OptionsOf(node.op().builtin_options.AsBatchMatMulOptions());
  const Matrices a = MatricesOf(node, node.input(0), options.adj_x);
  const Matrices b = MatricesOf(node, node.input(1), options.adj_y);
  const Matrices out = MatricesOf(node, node.output(0), false);
  if (a.columns != b.rows || a.rows != out.rows || b.columns != out.columns) {
    node.Refuse("matrices that do not fit");
  }
  const Shape outer = OuterOf(node.output(0).shape);
  const Broadcast of_a(outer, OuterOf(node.input(0).shape)), of_b(outer, OuterOf(node.input(1).shape));
  const Codes x = node.Get(0), w = node.Get(1);
  Codes sums(static_cast<size_t>(ElementCount(node.output(0).shape)));
  for (size_t m = 0; m < static_cast<size_t>(ElementCount(outer)); ++m) {
    for (size_t row = 0; row < out.rows; ++row) {
      for (size_t column = 0; column < out.columns; ++column) {
        int64_t& sum = sums[out.At(m, row, column)];
        for (size_t i = 0; i < a.columns; ++i) {
          sum += (x[a.At(of_a[m], row, i)] - zero_a) * (w[b.At(of_b[m], i, column)] - zero_b);
        }
      }
    }
  }
  return sums;
}

namespace {

void EvalBatchMatmul(const Node& node, const ArithmeticRule& rule) {
  RequireInt8(node, 2);
  const Quantization a = QuantizationOf(node.input(0)), b = QuantizationOf(node.input(1));
  const Requantizer requantizer(rule, a.scale, b.scale, QuantizationOf(node.output(0)), 0,
                                rule.precision == ScalePrecision::kFloat);
  Codes y = MatrixSums(node, a.zero_point, b.zero_point);
  for (int64_t& q : y) q = requantizer.Apply(q);
  node.Put(0, y);
}

// Returns a * b / c as a multiplier, each step in the rule's precision.
Multiplier MultiplierOf(float a, float b, float c, const ArithmeticRule& rule) {
  const float product = a * b;
  return QuantizeMultiplier(
      rule.precision == ScalePrecision::kFloat ? double{product / c} : double{a} * double{b} / double{c},
      rule.rounding);
}

// The inputs are x [batch, size], feature weights [filter, size], time weights [filter, memory], bias [unit]
// and state [batch, filter * memory]. `rank` filters make a unit. The activation is not checked.
void EvalSvdf(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsSVDFOptions());
  constexpr int kState = 4;
  RequireInt8(node, 2);
  const auto [batches, size] = MatrixOf(node, node.input(0));
  const auto [filters, feature_size] = MatrixOf(node, node.input(1));
  const auto [time_filters, memory] = MatrixOf(node, node.input(2));
  if (options.rank < 1) node.Refuse("a rank below 1");
  const auto rank = static_cast<size_t>(options.rank);
  const size_t units = filters / rank;
  const Codes x = node.Get(0), w_feature = node.Get(1), w_time = node.Get(2), bias = BiasOf(node, 3, units);
  Codes state = node.Get(kState);
  if (filters % rank != 0 || feature_size != size || time_filters != filters ||
      state.size() != batches * filters * memory) {
    node.Refuse("shapes that do not fit");
  }
  const Quantization in = QuantizationOf(node.input(0)), of_state = QuantizationOf(node.input(kState)),
                     out = QuantizationOf(node.output(0));
  if (!(of_state.scale > 0)) node.Refuse("a state without a scale");
  const Multiplier to_state =
      MultiplierOf(in.scale, QuantizationOf(node.input(1)).scale, of_state.scale, rule);
  const Multiplier to_output =
      MultiplierOf(of_state.scale, QuantizationOf(node.input(2)).scale, out.scale, rule);
  const int8_t state_type = node.input(kState).type;
  if ((state_type != kInt8 && state_type != kInt16) || node.input(2).type != state_type) {
    node.Refuse("time weights and a state that are not both int8 or int16");
  }
  const int64_t limit = state_type == kInt16 ? INT16_MAX : INT8_MAX;

  // Each filter's memory moves by one, and its last element is new. The zero point is added after the clamp,
  // so that the state may wrap in its type. Sums wrap in int32.
  for (size_t i = 0; i + 1 < state.size(); ++i) state[i] = state[i + 1];
  for (size_t row = 0; row < batches * filters; ++row) {
    const size_t first_x = row / filters * size, first_w = row % filters * size;
    int64_t feature = 0;
    for (size_t i = 0; i < size; ++i) feature += w_feature[first_w + i] * (x[first_x + i] - in.zero_point);
    state[row * memory + memory - 1] =
        Clamp(Scale(Wrap32(feature), to_state, rule.rounding), -limit - 1, limit) + of_state.zero_point;
  }
  node.PutState(kState, state);
  state = node.Get(kState);

  Codes y(batches * units);
  for (size_t unit = 0; unit < y.size(); ++unit) {
    int64_t sum = bias[unit % units];
    for (size_t k = 0; k < rank * memory; ++k) {
      sum +=
          w_time[unit % units * rank * memory + k] * (state[unit * rank * memory + k] - of_state.zero_point);
    }
    y[unit] = Clamp(Wrap32(Scale(Wrap32(sum), to_output, rule.rounding) + out.zero_point), -128, 127);
  }
  node.Put(0, y);
}

constexpr Operator kMatrixRows[] = {
    {BuiltinOperator::FULLY_CONNECTED,
     {"xwb", "x"},
     {kDrOfFloats, kDrDouble, kSrOfFloats, kMatrixDru, kDbl, kFp32},
     EvalFullyConnected},
    {BuiltinOperator::BATCH_MATMUL,
     {"xx", "x"},
     {kDrOfFloats, kDrDouble, kSrOfFloats, kFp32},
     EvalBatchMatmul},
    {BuiltinOperator::SVDF, {"xwwbs", "x"}, {kDrOfFloats, kDrDouble, kSrOfFloats}, EvalSvdf},
};

}  // namespace

const OperatorFamily kMatrixOperators = kMatrixRows;

}  // namespace lutra::conformance::oracle
