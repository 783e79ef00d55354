// SPDX-License-Identifier: Apache-2.0
// run_cases: a runtime for the conformance runner (conformance/adapters/protocol.h). Reads the runner's lines
// from standard input; a case's files are the host's.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/core/byte_order.h"
#include "host/core/crc32.h"
#include "lutra/compression/format.h"
#include "lutra/diagnosis_text.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "lutra/streaming.h"
#include "platforms/common/line_reader.h"
#include "platforms/common/linked_kernels.h"
#include "platforms/common/model_memory.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/common/stack.h"

namespace lutra::platforms {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitUsage = 2;

// The path of a file in a case's folder.
class CasePath {
 public:
  explicit CasePath(const char* folder) : folder_bytes_(strlen(folder)) {
    memcpy(text_, folder, folder_bytes_);
    text_[folder_bytes_++] = '/';
  }
  const char* Named(const char* name) {
    strcpy(text_ + folder_bytes_, name);
    return text_;
  }
  // in0.bin, out12.bin
  const char* Numbered(const char* name, int number) {
    Named(name);
    char* end = text_ + strlen(text_);
    if (number >= 10) *end++ = static_cast<char>('0' + number / 10 % 10);
    *end++ = static_cast<char>('0' + number % 10);
    strcpy(end, ".bin");
    return text_;
  }

 private:
  // Room for the longest line, and a name.
  char text_[1024 + 32];
  size_t folder_bytes_;
};

void Error(const char* why) { TextLine().Text("error").Text(why); }

// Returns whether the model has activations of int16, which this build lacks.
bool LacksInt16(const Model& model, const Diagnosis& diagnosis) {
  return !LUTRA_HAVE_INT16 && diagnosis.rule == Rule::kOperandType && diagnosis.subgraph >= 0 &&
         diagnosis.tensor >= 0 &&
         model.tensor(diagnosis.subgraph, diagnosis.tensor).type == TensorType::kInt16;
}

void Refuse(Status status, const Diagnosis& diagnosis, bool lacks_int16 = false) {
  const bool lacks_uint8 = !LUTRA_HAVE_UINT8 && diagnosis.rule == Rule::kUint8;
  const bool lacks =
      status == Status::kUnsupported || status == Status::kArenaTooSmall || lacks_uint8 || lacks_int16;
  TextLine line;
  line.Text(lacks ? "unsupported" : "refused").Text(Describe(diagnosis.rule).name);
  line.Text("node").Number(diagnosis.node).Text("tensor").Number(diagnosis.tensor);
  if (status == Status::kArenaTooSmall) {
    line.Bytes("wanted", diagnosis.wanted_bytes).Bytes("given", sizeof arena_memory);
  }
}

// Reads how many inferences the case wants.
int ReadInvokes(CasePath* path) {
  char text[8];
  const intptr_t length = semihosting::ReadFile(path->Named("invokes"), text, sizeof text);
  int count = 0;
  for (intptr_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i) {
    count = count * 10 + (text[i] - '0');
  }
  return count > 0 ? count : 1;
}

bool ReadInputs(const MicroInterpreter& interpreter, CasePath* path) {
  for (int i = 0; i < interpreter.input_count(); ++i) {
    const Tensor input = interpreter.input(i);
    const auto bytes = static_cast<size_t>(input.info.bytes);
    if (semihosting::ReadFile(path->Numbered("in", i), input.data, bytes) != input.info.bytes) return false;
    host::SwapToOrFromLittleEndian(input.info.type, static_cast<uint8_t*>(input.data), bytes);
  }
  return true;
}

bool WriteOutputs(const MicroInterpreter& interpreter, CasePath* path) {
  for (int i = 0; i < interpreter.output_count(); ++i) {
    const Tensor output = interpreter.output(i);
    const auto bytes = static_cast<size_t>(output.info.bytes);
    const semihosting::File file = semihosting::OpenForWriting(path->Numbered("out", i));
    if (file < 0) return false;
    host::SwapToOrFromLittleEndian(output.info.type, static_cast<uint8_t*>(output.data), bytes);
    const size_t written = semihosting::Write(file, output.data, bytes);
    // Swaps back, as one tensor may be two outputs.
    host::SwapToOrFromLittleEndian(output.info.type, static_cast<uint8_t*>(output.data), bytes);
    semihosting::Close(file);
    if (written != bytes) return false;
  }
  return true;
}

bool IsCompressed(const Model& model) {
  if (!model.Metadata(kCompressionMetadataName).empty()) return true;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int n = 0; n < model.node_count(s); ++n) {
      if (strcmp(model.node(s, n).custom_code, kDecodeCustomCode) == 0) return true;
    }
  }
  return false;
}

uint32_t CrcOfOutputs(const MicroInterpreter& interpreter) {
  uint32_t crc = 0;
  for (int i = 0; i < interpreter.output_count(); ++i) {
    const Tensor output = interpreter.output(i);
    crc = crc * 31 +
          host::Crc32(static_cast<const uint8_t*>(output.data), static_cast<size_t>(output.info.bytes));
  }
  return crc;
}

// Runs all inferences of the case. Returns false, after the line that answers, if one fails.
bool Run(const Model& model, MicroInterpreter& interpreter, CasePath* path) {
  Status status = interpreter.AllocateTensors();
  for (int left = ReadInvokes(path); left > 0 && status == Status::kOk; --left) {
    if (!ReadInputs(interpreter, path)) {
      Error("an input is missing or has another size than the model's");
      return false;
    }
    status = interpreter.Invoke();
    if (HasRun(status)) status = Status::kOk;
  }
  const Diagnosis& diagnosis = interpreter.diagnosis();
  if (status != Status::kOk) Refuse(status, diagnosis, LacksInt16(model, diagnosis));
  return status == Status::kOk;
}

// Runs compressed models with each policy, and with memory outside the arena. Returns false, after the line
// that answers, if outputs differ.
bool AgreesHoweverDecoded(const Model& model, uint32_t crc, CasePath* path) {
  constexpr DecompressionPolicy kPolicies[] = {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit,
                                               DecompressionPolicy::kStreamed};
  alignas(16) static uint8_t region[4096];
  const AlternateMemoryRegion regions[] = {{region, sizeof region}};
  for (const DecompressionPolicy policy : kPolicies) {
    for (size_t used_regions = 0; used_regions < 2; ++used_regions) {
      MicroInterpreter interpreter(model, AllOps(), arena_memory,
                                   {.decompression = policy, .decode = Decode, .streaming = &kStreaming});
      (void)interpreter.SetDecompressionMemory({regions, used_regions});
      if (!Run(model, interpreter, path)) return false;
      if (CrcOfOutputs(interpreter) == crc) continue;
      Error(policy == DecompressionPolicy::kPerUse   ? "decoded per-use in a region: other outputs"
            : policy == DecompressionPolicy::kAtInit ? "decoded at-init: other outputs"
                                                     : "streamed: other outputs");
      return false;
    }
  }
  return true;
}

// Prints one line as the answer.
void RunCase(CasePath path) {
  const intptr_t bytes = semihosting::ReadFile(path.Named("model.tflite"), model_memory, sizeof model_memory);
  if (bytes == semihosting::kNoFile) return Error("cannot open model.tflite");
  if (bytes < 0) {
    TextLine().Text("unsupported").Text("model.tflite is too large").Bytes("room", sizeof model_memory);
    return;
  }
  Model model;
  Diagnosis diagnosis;
  const Status status = Model::Load({model_memory, static_cast<size_t>(bytes)}, &model, &diagnosis);
  if (status != Status::kOk) return Refuse(status, diagnosis);
  uint32_t crc = 0;
  {
    InterpreterOptions options = {.decode = Decode};
    if (!UseLinkedKernels(&options)) return Error("LUTRA_KERNELS is made for another version");
    MicroInterpreter interpreter(model, AllOps(), arena_memory, options);
    (void)WhyNotJudged();
    if (!Run(model, interpreter, &path)) return;
    if (const char* const why = WhyNotJudged()) {
      TextLine().Text("unsupported").Text(why);
      return;
    }
    if (!WriteOutputs(interpreter, &path)) return Error("cannot write an output");
    crc = CrcOfOutputs(interpreter);
  }
  if (IsCompressed(model) && !AgreesHoweverDecoded(model, crc, &path)) return;
  TextLine().Text("ok");
}

int Serve() {
  LineReader reader;
  for (char* line = reader.Next(); line != nullptr && strcmp(line, "bye") != 0; line = reader.Next()) {
    char* const id = strchr(line, ' ');
    char* const folder = id != nullptr ? strchr(id + 1, ' ') : nullptr;
    if (strncmp(line, "hello ", 6) == 0) {
      TextLine().Text("hello 1 run_cases " LUTRA_VERSION).Text(LUTRA_PLATFORM);
    } else if (strncmp(line, "case ", 5) == 0 && folder != nullptr) {
      RunCase(CasePath(folder + 1));
    } else {
      ReportLine("usage").Text("hello 1 | case ID FOLDER | bye");
      return kExitUsage;
    }
  }
  ReportLine("stack").Bytes("given", StackBytes()).Bytes("used", StackBytesUsed());
  return kExitOk;
}

}  // namespace
}  // namespace lutra::platforms

int main() { return lutra::platforms::Serve(); }
