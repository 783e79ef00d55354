// SPDX-License-Identifier: Apache-2.0
// Does nothing, unless the program defines this function itself: whatever its target needs before anything
// else.

#pragma once

namespace tflite {

void InitializeTarget();

}  // namespace tflite
