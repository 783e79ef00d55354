// SPDX-License-Identifier: Apache-2.0
// Reads a model from a file, and describes in one line why it was refused.
//
//   ModelFile file = ReadModelFile("kws.tflite");   // throws BadInput
//   MicroInterpreter interpreter(file.model, AllOps(), arena);
//   if (Status s = interpreter.AllocateTensors(); s != Status::kOk)
//     throw BadInput(DescribeRefusal(file, s, interpreter.diagnosis()));

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/failures.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"

namespace lutra::host {

// Zeroed bytes at an alignment of 16, for models and arenas.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  // Throws OutOfMemory if there is not enough memory.
  explicit AlignedBytes(size_t size);
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

// Reads the whole file. Throws BadInput if it cannot be read.
AlignedBytes ReadFileBytes(const std::filesystem::path& path);
// Reads the whole of a text file, with the same exception.
std::string ReadFileText(const std::filesystem::path& path);
// Reads a text file that must not be empty.
std::string ReadInputText(const std::filesystem::path& path);

struct ModelFile {
  std::string path;
  AlignedBytes bytes;
  Model model;
};

// Reads and checks a model. Throws BadInput with DescribeRefusal's line.
ModelFile ReadModelFile(const std::filesystem::path& path);
// Checks a model in memory in the same way; `path`: its name in messages.
ModelFile CheckModelFile(const std::string& path, AlignedBytes bytes);

// Returns `file: node N (OP): rule: what was found, what is required; what next`.
std::string DescribeRefusal(const ModelFile& file, Status status, const Diagnosis& diagnosis);

}  // namespace lutra::host
