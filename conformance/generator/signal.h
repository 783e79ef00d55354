// SPDX-License-Identifier: Apache-2.0
// Cases of TensorFlow Lite Micro's signal library share tensors without scales and samples of int16. None of
// their families is in the smoke set, as only that runtime has these operators.

#pragma once

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {

// A tensor without a scale.
inline MadeTensor Plain(const oracle::Shape& shape, int8_t type) { return {.shape = shape, .type = type}; }

// Draws samples as audio has them: loud, faint, silent, at both ends of the range, or a single one.
oracle::Bytes Samples(Random& random, int64_t count);
// Numbers of at most `bits` bits, each of a length of its own.
std::vector<uint64_t> AnyNumbers(Random& random, int64_t count, int bits);

// `make` draws a random case. `generate` adds cases with sizes and values that `make` may miss.
CaseFamily SignalFamily(const char* op, Case (*make)(Random&), std::function<void(Series&)> generate,
                        std::function<void(RealSizes&)> real_sizes);

}  // namespace lutra::conformance
