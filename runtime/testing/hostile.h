// SPDX-License-Identifier: Apache-2.0
// Bytes that may be anything: an error with a rule or a run, never a crash, a hang or a read outside the
// file. Under a sanitizer, EXPECT_FALSE(TryToRun(bytes)) shows all of it.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"

namespace lutra {

// A copy of a file at the alignment that Load wants, and not a byte longer, so that a sanitizer sees
// every read past its end.
struct Loaded {
  explicit Loaded(const std::vector<uint8_t>& bytes)
      : memory(
            static_cast<uint8_t*>(::operator new (std::max<size_t>(bytes.size(), 1), std::align_val_t{16}))) {
    std::copy(bytes.begin(), bytes.end(), memory);
    status = Model::Load({memory, bytes.size()}, &model, &diagnosis);
  }
  ~Loaded() { ::operator delete (memory, std::align_val_t{16}); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  uint8_t* memory;
  Model model;
  Diagnosis diagnosis;
  Status status;
};

// Loads, prepares and runs whatever comes. Returns whether it ran.
inline bool TryToRun(const std::vector<uint8_t>& bytes, const InterpreterOptions& options = {},
                     Span<const AlternateMemoryRegion> regions = {}) {
  const Loaded file(bytes);
  if (file.status != Status::kOk) {
    EXPECT_NE(file.diagnosis.rule, Rule::kNone);
    return false;
  }
  static std::vector<uint64_t> arena((size_t{1} << 20) / 8);
  MicroInterpreter interpreter(file.model, AllOps(),
                               {reinterpret_cast<uint8_t*>(arena.data()), arena.size() * 8}, options);
  Status status = regions.empty() ? Status::kOk : interpreter.SetDecompressionMemory(regions);
  if (status == Status::kOk) status = interpreter.AllocateTensors();
  for (int i = 0; i < interpreter.input_count() && status == Status::kOk; ++i) {
    const Tensor input = interpreter.input(i);
    // A constant may be listed as an input; its memory is not ours to write.
    if (!input.info.is_constant()) memset(input.data, 0x35, static_cast<size_t>(input.info.bytes));
  }
  if (status == Status::kOk) status = interpreter.Invoke();
  if (status != Status::kOk) {
    EXPECT_NE(interpreter.diagnosis().rule, Rule::kNone);
  }
  return status == Status::kOk;
}

}  // namespace lutra
