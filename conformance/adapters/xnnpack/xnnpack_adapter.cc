// SPDX-License-Identifier: Apache-2.0
// XNNPACK as a runtime among others: ../protocol.h on stdin and stdout.

#include "conformance/adapters/xnnpack/run.h"
#include "host/run_main.h"

namespace lutra::conformance::xnnpack {
namespace {

oracle::Bytes AsBytes(const std::vector<char>& chars) { return {chars.begin(), chars.end()}; }

CaseAnswer RunCase(const std::filesystem::path& folder) {
  const oracle::Bytes model = AsBytes(ReadCaseFile(folder / "model.tflite"));
  std::vector<oracle::Bytes> inputs, outputs;
  for (const auto& input : ReadCaseInputs(folder)) inputs.push_back(AsBytes(input));
  // Nothing has a state: one inference stands for any number.
  const CaseAnswer answer = RunOnXnnpack(model, inputs, &outputs);
  if (answer.kind != CaseAnswer::kOk) return answer;
  for (size_t i = 0; i < outputs.size(); ++i) {
    WriteCaseOutput(folder, static_cast<int>(i), outputs[i].data(), outputs[i].size());
  }
  return answer;
}

int Main(int, char**) { return ServeCases("xnnpack", LUTRA_XNNPACK_VERSION, RunCase); }

}  // namespace
}  // namespace lutra::conformance::xnnpack

int main(int argc, char** argv) {
  return lutra::host::RunMain("xnnpack_adapter", lutra::conformance::xnnpack::Main, argc, argv);
}
