// SPDX-License-Identifier: Apache-2.0
// The older path of core/c/common.h.

#pragma once

#include "tensorflow/lite/core/c/common.h"
