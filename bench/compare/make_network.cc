// SPDX-License-Identifier: Apache-2.0
// make_network NAME PATH: writes a network of seeded weights as .tflite, for benchmarks.
//
// Exit codes: 0 success, 2 bad usage, 3 the file cannot be written.

#include "bench/compare/networks.h"
#include "host/command_line.h"
#include "host/environment.h"
#include "host/output_file.h"
#include "host/run_main.h"

namespace lutra::bench {
namespace {

constexpr char kMaker[] = "make_network";

int MakeMain(int argc, char** argv) {
  CLI::App app("Writes a known network with seeded weights as an int8 .tflite, for benchmarks.", kMaker);
  app.set_version_flag("--version", host::VersionText(kMaker));
  std::string name, path;
  uint64_t seed = 1;
  app.add_option("NAME", name, "What to make")
      ->required()
      ->check(CLI::IsMember({"mobilenet_v2", "resnet50"}));
  app.add_option("PATH", path, "The file to write")->required();
  app.add_option("--seed", seed, "Of the weights")->capture_default_str();
  return host::ParseAndRun(app, argc, argv, [&] {
    const host::OutputFile output(path);
    output.Write((name == "resnet50" ? ResNet50(seed) : MobileNetV2(seed)).bytes);
    return host::kExitOk;
  });
}

}  // namespace
}  // namespace lutra::bench

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::bench::kMaker, lutra::bench::MakeMain, argc, argv);
}
