// SPDX-License-Identifier: Apache-2.0
// tflite_c_adapter LIBRARY.so [--threads N]: TensorFlow Lite or LiteRT, through the C API of a shared
// library (libtensorflowlite_c.so, libLiteRt's) that is loaded at run time.
//
// Exit codes: 0 success, 2 bad usage, 3 no such library or not this API.

#include "conformance/adapters/protocol.h"
#include "conformance/adapters/tflite_c/c_api.h"
#include "host/command_line.h"
#include "host/run_main.h"

namespace lutra::conformance {
namespace tflite_c {
namespace {

constexpr char kProgram[] = "tflite_c_adapter";

CaseAnswer RunCase(const Api& api, int threads, const std::filesystem::path& folder) {
  const std::vector<char> bytes = ReadCaseFile(folder / "model.tflite");
  Session session(api, bytes.data(), bytes.size(), threads);
  const std::vector<std::vector<char>> inputs = ReadCaseInputs(folder);
  if (static_cast<int>(inputs.size()) != session.input_count()) {
    return {CaseAnswer::kError, "the case has another number of inputs than the model"};
  }
  for (int left = ReadCaseInvokes(folder); left > 0; --left) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      session.Fill(static_cast<int>(i), inputs[i].data(), inputs[i].size());
    }
    session.Invoke();
  }
  for (int i = 0; i < session.output_count(); ++i) {
    const Session::Values values = session.Output(i);
    WriteCaseOutput(folder, i, values.data, values.bytes);
  }
  return {};
}

Api LoadLibrary(const std::string& path) {
  try {
    return LoadApi(path.c_str());
  } catch (const std::runtime_error& error) {
    throw host::BadInput(std::string(kProgram) + ": " + error.what());
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Answers the cases of the conformance runner with a library that has TensorFlow Lite's C API.",
               kProgram);
  std::string library;
  int threads = 1;
  app.add_option("LIBRARY", library, "libtensorflowlite_c.so, or LiteRT's")->required();
  app.add_option("--threads", threads, "Of the kernels")->capture_default_str()->check(CLI::PositiveNumber);
  return host::ParseAndRun(app, argc, argv, [&] {
    const Api api = LoadLibrary(library);
    return ServeCases(kProgram, api.version(), [&](const std::filesystem::path& folder) {
      try {
        return RunCase(api, threads, folder);
      } catch (const Failure& failure) {
        return CaseAnswer{failure.kind(), failure.what()};
      }
    });
  });
}

}  // namespace
}  // namespace tflite_c
}  // namespace lutra::conformance

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::conformance::tflite_c::kProgram, lutra::conformance::tflite_c::Main,
                              argc, argv);
}
