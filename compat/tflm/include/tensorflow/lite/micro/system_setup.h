// SPDX-License-Identifier: Apache-2.0
// Does nothing, unless the program defines this function itself, to set up its target before anything else.

#pragma once

namespace tflite {

void InitializeTarget();

}  // namespace tflite
