// SPDX-License-Identifier: Apache-2.0
// run_mutants SEED COUNT [each]: COUNT mutants of each model that standard input names, a line each, are
// loaded, prepared and run. Whatever the bytes say, the program comes to its end:
//
//   lutra1 mutants <path> tried <n> loaded <n> ran <n>
//
// `each` names every mutant before it is tried, so that the last line is the one that ended in a fault:
//
//   lutra1 mutant <path> <number>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/core/seeded_input.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/ops/ops.h"
#include "lutra/streaming.h"
#include "platforms/common/inference_report.h"
#include "platforms/common/line_reader.h"
#include "platforms/common/model_memory.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/common/stack.h"

namespace lutra::platforms {
namespace {

// The model as it is, and behind it the mutant.
constexpr size_t kModelBytes = LUTRA_MODEL_BYTES / 2;
// The arena is small, so that no mutant computes for long.
constexpr size_t kArenaBytes = 64 * 1024;

// Numbers that depend on the seed alone, on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : seeded_(seed) {}
  uint32_t Next() {
    uint8_t bytes[4];
    seeded_.Fill(bytes, sizeof bytes);
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<uint32_t>(bytes[3]) << 24;
  }
  uint32_t Below(size_t limit) { return Next() % static_cast<uint32_t>(limit); }

 private:
  host::SeededInput seeded_;
};

void StoreLittle(uint8_t* to, uint32_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}

// Most of a large file is weights; the structure is at its two ends.
size_t PlaceIn(size_t size, Random& random) {
  constexpr size_t kEnds = 6000;
  if (size <= 2 * kEnds || random.Below(4) == 0) return random.Below(size);
  const size_t at = random.Below(2 * kEnds);
  return at < kEnds ? at : size - 1 - (at - kEnds);
}

// Returns values that an offset, a size or an index at `at` might have: small, the rest of the file,
// somewhere in it, backwards, and the ends of the numbers' range.
uint32_t OffsetLike(size_t at, size_t size, Random& random) {
  const auto rest = static_cast<uint32_t>(size - at);
  const uint32_t near = random.Below(64);
  const uint32_t values[] = {near,
                             rest - near,
                             rest + near,
                             random.Below(size),
                             0u - random.Below(size),
                             INT32_MAX - near,
                             0u - near,
                             0x80000000u + near};
  return values[random.Below(sizeof values / sizeof values[0])];
}

void ChangeOnce(uint8_t* bytes, size_t size, Random& random) {
  const size_t at = PlaceIn(size, random);
  switch (random.Below(4)) {
    case 0:
      bytes[at] = static_cast<uint8_t>(random.Next());
      return;
    case 1:
      bytes[at] ^= static_cast<uint8_t>(1u << random.Below(8));
      return;
    case 2:  // Another type, index or dimension.
      bytes[at] = static_cast<uint8_t>(bytes[at] + random.Below(7) - 3);
      return;
    default: {
      // A field of a vtable, or an offset.
      const size_t width = random.Below(2) == 0 ? sizeof(uint16_t) : sizeof(uint32_t);
      const size_t aligned = at / width * width;
      if (aligned + width <= size) StoreLittle(bytes + aligned, OffsetLike(aligned, size, random), width);
    }
  }
}

// Returns the mutant's size.
size_t Mutate(uint8_t* bytes, size_t size, Random& random) {
  if (random.Below(8) == 0) size = random.Below(size + 1);
  if (size == 0) return 0;
  // A single change often gets further through the checks than many.
  const uint32_t most = random.Below(2) == 0 ? 1 : 8;
  for (uint32_t changes = 1 + random.Below(most); changes > 0; --changes) ChangeOnce(bytes, size, random);
  return size;
}

struct Counts {
  intptr_t tried = 0;
  intptr_t loaded = 0;
  intptr_t ran = 0;
};

void Try(Span<const uint8_t> bytes, const InterpreterOptions& options, Counts* counts) {
  ++counts->tried;
  Model model;
  Diagnosis diagnosis;
  if (Model::Load(bytes, &model, &diagnosis) != Status::kOk) return;
  ++counts->loaded;
  MicroInterpreter interpreter(model, AllOps(), {arena_memory, kArenaBytes}, options);
  if (interpreter.AllocateTensors() != Status::kOk) return;
  for (int i = 0; i < interpreter.input_count(); ++i) {
    const Tensor input = interpreter.input(i);
    // A constant may be listed as an input; its memory must not be written. A tensor of no bytes has none.
    if (!input.info.is_constant() && input.info.bytes > 0)
      memset(input.data, 0x35, static_cast<size_t>(input.info.bytes));
  }
  if (HasRun(interpreter.Invoke())) ++counts->ran;
}

uint64_t mutants = 0;  // Of all models, so that no two are changed alike.

// Returns false, after a line with the reason, if the model cannot be read.
bool TryMutantsOf(const char* path, uint64_t seed, uint64_t count, bool each) {
  const intptr_t bytes = semihosting::ReadFile(path, model_memory, kModelBytes);
  if (bytes <= 0) {
    ReportLine("refused").Text("cannot read").Text(path).Bytes("room", kModelBytes);
    return false;
  }
  uint8_t* const mutant = model_memory + kModelBytes;
  Counts counts;
  for (uint64_t i = 0; i < count; ++i) {
    if (each) ReportLine("mutant").Text(path).Number(static_cast<intptr_t>(i));
    Random random(seed * 0x100000000 + mutants++);
    memcpy(mutant, model_memory, static_cast<size_t>(bytes));
    const size_t size = Mutate(mutant, static_cast<size_t>(bytes), random);
    const InterpreterOptions options = {.policy = i % 2 == 0 ? MemoryPolicy::kSmall : MemoryPolicy::kFast,
                                        .decompression = static_cast<DecompressionPolicy>(i / 2 % 3),
                                        .decode = Decode,
                                        .streaming = &kStreaming};
    Try({mutant, size}, options, &counts);
  }
  ReportLine("mutants")
      .Text(path)
      .Text("tried")
      .Number(counts.tried)
      .Text("loaded")
      .Number(counts.loaded)
      .Text("ran")
      .Number(counts.ran);
  return true;
}

}  // namespace
}  // namespace lutra::platforms

int main(int argc, char** argv) {
  using namespace lutra::platforms;
  uint64_t seed = 0;
  uint64_t count = 0;
  const bool each = argc == 4 && strcmp(argv[3], "each") == 0;
  if (argc < 3 || argc > (each ? 4 : 3) || !ParseNumber(argv[1], &seed) || !ParseNumber(argv[2], &count)) {
    ReportLine("usage").Text("SEED COUNT [each]");
    return kExitUsage;
  }
  LineReader reader;
  while (const char* path = reader.Next()) {
    if (!TryMutantsOf(path, seed, count, each)) return kExitBadInput;
  }
  if (StackBytes() > 0) ReportLine("stack").Bytes("given", StackBytes()).Bytes("used", StackBytesUsed());
  return kExitOk;
}
