// SPDX-License-Identifier: Apache-2.0
// Inputs whose elements differ, for operators that move them.

#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

oracle::Bytes Wide(const std::vector<int32_t>& values) {
  return ToBytes(std::vector<int64_t>(values.begin(), values.end()));
}

}  // namespace

MoveMaker::MoveMaker(Random& random, int8_t type)
    : random_(random), is_ramp_(!random.OneIn(3)), start_(random.Next()), step_(random.Next() | 1) {
  tensor_.type = type;
  if (type != oracle::kInt8) return;
  tensor_.scale = random.Scale(-7, 0);
  tensor_.zero_point = random.ZeroPoint();
}

MoveMaker::MoveMaker(Random& random, int64_t zero_point) : MoveMaker(random) {
  tensor_.zero_point = zero_point;
}

MadeTensor MoveMaker::Tensor(const oracle::Shape& shape) const {
  MadeTensor tensor = tensor_;
  tensor.shape = shape;
  return tensor;
}

int MoveMaker::Moved(const oracle::Shape& shape, bool is_constant) {
  return Operand(Tensor(shape), NextBytes(shape), is_constant);
}

int MoveMaker::Result(const oracle::Shape& shape) { return Output(Tensor(shape)); }

int MoveMaker::List(const std::vector<int32_t>& values) {
  return Integers(values, {static_cast<int32_t>(values.size())});
}

int MoveMaker::Integers(const std::vector<int32_t>& values, const oracle::Shape& shape, bool is_constant) {
  const MadeTensor tensor = {.shape = shape, .type = wide_ ? oracle::kInt64 : oracle::kInt32};
  return Operand(tensor, wide_ ? Wide(values) : ToBytes(values), is_constant);
}

oracle::Bytes MoveMaker::NextBytes(const oracle::Shape& shape) {
  const int64_t count = oracle::ElementCount(shape);
  if (tensor_.type == oracle::kFloat32) {
    // No NaNs: a runtime may change their bytes.
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<float>(random_.Between(-32768, 32767)) / 8);
    return FloatBytes(values);
  }
  oracle::Bytes bytes(static_cast<size_t>(count * oracle::BytesOf(tensor_.type)));
  for (uint8_t& byte : bytes) {
    const uint64_t ramp = start_ + step_ * position_ + 37 * (position_ / 256);
    ++position_;
    byte = static_cast<uint8_t>(is_ramp_ && tensor_.type != oracle::kBool ? ramp : random_.Next());
    if (tensor_.type == oracle::kBool) byte &= 1;
  }
  return bytes;
}

std::string TypeGroup(int8_t type) { return std::string("type.") + TypeName(type); }

oracle::Shape RandomShape(Random& random, int rank, int largest) {
  oracle::Shape shape;
  for (int d = 0; d < rank; ++d) shape.push_back(random.Int(1, largest));
  return shape;
}

}  // namespace lutra::conformance
