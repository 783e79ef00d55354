// SPDX-License-Identifier: Apache-2.0
// recorded_adapter FOLDER: answers from recorded outputs, with no runtime at all. FOLDER/<id> holds what
// some runtime gave for the case: out0.bin, out1.bin..., or a file `refused` with the reason.

#include "conformance/adapters/protocol.h"
#include "host/failures.h"
#include "host/run_main.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "recorded_adapter";

CaseAnswer Replay(const fs::path& recorded, const fs::path& folder) {
  if (!fs::is_directory(recorded)) return {CaseAnswer::kUnsupported, "not recorded"};
  if (fs::exists(recorded / "refused")) {
    const std::vector<char> why = ReadCaseFile(recorded / "refused");
    return {CaseAnswer::kRefused, std::string(why.begin(), why.end())};
  }
  for (int i = 0;; ++i) {
    const std::string name = "out" + std::to_string(i) + ".bin";
    if (!fs::exists(recorded / name)) {
      return i > 0 ? CaseAnswer{} : CaseAnswer{CaseAnswer::kUnsupported, "not recorded"};
    }
    fs::copy_file(recorded / name, folder / name, fs::copy_options::overwrite_existing);
  }
}

int Main(int argc, char** argv) {
  if (argc != 2 || !fs::is_directory(argv[1])) {
    std::cerr << "recorded_adapter: required: FOLDER, which has <case id>/out0.bin, out1.bin... or refused\n";
    return host::kExitUsage;
  }
  const fs::path recordings = argv[1];
  return ServeCasesById(
      kProgram, recordings.filename().string(),
      [&](const std::string& id, const fs::path& folder) { return Replay(recordings / id, folder); });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::conformance::kProgram, lutra::conformance::Main, argc, argv);
}
