// SPDX-License-Identifier: Apache-2.0
// A shared library with TensorFlow Lite's C API that is no runtime, for the adapter's test. It takes any
// bytes for a model but "bad..." and "lacking...", which acts as if an operator were missing; it has one
// input and one output of 4 bytes, and the output is the input plus the number of inferences. "failing..."
// fails at the first inference. LUTRA_FAKE_LIE in the environment names another fault.

#include <cstdlib>
#include <cstring>
#include <vector>

#include "conformance/adapters/tflite_c/c_api.h"

struct TfLiteModel {
  bool unsupported, fails;
};
struct TfLiteInterpreterOptions {
  int32_t threads = 0;
};
struct TfLiteTensor {
  std::vector<char> bytes;
};
struct TfLiteInterpreter {
  bool fails;
  int inferences = 0;
  TfLiteTensor input, output;
};

namespace {
constexpr size_t kBytes = 4;
constexpr int kError = 1;

bool Lies(const char* how) {
  const char* const lie = std::getenv("LUTRA_FAKE_LIE");
  return lie != nullptr && std::strcmp(lie, how) == 0;
}
}  // namespace

extern "C" {

const char* TfLiteVersion() { return Lies("version") ? nullptr : "fake-1"; }

TfLiteModel* TfLiteModelCreate(const void* data, size_t bytes) {
  const auto begins = [&](const char* text) {
    return bytes >= std::strlen(text) && std::memcmp(data, text, std::strlen(text)) == 0;
  };
  return begins("bad") ? nullptr : new TfLiteModel{begins("lacking"), begins("failing")};
}
void TfLiteModelDelete(TfLiteModel* model) { delete model; }

TfLiteInterpreterOptions* TfLiteInterpreterOptionsCreate() { return new TfLiteInterpreterOptions; }
void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions* options) { delete options; }
void TfLiteInterpreterOptionsSetNumThreads(TfLiteInterpreterOptions* options, int32_t threads) {
  options->threads = threads;
}

TfLiteInterpreter* TfLiteInterpreterCreate(const TfLiteModel* model,
                                           const TfLiteInterpreterOptions* options) {
  return model->unsupported || options->threads < 1 ? nullptr : new TfLiteInterpreter{model->fails};
}
void TfLiteInterpreterDelete(TfLiteInterpreter* interpreter) { delete interpreter; }

int TfLiteInterpreterAllocateTensors(TfLiteInterpreter* interpreter) {
  interpreter->input.bytes.resize(kBytes);
  interpreter->output.bytes.resize(Lies("size") ? kBytes - 1 : kBytes);
  return lutra::conformance::tflite_c::kStatusOk;
}

#if !LUTRA_FAKE_LACKS_INVOKE
int TfLiteInterpreterInvoke(TfLiteInterpreter* interpreter) {
  if (interpreter->fails || (Lies("later") && interpreter->inferences > 6)) return kError;
  ++interpreter->inferences;
  if (Lies("nan")) {
    const uint32_t nan = 0x7fc00000;
    std::memcpy(interpreter->output.bytes.data(), &nan, kBytes);
    return lutra::conformance::tflite_c::kStatusOk;
  }
  if (Lies("size")) return lutra::conformance::tflite_c::kStatusOk;
  for (size_t i = 0; i < kBytes; ++i) {
    interpreter->output.bytes[i] = static_cast<char>(interpreter->input.bytes[i] + interpreter->inferences);
  }
  return lutra::conformance::tflite_c::kStatusOk;
}

#endif

int32_t TfLiteInterpreterGetInputTensorCount(const TfLiteInterpreter*) { return Lies("inputs") ? 2 : 1; }
TfLiteTensor* TfLiteInterpreterGetInputTensor(const TfLiteInterpreter* interpreter, int32_t) {
  return const_cast<TfLiteTensor*>(&interpreter->input);
}
int32_t TfLiteInterpreterGetOutputTensorCount(const TfLiteInterpreter*) { return Lies("outputs") ? -1 : 1; }
const TfLiteTensor* TfLiteInterpreterGetOutputTensor(const TfLiteInterpreter* interpreter, int32_t) {
  return &interpreter->output;
}

size_t TfLiteTensorByteSize(const TfLiteTensor* tensor) { return tensor->bytes.size(); }
void* TfLiteTensorData(const TfLiteTensor* tensor) {
  return Lies("data") ? nullptr : const_cast<char*>(tensor->bytes.data());
}
int TfLiteTensorCopyFromBuffer(TfLiteTensor* tensor, const void* data, size_t bytes) {
  if (bytes != tensor->bytes.size()) return kError;
  std::memcpy(tensor->bytes.data(), data, bytes);
  return lutra::conformance::tflite_c::kStatusOk;
}

}  // extern "C"
