// SPDX-License-Identifier: Apache-2.0
// Loads, prepares and runs arbitrary bytes. Under a sanitizer, a crash, a hang or a read outside the file
// shows itself; tests and fuzz targets check the rest.
//
//   const Trial trial = Try(bytes);
//   if (trial.status != Status::kOk && trial.rule == Rule::kNone) abort();  // A refusal names its rule.

#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "lutra/delegate.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"

namespace lutra {

// A copy of a file with exactly the alignment that Load requires, and exactly its size, so that a sanitizer
// sees every read past its end and every one that needs more alignment.
struct Loaded {
  explicit Loaded(Span<const uint8_t> bytes)
      : memory(static_cast<uint8_t*>(::operator new (kModelAlignment + bytes.size(), std::align_val_t{16}))) {
    uint8_t* const begin = memory + kModelAlignment;
    std::copy(bytes.begin(), bytes.end(), begin);
    status = Model::Load({begin, bytes.size()}, &model, &diagnosis);
  }
  explicit Loaded(const std::vector<uint8_t>& bytes)
      : Loaded(Span<const uint8_t>(bytes.data(), bytes.size())) {}
  ~Loaded() { ::operator delete (memory, std::align_val_t{16}); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  uint8_t* memory;
  Model model;
  Diagnosis diagnosis;
  Status status;
};

// Every byte of the inputs.
inline constexpr uint8_t kTrialInput = 0x35;

// Says how far the trial came: kOk if the model ran, else the error's status and rule.
struct Trial {
  Status status;
  Rule rule;
  std::vector<uint8_t> outputs = {};  // All outputs in order, if the model ran.
};

inline Trial Try(Span<const uint8_t> bytes, const InterpreterOptions& options = {},
                 Span<const AlternateMemoryRegion> regions = {}, size_t arena_bytes = size_t{1} << 20,
                 const DelegateList& delegates = {}) {
  // Endless loops must end soon.
  InterpreterOptions limited = options;
  limited.loop_limit = 1000;
  const Loaded file(bytes);
  if (file.status != Status::kOk) return {file.status, file.diagnosis.rule};
  static std::vector<uint64_t> arena;
  arena.resize(arena_bytes / sizeof(uint64_t));
  MicroInterpreter interpreter(file.model, AllOps(), {reinterpret_cast<uint8_t*>(arena.data()), arena_bytes},
                               limited);
  Status status = regions.empty() ? Status::kOk : interpreter.SetDecompressionMemory(regions);
  if (status == Status::kOk) status = interpreter.AllocateTensors(delegates);
  for (int i = 0; i < interpreter.input_count() && status == Status::kOk; ++i) {
    const Tensor input = interpreter.input(i);
    // A constant may be listed as an input; its memory must not be written. A tensor of no bytes has none.
    if (!input.info.is_constant() && input.info.bytes > 0)
      memset(input.data, kTrialInput, static_cast<size_t>(input.info.bytes));
  }
  if (status == Status::kOk) status = interpreter.Invoke();
  if (HasRun(status)) status = Status::kOk;
  Trial trial = {status, interpreter.diagnosis().rule};
  for (int i = 0; i < interpreter.output_count() && status == Status::kOk; ++i) {
    const Tensor output = interpreter.output(i);
    const auto* const bytes = static_cast<const uint8_t*>(output.data);
    if (output.info.bytes > 0) trial.outputs.insert(trial.outputs.end(), bytes, bytes + output.info.bytes);
  }
  return trial;
}

}  // namespace lutra
