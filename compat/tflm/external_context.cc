// SPDX-License-Identifier: Apache-2.0
// A separate file, as few programs need it. The profiler's hooks tell kernels which interpreter runs them;
// here these hooks do nothing.

#include "compat/tflm/held.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {
namespace {

constexpr lutra::compat::Hooks kNoHooks = {
    [](MicroInterpreter& interpreter, lutra::Profiler* profiler) { *profiler = {.user = &interpreter}; }};

}  // namespace

TfLiteStatus MicroInterpreter::SetMicroExternalContext(void* payload) {
  if (payload == nullptr || external_context_ != nullptr) {
    MicroPrintf("SetMicroExternalContext: once, and not null");
    return kTfLiteError;
  }
  external_context_ = payload;
  if (hooks_ == nullptr) hooks_ = &kNoHooks;
  if (!allocated_) return kTfLiteOk;
  hooks_->connect(*this, &held().profiler);
  reinterpret_cast<lutra::MicroInterpreter*>(held().interpreter)->set_profiler(&held().profiler);
  return kTfLiteOk;
}

}  // namespace tflite
