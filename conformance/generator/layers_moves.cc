// SPDX-License-Identifier: Apache-2.0
// Adds layers that move bytes.

#include "conformance/generator/layers.h"

namespace lutra::conformance {

Layer Layers::Concatenation(const std::vector<Layer>& parts, int axis) {
  const auto at = static_cast<size_t>(axis);
  oracle::Shape shape = parts[0].shape;
  shape[at] = 0;
  std::vector<int> tensors;
  for (const Layer& part : parts) {
    shape[at] += part.shape[at];
    tensors.push_back(part.tensor);
  }
  const Layer y = Activation(shape, &parts[0]);
  maker_.Op<edit::ConcatenationOptionsT>("CONCATENATION", tensors, {y.tensor},
                                         [&](auto& options) { options.axis = axis; });
  return y;
}

Layer Layers::Pad(const Layer& x, int before, int after) {
  const Layer y =
      Activation({x.shape[0], x.shape[1] + before + after, x.shape[2] + before + after, x.shape[3]}, &x);
  const int paddings = maker_.Int32Constant({0, 0, before, after, before, after, 0, 0}, {4, 2});
  maker_.Op<edit::PadOptionsT>("PAD", {x.tensor, paddings}, {y.tensor});
  return y;
}

Layer Layers::Reshape(const Layer& x, const oracle::Shape& shape) {
  const Layer y = Activation(shape, &x);
  const int target = maker_.Int32Constant(shape, {static_cast<int32_t>(shape.size())});
  maker_.Op<edit::ReshapeOptionsT>("RESHAPE", {x.tensor, target}, {y.tensor},
                                   [&](auto& options) { options.new_shape = shape; });
  return y;
}

Layer Layers::Transpose(const Layer& x, const std::vector<int32_t>& order) {
  oracle::Shape shape;
  for (const int32_t axis : order) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  const Layer y = Activation(shape, &x);
  const int permutation = maker_.Int32Constant(order, {static_cast<int32_t>(order.size())});
  maker_.Op<edit::TransposeOptionsT>("TRANSPOSE", {x.tensor, permutation}, {y.tensor});
  return y;
}

std::vector<Layer> Layers::Split(const Layer& x, int parts) {
  oracle::Shape shape = x.shape;
  shape.back() /= parts;
  std::vector<Layer> layers;
  std::vector<int> tensors;
  for (int i = 0; i < parts; ++i) {
    layers.push_back(Activation(shape, &x));
    tensors.push_back(layers.back().tensor);
  }
  const int axis = maker_.Int32Constant({static_cast<int32_t>(shape.size()) - 1}, {});
  maker_.Op<edit::SplitOptionsT>("SPLIT", {axis, x.tensor}, tensors,
                                 [&](auto& options) { options.num_splits = parts; });
  return layers;
}

Layer Layers::Enlarge(const Layer& x, int factor) {
  const Layer y = Activation({x.shape[0], x.shape[1] * factor, x.shape[2] * factor, x.shape[3]}, &x);
  const int size = maker_.Int32Constant({y.shape[1], y.shape[2]}, {2});
  maker_.Op<edit::ResizeNearestNeighborOptionsT>("RESIZE_NEAREST_NEIGHBOR", {x.tensor, size}, {y.tensor});
  return y;
}

Layer Layers::Drop(const Layer& x) {
  oracle::Shape shape = x.shape;
  --shape[1];
  const Layer y = Activation(shape, &x);
  const auto rank = static_cast<int32_t>(shape.size());
  std::vector<int32_t> begin(shape.size(), 0);
  begin[1] = 1;
  const int from = maker_.Int32Constant(begin, {rank});
  const int size = maker_.Int32Constant(shape, {rank});
  maker_.Op<edit::SliceOptionsT>("SLICE", {x.tensor, from, size}, {y.tensor});
  return y;
}

}  // namespace lutra::conformance
