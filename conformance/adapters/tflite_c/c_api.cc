// SPDX-License-Identifier: Apache-2.0
// Finds the functions in a library, and runs a model through them.

#include "conformance/adapters/tflite_c/c_api.h"

#include <dlfcn.h>

namespace lutra::conformance::tflite_c {
namespace {

template <typename Function>
void Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  if (*function == nullptr) throw std::runtime_error(std::string("the library has no function ") + name);
}

}  // namespace

Api LoadApi(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
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

Session::Session(const Api& api, const void* model, size_t bytes, int threads)
    : api_(api), model_(api.model_create(model, bytes), api.model_delete) {
  if (model_ == nullptr) throw Failure(CaseAnswer::kRefused, "TfLiteModelCreate");
  const Owned<TfLiteInterpreterOptions> options(api.options_create(), api.options_delete);
  if (options == nullptr) throw Failure(CaseAnswer::kError, "TfLiteInterpreterOptionsCreate");
  api.options_set_threads(options.get(), threads);
  // A null result usually means that the library lacks an operator: the file was verified before.
  interpreter_.reset(api.interpreter_create(model_.get(), options.get()));
  if (interpreter_ == nullptr) throw Failure(CaseAnswer::kUnsupported, "TfLiteInterpreterCreate");
  const int status = api.allocate_tensors(interpreter_.get());
  if (status == kStatusUnresolvedOps) {
    throw Failure(CaseAnswer::kUnsupported, "an operator is not in the library");
  }
  if (status != kStatusOk) throw Failure(CaseAnswer::kRefused, "TfLiteInterpreterAllocateTensors");
}

void Session::Fill(int input, const void* bytes, size_t count) {
  TfLiteTensor* const tensor = api_.input(interpreter_.get(), input);
  if (tensor == nullptr || api_.copy_from(tensor, bytes, count) != kStatusOk) {
    throw Failure(CaseAnswer::kError, "an input of the case has another size than the model's");
  }
}

void Session::Invoke() {
  if (api_.invoke(interpreter_.get()) != kStatusOk) {
    throw Failure(CaseAnswer::kRefused, "TfLiteInterpreterInvoke");
  }
}

Session::Values Session::Output(int output) const {
  const TfLiteTensor* const tensor = api_.output(interpreter_.get(), output);
  if (tensor == nullptr) throw Failure(CaseAnswer::kError, "TfLiteInterpreterGetOutputTensor");
  const Values values = {api_.tensor_data(tensor), api_.tensor_bytes(tensor)};
  if (values.data == nullptr && values.bytes > 0) throw Failure(CaseAnswer::kError, "TfLiteTensorData");
  return values;
}

}  // namespace lutra::conformance::tflite_c
