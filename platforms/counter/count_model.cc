// SPDX-License-Identifier: Apache-2.0
// count_model MODEL: runs a model twice, each time from fresh with the same seeded inputs: first with
// the marks around Invoke, then around each operator and each decoding of a compressed tensor. Before a
// region a line
//
//   lutra1 region invoke
//   lutra1 region operator <node> <name>
//   lutra1 region decode <node> <name of the operator>
//
// and, of the first run, the CRC lines that run_model prints.

#include <stddef.h>
#include <stdint.h>

#include "bench/core/crc32.h"
#include "bench/core/seeded_input.h"
#include "platforms/common/model_runner.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/counter/marks.h"
#include "runtime/compression/decode.h"
#include "runtime/micro_interpreter.h"
#include "runtime/model.h"
#include "runtime/ops/ops.h"

namespace lutra {
namespace {

constexpr uint64_t kSeed = 1;  // run_model's default.
alignas(16) uint8_t model_memory[1024 * 1024];
alignas(16) uint8_t arena_memory[1024 * 1024];

// Empty if the file cannot be read whole.
Span<const uint8_t> ReadModel(const char* path) {
  const semihosting::File file = semihosting::OpenForReading(path);
  if (file < 0) return {};
  const intptr_t bytes = semihosting::SizeBytes(file);
  size_t read = 0;
  if (bytes > 0 && static_cast<size_t>(bytes) <= sizeof model_memory) {
    read = semihosting::Read(file, model_memory, static_cast<size_t>(bytes));
  }
  semihosting::Close(file);
  return {model_memory, bytes > 0 && read == static_cast<size_t>(bytes) ? read : 0};
}

// Marks each operator. Lines are printed outside the regions.
struct OperatorMarks {
  const MicroInterpreter& interpreter;
  bool inside = false;  // Of an operator: a decoding in there is a part of it.

  void PrintRegion(const char* kind, int node) const {
    const Op& op = *interpreter.node(node).op;
    const char* const name = op.code == BuiltinOperator::kCustom ? op.custom_code : ToString(op.code);
    ReportLine("region").Text(kind).Number(node).Text(name);
  }
  static void Begin(void* user, int node) {
    auto& marks = *static_cast<OperatorMarks*>(user);
    marks.PrintRegion("operator", node);
    marks.inside = true;
    lutra_count_begin();
  }
  static void End(void* user, int) {
    lutra_count_end();
    static_cast<OperatorMarks*>(user)->inside = false;
  }
  static void BeginDecode(void* user, int node, int) {
    const auto& marks = *static_cast<const OperatorMarks*>(user);
    if (marks.inside) return;
    marks.PrintRegion("decode", node);
    lutra_count_begin();
  }
  static void EndDecode(void* user, int, int) {
    if (!static_cast<const OperatorMarks*>(user)->inside) lutra_count_end();
  }
};

void ReportTensor(const char* kind, int index, const Tensor& tensor) {
  const uint32_t crc =
      Crc32(static_cast<const uint8_t*>(tensor.data), static_cast<size_t>(tensor.info.bytes));
  ReportLine(kind).Number(index).Text("crc32").Hex(crc);
}

Status Run(const Model& model, bool by_operator) {
  MicroInterpreter interpreter(model, AllOps(), arena_memory, {.decode = Decode});
  Status status = interpreter.AllocateTensors();
  if (status != Status::kOk) return status;
  SeededInput seeded(kSeed);
  for (int i = 0; i < interpreter.input_count(); ++i) {
    const Tensor input = interpreter.input(i);
    FillSeeded(seeded, input.info.type, static_cast<uint8_t*>(input.data),
               static_cast<size_t>(input.info.bytes));
    if (!by_operator) ReportTensor("input", i, input);
  }
  if (by_operator) {
    OperatorMarks marks{interpreter};
    const Profiler profiler = {&marks, OperatorMarks::Begin, OperatorMarks::End, OperatorMarks::BeginDecode,
                               OperatorMarks::EndDecode};
    interpreter.set_profiler(&profiler);
    return interpreter.Invoke();
  }
  ReportLine("region").Text("invoke");
  lutra_count_begin();
  status = interpreter.Invoke();
  lutra_count_end();
  for (int i = 0; i < interpreter.output_count(); ++i) ReportTensor("output", i, interpreter.output(i));
  return status;
}

int CountModel(int argument_count, char** arguments) {
  if (argument_count != 2) {
    ReportLine("usage").Text("MODEL");
    return kExitUsage;
  }
  const Span<const uint8_t> bytes = ReadModel(arguments[1]);
  Model model;
  Diagnosis diagnosis;
  Status status = Model::Load(bytes, &model, &diagnosis);
  if (status == Status::kOk) status = Run(model, false);
  if (status == Status::kOk) status = Run(model, true);
  if (status == Status::kOk) return kExitOk;
  // run_model says why.
  ReportLine("refused").Text(bytes.empty() ? "cannot read" : ToString(status)).Text(arguments[1]);
  return kExitBadInput;
}

}  // namespace
}  // namespace lutra

int main(int argc, char** argv) { return lutra::CountModel(argc, argv); }
