// SPDX-License-Identifier: Apache-2.0
// Cases with activations of int16 share these names and series: "ADD.int16" stands beside "ADD". Ids begin
// with int8.add_int16. and so on; "int8" is the corpus's.

#pragma once

#include "conformance/generator/series.h"

namespace lutra::conformance {

MadeTensor Int16Tensor(const oracle::Shape& shape, float scale, int64_t zero_point = 0);
// Codes of every size, and some at both ends.
oracle::Bytes Int16Codes(Random& random, const oracle::Shape& shape);
int64_t Int16ZeroPoint(Random& random);
// Replaces some inputs: all elements one code, hardly any that is not 0, small ones.
Case WithDrawnCodes(Random& random, Case test);

// None of these is in the smoke set, which profiles without a rule for them run too.
CaseFamily Int16Family(const char* op, std::function<void(Series&)> generate,
                       std::function<void(RealSizes&)> real_sizes, std::function<Case(Random&)> draw);

}  // namespace lutra::conformance
