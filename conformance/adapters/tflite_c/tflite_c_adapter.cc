// SPDX-License-Identifier: Apache-2.0
// tflite_c_adapter LIBRARY.so [--threads N]: TensorFlow Lite or LiteRT, through the C API of a shared
// library (libtensorflowlite_c.so, libLiteRt's) that is loaded at run time.
//
// Exit codes: 0 success, 2 bad usage, 3 no such library or not this API.

#include <dlfcn.h>

#include <memory>

#include "conformance/adapters/protocol.h"
#include "conformance/adapters/tflite_c/c_api.h"
#include "host/command_line.h"
#include "host/run_main.h"

namespace lutra::conformance {
namespace tflite_c {
namespace {

constexpr char kProgram[] = "tflite_c_adapter";

[[noreturn]] void Refuse(const std::string& why) { throw host::BadInput(std::string(kProgram) + ": " + why); }

template <typename Function>
void Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  if (*function == nullptr) Refuse(std::string("the library has no function ") + name);
}

}  // namespace

Api LoadApi(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Refuse(dlerror());
  Api api;
  Find(library, "TfLiteVersion", &api.version);
  Find(library, "TfLiteModelCreate", &api.model_create);
  Find(library, "TfLiteModelDelete", &api.model_delete);
  Find(library, "TfLiteInterpreterOptionsCreate", &api.options_create);
  Find(library, "TfLiteInterpreterOptionsDelete", &api.options_delete);
  Find(library, "TfLiteInterpreterOptionsSetNumThreads", &api.options_set_threads);
  Find(library, "TfLiteInterpreterCreate", &api.interpreter_create);
  Find(library, "TfLiteInterpreterDelete", &api.interpreter_delete);
  Find(library, "TfLiteInterpreterAllocateTensors", &api.allocate_tensors);
  Find(library, "TfLiteInterpreterInvoke", &api.invoke);
  Find(library, "TfLiteInterpreterGetInputTensorCount", &api.input_count);
  Find(library, "TfLiteInterpreterGetInputTensor", &api.input);
  Find(library, "TfLiteInterpreterGetOutputTensorCount", &api.output_count);
  Find(library, "TfLiteInterpreterGetOutputTensor", &api.output);
  Find(library, "TfLiteTensorByteSize", &api.tensor_bytes);
  Find(library, "TfLiteTensorData", &api.tensor_data);
  Find(library, "TfLiteTensorCopyFromBuffer", &api.copy_from);
  return api;
}

namespace {

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

CaseAnswer RunCase(const Api& api, int threads, const std::filesystem::path& folder) {
  // The library does not copy it.
  const std::vector<char> bytes = ReadCaseFile(folder / "model.tflite");
  const Owned<TfLiteModel> model(api.model_create(bytes.data(), bytes.size()), api.model_delete);
  if (model == nullptr) return {CaseAnswer::kRefused, "TfLiteModelCreate"};
  const Owned<TfLiteInterpreterOptions> options(api.options_create(), api.options_delete);
  api.options_set_threads(options.get(), threads);
  // As a rule, null means an operator that the library lacks: the file itself was verified before.
  const Owned<TfLiteInterpreter> interpreter(api.interpreter_create(model.get(), options.get()),
                                             api.interpreter_delete);
  if (interpreter == nullptr) return {CaseAnswer::kUnsupported, "TfLiteInterpreterCreate"};
  const int status = api.allocate_tensors(interpreter.get());
  if (status == kStatusUnresolvedOps) return {CaseAnswer::kUnsupported, "an operator is not in the library"};
  if (status != kStatusOk) return {CaseAnswer::kRefused, "TfLiteInterpreterAllocateTensors"};

  const std::vector<std::vector<char>> inputs = ReadCaseInputs(folder);
  if (static_cast<int32_t>(inputs.size()) != api.input_count(interpreter.get())) {
    return {CaseAnswer::kError, "the case has another number of inputs than the model"};
  }
  for (int left = ReadCaseInvokes(folder); left > 0; --left) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      TfLiteTensor* tensor = api.input(interpreter.get(), static_cast<int32_t>(i));
      if (api.copy_from(tensor, inputs[i].data(), inputs[i].size()) != kStatusOk) {
        return {CaseAnswer::kError, "an input of the case has another size than the model's"};
      }
    }
    if (api.invoke(interpreter.get()) != kStatusOk) return {CaseAnswer::kRefused, "TfLiteInterpreterInvoke"};
  }
  for (int32_t i = 0; i < api.output_count(interpreter.get()); ++i) {
    const TfLiteTensor* tensor = api.output(interpreter.get(), i);
    WriteCaseOutput(folder, i, api.tensor_data(tensor), api.tensor_bytes(tensor));
  }
  return {};
}

int Main(int argc, char** argv) {
  CLI::App app("Answers the cases of the conformance runner with a library that has TensorFlow Lite's C API.",
               kProgram);
  std::string library;
  int threads = 1;
  app.add_option("LIBRARY", library, "libtensorflowlite_c.so, or LiteRT's")->required();
  app.add_option("--threads", threads, "Of the kernels")->capture_default_str()->check(CLI::PositiveNumber);
  return host::ParseAndRun(app, argc, argv, [&] {
    const Api api = LoadApi(library.c_str());
    return ServeCases(kProgram, api.version(),
                      [&](const std::filesystem::path& folder) { return RunCase(api, threads, folder); });
  });
}

}  // namespace
}  // namespace tflite_c
}  // namespace lutra::conformance

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::conformance::tflite_c::kProgram, lutra::conformance::tflite_c::Main,
                              argc, argv);
}
