// SPDX-License-Identifier: Apache-2.0
// XNNPACK as a runtime among others: ../protocol.h on stdin and stdout.

#include "conformance/adapters/xnnpack/run.h"

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

}  // namespace
}  // namespace lutra::conformance::xnnpack

int main() {
  return lutra::conformance::ServeCases("xnnpack", LUTRA_XNNPACK_VERSION,
                                        lutra::conformance::xnnpack::RunCase);
}
