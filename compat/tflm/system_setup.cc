// SPDX-License-Identifier: Apache-2.0
// A separate file, so that a program that defines this function does not link it.

#include "tensorflow/lite/micro/system_setup.h"

namespace tflite {

void InitializeTarget() {}

}  // namespace tflite
