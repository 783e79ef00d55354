// SPDX-License-Identifier: Apache-2.0
// Data movement. The index of an element is a sum of one offset for each dimension, so that a part of an
// array, in any order, is a list of offsets for each dimension of the part.
//
//   Axes axes = Whole(node.input(0).shape);
//   axes[1] = Part(axes[1], 4, 2);  // Positions 4 and 5 of dimension 1.
//   TakeFrom(node, 0, axes, 0);     // Output 0: these elements of input 0.

#pragma once

#include <algorithm>
#include <utility>

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

using Axis = std::vector<int64_t>;
using Axes = std::vector<Axis>;

// An array in row-major order. Throws Unspecified if it has no elements.
inline Axes Whole(const Shape& shape) {
  if (ElementCount(shape) == 0) throw Unspecified("a tensor without elements");
  Axes axes(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    for (int64_t k = 0; k < shape[d]; ++k) axes[d].push_back(k * stride);
    stride *= shape[d];
  }
  return axes;
}

// Returns one position. Throws Unspecified if the axis lacks it, as Part does.
inline int64_t At(const Axis& axis, int64_t position) {
  if (position < 0 || position >= static_cast<int64_t>(axis.size())) {
    throw Unspecified("position " + std::to_string(position) + " of a dimension of " +
                      std::to_string(axis.size()));
  }
  return axis[static_cast<size_t>(position)];
}

// `count` positions from `begin`.
inline Axis Part(const Axis& axis, int64_t begin, int64_t count, int64_t step = 1) {
  Axis part;
  for (int64_t k = 0; k < count; ++k) part.push_back(At(axis, begin + k * step));
  return part;
}

// The index of each element of the part, which must have `count` of them.
inline std::vector<int64_t> Indices(const Axes& axes, int64_t count) {
  int64_t product = 1;
  for (const Axis& axis : axes) {
    const auto size = static_cast<int64_t>(axis.size());
    if (size != 0 && product > INT64_MAX / size) throw Unspecified("an output of another shape");
    product *= size;
  }
  if (product != count) throw Unspecified("an output of another shape");
  std::vector<int64_t> indices = {0};
  for (const Axis& axis : axes) {
    std::vector<int64_t> longer;
    longer.reserve(indices.size() * axis.size());
    for (const int64_t index : indices) {
      for (const int64_t offset : axis) longer.push_back(index + offset);
    }
    indices = std::move(longer);
  }
  return indices;
}

// result[k] = bytes[indices[k]], in elements of `size` bytes.
inline Bytes Take(const Bytes& bytes, const std::vector<int64_t>& indices, int size) {
  Bytes result;
  for (const int64_t index : indices) {
    const auto from = bytes.begin() + index * size;
    result.insert(result.end(), from, from + size);
  }
  return result;
}

// (*result)[indices[k]] = bytes[k].
inline void Place(const Bytes& bytes, const std::vector<int64_t>& indices, int size, Bytes* result) {
  auto from = bytes.begin();
  for (const int64_t index : indices) {
    std::copy(from, from + size, result->begin() + index * size);
    from += size;
  }
}

inline void PutTaken(const Node& node, int input, const std::vector<int64_t>& indices, int output) {
  const int8_t type = node.input(input).type;
  if (node.output(output).type != type) node.Refuse("an output of another type");
  node.PutBytes(output, Take(node.GetBytes(input), indices, BytesOf(type)));
}

inline void TakeFrom(const Node& node, int input, const Axes& axes, int output) {
  PutTaken(node, input, Indices(axes, ElementCount(node.output(output).shape)), output);
}

inline void PlaceIn(const Node& node, int input, const Axes& axes, Bytes* result) {
  const std::vector<int64_t> indices = Indices(axes, ElementCount(node.input(input).shape));
  Place(node.GetBytes(input), indices, BytesOf(node.input(input).type), result);
}

// Returns the bytes of an output for PlaceIn to fill; the output must have the type of `input`.
inline Bytes SpaceFor(const Node& node, int input, int output) {
  const edit::TensorT& tensor = node.output(output);
  if (tensor.type != node.input(input).type) node.Refuse("an output of another type");
  return Bytes(ByteCount(tensor));
}

// A dimension that may be counted from the end.
inline size_t Dimension(const Node& node, int64_t dimension, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (dimension < -count || dimension >= count) {
    node.Refuse("dimension " + std::to_string(dimension) + " of " + std::to_string(rank));
  }
  return static_cast<size_t>(dimension < 0 ? dimension + count : dimension);
}

// The only element of a tensor.
inline int64_t Scalar(const Node& node, int input) {
  const Codes codes = node.Get(input);
  if (codes.size() != 1) node.Refuse("input " + std::to_string(input) + " is no scalar");
  return codes[0];
}

}  // namespace lutra::conformance::oracle
