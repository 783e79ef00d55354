// SPDX-License-Identifier: Apache-2.0
// Runs a model once and prints the results.

#include "platforms/common/inference_report.h"

#include <stddef.h>
#include <stdint.h>

#include "host/core/byte_order.h"
#include "host/core/crc32.h"
#include "host/core/seeded_input.h"
#include "lutra/arena.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "platforms/common/model_memory.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/common/stack.h"
#include "platforms/counter/marks.h"

namespace lutra::platforms {
namespace {

// Returns the model; empty, after a line with the reason, if the file cannot be read as a whole.
Span<const uint8_t> ReadModel(const char* path) {
  const intptr_t bytes = semihosting::ReadFile(path, model_memory, sizeof model_memory);
  if (bytes == semihosting::kNoFile) {
    ReportLine("refused").Text("cannot open").Text(path);
    return {};
  }
  if (bytes <= 0) {
    ReportLine("refused").Text("cannot read").Text(path).Bytes("room", sizeof model_memory);
    return {};
  }
  ReportLine("model").Text(path).Text("bytes").Number(bytes);
  return {model_memory, static_cast<size_t>(bytes)};
}

int Refuse(Status status, const Diagnosis& diagnosis, const char* (*rule_name)(Rule)) {
  ReportLine line("refused");
  line.Text(ToString(status)).Text("rule").Number(static_cast<intptr_t>(diagnosis.rule));
  if (rule_name != nullptr) line.Text(rule_name(diagnosis.rule));
  line.Text("node").Number(diagnosis.node).Text("tensor").Number(diagnosis.tensor);
  line.Text("found").Number(diagnosis.found).Text("required").Number(diagnosis.required);
  line.Bytes("wanted", diagnosis.wanted_bytes);
  return kExitBadInput;
}

void ReportTensor(const char* kind, int index, const Tensor& tensor) {
  auto* const data = static_cast<uint8_t*>(tensor.data);
  const auto bytes = static_cast<size_t>(tensor.info.bytes);
  host::SwapToOrFromLittleEndian(tensor.info.type, data, bytes);
  ReportLine(kind).Number(index).Text("crc32").Hex(host::Crc32(data, bytes));
  host::SwapToOrFromLittleEndian(tensor.info.type, data, bytes);
}

}  // namespace

void FillInputs(MicroInterpreter& interpreter, uint64_t seed) {
  host::SeededInput seeded(seed);
  for (int i = 0; i < interpreter.input_count(); ++i) {
    const Tensor input = interpreter.input(i);
    host::FillSeeded(seeded, input.info.type, static_cast<uint8_t*>(input.data),
                     static_cast<size_t>(input.info.bytes));
  }
}

bool ParseNumber(const char* text, uint64_t* number) {
  if (*text == '\0') return false;
  *number = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9') return false;
    *number = *number * 10 + static_cast<uint64_t>(*text - '0');
  }
  return true;
}

int RunAndReport(int argument_count, char** arguments, const RunAndReportOptions& options) {
  uint64_t seed = 1;
  if (argument_count < 2 || argument_count > 3 ||
      (argument_count == 3 && !ParseNumber(arguments[2], &seed))) {
    ReportLine("usage").Text("MODEL [SEED]");
    return kExitUsage;
  }
  const Span<const uint8_t> bytes = ReadModel(arguments[1]);
  if (bytes.empty()) return kExitBadInput;
  ReportLine("memory").Text(options.interpreter.policy == MemoryPolicy::kFast ? "fast" : "small");

  Model model;
  Diagnosis diagnosis;
  Status status = Model::Load(bytes, &model, &diagnosis);
  if (status != Status::kOk) return Refuse(status, diagnosis, options.rule_name);
  MicroInterpreter interpreter(model, options.ops, arena_memory, options.interpreter);
  if (options.before_allocation != nullptr) {
    status = options.before_allocation(interpreter, options.interpreter);
    if (status != Status::kOk) return Refuse(status, interpreter.diagnosis(), options.rule_name);
  }
  status = interpreter.AllocateTensors();
  if (status != Status::kOk) return Refuse(status, interpreter.diagnosis(), options.rule_name);
  const MemoryUse memory = interpreter.memory();
  ReportLine("arena")
      .Bytes("given", sizeof arena_memory)
      .Bytes("used", memory.used_bytes)
      .Bytes("persistent", memory.persistent_bytes)
      .Bytes("activation", memory.activation_bytes)
      .Bytes("scratch", memory.scratch_bytes)
      .Bytes("compression", interpreter.record(RecordKind::kCompression).bytes);

  FillInputs(interpreter, seed);
  for (int i = 0; i < interpreter.input_count(); ++i) ReportTensor("input", i, interpreter.input(i));
  ReportLine("region").Text("invoke");
  lutra_count_begin();
  status = interpreter.Invoke();
  lutra_count_end();
  if (!HasRun(status)) return Refuse(status, interpreter.diagnosis(), options.rule_name);
  for (int i = 0; i < interpreter.output_count(); ++i) ReportTensor("output", i, interpreter.output(i));
  if (StackBytes() > 0) ReportLine("stack").Bytes("given", StackBytes()).Bytes("used", StackBytesUsed());

  if (options.then == nullptr) return kExitOk;
  status = options.then(model, options, seed);
  return status == Status::kOk ? kExitOk : Refuse(status, diagnosis, options.rule_name);
}

}  // namespace lutra::platforms
