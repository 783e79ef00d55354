// SPDX-License-Identifier: Apache-2.0
// Reads an operator's tensors as integers, and turns accumulators into codes.

#include "conformance/oracle/node.h"

#include <flatbuffers/flexbuffers.h>

#include <cmath>
#include <cstring>

#include "conformance/oracle/legacy16.h"

namespace lutra::conformance::oracle {
namespace {

bool IsSigned(int8_t type) { return type != kUint8 && type != kUint32 && type != kBool; }

// Files are little-endian.
int64_t ReadInteger(const uint8_t* bytes, int count, bool is_signed) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= uint64_t{bytes[i]} << (8 * i);
  if (is_signed && count < 8) {
    const uint64_t sign = uint64_t{1} << (8 * count - 1);
    value = (value ^ sign) - sign;
  }
  return static_cast<int64_t>(value);
}

// Reads two codes from a byte, the first from the low bits.
Codes ReadNibbles(const Bytes& bytes, int64_t count) {
  if (static_cast<int64_t>(bytes.size()) < (count + 1) / 2) throw Unspecified("too few bytes of int4");
  Codes codes;
  for (size_t k = 0; k < static_cast<size_t>(count); ++k) {
    const int64_t nibble = bytes[k / 2] >> (k % 2 * 4) & 15;
    codes.push_back(nibble < 8 ? nibble : nibble - 16);
  }
  return codes;
}

Bytes WriteIntegers(const Codes& codes, int size) {
  Bytes bytes;
  bytes.reserve(codes.size() * static_cast<size_t>(size));
  for (const int64_t code : codes) {
    for (int i = 0; i < size; ++i) {
      bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(code) >> (8 * i)));
    }
  }
  return bytes;
}

}  // namespace

int BytesOf(int8_t type) {
  switch (type) {
    case kInt8:
    case kUint8:
    case kBool:
      return 1;
    case kInt16:
      return 2;
    case kInt32:
    case kUint32:
    case kFloat32:
      return 4;
    case kInt64:
    case kUint64:
      return 8;
    default:
      throw Unspecified("tensor type " + std::to_string(type));
  }
}

int64_t ElementCount(const Shape& shape) {
  int64_t count = 1;
  for (const int32_t dim : shape) count *= dim;
  return count;
}

size_t ByteCount(const edit::TensorT& tensor) {
  return static_cast<size_t>(ElementCount(tensor.shape) * BytesOf(tensor.type));
}

const edit::TensorT& Node::input(int i) const {
  if (!has_input(i)) Refuse("input " + std::to_string(i) + " is missing");
  return *graph_.tensors.at(static_cast<size_t>(op_.inputs[static_cast<size_t>(i)]));
}

const edit::TensorT& Node::output(int i) const {
  if (i >= output_count()) Refuse("output " + std::to_string(i) + " is missing");
  return *graph_.tensors.at(static_cast<size_t>(op_.outputs[static_cast<size_t>(i)]));
}

void Node::RequireTypes(std::initializer_list<int8_t> inputs, std::initializer_list<int8_t> outputs) const {
  int i = 0;
  for (const int8_t type : inputs) {
    if (input(i++).type != type) Refuse("input " + std::to_string(i - 1) + " of another type");
  }
  i = 0;
  for (const int8_t type : outputs) {
    if (output(i++).type != type) Refuse("output " + std::to_string(i - 1) + " of another type");
  }
}

Bytes& Node::value(int tensor) const { return values_.at(static_cast<size_t>(tensor)); }

const Bytes& Node::GetBytes(int i) const {
  const edit::TensorT& tensor = input(i);
  const Bytes& bytes = value(op_.inputs[static_cast<size_t>(i)]);
  if (bytes.size() != ByteCount(tensor)) {
    Refuse("tensor \"" + tensor.name + "\" has " + std::to_string(bytes.size()) + " bytes");
  }
  return bytes;
}

Codes Node::Get(int i) const {
  const int8_t type = input(i).type;
  if (type == kInt4) {
    const int64_t count = ElementCount(input(i).shape);
    return ReadNibbles(value(op_.inputs[static_cast<size_t>(i)]), count);
  }
  if (type == kFloat32) Refuse("input " + std::to_string(i) + " is float32");
  const Bytes& bytes = GetBytes(i);
  const int size = BytesOf(type);
  Codes codes(bytes.size() / static_cast<size_t>(size));
  for (size_t k = 0; k < codes.size(); ++k) {
    codes[k] = ReadInteger(bytes.data() + k * static_cast<size_t>(size), size, IsSigned(type));
  }
  return codes;
}

void Node::PutBytes(int i, Bytes bytes) const {
  const edit::TensorT& tensor = output(i);
  if (bytes.size() != ByteCount(tensor)) {
    Refuse("output " + std::to_string(i) + " of " + std::to_string(bytes.size()) +
           " bytes has another shape");
  }
  value(op_.outputs[static_cast<size_t>(i)]) = std::move(bytes);
}

void Node::Put(int i, const Codes& codes) const {
  const int8_t type = output(i).type;
  if (type == kFloat32) Refuse("output " + std::to_string(i) + " is float32");
  PutBytes(i, WriteIntegers(codes, BytesOf(type)));
}

void Node::PutState(int i, const Codes& codes) const {
  value(op_.inputs[static_cast<size_t>(i)]) = WriteIntegers(codes, BytesOf(input(i).type));
}

std::vector<Codes>& Node::memory() const {
  if (memory_ == nullptr) Refuse("it needs memory");
  return *memory_;
}

int64_t Node::CustomOption(const char* name) const {
  const Bytes& options = op_.custom_options;
  std::vector<uint8_t> visited;
  if (options.size() < 3 || !flexbuffers::VerifyBuffer(options.data(), options.size(), &visited)) {
    Refuse("no custom options");
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(options.data(), options.size());
  const flexbuffers::Reference value = root.IsMap() ? root.AsMap()[name] : flexbuffers::Reference();
  if (!value.IsIntOrUint() && !value.IsBool()) Refuse(std::string("no option ") + name);
  return value.AsInt64();
}

std::vector<float> Node::GetFloats(int i) const {
  if (input(i).type != kFloat32) Refuse("input " + std::to_string(i) + " is no float32");
  const Bytes& bytes = GetBytes(i);
  std::vector<float> values(bytes.size() / 4);
  for (size_t k = 0; k < values.size(); ++k) {
    const auto bits = static_cast<uint32_t>(ReadInteger(bytes.data() + 4 * k, 4, false));
    std::memcpy(&values[k], &bits, 4);
  }
  return values;
}

void Node::PutFloats(int i, const std::vector<float>& values) const {
  if (output(i).type != kFloat32) Refuse("output " + std::to_string(i) + " is no float32");
  Codes codes(values.size());
  for (size_t k = 0; k < values.size(); ++k) {
    uint32_t bits;
    std::memcpy(&bits, &values[k], 4);
    codes[k] = bits;
  }
  PutBytes(i, WriteIntegers(codes, 4));
}

void Node::Refuse(const std::string& why) const { throw Unspecified(why); }

Quantization QuantizationOf(const edit::TensorT& tensor) {
  if (!tensor.quantization || tensor.quantization->scale.empty()) return {};
  const auto& zero_points = tensor.quantization->zero_point;
  const int64_t zero_point = zero_points.empty() ? 0 : zero_points[0];
  if (zero_point != static_cast<int32_t>(zero_point)) throw Unspecified("a zero point of more than 32 bits");
  return {tensor.quantization->scale[0], zero_point};
}

std::vector<float> ScalesOf(const edit::TensorT& tensor, int channels) {
  if (!tensor.quantization || tensor.quantization->scale.empty()) {
    throw Unspecified("tensor \"" + tensor.name + "\" has no scale");
  }
  const std::vector<float>& scales = tensor.quantization->scale;
  if (scales.size() == 1) return std::vector<float>(static_cast<size_t>(channels), scales[0]);
  if (scales.size() != static_cast<size_t>(channels)) {
    throw Unspecified("tensor \"" + tensor.name + "\" has " + std::to_string(scales.size()) + " scales");
  }
  return scales;
}

namespace {

// `code`: returns the code of a real number.
template <typename F>
Range RangeOf(int8_t activation, Range codes, F&& code) {
  switch (static_cast<Activation>(activation)) {
    case Activation::kNone:
      return codes;
    case Activation::kRelu:
      return {std::max(codes.low, code(0.0f)), codes.high};
    case Activation::kRelu6:
      return {std::max(codes.low, code(0.0f)), std::min(codes.high, code(6.0f))};
    case Activation::kReluN1To1:
      return {std::max(codes.low, code(-1.0f)), std::min(codes.high, code(1.0f))};
    default:
      throw Unspecified("fused activation " + std::to_string(activation));
  }
}

}  // namespace

Range ActivationRange(int8_t activation, Quantization output, Range codes) {
  return RangeOf(activation, codes, [&](float real) {
    const int64_t steps = RoundAway(static_cast<double>(real / output.scale));
    // TensorFlow Lite refuses what int32 does not hold.
    if (steps != static_cast<int32_t>(steps)) throw Unspecified("an activation of more than 2^31 steps");
    return output.zero_point + steps;
  });
}

Range XnnpackActivationRange(int8_t activation, Quantization output) {
  return RangeOf(activation, {-128, 127}, [&](float real) {
    return RoundEven(real / output.scale + static_cast<float>(output.zero_point));
  });
}

Requantizer::Requantizer(const ArithmeticRule& rule, float s_a, float s_b, Quantization output,
                         int8_t activation, bool float_product)
    : rule_(rule),
      real_(double{s_a} * double{s_b} / double{output.scale}),
      zero_point_(output.zero_point),
      range_(rule.method == Method::kFloat ? XnnpackActivationRange(activation, output)
                                           : ActivationRange(activation, output)) {
  const float product = s_a * s_b;
  ratio_ = product / output.scale;
  multiplier_ =
      rule.method == Method::kLegacy16
          ? QuantizeMultiplier16(real_)
          : QuantizeMultiplier(float_product ? double{product} / double{output.scale} : real_, rule.rounding);
}

int64_t Requantizer::Apply(int64_t accumulator) const {
  // Kernels keep sums in int32, which wrap.
  accumulator = Wrap32(accumulator);
  switch (rule_.method) {
    case Method::kReal:
      return Clamp(RoundAway(static_cast<double>(accumulator) * real_) + zero_point_, range_.low,
                   range_.high);
    case Method::kFloat: {
      const float scaled = static_cast<float>(accumulator) * ratio_;
      const float low = static_cast<float>(range_.low - zero_point_);
      const float high = static_cast<float>(range_.high - zero_point_);
      return RoundEven(std::min(std::max(scaled, low), high)) + zero_point_;
    }
    case Method::kLegacy16:
      return Clamp(Scale16(accumulator, multiplier_) + zero_point_, range_.low, range_.high);
    default:
      return Clamp(Wrap32(Scale(accumulator, multiplier_, rule_.rounding) + zero_point_), range_.low,
                   range_.high);
  }
}

}  // namespace lutra::conformance::oracle
