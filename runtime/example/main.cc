// SPDX-License-Identifier: Apache-2.0
// Runs a .tflite model once, on inputs of zeros, and prints its int8 outputs: copy and change.

#include <lutra/diagnosis_text.h>
#include <lutra/lutra.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

alignas(16) static uint8_t arena[256 * 1024];

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // Reads nothing from a folder, or from a file that does not exist.
  const std::string bytes = text.str();
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());

  lutra::Model model;
  lutra::Diagnosis diagnosis;
  if (lutra::Model::Load({reinterpret_cast<uint8_t*>(aligned.data()), bytes.size()}, &model, &diagnosis) !=
      lutra::Status::kOk) {
    return std::fprintf(stderr, "no model: %s\n", lutra::Describe(diagnosis.rule).requirement), 3;
  }
  lutra::MicroInterpreter interpreter(model, lutra::AllOps(), arena);
  if (interpreter.AllocateTensors() != lutra::Status::kOk) {
    return std::fprintf(stderr, "refused: %s\n", lutra::Describe(interpreter.diagnosis().rule).requirement),
           3;
  }
  for (int i = 0; i < interpreter.input_count(); ++i) {
    std::memset(interpreter.input(i).data, 0, static_cast<size_t>(interpreter.input(i).info.bytes));
  }
  if (interpreter.Invoke() != lutra::Status::kOk) return 3;
  const lutra::Tensor output = interpreter.output(0);
  for (int i = 0; i < output.info.bytes; ++i) std::printf("%d ", static_cast<const int8_t*>(output.data)[i]);
  std::printf("\n");
}
