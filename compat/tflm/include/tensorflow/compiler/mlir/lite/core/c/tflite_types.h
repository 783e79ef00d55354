// SPDX-License-Identifier: Apache-2.0
// The types of tensors, at the path that headers of TensorFlow Lite Micro's tree use. Programs whose kernels
// need that tree have it behind this one in the include path.

#pragma once

#include "tensorflow/lite/core/c/c_api_types.h"
