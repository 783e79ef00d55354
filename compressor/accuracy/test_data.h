// SPDX-License-Identifier: Apache-2.0
// For tests: .npy files, and a classifier with labelled data whose searches take no time.
//
//   const SmallClassifier small(folder);
//   host::RunProgram("evaluate " + small.model + small.data);

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "runtime/testing/model_builder.h"

namespace lutra::compressor {

// An .npy file of version 1.
template <typename T>
std::string WriteNpy(const std::filesystem::path& path, const std::string& type, const std::string& shape,
                     const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(118, ' ');
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  return path.string();
}

// Two layers: a random projection, and the projected patterns of the classes. Samples are noisy patterns, a
// few of them with the label of another class.
struct SmallClassifier {
  static constexpr int kClasses = 12, kInputs = 128, kHidden = 96, kSamples = 60;
  std::string model;
  std::string data;  // --data FILE --labels FILE, with a space before.

  // `idle`: so many units of the first layer have weights of 0.
  explicit SmallClassifier(const std::filesystem::path& folder, int idle = 0) {
    std::mt19937 random(2);
    const auto codes = [&](int count, int reach) {
      std::vector<int> values(count);
      for (int& value : values) value = static_cast<int>(random() % (2 * reach + 1)) - reach;
      return values;
    };
    const std::vector<int> patterns = codes(kClasses * kInputs, 30);
    std::vector<int> projection = codes(kHidden * kInputs, 127);
    std::fill_n(projection.begin(), idle * kInputs, 0);
    std::vector<int> projected(kClasses * kHidden);
    for (int c = 0; c < kClasses; ++c) {
      for (int h = 0; h < kHidden; ++h) {
        int sum = 0;
        for (int i = 0; i < kInputs; ++i) sum += patterns[c * kInputs + i] * projection[h * kInputs + i];
        projected[c * kHidden + h] = std::clamp(sum / 300, -127, 127);
      }
    }
    const auto bytes = [](const std::vector<int>& values) {
      return std::vector<uint8_t>(values.begin(), values.end());
    };
    ModelBuilder builder;
    const int x = builder.AddTensor({.shape = {1, kInputs}, .scale = 1});
    const int h = builder.AddTensor({.shape = {1, kHidden}, .scale = 1000});
    const int y = builder.AddTensor({.shape = {1, kClasses}, .scale = 1500000});
    const auto bias = [&](int count, float scale) {
      const std::vector<int> values = codes(count, 1000);
      return builder.AddTensor({.shape = {count},
                                .type = TensorType::kInt32,
                                .scale = scale,
                                .data = BytesOf(std::vector<int32_t>(values.begin(), values.end()))});
    };
    const int first = builder.AddTensor(
        {.shape = {kHidden, kInputs}, .scale = 1, .data = bytes(projection), .name = "projection"});
    const int second = builder.AddTensor(
        {.shape = {kClasses, kHidden}, .scale = 1, .data = bytes(projected), .name = "patterns"});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {x, first, bias(kHidden, 1)}, {h});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {h, second, bias(kClasses, 1000)}, {y});
    const std::vector<uint8_t> file = builder.Finish({x}, {y});
    model = (folder / "small.tflite").string();
    std::ofstream(model, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));

    std::vector<int8_t> inputs;
    std::vector<int32_t> labels;
    for (int n = 0; n < kSamples; ++n) {
      const std::vector<int> noise = codes(kInputs, 97);
      for (int i = 0; i < kInputs; ++i) {
        inputs.push_back(static_cast<int8_t>(patterns[n % kClasses * kInputs + i] + noise[i]));
      }
      labels.push_back(n % 9 == 8 ? (n + 1) % kClasses : n % kClasses);
    }
    const std::string count = std::to_string(kSamples);
    data = " --data " +
           WriteNpy(folder / "inputs.npy", "|i1", count + ", " + std::to_string(kInputs), inputs) +
           " --labels " + WriteNpy(folder / "labels.npy", "<i4", count, labels);
  }
};

}  // namespace lutra::compressor
