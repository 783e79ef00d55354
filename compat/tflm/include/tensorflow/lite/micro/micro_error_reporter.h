// SPDX-License-Identifier: Apache-2.0
// MicroErrorReporter, at the path that it had before TensorFlow Lite Micro moved it.

#pragma once

#include "tensorflow/lite/micro/tflite_bridge/micro_error_reporter.h"
