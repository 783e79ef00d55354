// SPDX-License-Identifier: Apache-2.0
// Runs one case on an adapter: its files out, the outputs in.

#include "conformance/runner/case_run.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "conformance/runner/corpus.h"

namespace lutra::conformance {

namespace fs = std::filesystem;

CaseRun RunCase(const Case& test, AdapterProcess* adapter, const fs::path& folder) {
  fs::remove_all(folder);
  Case bare = test;
  bare.plain_model.clear();
  bare.must_refuse.clear();
  WriteCase(folder, bare);
  CaseRun run;
  run.answer = adapter->Run(test.id, folder);
  for (int i = 0; run.answer.kind == AdapterAnswer::kOk; ++i) {
    const fs::path path = folder / fmt::format("out{}.bin", i);
    if (!fs::exists(path)) break;
    std::ifstream file(path, std::ios::binary);
    run.outputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return run;
}

}  // namespace lutra::conformance
