// SPDX-License-Identifier: Apache-2.0
// An application without an operating system: it reads the model that the semihosting command line
// names, runs it once on inputs of zeros, prints its int8 outputs. A real device has the model in flash.

#include <lutra/lutra.h>
#include <platforms/common/report.h>
#include <platforms/common/semihosting.h>
#include <string.h>

namespace semihosting = lutra::platforms::semihosting;

alignas(16) static uint8_t model_bytes[64 * 1024];
alignas(16) static uint8_t arena[32 * 1024];

// Prints the rule's number (lutra/diagnosis.h) and the place. Names and sentences, lutra/diagnosis_text.h,
// take 9 KB.
static int Refuse(const lutra::Diagnosis& diagnosis) {
  lutra::platforms::ReportLine line("refused");
  line.Text("rule").Number(static_cast<intptr_t>(diagnosis.rule));
  line.Text("node").Number(diagnosis.node).Text("tensor").Number(diagnosis.tensor);
  line.Text("found").Number(diagnosis.found).Text("required").Number(diagnosis.required);
  return 3;
}

int main(int argc, char** argv) {
  const semihosting::File file = semihosting::OpenForReading(argc > 1 ? argv[1] : "");
  if (file < 0) return 3;
  const size_t size = semihosting::Read(file, model_bytes, sizeof model_bytes);

  lutra::Model model;
  lutra::Diagnosis diagnosis;
  if (lutra::Model::Load({model_bytes, size}, &model, &diagnosis) != lutra::Status::kOk) {
    return Refuse(diagnosis);
  }
  constexpr lutra::Op kOps[] = {lutra::kFullyConnected};  // The operators of models/sine.tflite.
  lutra::MicroInterpreter interpreter(model, kOps, arena);
  if (interpreter.AllocateTensors() != lutra::Status::kOk) return Refuse(interpreter.diagnosis());
  for (int i = 0; i < interpreter.input_count(); ++i) {
    memset(interpreter.input(i).data, 0, static_cast<size_t>(interpreter.input(i).info.bytes));
  }
  if (interpreter.Invoke() != lutra::Status::kOk) return Refuse(interpreter.diagnosis());
  const lutra::Tensor output = interpreter.output(0);
  for (int i = 0; i < output.info.bytes; ++i) {
    lutra::platforms::ReportLine("output").Number(i).Text("code").Number(
        static_cast<const int8_t*>(output.data)[i]);
  }
}
