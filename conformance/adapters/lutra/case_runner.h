// SPDX-License-Identifier: Apache-2.0
// Runs conformance cases on this project's runtime, one after another in the same arena.
//
//   CaseRunner runner(options);
//   const CaseAnswer answer = runner.Run(folder);  // Reads folder/model.tflite..., writes folder/out0.bin...

#pragma once

#include <vector>

#include "conformance/adapters/protocol.h"
#include "host/model_file.h"
#include "lutra/delegate.h"
#include "lutra/micro_interpreter.h"

namespace lutra::conformance {

struct CaseRunnerOptions {
  InterpreterOptions interpreter;
  DelegateList delegates;  // They outlive the runner.
  // Compressed tensors are decoded in regions of so many bytes, if they fit.
  std::vector<size_t> region_bytes;
  // Each model runs again in its smallest arena, which begins or ends at a page that no code may read or
  // write.
  bool is_tight = false;
  // A case of which the delegates take no node is unsupported: its result would be the CPU's alone.
  bool only_delegated = false;
};

class CaseRunner {
 public:
  explicit CaseRunner(CaseRunnerOptions options = {});
  CaseAnswer Run(const std::filesystem::path& folder);

 private:
  // `needed_bytes`: how large an arena the model needs, as far as it is known.
  CaseAnswer RunInArena(const host::ModelFile& file, const std::filesystem::path& folder, Span<uint8_t> arena,
                        size_t* needed_bytes);

  CaseRunnerOptions options_;
  host::AlignedBytes arena_;
  std::vector<host::AlignedBytes> memory_;  // Of the regions.
  std::vector<AlternateMemoryRegion> regions_;
};

// Version and rounding of the runtime: "0.2.0-double".
std::string RuntimeVersion();

}  // namespace lutra::conformance
