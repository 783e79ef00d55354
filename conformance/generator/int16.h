// SPDX-License-Identifier: Apache-2.0
// What cases with activations of int16 share. Their operators are named as "ADD.int16", beside "ADD". Their
// ids begin with "int8.add_int16." and so on: all ids of the corpus begin with "int8".

#pragma once

#include "conformance/generator/series.h"

namespace lutra::conformance {

MadeTensor Int16Tensor(const oracle::Shape& shape, float scale, int64_t zero_point = 0);
// Codes of every size, and some at both ends.
oracle::Bytes Int16Codes(Random& random, const oracle::Shape& shape);
int64_t Int16ZeroPoint(Random& random);
// Replaces some inputs, by elements that are all equal, nearly all 0, or all small.
Case WithDrawnCodes(Random& random, Case test);

// None of its cases is in the smoke set, which is also run under profiles that have no rule for them.
CaseFamily Int16Family(const char* op, std::function<void(Series&)> generate,
                       std::function<void(RealSizes&)> real_sizes, std::function<Case(Random&)> draw);

}  // namespace lutra::conformance
