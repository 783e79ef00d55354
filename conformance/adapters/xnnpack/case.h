// SPDX-License-Identifier: Apache-2.0
// What every family of operators needs to hand a node of a model to XNNPACK.
//
//   void RunClamp(const Node& node) {
//     const Source x(node, 0, kInt8);
//     Destination<int8_t> y(node);
//     Call call;
//     Check(xnn_create_clamp_nc_s8(y.count(), y.count(), y.count(), low, high, 0, call.out()));
//     Check(xnn_setup_clamp_nc_s8(call.get(), 1, x.as<int8_t>(), y.data(), nullptr));
//     call.Run();
//     y.Store();
//   }

#pragma once

#include <xnnpack.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/oracle/node.h"

namespace lutra::conformance::xnnpack {

using oracle::kFloat32;
using oracle::kInt32;
using oracle::kInt8;
using oracle::Node;
using oracle::OptionsOf;
using oracle::Shape;

// XNNPACK has no operator for this node.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The model is wrong.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws Unsupported, Refused or runtime_error unless it is success.
void Check(xnn_status status);
// Throw Refused / Unsupported with `why` unless it holds.
void Require(bool holds, const std::string& why);
void Support(bool holds, const std::string& why);

// An operator of XNNPACK, deleted at the end.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
  xnn_operator_t* out() { return &op_; }
  xnn_operator_t get() const { return op_; }
  void Run() { Check(xnn_run_operator(op_, nullptr)); }

 private:
  xnn_operator_t op_ = nullptr;
};

// An input of the node, followed by the bytes that XNNPACK may read beyond the end.
class Source {
 public:
  Source(const Node& node, int index, oracle::Type type);
  size_t count() const { return count_; }
  const void* data() const { return words_.data(); }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(words_.data());
  }

 private:
  size_t count_;
  std::vector<uint64_t> words_;  // Aligned for every element.
};

// Output 0 of the node: int8_t or float.
template <typename T>
class Destination {
 public:
  explicit Destination(const Node& node) : node_(node) {
    const edit::TensorT& tensor = node.output(0);
    Support(tensor.type == (sizeof(T) == 1 ? kInt8 : kFloat32),
            "output of type " + std::to_string(tensor.type));
    count_ = static_cast<size_t>(oracle::ElementCount(tensor.shape));
    Support(count_ > 0, "an empty output");
    Support(count_ <= size_t{1} << 28, "an output too large");
    values_.resize(count_ + XNN_EXTRA_BYTES);
  }
  size_t count() const { return count_; }
  T* data() { return values_.data(); }
  void Store() const {
    oracle::Bytes bytes(count_ * sizeof(T));
    std::memcpy(bytes.data(), values_.data(), bytes.size());
    node_.PutBytes(0, std::move(bytes));
  }

 private:
  const Node& node_;
  size_t count_ = 0;
  std::vector<T> values_;
};

// Scale and zero point of an int8 tensor; Refused without them.
struct Quantization {
  float scale;
  int8_t zero_point;
};
Quantization QuantizationOf(const edit::TensorT& tensor);

// Codes of a fused activation, at least two; computed as XNNPACK's own graphs do: nearest(real / scale + zero
// point).
struct Range {
  int8_t low, high;
};
Range ActivationRange(int8_t activation, Quantization output);

// Batches, height, width, channels. Refused without four dimensions.
struct Image {
  size_t batches, height, width, channels;
};
Image ImageOf(const edit::TensorT& tensor);

// Padding of the file format.
inline constexpr int8_t kSame = 0, kValid = 1;

// Elements in front of and behind an axis of `in` elements, from which windows make `out`.
struct Padding {
  uint32_t before, after;
};
Padding WindowPadding(int8_t padding, size_t in, size_t out, int filter, int stride, int dilation);

// A parameter that must be at least 1.
uint32_t Positive(int value, const char* what);

std::vector<size_t> DimensionsOf(const edit::TensorT& tensor);

using Function = void (*)(const Node&);
// The function for a builtin code; null if there is none.
Function FunctionFor(int32_t builtin_code);

// convolution.cc
void RunConv2D(const Node& node);
void RunDepthwiseConv2D(const Node& node);
void RunTransposeConv(const Node& node);
void RunFullyConnected(const Node& node);
// arithmetic.cc
void RunAdd(const Node& node);
void RunSub(const Node& node);
void RunMul(const Node& node);
// activation.cc
void RunRelu(const Node& node);
void RunRelu6(const Node& node);
void RunLogistic(const Node& node);
void RunTanh(const Node& node);
void RunElu(const Node& node);
void RunQuantize(const Node& node);
void RunDequantize(const Node& node);
// image.cc
void RunMaxPool2D(const Node& node);
void RunMean(const Node& node);
void RunResizeBilinear(const Node& node);
// move.cc
void RunCopy(const Node& node);
void RunConcatenation(const Node& node);
void RunPad(const Node& node);

}  // namespace lutra::conformance::xnnpack
