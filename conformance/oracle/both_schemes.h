// SPDX-License-Identifier: Apache-2.0
// Computations that int8 shares with the scheme before it (uint8.cc) and with int16 (int16.cc). Each function
// is defined in the file of its int8 operators, which its comment names.

#pragma once

#include <functional>

#include "conformance/oracle/axes.h"
#include "conformance/oracle/windows.h"

namespace lutra::conformance::oracle {

// convolution.cc: the sums of CONV_2D or DEPTHWISE_CONV_2D. `x` and `w` are codes less their zero points.
Codes ConvolutionSums(const Node& node, const Windows& windows, bool depthwise, const Codes& x,
                      const Codes& w, const Codes& bias);
// Returns the same for TRANSPOSE_CONV, whose image is input 2.
Codes TransposedSums(const Node& node, const Codes& x, const Codes& w, const Codes& bias);
// sums.cc: puts the sum, or with a `sign` of -1 the difference, computed in units of twice the larger scale
// times 2^-left_shift.
void PutSum(const Node& node, const ArithmeticRule& rule, int sign, Range range, int left_shift = 20);
// activation.cc: puts RELU or RELU6, whose output has these codes.
void PutRectified(const Node& node, const ArithmeticRule& rule, Activation activation, Range codes);
// pool.cc: the mean has halves away from code 0, not from the zero point.
int64_t MeanOf(const Codes& codes);
int64_t MaximumOf(const Codes& codes);
void PutPooled(const Node& node, int64_t (*combine)(const Codes&), Range range);
// reduce.cc: puts MEAN or SUM.
void PutReduced(const Node& node, const ArithmeticRule& rule, bool is_mean, Range codes);
// matrix.cc: the sums of BATCH_MATMUL.
Codes MatrixSums(const Node& node, int64_t zero_a, int64_t zero_b);
// softmax.cc: calls f(row, maximum) for each row along the last axis. `row` has q - maximum for each code q;
// f replaces these by the output's codes.
void ForEachRow(const Node& node, const std::function<void(Codes& row, int64_t maximum)>& f);
// The same file: puts SOFTMAX in gemmlowp's fixed point, in units of 2^-bits from the code `lowest` on.
void PutSoftmax(const Node& node, float beta, int bits, int64_t lowest);
// table.cc: puts LOGISTIC of float32 at each code of this type.
void PutLogistic(const Node& node, int8_t type, Range range);
// resize.cc: puts RESIZE_BILINEAR whose positions and weights are float32; halves up.
void PutResizedInFloat(const Node& node);
// space.cc: copies the input into `result`, which has the padding already, and puts that.
void PutPadded(const Node& node, Bytes result);
// move.cc: calls f(input, axes) for each input of CONCATENATION, whose elements lie at `axes` in the output.
void ForEachPart(const Node& node, const std::function<void(int input, const Axes& axes)>& f);

}  // namespace lutra::conformance::oracle
