// SPDX-License-Identifier: Apache-2.0
// Readers: delegates/vta/program/stream_file.cc delegates/vta/simulator/simulator.cc
// delegates/vta/simulator/machine.cc delegates/vta/simulator/races.cc delegates/vta/simulator/timing.cc
// Fuzz target: a file of a stream. Accepted streams run in every profile, or end with an error; a run without
// an error leaves the same memory in every order of the modules.

#include <algorithm>
#include <cstdlib>

#include "delegates/vta/program/stream_file.h"
#include "delegates/vta/simulator/disassemble.h"
#include "delegates/vta/simulator/simulator.h"
#include "delegates/vta/simulator/trace.h"
#include "host/failures.h"

namespace {

using namespace lutra::vta::sim;
using lutra::vta::EncodedInstruction;
using lutra::vta::Memory;
using lutra::vta::Stage;

// Larger memories are only other configurations of the same code, and slow.
bool IsSmall(const lutra::vta::Config& config) {
  return config.log_wgt_buff_size <= 18 && config.log_acc_buff_size <= 17 && config.log_uop_buff_size <= 15;
}

void Run(const StreamFile& file, Profile profile) {
  const lutra::Span<const EncodedInstruction> stream = {file.stream.data(), file.stream.size()};
  Dram first = file.dram, second = file.dram;
  RunOptions options;
  options.most_uops = 20000;
  const Result result = Simulator(file.config, profile).Run(stream, first, options);
  if (!result.ok()) {
    const Finding& error = result.findings.back();
    if (error.text.empty() || (error.instruction >= stream.size() && !stream.empty())) abort();
    return;
  }
  ChromeTrace(file.config, result);
  Summary(file.config, result);
  options.priority = {{Stage::kStore, Stage::kCompute, Stage::kLoad}};
  options.estimates_cycles = false;
  if (!Simulator(file.config, profile).Run(stream, second, options).ok()) abort();
  for (const Dram::Interval& one : first.allocations()) {
    const auto a = first.Bytes(one.begin, one.end - one.begin),
               b = second.Bytes(one.begin, one.end - one.begin);
    if (!std::equal(a.begin(), a.end(), b.begin())) abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const StreamFile file = ParseStream({data, size}, "fuzz.vta");
    for (const EncodedInstruction& instruction : file.stream) Disassemble(file.config, instruction);
    if (!IsSmall(file.config)) return 0;
    for (int profile = 0; profile < kProfileCount; ++profile) Run(file, static_cast<Profile>(profile));
  } catch (const lutra::host::BadInput&) {
    // A refusal is right.
  }
  return 0;
}
