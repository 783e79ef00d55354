// SPDX-License-Identifier: Apache-2.0
// What operators compute in the same way in int8 and in the scheme before it, uint8.cc. Each is in the file
// of its operators.

#pragma once

#include <functional>

#include "conformance/oracle/axes.h"
#include "conformance/oracle/windows.h"

namespace lutra::conformance::oracle {

// The sums of CONV_2D or DEPTHWISE_CONV_2D: `x` and `w` are codes less their zero points. convolution.cc
Codes ConvolutionSums(const Node& node, const Windows& windows, bool depthwise, const Codes& x,
                      const Codes& w, const Codes& bias);
// ADD, or SUB with a `sign` of -1, in units of 2^-20 of twice the larger scale. sums.cc
void PutSum(const Node& node, const ArithmeticRule& rule, int sign, Range range);
// The mean of codes, halves away from code 0 (not from the zero point), and the greatest one. pool.cc
int64_t MeanOf(const Codes& codes);
int64_t MaximumOf(const Codes& codes);
void PutPooled(const Node& node, int64_t (*combine)(const Codes&), Range range);
// SOFTMAX in gemmlowp's fixed point, in units of 2^-bits from the code `lowest` on. softmax.cc
void PutSoftmax(const Node& node, float beta, int bits, int64_t lowest);
// The input with elements around it that `result` has. space.cc
void PutPadded(const Node& node, Bytes result);
// f(input, axes) for each input of CONCATENATION: where its elements lie in the output. move.cc
void ForEachPart(const Node& node, const std::function<void(int input, const Axes& axes)>& f);

}  // namespace lutra::conformance::oracle
