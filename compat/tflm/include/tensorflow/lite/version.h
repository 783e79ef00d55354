// SPDX-License-Identifier: Apache-2.0
// TFLITE_SCHEMA_VERSION, at the path that it had in older trees of TensorFlow Lite Micro.

#pragma once

#include "tensorflow/lite/schema/schema_generated.h"
