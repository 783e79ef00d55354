// SPDX-License-Identifier: Apache-2.0
// Readers: compressor/model_editor.cc compressor/strip.cc compressor/trim.cc compressor/trim/trace.cc
// compressor/unpack.cc compressor/convert_uint8.cc conformance/oracle/model.cc conformance/linter/lint.cc
// Fuzz target: a .tflite file that the tools read. The linter and every transformation report what is wrong
// with it, or end; the files that they write run like the model itself, with the same outputs.

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include "compressor/convert_uint8.h"
#include "compressor/pack.h"
#include "compressor/row_plan.h"
#include "compressor/strip.h"
#include "compressor/trim.h"
#include "compressor/unpack.h"
#include "conformance/linter/lint.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/oracle/model.h"
#include "lutra/diagnosis_text.h"
#include "runtime/testing/try_to_run.h"

namespace {

using lutra::Status;
using lutra::Trial;
using lutra::compressor::Bytes;
namespace oracle = lutra::conformance::oracle;

// The arena is small, so that no model takes long; files that the tools write may need more.
constexpr size_t kArenaBytes = 32 * 1024, kMoreArenaBytes = 64 * 1024;
constexpr int kMostOperators = 20;

Trial Run(const Bytes& file, size_t arena_bytes) {
  return lutra::Try({file.data(), file.size()}, {.policy = lutra::MemoryPolicy::kSmall}, {}, arena_bytes);
}

[[noreturn]] void Wrong(const std::string& what) {
  std::fprintf(stderr, "tools_fuzz: %s\n", what.c_str());
  abort();
}

// Messages must say what was found and what is required.
template <typename Work>
void EndOrSay(const Work& work) {
  try {
    work();
  } catch (const lutra::host::BadInput& refusal) {
    const std::string text = refusal.what();
    if (text.find("required") == std::string::npos)
      Wrong("found \"" + text + "\", required: what is required");
  }
}

void Lint(const Bytes& file) {
  try {
    lutra::conformance::linter::Lint(*oracle::ReadModel(file));
  } catch (const oracle::Unspecified&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace compressor = lutra::compressor;
  const Bytes bytes(data, data + size);
  // Each change of the file chooses another tool.
  const int choice = std::accumulate(bytes.begin(), bytes.end(), 0) % 7;
  if (choice == 0) {
    Lint(bytes);
    return 0;
  }
  EndOrSay([&] {
    const lutra::host::ModelFile file = compressor::LoadModel(bytes, "model");
    const Trial plain = Run(bytes, kArenaBytes);
    const Bytes written = [&]() -> Bytes {
      switch (choice) {
        case 1:
          return compressor::Strip(file).file;
        case 2:
          return compressor::Trim(file).file;
        case 3:
          return compressor::Pack(file, {.target = compressor::Target::kLutra}).file;
        case 4:
          return compressor::Unpack(file).editor.Write();
        case 5:
          compressor::ConvertUint8(file, compressor::WeightScales::kChannel);
          return bytes;
        default:
          return plain.status == Status::kOk && file.model.node_count(0) <= kMostOperators
                     ? compressor::PlanRows(file, {.longest = 4, .tables = true}).file
                     : bytes;
      }
    }();
    if (plain.status != Status::kOk) return;
    const Trial trial = Run(written, kMoreArenaBytes);
    const std::string tool = "tool " + std::to_string(choice);
    if (trial.status != Status::kOk)
      Wrong(tool + ": found rule " + lutra::Describe(trial.rule).name + ", required: runs");
    if (trial.outputs != plain.outputs) Wrong(tool + ": found other outputs");
  });
  return 0;
}
