// SPDX-License-Identifier: Apache-2.0
// The readers that flatc makes of tflite.fbs. ARG_MAX, an operator, is a macro where <limits.h> is
// picolibc's.

#pragma once

#pragma push_macro("ARG_MAX")
#undef ARG_MAX
#include "tflite_generated.h"
#pragma pop_macro("ARG_MAX")
