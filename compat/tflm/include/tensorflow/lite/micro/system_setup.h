// SPDX-License-Identifier: Apache-2.0
// What a target needs before anything else: nothing, unless the program defines this function itself.

#pragma once

namespace tflite {

void InitializeTarget();

}  // namespace tflite
