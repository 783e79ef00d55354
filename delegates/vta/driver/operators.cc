// SPDX-License-Identifier: Apache-2.0
// The operators that VTA runs.

#include "delegates/vta/driver/operators.h"

#include <float.h>

namespace lutra::vta {
namespace {

constexpr VtaOperator kOperators[] = {
    {BuiltinOperator::kConv2D, RefuseConv, ConvImages, LowerConvNode},
    {BuiltinOperator::kDepthwiseConv2D, RefuseConv, ConvImages, LowerConvNode},
    {BuiltinOperator::kFullyConnected, RefuseFullyConnected, FullyConnectedImages, LowerFullyConnectedNode},
    {BuiltinOperator::kAdd, RefuseSum, SumImages, LowerSumNode},
    {BuiltinOperator::kQuantize, RefuseSum, SumImages, LowerSumNode},
    {BuiltinOperator::kRelu, RefuseSum, SumImages, LowerSumNode},
    {BuiltinOperator::kRelu6, RefuseSum, SumImages, LowerSumNode},
    {BuiltinOperator::kMaxPool2D, RefusePool, PoolImages, LowerPoolNode},
    {BuiltinOperator::kAveragePool2D, RefusePool, PoolImages, LowerPoolNode},
};

}  // namespace

const VtaOperator* FindOperator(BuiltinOperator code) {
  for (const VtaOperator& one : kOperators) {
    if (one.code == code) return &one;
  }
  return nullptr;
}

bool IsInt8PerTensor(const TensorInfo& tensor) {
  return tensor.type == TensorType::kInt8 && tensor.scales.size() == 1 && tensor.scale > 0 &&
         tensor.scale <= FLT_MAX && tensor.zero_point >= INT8_MIN && tensor.zero_point <= INT8_MAX &&
         tensor.shape.Count() > 0;
}

Image ImageOfTensor(const Config& config, const TensorInfo& tensor) {
  const Shape& shape = tensor.shape;
  Image image =
      ImageOfNhwc(config, Unsigned(shape[0]), Unsigned(shape[1]), Unsigned(shape[2]), Unsigned(shape[3]));
  image.fill = static_cast<int8_t>(tensor.zero_point);
  return image;
}

}  // namespace lutra::vta
