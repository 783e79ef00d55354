// SPDX-License-Identifier: Apache-2.0
// The older path of core/c/c_api_types.h.

#pragma once

#include "tensorflow/lite/core/c/c_api_types.h"
