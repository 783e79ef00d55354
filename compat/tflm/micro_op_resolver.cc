// SPDX-License-Identifier: Apache-2.0
// Collects a program's operators.

#include "tensorflow/lite/micro/micro_op_resolver.h"

#include <string.h>

#include "compat/tflm/operator.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {
namespace {

using lutra::BuiltinOperator;
using lutra::Op;
using lutra::compat::Operator;

bool Is(const Op& op, int code, const char* custom_code) {
  if (op.code != static_cast<BuiltinOperator>(code)) return false;
  return custom_code == nullptr || strcmp(op.custom_code, custom_code) == 0;
}

}  // namespace

TfLiteStatus MicroOpResolver::Add(const lutra::compat::Registration& registration, int code,
                                  const char* custom_code) {
  const Operator* const given = registration.lutra_operator;
  const char* const name = custom_code == nullptr ? "" : custom_code;
  if (given == nullptr || !Is(given->op, code, custom_code)) {
    MicroPrintf(
        "operator %d %s: the registration is not one of this operator; give none, or its own Register_...()",
        code, name);
    return kTfLiteError;
  }
  for (unsigned int i = 0; i < count_; ++i) {
    if (!Is(operators()[i].op, code, custom_code)) continue;
    MicroPrintf("operator %d %s is added twice", code, name);
    return kTfLiteError;
  }
  if (count_ == capacity_) {
    MicroPrintf("operator %d %s: all %u places are taken; make the resolver larger", code, name, capacity_);
    return kTfLiteError;
  }
  memcpy(room_ + count_ * sizeof(Operator), given, sizeof(Operator));
  ++count_;
  return kTfLiteOk;
}

void MicroOpResolver::CopyFrom(const MicroOpResolver& other) {
  if (&other == this) return;
  memcpy(room_, other.room_, other.count_ * sizeof(Operator));
  count_ = other.count_;
}

}  // namespace tflite
