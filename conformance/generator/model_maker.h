// SPDX-License-Identifier: Apache-2.0
// Makes the model of a case.
//
//   ModelMaker maker;
//   const int x = maker.Input({.shape = {1, 4}, .scale = 0.5f});
//   const int y = maker.Output({.shape = {1, 4}, .scale = 0.5f});
//   maker.Op<edit::AddOptionsT>("ADD", {x, x}, {y}, [](auto& o) { o.fused_activation_function = 1; });
//   Bytes model = maker.Finish();

#pragma once

#include <functional>
#include <map>

#include "conformance/generator/case.h"
#include "conformance/generator/random.h"

namespace lutra::conformance {

struct MadeTensor {
  oracle::Shape shape;
  int8_t type = oracle::kInt8;
  float scale = 0;  // 0: no quantisation.
  int64_t zero_point = 0;
  std::vector<float> channel_scales;  // Instead of `scale`.
  std::vector<int64_t> zero_points;   // Of the channels; empty: all are 0.
  int32_t quantized_dimension = 0;
  bool is_variable = false;
};

// Names and values.
using CustomOptions = std::vector<std::pair<const char*, int64_t>>;

class ModelMaker {
 public:
  ModelMaker();
  int Input(const MadeTensor& tensor);
  int Output(const MadeTensor& tensor);
  int Activation(const MadeTensor& tensor);
  int Constant(const MadeTensor& tensor, oracle::Bytes data);
  int Int32Constant(const std::vector<int32_t>& values, oracle::Shape shape);
  // Adds a constant, or an input whose bytes Made() gives to the case.
  int Operand(const MadeTensor& tensor, oracle::Bytes data, bool is_constant = false);
  // Adds an operator without options. `op`: the schema's name or the oracle's, which has a dot.
  void Op(std::string_view op, const std::vector<int>& inputs, const std::vector<int>& outputs);
  template <typename Options>
  void Op(
      std::string_view op, const std::vector<int>& inputs, const std::vector<int>& outputs,
      const std::function<void(Options&)>& set = [](Options&) {}) {
    Op(op, inputs, outputs);
    Options options;
    set(options);
    last_op().builtin_options.Set(std::move(options));
  }
  // A custom operator whose options are these, as a map of flexbuffers.
  void CustomOp(std::string_view name, const std::vector<int>& inputs, const std::vector<int>& outputs,
                const CustomOptions& options);
  edit::TensorT& tensor(int i) { return *graph().tensors[static_cast<size_t>(i)]; }
  edit::ModelT& model() { return model_; }
  oracle::Bytes Finish() const { return oracle::WriteModel(model_); }
  // Makes the case of a model whose inputs were all added by Operand.
  Case Made() { return {.model = Finish(), .inputs = std::move(operands_)}; }

 private:
  edit::SubGraphT& graph() { return *model_.subgraphs[0]; }
  edit::OperatorT& last_op() { return *graph().operators.back(); }

  edit::ModelT model_;
  std::vector<oracle::Bytes> operands_;
};

// Adds an operator to a subgraph, and its code to the model if that lacks it.
edit::OperatorT& AddOperator(edit::ModelT& model, size_t subgraph, edit::BuiltinOperator code, int version,
                             const std::vector<int>& inputs, const std::vector<int>& outputs);

// Little-endian bytes of T.
template <typename T>
oracle::Bytes ToBytes(const std::vector<T>& values) {
  oracle::Bytes bytes;
  for (const T value : values) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
    }
  }
  return bytes;
}
oracle::Bytes FloatBytes(const std::vector<float>& values);

// Gives "int8", "float32" and so on.
const char* TypeName(int8_t type);
// Aligns the shapes at their ends; a dimension of 1 becomes that of the other shape.
oracle::Shape BroadcastShape(const oracle::Shape& a, const oracle::Shape& b);

// Says how the elements of an input or a constant are drawn.
enum class Values : uint8_t {
  kRandom,
  kLow,
  kHigh,
  kAlternating,
  kRamp,
  kExtremes,
  kNearZeroPoint,
  // Only `fuzz` draws the following.
  kMostlyLow,   // Nine of ten are -128, as behind a RELU.
  kMostlyZero,  // 19 of 20 are the zero point, as weights that were pruned.
  kTwoValues,
};
inline constexpr int kValueKinds = 7;
inline constexpr int kDrawnValueKinds = 10;
const char* ToString(Values values);
const std::vector<Values>& AllValues();
// Codes of `count` int8 elements.
oracle::Bytes MakeCodes(Random& random, int64_t count, Values values, int64_t zero_point = 0);

// Rows of small codes whose last code is the largest, so that a kernel that stops early misses it.
oracle::Bytes MakePeaks(Random& random, int64_t rows, int64_t row_count, int64_t peak);
// Gives the case rows of MakePeaks for its input.
Case WithPeaks(Random& random, Case test, int64_t rows, int64_t row_count, int64_t peak);

// Makes ids whose numbers count up separately for each `what`: NumberedIds ids("int8.add."); ids("same").
class NumberedIds {
 public:
  explicit NumberedIds(std::string prefix) : prefix_(std::move(prefix)) {}
  // "int8.add.same.0000" and so on.
  std::string operator()(const std::string& what);

 private:
  std::string prefix_;
  std::map<std::string, int> counts_;
};

}  // namespace lutra::conformance
