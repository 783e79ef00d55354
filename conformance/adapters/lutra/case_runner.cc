// SPDX-License-Identifier: Apache-2.0
// Runs a case on the runtime, and distinguishes unsupported from refused.

#include "conformance/adapters/lutra/case_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/core/byte_order.h"
#include "host/kernels_owner.h"
#include "lutra/arena.h"
#include "lutra/diagnosis_text.h"
#include "lutra/ops/ops.h"
#include "lutra/rule.h"
#include "runtime/testing/page_edge.h"

namespace lutra::conformance {
namespace {

constexpr size_t kFirstArenaBytes = size_t{1} << 20;

// Returns whether the runtime lacks something: well-formed models may break these rules. All other rules are
// about models that are wrong for any runtime.
bool IsLack(const Model& model, const Diagnosis& diagnosis) {
  switch (diagnosis.rule) {
    case Rule::kOperandType: {
      // A constant of the wrong type is the model's fault, unless no kernel has that type at all.
      const TensorInfo tensor = model.tensor(std::max<int>(diagnosis.subgraph, 0), diagnosis.tensor);
      return !tensor.is_constant() || tensor.type == TensorType::kInt4 || tensor.type == TensorType::kInt16;
    }
    case Rule::kOperatorUnknown:
    case Rule::kConstantRequired:
    case Rule::kUint8:
    case Rule::kSparse:
    case Rule::kTooMany:
    case Rule::kBufferExternal:
    case Rule::kCompressedOperand:
    case Rule::kCompressionVersion:
    case Rule::kDecodeVersion:
    case Rule::kDecodeType:
    case Rule::kDecodeTypeVersion:
      return true;
    default:
      return false;
  }
}

CaseAnswer Refusal(const host::ModelFile& file, Status status, const Diagnosis& diagnosis) {
  const std::string line = host::DescribeRefusal(file, status, diagnosis);
  if (status == Status::kInvalidArgument || status == Status::kArenaTooSmall)
    return {CaseAnswer::kError, line};
  if (IsLack(file.model, diagnosis)) return {CaseAnswer::kUnsupported, line};
  return {CaseAnswer::kRefused, std::string(Describe(diagnosis.rule).name) + " " + line};
}

bool IsDelegated(const MicroInterpreter& interpreter) {
  for (int n = 0; n < interpreter.node_count(); ++n) {
    if (RunsPartition(interpreter.node(n))) return true;
  }
  return false;
}

}  // namespace

CaseRunner::CaseRunner(CaseRunnerOptions options) : options_(std::move(options)) {
  for (const size_t bytes : options_.region_bytes) {
    memory_.emplace_back(bytes);
    regions_.push_back({memory_.back().data(), bytes});
  }
}

CaseAnswer CaseRunner::Run(const std::filesystem::path& folder) {
  host::ModelFile file;
  // The folder belongs to the runner; a refusal should not name it.
  file.path = "model.tflite";
  file.bytes = host::ReadFileBytes(folder / file.path);
  Diagnosis diagnosis;
  const Status status = Model::Load(file.bytes.span(), &file.model, &diagnosis);
  if (status != Status::kOk) return Refusal(file, status, diagnosis);
  if (arena_.size() == 0) arena_ = host::AlignedBytes(kFirstArenaBytes);
  size_t needed_bytes = 0;
  CaseAnswer answer = RunInArena(file, folder, arena_.span(), &needed_bytes);
  while (needed_bytes > arena_.size()) {
    arena_ = host::AlignedBytes(needed_bytes);
    answer = RunInArena(file, folder, arena_.span(), &needed_bytes);
  }
  if (!options_.is_tight || answer.kind != CaseAnswer::kOk) return answer;
  const bool begins = needed_bytes / kArenaAlignment % 2 == 0;
  const PageEdge arena(needed_bytes, begins ? PageEdge::kBegin : PageEdge::kEnd);
  if (arena.data() == nullptr) return {CaseAnswer::kError, "the system has no memory for a tight arena"};
  // Kernels must not rely on zeroed memory.
  std::memset(arena.data(), 0xA5, needed_bytes);
  return RunInArena(file, folder, {arena.data(), needed_bytes}, &needed_bytes);
}

CaseAnswer CaseRunner::RunInArena(const host::ModelFile& file, const std::filesystem::path& folder,
                                  Span<uint8_t> arena, size_t* needed_bytes) {
  *needed_bytes = 0;
  MicroInterpreter interpreter(file.model, AllOps(), arena, options_.interpreter);
  const host::KernelsOwner owner(&interpreter);
  (void)interpreter.SetDecompressionMemory({regions_.data(), regions_.size()});  // Before AllocateTensors.
  Status status = interpreter.AllocateTensors(options_.delegates);
  if (status == Status::kArenaTooSmall) *needed_bytes = interpreter.diagnosis().wanted_bytes;
  if (status != Status::kOk) return Refusal(file, status, interpreter.diagnosis());
  *needed_bytes = interpreter.memory().used_bytes;
  if (options_.only_delegated && !IsDelegated(interpreter)) {
    return {CaseAnswer::kUnsupported, "no delegate takes a node of it"};
  }
  const std::vector<std::vector<char>> inputs = ReadCaseInputs(folder);
  if (static_cast<int>(inputs.size()) != interpreter.input_count()) {
    return {CaseAnswer::kError, "the case has another number of inputs than the model"};
  }
  for (int left = ReadCaseInvokes(folder); left > 0; --left) {
    for (int i = 0; i < interpreter.input_count(); ++i) {
      const Tensor input = interpreter.input(i);
      const std::vector<char>& bytes = inputs[static_cast<size_t>(i)];
      if (bytes.size() != static_cast<size_t>(input.info.bytes)) {
        return {CaseAnswer::kError, "an input of the case has another size than the model's"};
      }
      // A constant lies in the file, and kernels may have packed it.
      if (input.info.is_constant()) continue;
      std::memcpy(input.data, bytes.data(), bytes.size());
      host::SwapToOrFromLittleEndian(input.info.type, static_cast<uint8_t*>(input.data), bytes.size());
    }
    status = interpreter.Invoke();
    if (!HasRun(status)) return Refusal(file, status, interpreter.diagnosis());
  }
  for (int i = 0; i < interpreter.output_count(); ++i) {
    const Tensor output = interpreter.output(i);
    host::SwapToOrFromLittleEndian(output.info.type, static_cast<uint8_t*>(output.data),
                                   static_cast<size_t>(output.info.bytes));
    WriteCaseOutput(folder, i, output.data, static_cast<size_t>(output.info.bytes));
  }
  return {};
}

std::string RuntimeVersion() {
#if defined(LUTRA_SINGLE_ROUNDING)
  return LUTRA_VERSION "-single";
#else
  return LUTRA_VERSION "-double";
#endif
}

}  // namespace lutra::conformance
