// SPDX-License-Identifier: Apache-2.0
// Prints why something was refused, as a line of MicroPrintf: with names and sentences if there is an
// operating system, else with the numbers of lutra/rule.h, as texts would take 13 KB of flash.

#pragma once

#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace tflite {
class Model;
}

namespace lutra::compat {

// model: null if none can be read.
void Report(const char* where, Status status, const Diagnosis& diagnosis, const Model* model);

// Returns the bytes of a model of unknown size: as many as a model can have.
inline Span<const uint8_t> TrustedBytes(const tflite::Model* model) {
  return {reinterpret_cast<const uint8_t*>(model), size_t{INT32_MAX}};
}

}  // namespace lutra::compat
