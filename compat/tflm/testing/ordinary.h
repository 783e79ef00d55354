// SPDX-License-Identifier: Apache-2.0
// Runs Lutra's own interpreter, for a test in C++17 that includes only include/.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tensorflow/lite/micro/micro_op_resolver.h"

namespace lutra::compat {

// An operator of a resolver or a model.
struct Known {
  int code = -1;
  std::string custom_code;
  bool is_lutras = false;  // It is the runtime table's, with its functions.
  bool is_int8_only = false;
};
Known WhatIs(const tflite::MicroOpResolver& resolver, unsigned int i);

// A file, aligned to 16.
class Bytes {
 public:
  explicit Bytes(std::vector<uint8_t> bytes);
  const uint8_t* data() const { return bytes_.data() + skip_; }
  uint8_t* data() { return bytes_.data() + skip_; }
  size_t size() const { return size_; }

 private:
  size_t size_;
  size_t skip_;
  std::vector<uint8_t> bytes_;
};
std::vector<uint8_t> ReadFile(const std::string& path);

// Returns a model of a custom operator.
std::vector<uint8_t> CustomModel(const std::string& custom_code);

// Returns the operators of a model, each once, or none if Lutra refuses the model even with all of its
// operators.
std::vector<Known> OperatorsOf(const Bytes& model);
// Returns all outputs of `runs` inferences in order; InputByte fills input i of each.
std::vector<std::vector<uint8_t>> Run(const Bytes& model, int runs);
inline uint8_t InputByte(size_t input, size_t at) {
  return static_cast<uint8_t>((at * 7 + input * 13 + 5) % 23);
}

}  // namespace lutra::compat
