// SPDX-License-Identifier: Apache-2.0
// A model read from a file, and the one line that says why it was refused.
//
//   ModelFile file = ReadModelFile("kws.tflite");   // throws BadInput
//   MicroInterpreter interpreter(file.model, AllOps(), arena);
//   if (Status s = interpreter.AllocateTensors(); s != Status::kOk)
//     throw BadInput(DescribeRefusal(file, s, interpreter.diagnosis()));

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lutra/diagnosis.h"
#include "lutra/model.h"

namespace lutra::host {

// A file, a model or data that is not what it should be: exit code 3. what() is one line.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Bytes at an alignment of 16, for models and arenas. Zeroed.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t size)
      : size_(size), memory_(std::make_unique<Block[]>((size + sizeof(Block) - 1) / sizeof(Block))) {}
  uint8_t* data() const { return size_ == 0 ? nullptr : memory_[0].bytes; }
  size_t size() const { return size_; }
  Span<uint8_t> span() const { return {data(), size_}; }

 private:
  struct alignas(16) Block {
    uint8_t bytes[16];
  };
  size_t size_ = 0;
  std::unique_ptr<Block[]> memory_;
};

// The whole file. Throws BadInput if it cannot be read.
AlignedBytes ReadFileBytes(const std::filesystem::path& path);

// Writes all bytes to a temporary file beside `path`, then renames it. Throws BadInput if it cannot.
void WriteFileBytes(const std::filesystem::path& path, const void* bytes, size_t count);

struct ModelFile {
  std::string path;
  AlignedBytes bytes;
  Model model;
};

// Reads and checks a model. Throws BadInput with DescribeRefusal's line.
ModelFile ReadModelFile(const std::filesystem::path& path);

// `file: node N (OP): rule: what was found, what is required; what next`.
std::string DescribeRefusal(const ModelFile& file, Status status, const Diagnosis& diagnosis);

}  // namespace lutra::host
