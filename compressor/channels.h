// SPDX-License-Identifier: Apache-2.0
// The channel of an element is its index along one dimension of the tensor.
//
//   const Channels channels = ScaleChannels(tensor);
//   const float scale = tensor.scales[channels.Of(element)];

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lutra/tensor_info.h"

namespace lutra::compressor {

struct Channels {
  size_t inner = 1;  // The number of elements in the dimensions behind the channels'.
  size_t count = 1;

  int32_t Of(size_t element) const { return static_cast<int32_t>(element / inner % count); }
};

// Returns the channels along dimension `axis` of a shape; one for all elements if it is -1.
inline Channels ChannelsAlong(const std::vector<int32_t>& shape, int axis) {
  Channels channels;
  if (axis < 0) return channels;
  channels.count = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d) {
    channels.inner *= static_cast<size_t>(shape[d]);
  }
  return channels;
}

// Returns the channels that have a scale each; one if there is one scale, or none.
inline Channels ScaleChannels(const TensorInfo& tensor) {
  if (tensor.scales.size() <= 1) return {};
  return {.inner = static_cast<size_t>(tensor.shape.Count(tensor.quantized_dimension + 1, tensor.shape.rank)),
          .count = static_cast<size_t>(tensor.scales.size())};
}

}  // namespace lutra::compressor
