// SPDX-License-Identifier: Apache-2.0
// recorded_adapter FOLDER: answers from recorded outputs, with no runtime at all. FOLDER/<id> holds what
// some runtime gave for the case: out0.bin, out1.bin..., or a file `refused` with the reason.

#include "conformance/adapters/protocol.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

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
    std::cerr << "usage: recorded_adapter FOLDER\nFOLDER/<case id>/out0.bin, out1.bin... or refused\n";
    return 2;
  }
  const fs::path recordings = argv[1];
  return ServeCasesById(
      "recorded_adapter", recordings.filename().string(),
      [&](const std::string& id, const fs::path& folder) { return Replay(recordings / id, folder); });
}

}  // namespace
}  // namespace lutra::conformance

int main(int argc, char** argv) { return lutra::conformance::Main(argc, argv); }
