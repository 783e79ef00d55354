// SPDX-License-Identifier: Apache-2.0
// MicroInterpreter calls these functions around each operator.

#pragma once

#include <stdint.h>

namespace tflite {

class MicroProfilerInterface {
 public:
  virtual ~MicroProfilerInterface() {}
  // The tag is the operator's name. EndEvent gets the number that BeginEvent returned.
  virtual uint32_t BeginEvent(const char* tag) = 0;
  virtual void EndEvent(uint32_t event) = 0;
};

}  // namespace tflite
