// SPDX-License-Identifier: Apache-2.0
// The path by which programs reach these operators' Register_...(): micro_ops.h.

#pragma once

#include "tensorflow/lite/micro/kernels/micro_ops.h"
