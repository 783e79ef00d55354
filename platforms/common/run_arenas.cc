// SPDX-License-Identifier: Apache-2.0
// run_arenas MODEL SEED small|fast STEP MORE: RunAndReport's lines, and then the same inference in an arena
// of every STEP-th number of bytes up to the smallest that works, and from there up to MORE bytes above it.
// Less than the smallest is refused with a larger number; everything else gives the same outputs; the bytes
// around the arena stay as they are:
//
//   lutra1 arenas refused <number of sizes> worked <number of sizes> smallest <bytes>
//
// The program ends with kExitBadInput where one does not, and names it:
//
//   lutra1 arena-fault <what> arena <bytes>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "platforms/common/all_operators.h"
#include "platforms/common/inference_report.h"
#include "platforms/common/model_memory.h"
#include "platforms/common/report.h"

namespace lutra::platforms {
namespace {

constexpr size_t kGuardBytes = 1024;
constexpr size_t kMostOutputBytes = 16 * 1024;
constexpr uint8_t kGuard = 0xA5;

// arena_memory has, in this order: expected outputs, a guard, the arena, another guard.
uint8_t* const expected = arena_memory;
uint8_t* const arena_begin = arena_memory + kMostOutputBytes + kGuardBytes;
constexpr size_t kMostArenaBytes = sizeof arena_memory - kMostOutputBytes - 2 * kGuardBytes;

size_t step_bytes = 0;
size_t more_bytes = 0;

bool IsGuard(const uint8_t* bytes) {
  for (size_t i = 0; i < kGuardBytes; ++i)
    if (bytes[i] != kGuard) return false;
  return true;
}

Status Fault(const char* what, size_t bytes) {
  ReportLine("arena-fault").Text(what).Bytes("arena", bytes);
  return Status::kInvalidArgument;
}

class Arenas {
 public:
  Arenas(const Model& model, const RunAndReportOptions& options, uint64_t seed)
      : model_(model), options_(options), seed_(seed) {}

  Status TryAll() {
    LUTRA_TRY(KeepOutputs());
    if (smallest_ + more_bytes > kMostArenaBytes) return Fault("has no room for MORE", smallest_);
    for (size_t bytes = 0; bytes < smallest_; bytes += step_bytes) LUTRA_TRY(TryTooSmall(bytes));
    LUTRA_TRY(TryTooSmall(smallest_ - 1));
    for (size_t bytes = smallest_; bytes <= smallest_ + more_bytes; bytes += step_bytes)
      LUTRA_TRY(TryEnough(bytes));
    ReportLine("arenas").Text("refused").Number(refused_).Text("worked").Number(worked_).Bytes("smallest",
                                                                                               smallest_);
    return Status::kOk;
  }

 private:
  // Finds the smallest arena, and keeps the model's outputs from one that is as large as possible.
  Status KeepOutputs() {
    MicroInterpreter interpreter(model_, options_.ops, {arena_begin, kMostArenaBytes}, options_.interpreter);
    LUTRA_TRY(interpreter.AllocateTensors());
    smallest_ = interpreter.memory().used_bytes;
    FillInputs(interpreter, seed_);
    const Status status = interpreter.Invoke();
    if (!HasRun(status)) return status;
    size_t at = 0;
    for (int i = 0; i < interpreter.output_count(); ++i) {
      const Tensor output = interpreter.output(i);
      const auto bytes = static_cast<size_t>(output.info.bytes);
      if (bytes > kMostOutputBytes - at) return Fault("has no room for outputs", at + bytes);
      memcpy(expected + at, output.data, bytes);
      at += bytes;
    }
    return Status::kOk;
  }

  // Each arena is filled with other values, so that reading bytes that were not written gives other outputs.
  void FillArena(size_t bytes) {
    memset(arena_begin - kGuardBytes, kGuard, kGuardBytes);
    memset(arena_begin, static_cast<int>(bytes / step_bytes * 7 & 0xFF), bytes);
    memset(arena_begin + bytes, kGuard, kGuardBytes);
  }
  Status CheckGuards(size_t bytes) {
    if (!IsGuard(arena_begin - kGuardBytes)) return Fault("wrote before it", bytes);
    if (!IsGuard(arena_begin + bytes)) return Fault("wrote behind it", bytes);
    return Status::kOk;
  }

  Status TryTooSmall(size_t bytes) {
    FillArena(bytes);
    MicroInterpreter interpreter(model_, options_.ops, {arena_begin, bytes}, options_.interpreter);
    if (interpreter.AllocateTensors() != Status::kArenaTooSmall) return Fault("is not refused", bytes);
    const size_t wanted = interpreter.diagnosis().wanted_bytes;
    if (wanted <= bytes || wanted > smallest_) return Fault("wants another size", bytes);
    ++refused_;
    return CheckGuards(bytes);
  }

  Status TryEnough(size_t bytes) {
    FillArena(bytes);
    MicroInterpreter interpreter(model_, options_.ops, {arena_begin, bytes}, options_.interpreter);
    if (interpreter.AllocateTensors() != Status::kOk) return Fault("is refused", bytes);
    FillInputs(interpreter, seed_);
    if (!HasRun(interpreter.Invoke())) return Fault("does not run", bytes);
    size_t at = 0;
    for (int i = 0; i < interpreter.output_count(); ++i) {
      const Tensor output = interpreter.output(i);
      if (memcmp(expected + at, output.data, static_cast<size_t>(output.info.bytes)) != 0)
        return Fault("gives other outputs", bytes);
      at += static_cast<size_t>(output.info.bytes);
    }
    ++worked_;
    return CheckGuards(bytes);
  }

  const Model& model_;
  const RunAndReportOptions& options_;
  const uint64_t seed_;
  size_t smallest_ = 0;
  intptr_t refused_ = 0;
  intptr_t worked_ = 0;
};

Status TryArenas(const Model& model, const RunAndReportOptions& options, uint64_t seed) {
  return Arenas(model, options, seed).TryAll();
}

// Reads the arguments behind MODEL and SEED. Returns false if they are invalid.
bool ParseSettings(char** words, InterpreterOptions* options) {
  const bool is_fast = strcmp(words[0], "fast") == 0;
  if (!is_fast && strcmp(words[0], "small") != 0) return false;
  options->policy = is_fast ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  uint64_t step = 0;
  uint64_t more = 0;
  if (!ParseNumber(words[1], &step) || !ParseNumber(words[2], &more)) return false;
  if (step == 0 || step > kMostArenaBytes || more > kMostArenaBytes) return false;
  step_bytes = static_cast<size_t>(step);
  more_bytes = static_cast<size_t>(more);
  return true;
}

}  // namespace
}  // namespace lutra::platforms

int main(int argc, char** argv) {
  namespace platforms = lutra::platforms;
  constexpr int kSettingsAt = 3;  // Behind the program, MODEL and SEED.
  platforms::RunAndReportOptions options = platforms::AllOperators();
  options.then = platforms::TryArenas;
  if (argc != kSettingsAt + 3 || !platforms::ParseSettings(argv + kSettingsAt, &options.interpreter)) {
    platforms::ReportLine("usage").Text("MODEL SEED small|fast STEP MORE");
    return platforms::kExitUsage;
  }
  return platforms::RunAndReport(kSettingsAt, argv, options);
}
