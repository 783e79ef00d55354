// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a program that defines this function does not link this one.

#include "tensorflow/lite/micro/system_setup.h"

namespace tflite {

void InitializeTarget() {}

}  // namespace tflite
