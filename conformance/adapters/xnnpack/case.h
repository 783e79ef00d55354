// SPDX-License-Identifier: Apache-2.0
// What every family of operators needs to hand a node of a model to XNNPACK.
//
//   void RunClamp(const Node& node) {
//     const Source x(node, 0, kInt8);
//     Destination<int8_t> y(node);
//     Call call(node);
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
#include <utility>
#include <vector>

#include "conformance/oracle/node.h"

namespace lutra::conformance::xnnpack {

using oracle::kFloat32;
using oracle::kInt32;
using oracle::kInt8;
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

// The operators of a model in their order, and the memory of its tensors, so that they can run again.
class Network {
 public:
  explicit Network(size_t tensors, bool stand_ins) : memory_(tensors), stand_ins_(stand_ins) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();
  // `bytes` of a tensor, followed by those that XNNPACK may read beyond the end; the same at each call.
  void* MemoryOf(int32_t tensor, size_t bytes);
  // Whether it was called for that tensor.
  bool Knows(int32_t tensor) const { return !memory_[static_cast<size_t>(tensor)].empty(); }
  // Room for values between the operators of one node.
  void* Scratch(size_t bytes);
  // Runs it, and keeps it for Run.
  void Append(xnn_operator_t op);
  // All operators once more.
  void Run();

  // Whether nodes that XNNPACK lacks may run as others that take a similar time: for measuring, not for
  // testing.
  bool may_stand_in() const { return stand_ins_; }
  void CountStandIn() { ++stand_in_count_; }
  int stand_in_count() const { return stand_in_count_; }

 private:
  using Words = std::vector<uint64_t>;  // Aligned for every element.
  std::vector<Words> memory_, scratch_;
  std::vector<xnn_operator_t> operators_;
  bool stand_ins_;
  int stand_in_count_ = 0;
};

class Node : public oracle::Node {
 public:
  Node(const edit::SubGraphT& graph, const edit::OperatorT& op, std::vector<oracle::Bytes>* values,
       Network* network)
      : oracle::Node(graph, op, values), network_(*network) {}
  Network& network() const { return network_; }

 private:
  Network& network_;
};

// An operator of XNNPACK that is being made: deleted, unless Run has given it to the network.
class Call {
 public:
  explicit Call(const Node& node) : network_(node.network()) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
  xnn_operator_t* out() { return &op_; }
  xnn_operator_t get() const { return op_; }
  void Run() { network_.Append(std::exchange(op_, nullptr)); }

 private:
  Network& network_;
  xnn_operator_t op_ = nullptr;
};

// An input of the node, in the network's memory.
class Source {
 public:
  Source(const Node& node, int index, oracle::Type type);
  size_t count() const { return count_; }
  const void* data() const { return data_; }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data_);
  }

 private:
  size_t count_;
  const void* data_;
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
    data_ = static_cast<T*>(node.network().MemoryOf(node.op().outputs[0], count_ * sizeof(T)));
  }
  size_t count() const { return count_; }
  T* data() { return data_; }
  // For nodes that look at their inputs when they are made.
  void Store() const {
    oracle::Bytes bytes(count_ * sizeof(T));
    std::memcpy(bytes.data(), data_, bytes.size());
    node_.PutBytes(0, std::move(bytes));
  }

 private:
  const Node& node_;
  size_t count_ = 0;
  T* data_ = nullptr;
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

// The mean of `width` pixels of each batch (image.cc).
void RunGlobalAverage(const Node& node, size_t batches, size_t width, size_t channels);

using Function = void (*)(const Node&);
// The function for a builtin code; null if there is none.
Function FunctionFor(edit::BuiltinOperator code);
// That of a node that stands in for one that XNNPACK lacks.
Function StandInFor(edit::BuiltinOperator code);

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
// stand_ins.cc
void RunAveragePool2D(const Node& node);
void RunSoftmax(const Node& node);
// move.cc
void RunCopy(const Node& node);
void RunConcatenation(const Node& node);
void RunPad(const Node& node);

}  // namespace lutra::conformance::xnnpack
