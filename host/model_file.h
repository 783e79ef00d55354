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
#include <string>
#include <vector>

#include "host/failures.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"

namespace lutra::host {

// Bytes at an alignment of 16, for models and arenas. Zeroed.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  // Throws OutOfMemory.
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

// The whole file. Throws BadInput if it cannot be read.
AlignedBytes ReadFileBytes(const std::filesystem::path& path);
// The same, of a file of text.
std::string ReadFileText(const std::filesystem::path& path);
// The same, where an empty file cannot be right.
std::string ReadInputText(const std::filesystem::path& path);

struct ModelFile {
  std::string path;
  AlignedBytes bytes;
  Model model;
};

// Reads and checks a model. Throws BadInput with DescribeRefusal's line.
ModelFile ReadModelFile(const std::filesystem::path& path);
// Checks in the same way a model that is in no file; `path` is what it is called.
ModelFile CheckModelFile(const std::string& path, AlignedBytes bytes);

// `file: node N (OP): rule: what was found, what is required; what next`.
std::string DescribeRefusal(const ModelFile& file, Status status, const Diagnosis& diagnosis);

}  // namespace lutra::host
