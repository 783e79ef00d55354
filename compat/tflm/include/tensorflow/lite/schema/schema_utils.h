// SPDX-License-Identifier: Apache-2.0
// Programs include this file beside schema_generated.h. Its functions read fields of models that
// tflite::Model does not have here: README.md.

#pragma once

#include "tensorflow/lite/schema/schema_generated.h"
