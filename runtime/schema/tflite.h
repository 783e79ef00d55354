// SPDX-License-Identifier: Apache-2.0
// Includes the readers that flatc generates from tflite.fbs. ARG_MAX, an operator, is a macro in picolibc's
// <limits.h>.

#pragma once

#pragma push_macro("ARG_MAX")
#undef ARG_MAX
#include "tflite_generated.h"
#pragma pop_macro("ARG_MAX")
