// SPDX-License-Identifier: Apache-2.0
// Networks of known shapes and seeded weights, as int8 .tflite files. Scales follow from the values that a
// seeded input gives in float32, so that activations neither saturate nor vanish: the layers take the time of
// trained ones, and the outputs of a wrong graph differ.
//
//   WriteFileBytes(path, ...MobileNetV2(1));
//   for (const Network& layer : SingleLayers(1)) ...

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lutra::bench {

struct Network {
  std::string name;
  std::vector<uint8_t> bytes;
};

// Width 1, 224 x 224 x 3, 1000 scores (no SOFTMAX).
Network MobileNetV2(uint64_t seed);
// Has the same input and outputs; the stride of a block is that of its 3 x 3 layer.
Network ResNet50(uint64_t seed);
// Forty models of one layer each, of shapes for which kernels are not tuned: few and odd channels, long
// windows, dilation, images of one to three pixels and of 131, batches. A name has the shapes: "conv 7x7 s2,
// 131x131x3 to 17".
std::vector<std::string> SingleLayerNames();
// Returns those whose names contain `only`.
std::vector<Network> SingleLayers(uint64_t seed, const std::string& only = "");

}  // namespace lutra::bench
