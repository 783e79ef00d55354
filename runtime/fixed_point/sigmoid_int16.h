// SPDX-License-Identifier: Apache-2.0
// LOGISTIC and TANH of TFLite's int16 operators: 255 segments of a sigmoid, with half of the error in the
// middle of each moved to its ends.
//
// Arguments have units of 1/12288, results units of 2^-15.

#pragma once

#include <stdint.h>

namespace lutra {

// Returns a code from 1 to 32767.
int16_t LogisticInt16(int32_t y);
// Returns a code from -32767 to 32767.
int16_t TanhInt16(int32_t y);

}  // namespace lutra
