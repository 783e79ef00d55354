// SPDX-License-Identifier: Apache-2.0
// The calls of a profiler, which need the operators' names: programs without a profiler do not link them.

#include "compat/tflm/held.h"
#include "lutra/builtin_operator.h"
#include "lutra/graph.h"
#include "lutra/op.h"
#include "tensorflow/lite/micro/micro_interpreter.h"

namespace lutra::compat {

const char* Hooks::NameOfNode(const tflite::MicroInterpreter& interpreter, int node) {
  const auto& lutra = *reinterpret_cast<const MicroInterpreter*>(interpreter.held().interpreter);
  const Op& op = *lutra.node(node).op;
  return op.code == BuiltinOperator::kCustom ? op.custom_code : ToString(op.code);
}

void Hooks::Begin(void* user, int node) {
  auto& interpreter = *static_cast<tflite::MicroInterpreter*>(user);
  if (interpreter.profiler_ == nullptr) return;
  interpreter.event_ = interpreter.profiler_->BeginEvent(NameOfNode(interpreter, node));
}

void Hooks::End(void* user, int) {
  auto& interpreter = *static_cast<tflite::MicroInterpreter*>(user);
  if (interpreter.profiler_ != nullptr) interpreter.profiler_->EndEvent(interpreter.event_);
}

void Hooks::BeginDecode(void* user, int node, int) {
  auto& interpreter = *static_cast<tflite::MicroInterpreter*>(user);
  if (interpreter.alternate_profiler_ == nullptr) return;
  interpreter.decoding_event_ = interpreter.alternate_profiler_->BeginEvent(NameOfNode(interpreter, node));
}

void Hooks::EndDecode(void* user, int, int) {
  auto& interpreter = *static_cast<tflite::MicroInterpreter*>(user);
  if (interpreter.alternate_profiler_ != nullptr) {
    interpreter.alternate_profiler_->EndEvent(interpreter.decoding_event_);
  }
}

void Hooks::Connect(tflite::MicroInterpreter& interpreter, Profiler* profiler) {
  *profiler = {&interpreter, Begin, End, BeginDecode, EndDecode};
}

extern const Hooks kHooks = {Hooks::Connect};

}  // namespace lutra::compat
