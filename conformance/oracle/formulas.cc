// SPDX-License-Identifier: Apache-2.0
// Has the texts of each operator and of each rule. The head of the page explains the notation.

#include "conformance/oracle/formulas.h"

#include <algorithm>

#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::oracle {
namespace {

constexpr char kHead[] =
    R"(# The rules of every operator

Written by `conformance rules`, from the tables of `oracle/`; a test compares.

A rule is one exact way to compute an operator. Profiles choose one for each operator; `conformance identify` finds the one that a
runtime follows. Where a rule says nothing else, the result is clamped to the type of the output, or to the range of a fused activation.

**Notation.** q, q1, q2: codes of inputs; z and s: zero point and float32 scale of `in`, `out`, of operands `1` and `2`, of weights `w`
(s_w[c] per channel). x = q - z_in. Everything is in integers of unlimited size but what stands in f32() and f64(), which is rounded once to
binary32 or binary64, ties to even. rint: to the nearest integer, ties to even; away: ties away from zero; floor, trunc as usual. clamp: to the output's type or
the activation's range. M(r): the multiplier of a real r > 0: m = away(f * 2^31) with r = f * 2^e, f in [1/2, 1), e the shift (m = 2^31
becomes 2^30 and e + 1); below 2^-32 it is 0.

| name | acc * r, rounded, for r > 0 with multiplier m and shift e |
|---|---|
| DR(acc, r) | h = floor((acc * 2^max(e, 0) * m + 2^30) / 2^31); away(h / 2^max(-e, 0)) |
| SR(acc, r) | floor((acc * m + 2^(30 - e)) / 2^(31 - e)), m at most 2^31 - 1 |
| DRU(acc, r) | h as in DR; floor(h / 2^n + 1/2), n = max(-e, 0) |
| DBL(acc, r) | away(f64(acc * r)) |
| FP32(acc, r) | rint(f32(f32(acc) * r)), r in float32 |
| V16(acc, r) | m = away(f * 2^15), r = f * 2^e as above (m = 2^15 becomes 2^14 and e + 1), 0 if r < 10^-6 or e < -15; floor(w / 2^(15 - e)), w = acc * m modulo 2^32 as an int32 |

)";

constexpr char kAboutTflm[] = R"(
Three profiles are of TensorFlow Lite Micro. `tflm` is what a runtime should compute, and what this one does: TFLM at commit 90b983c2b
without its defects. `tflm-as-is` is that commit with them. `tflm-8f6596d` is a later one with the same defects, PyPI's `tflite-micro`
0.dev20261023182759: wherever TFLM combined scales in float32, it does so in double (DR-D). A multiplier may differ in its last bits,
and a code by 1. None of the three ever moves: a TFLM that computes otherwise gets a profile of its own.
)";

struct Computation {
  std::string_view op, text;
};

constexpr char kSameCodes[] = "codes are moved, none is computed";
constexpr char kPairRatio[] =
    "y1 = (q1 - z1) * 2^20 scaled by s1 / t, y2 likewise by s2 / t, t = 2 * max(s1, s2); operands broadcast";
constexpr char kCompared[] =
    "int8: v1 = (q1 - z1) * 256 scaled by s1, v2 likewise by s2, and v1 and v2 are compared; other types as "
    "they are; 1 or 0";
constexpr char kWindowSum[] =
    "acc[c] = bias[c] + sum over the window, inside the image alone, of w * x; r[c] = s_in * s_w[c] / s_out";

constexpr char kUint8Sum[] =
    "acc[c] = bias[c] + sum over the window, inside the image alone, of (w - z_w) * x; r = s_in * s_w / "
    "s_out, "
    "one scale";

constexpr char kInt16PairRatio[] =
    "y1 = (q1 - z1) * 2^15 scaled by s1 / t, y2 likewise by s2 / t, t = 2 * max(s1, s2); operands broadcast";
constexpr char kMeanOfWindow[] = "sum and count of the codes q (not x) of the window inside the image";
constexpr char kMeanOfCodes[] = "trunc((sum +- floor(count / 2)) / count), the half with the sum's sign";
constexpr char kMostOfWindow[] = "greatest code of the window inside the image";
constexpr char kMeanOfAxes[] = "acc = sum over the axes of x, n of them; r = s_in / s_out / n";
constexpr char kSumOfAxes[] = "acc = sum over the axes of x, n of them; r = s_in / s_out";
constexpr char kMeanRounded[] =
    "m of s_in / s_out times 2^b divided by n, towards zero, shift less b, b = min(floor(log2 n), 32, 31 + "
    "e); then DR";
constexpr char kRelu6[] = "acc = x; r = s_in / s_out; clamped to z_out and the code of 6";
constexpr char kRelu6Defect[] = "a defect: codes are clamped to z_in and the input's code of 6, not rescaled";

constexpr char kLstm[] =
    "each gate: clamp16(clamp16(acc * s_in * s_w * 2^12) + clamp16(sum of r * (h - z_h) * s_h * s_r * "
    "2^12)), acc = bias + sum of w * x; sigmoids, and tanh of the cell gate, by tables of 256 segments in "
    "units of "
    "2^-15; c = clamp16(clamp16(forget * c * 2^-15) + clamp16(input * cell * 2^-30 / s_c)), clipped; h = "
    "clamp(output "
    "* tanh(c) * 2^-30 / s_h + z_h), where s_c counts as the nearest power of two in the tanh";
constexpr char kSigmoid16[] =
    "y = q * s_in * 12288: q * 3 * 2^k for s_in = 2^(k - 12), k = 0 (TANH: or 1), else by a multiplier of 16 "
    "bits; then a table of 256 segments";

constexpr Computation kComputations[] = {
    {"ABS", "acc = |x|; r = s_in / s_out"},
    {"ABS.int16", "acc = |q|; r = s_in / s_out; where neither tensor has a scale, |q|, which wraps"},
    {"ADD", kPairRatio},
    {"ADD.int16", kInt16PairRatio},
    {"ADD.uint8", kPairRatio},
    {"ARG_MAX", "index of the greatest code along the axis, the first of equals"},
    {"ARG_MIN", "index of the least code along the axis, the first of equals"},
    {"AVERAGE_POOL_2D", kMeanOfWindow},
    {"AVERAGE_POOL_2D.int16", kMeanOfWindow},
    {"AVERAGE_POOL_2D.uint8", kMeanOfWindow},
    {"BATCH_MATMUL",
     "acc = sum over k of (q1 - z1) * (q2 - z2); r = s1 * s2 / s_out; outer dimensions broadcast"},
    {"BATCH_MATMUL.int16", "acc = sum over k of q1 * q2; r = s1 * s2 / s_out; outer dimensions broadcast"},
    {"BATCH_TO_SPACE_ND", kSameCodes},
    {"BROADCAST_ARGS", "each dimension is that of the shape that has not 1 there"},
    {"BROADCAST_TO", kSameCodes},
    {"CAST", "integers keep their low bits; to BOOL: 1 for all but 0; float32 to integers: trunc"},
    {"CIRCULAR_BUFFER",
     "the slices that the last inferences brought, the oldest first; z_out before the first"},
    {"CONCATENATION", kSameCodes},
    {"CONCATENATION.uint8",
     "codes of inputs with the output's scale and zero point are moved, others rescaled"},
    {"CONV_2D", kWindowSum},
    {"CONV_2D.int16", kWindowSum},
    {"CONV_2D.uint8", kUint8Sum},
    {"DEPTH_TO_SPACE", kSameCodes},
    {"DEPTHWISE_CONV_2D", kWindowSum},
    {"DEPTHWISE_CONV_2D.int16", kWindowSum},
    {"DEPTHWISE_CONV_2D.uint8", kUint8Sum},
    {"DEQUANTIZE",
     "x = q - z_in; the value is s_in * x, float32; s_in and z_in may be of the element's place along a "
     "dimension, where O-DEQ is MUL-D"},
    {"DIV", "x1 / x2 as a multiplier, r = s1 / (s2 * s_out); a divisor of 0 is refused"},
    {"DYNAMIC_UPDATE_SLICE", kSameCodes},
    {"ELU", "v = f32(s_in * x); w = v < 0 ? f32(expm1(f64(v))) : v"},
    {"EMBEDDING_LOOKUP", kSameCodes},
    {"EQUAL", kCompared},
    {"EXPAND_DIMS", kSameCodes},
    {"FILL", kSameCodes},
    {"FULLY_CONNECTED", "acc[c] = bias[c] + sum over i of w[c, i] * x[i]; r[c] = s_in * s_w[c] / s_out"},
    {"FULLY_CONNECTED.int16",
     "acc[c] = bias[c] + sum over i of w[c, i] * x[i]; r[c] = s_in * s_w[c] / s_out"},
    {"FULLY_CONNECTED.uint8",
     "acc[c] = bias[c] + sum over i of (w[c, i] - z_w) * x[i]; r = s_in * s_w / s_out; one scale"},
    {"GATHER", kSameCodes},
    {"GATHER_ND", kSameCodes},
    {"GELU",
     "v = f32(s_in * x); w = v / 2 * erfc(-v / sqrt 2), or approximate v / 2 * (1 + tanh(sqrt(2 / pi) * (v + "
     "0.044715 v^3))), each "
     "operation in float32, erfc and tanh rounded once from double"},
    {"GREATER", kCompared},
    {"GREATER_EQUAL", kCompared},
    {"HARD_SWISH",
     "x * relu6(real x + 3) / 6: x * 2^7 in 16 bits, scaled to s_out by a multiplier of 16 bits, times the "
     "gate in Q0.15, saturated"},
    {"L2_NORMALIZATION",
     "acc = x; r = 2^7 / sqrt(sum of x^2 over the last axis), a multiplier by gemmlowp's Newton steps; s_out "
     "= 2^-7"},
    {"LEAKY_RELU",
     "acc = x; r = s_in / s_out where x >= 0, else |s_in * alpha / s_out|, and the sign of alpha is behind "
     "the rounding (SR: before it)"},
    {"LEAKY_RELU.int16",
     "acc = x; r = s_in / s_out where x >= 0, else r = s_in * |alpha| / s_out and the result is negated if "
     "alpha < 0"},
    {"LESS", kCompared},
    {"LESS_EQUAL", kCompared},
    {"LOGICAL_AND", "1 if neither of the bytes that meet is 0, else 0"},
    {"LOGICAL_NOT", "1 if the byte is 0, else 0"},
    {"LOGICAL_OR", "1 if one of the bytes that meet is not 0, else 0"},
    {"LOG_SOFTMAX", "d = (q - the row's maximum) * s_in; 16 * (d - log(sum of exp(d))) + 127"},
    {"LOGISTIC", "1 / (1 + exp(-s_in * x)); s_out = 2^-8, z_out = -128"},
    {"LOGISTIC.int16", kSigmoid16},
    {"LOGISTIC.uint8",
     "v = f32(s_in * x); w = 1 / (1 + exp(-v)), each operation in float32; s_out = 2^-8, z_out = 0"},
    {"MAX_POOL_2D", kMostOfWindow},
    {"MAX_POOL_2D.int16", kMostOfWindow},
    {"MAX_POOL_2D.uint8", kMostOfWindow},
    {"MAXIMUM", "the greater code; operands broadcast"},
    {"MEAN", kMeanOfAxes},
    {"MEAN.int16", kMeanOfAxes},
    {"MINIMUM", "the lesser code; operands broadcast"},
    {"MIRROR_PAD", kSameCodes},
    {"MUL", "acc = (q1 - z1) * (q2 - z2); r = s1 * s2 / s_out; operands broadcast"},
    {"MUL.int16", "acc = q1 * q2; r = s1 * s2 / s_out"},
    {"NOT_EQUAL", kCompared},
    {"PACK", kSameCodes},
    {"PAD", "codes are moved; new ones are z_out"},
    {"PAD.uint8", "codes are moved; new ones are z_out"},
    {"PADV2", "codes are moved; new ones are the operand's code"},
    {"PRELU",
     "acc = x where x >= 0, r = s_in / s_out; else acc = x * (alpha - z_alpha), r = s_in * s_alpha / s_out"},
    {"PRELU.int16",
     "acc = x where x >= 0, r = s_in / s_out; else acc = x * (alpha - z_alpha), r = s_in * s_alpha / s_out; "
     "alpha "
     "is int8"},
    {"QUANTIZE", "acc = x; r = s_in / s_out"},
    {"QUANTIZE.float32",
     "v, a float32 value; code = v / s_out + z_out; s_out and z_out may be of the element's place along a "
     "dimension, where only DIV is"},
    {"REDUCE_ALL", "1 if no byte along the axes is 0, else 0"},
    {"REDUCE_MAX", "greatest code along the axes"},
    {"REDUCE_MIN", "least code along the axes"},
    {"RELU", "acc = x; r = s_in / s_out; clamped below by z_out"},
    {"RELU.int16", "acc = q; r = s_in / s_out; clamped below by 0"},
    {"RELU6", kRelu6},
    {"RELU6.int16", kRelu6},
    {"RESHAPE", kSameCodes},
    {"RESIZE_BILINEAR",
     "positions i * in / out (aligned corners: i * (in - 1) / (out - 1); half pixels: (i + 1/2) * in / out - "
     "1/2) in units of 2^-b; the "
     "weighted sum of four codes in units of 2^-2b"},
    {"RESIZE_BILINEAR.uint8",
     "v = the mean of the four codes around the place, each times its weight down and its weight across, in "
     "float32; places as RESIZE_BILINEAR's, in float32"},
    {"RESIZE_NEAREST_NEIGHBOR", "the code at a position of the input"},
    {"REVERSE_V2", kSameCodes},
    {"RSQRT",
     "acc = 2^20 / sqrt(x), a multiplier by gemmlowp's Newton steps; r = 2^-20 / f32(f32(sqrt(s_in)) * "
     "s_out); "
     "127 for x = 0"},
    {"SELECT_V2", kSameCodes},
    {"SHAPE", "the dimensions"},
    {"SignalDelay", "the samples of delay_length before, of each row; 0 before the first"},
    {"SignalEnergy",
     "re^2 + im^2 of numbers start_index to end_index; TFLM does not set the others, which are 0"},
    {"SignalFftAutoScale",
     "b = 15 less the bits of the largest magnitude, 0 for silence; codes are x * 2^b. The magnitude of "
     "-32768 is "
     "-32768, whatever comes next is larger"},
    {"SignalFilterBank",
     "channel c: sum of weights * energies over band c + sum of unweights * energies over band c - 1, modulo "
     "2^64; "
     "the first of num_channels + 1 is dropped"},
    {"SignalFilterBankLog",
     "x = q * 2^input_correction_bits modulo 2^32; 0 for x <= 1, else x = 2^k * (1 + f), f in units of "
     "2^-16; log2 by "
     "a table of 128 segments, L[i] = away(65536 * (log2(1 + i / 128) - i / 128)), the last one's end 0; "
     "times "
     "45426 / 65536, times output_scale, both rounded up from the half; at most 32767"},
    {"SignalFilterBankSpectralSubtraction",
     "s = x * 2^smoothing_bits modulo 2^32; e = (s * smoothing + e * one_minus_smoothing) / "
     "2^spectral_subtraction_bits, without a fraction, the alternate pair in odd channels; the greater of (s "
     "- "
     "min(e, s)) / 2^smoothing_bits and x * min_signal_remaining / 2^spectral_subtraction_bits; e is kept, "
     "with "
     "clamping min(e, s)"},
    {"SignalFilterBankSquareRoot",
     "the integer nearest to the root, at most 65535 for x < 2^32, at most 2^32 - 1 for others, without its "
     "lowest "
     "bits, as many as operand 1 says"},
    {"SignalFramer",
     "frames of frame_size samples that begin frame_step apart; with prefill, frame_size - frame_step zeros "
     "before "
     "the first. TFLM leaves what was there for a frame that lacks samples, here 0; then output 1 is 0"},
    {"SignalIrfft",
     "the inverse of SignalRfft's steps: even and odd part of each frequency joined, then the transform of "
     "fft_length / 2 numbers with conjugate roots"},
    {"SignalOverlapAdd", "sums of frames that begin frame_step apart, clamped after each addition"},
    {"SignalPCAN",
     "gain g of the noise: of 0, 1, 2 entries 0 to 2 of the table, else a parabola for each power of two "
     "with 10 bits "
     "of fraction; r = x * g / 2^snr_shift modulo 2^32; r^2 / 2^20 below 8192, else r / 64 - 64"},
    {"SignalRfft",
     "a transform of fft_length / 2 complex numbers by radices 4, 2, 3, 5; before each step a number is "
     "multiplied by "
     "floor((2^F - 1) / radix), F = 15 (int32: 31), and by its root of unity floor(1/2 + (2^F - 1) * cos), "
     "sin "
     "likewise, each product rounded to F bits, ties up; sums wrap; then even and odd samples' parts are "
     "taken apart "
     "and halved, without a fraction"},
    {"SignalStacker",
     "a frame with stacker_left_context before and stacker_right_context behind it, every stacker_step "
     "frames; the "
     "first stands for those before it. TFLM leaves what was there while frames are missing, here 0; then "
     "output 1 "
     "is 0"},
    {"SignalWindow", "floor(x * w / 2^shift), clamped"},
    {"SLICE", kSameCodes},
    {"SOFTMAX",
     "d = (q - the row's maximum) * beta * s_in; 256 * exp(d) / sum of exp(d) - 128 (int16 output: 65536 and "
     "-32768)"},
    {"SOFTMAX.int16",
     "d = (q - the row's maximum) * beta * s_in; e = exp(d) by a table of 512 segments from -10 to 0; S = "
     "sum "
     "of e; e / S by a table of 1 / (1 + x); s_out = 2^-15, z_out = 0"},
    {"SOFTMAX.uint8", "d = (q - the row's maximum) * beta * s_in; 256 * exp(d) / sum of exp(d)"},
    {"SPACE_TO_BATCH_ND", "codes are moved; new ones are z_out"},
    {"SPACE_TO_DEPTH", kSameCodes},
    {"SPLIT", kSameCodes},
    {"SPLIT_V", kSameCodes},
    {"SQUARED_DIFFERENCE", "y1 and y2 as ADD with 2^7 for 2^20; acc = (y1 - y2)^2; r = t^2 / (2^14 * s_out)"},
    {"SQUARED_DIFFERENCE.int16",
     "y1 = q1 scaled by s1 / t, y2 likewise by s2 / t, t = 2 * max(s1, s2); acc = (y1 - y2)^2; r = t^2 / "
     "s_out"},
    {"SQUEEZE", kSameCodes},
    {"STRIDED_SLICE", kSameCodes},
    {"SUB", kPairRatio},
    {"SUB.int16", kInt16PairRatio},
    {"SUM", kSumOfAxes},
    {"SUM.int16", kSumOfAxes},
    {"SVDF",
     "feature = sum of w_f * x, scaled by s_in * s_f / s_state, clamped to the state's type, + "
     "z_state, into the newest place "
     "of the memory; acc = bias + sum over rank and memory of w_t * (state - z_state), scaled by "
     "s_state * s_t / s_out"},
    {"TANH", "tanh(s_in * x); s_out = 2^-7, z_out = 0"},
    {"TANH.int16", kSigmoid16},
    {"TRANSPOSE", kSameCodes},
    {"TRANSPOSE_CONV", kWindowSum},
    {"TRANSPOSE_CONV.int16", kWindowSum},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", kLstm},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM.int16", kLstm},
    {"UNPACK", kSameCodes},
    {"ZEROS_LIKE", "0, also where the zero point is another code"},
};

struct Formula {
  std::string_view op;  // Empty: the row is for all operators.
  std::string_view rule, text;
};

constexpr char kTableText[] =
    "at each of 256 codes: v = f32(s_in * x), w = f32(function of v), code = away(f32(w * f32(1 / s_out))) + "
    "z_out";

constexpr char kFloatRatioText[] =
    "code = clamp(DR(acc, r) + z_out), each product and quotient of scales rounded to float32";

constexpr Formula kFormulas[] = {
    {"", "EXACT", "nothing is rounded"},
    {"", "DR", "code = clamp(DR(acc, r) + z_out), r in double"},
    {"", "SR", "code = clamp(SR(acc, r) + z_out), r in double"},
    {"", "DRU", "code = clamp(DRU(acc, r) + z_out), r in double"},
    {"", "DBL", "code = clamp(DBL(acc, r) + z_out), r in double"},
    {"", "FP32", "code = clamp(FP32(acc, r), less z_out) + z_out, r = f32(f32(s1 * s2) / s_out)"},
    {"", "DR-D", "as DR, the scales combined in double"},
    {"", "DR-F", "as DR, each product and quotient of scales rounded to float32"},
    {"", "SR-D", "as SR, the scales combined in double"},
    {"", "SR-F", "as SR, each product and quotient of scales rounded to float32"},
    {"", "TABLE", kTableText},
    {"", "V16", "code = clamp(V16(acc, r) + z_out), r in double"},
    {"ADD", "DR", "code = clamp(DR(DR(y1) + DR(y2), t / (2^20 * s_out)) + z_out), the ratios in double"},
    {"ADD", "SR", "the same with SR for DR"},
    {"ADD", "O-ADD",
     "as DR; for the first 16 * floor(n / 16) elements of equal shapes y_i = floor((x_i * 2^(20 + e_i) * m_i "
     "+ 2^30) / 2^31), rounded once"},
    {"ADD", "X-ADD",
     "a = f32(s1 / s_out), b = f32(s2 / s_out), k = 20 - floor(log2(max(a, b))), A = rint(a * 2^k), B = "
     "rint(b * 2^k); code = "
     "clamp(floor(((q1 - z1) * A + (q2 - z2) * B + 2^(k - 1)) / 2^k) + z_out)"},
    {"ADD", "V16",
     "p1 = (q1 - z1) * 2^7 * m with m, e of V16 for s1 / t, u1 = floor(floor((p1 + (p1 < 0 ? 1 - 2^14 : "
     "2^14)) / 2^15) / 2^-e), u2 likewise; code = clamp(V16(u1 + u2, t / (2^7 * s_out)) + z_out)"},
    {"SUB", "X-ADD", "as ADD, B negative"},
    {"AVERAGE_POOL_2D", "EXACT", kMeanOfCodes},
    {"AVERAGE_POOL_2D.int16", "EXACT", kMeanOfCodes},
    {"BATCH_MATMUL", "DR", "code = clamp(DR(acc, f64(f32(s1 * s2)) / s_out) + z_out)"},
    {"BATCH_MATMUL", "SR", "the same with SR for DR"},
    {"FULLY_CONNECTED", "DR",
     "code = clamp(DR(acc, r) + z_out); s_in * s_w is rounded to float32 where the weights have one scale, "
     "else in double"},
    {"FULLY_CONNECTED", "SR", "the same with SR for DR"},
    {"FULLY_CONNECTED", "DRU", "the same with DRU for DR"},
    {"CONV_2D", "O-CONV", "DRU; DR where the filter sees some of the channels only (groups)"},
    {"DEPTHWISE_CONV_2D", "CH8", "channels c < 8 * floor(C / 8) DRU, those behind them DR"},
    {"TRANSPOSE_CONV", "CH8", "channels c < 8 * floor(C / 8) DRU, those behind them DR"},
    {"DEQUANTIZE", "MUL-D", "f32(f64(s_in) * x)"},
    {"DEQUANTIZE", "O-DEQ",
     "the first 8 * floor(n / 8) elements f32(f32(q * s_in) + f32(-z_in * s_in)), those behind them MUL-D"},
    {"DEQUANTIZE", "FIRST", "a defect: as MUL-D with the first s_in and z_in, though there be more"},
    {"ABS", "DR", kFloatRatioText},
    {"ABS", "SR", "the same with SR for DR"},
    {"DIV", "DR", kFloatRatioText},
    {"DIV", "SR", "the same with SR for DR"},
    {"RELU", "DR", kFloatRatioText},
    {"RELU", "SR", "the same with SR for DR"},
    {"RELU6", "DR", kFloatRatioText},
    {"RELU6", "SR", "the same with SR for DR"},
    {"LEAKY_RELU", "DR", kFloatRatioText},
    {"LEAKY_RELU", "SR", "the same with SR for DR"},
    {"SVDF", "DR", "both scalings by DR, each product and quotient of scales rounded to float32"},
    {"SVDF", "SR", "the same with SR for DR"},
    {"ELU", "X-TABLE", "as TABLE with rint for away"},
    {"ELU", "X-ELU",
     "at each code: clamp(rint(f32(f32(w * f32(1 / s_out)) + z_out))): the zero point is inside the "
     "rounding"},
    {"LEAKY_RELU", "X-LRELU",
     "m = rint(256 * r), r = f32(s_in / s_out) where x > 0, else f32(r * alpha); code = clamp(floor((x * m + "
     "128) / 256) + z_out)"},
    {"LOGISTIC", "FIXED",
     "X = DR(x, s_in * 2^27) in Q4.27, saturated; gemmlowp's logistic in Q0.31; code = away(Y / 2^23) - 128"},
    {"LOGISTIC", "SR", "as FIXED with SR for DR: no input tells them apart"},
    {"TANH", "FIXED",
     "X = DR(x, s_in * 2^27) in Q4.27, saturated; gemmlowp's tanh in Q0.31; code = away(Y / 2^24)"},
    {"TANH", "SR", "as FIXED with SR for DR: no input tells them apart"},
    {"SOFTMAX", "DR",
     "gemmlowp's fixed point: d in Q5.26, exp in Q0.31, the sum in Q12.19; code = away(exp * (1 / sum) / "
     "2^n) - 128; single rounding gives "
     "the same bytes"},
    {"SOFTMAX", "O-TABLE",
     "tab[k] = f32(exp(f64(f32(f32(-s_in * beta) * k)))), k = maximum - q; S = float32 sum of tab in order; "
     "inv = f32(1 / f32(S * s_out)); "
     "code = clamp(floor(f64(f32(tab * inv)) + 1/2) + z_out)"},
    {"LOG_SOFTMAX", "DR",
     "gemmlowp's fixed point: d in Q5.26, sum in Q12.19, log in Q5.26; code = away(16 * (d - log)) + 127"},
    {"LOG_SOFTMAX", "O-TABLE",
     "S as in SOFTMAX with beta 1; c = f32(s_in / s_out); p = f32(f32(f32(s_in * maximum) + "
     "f32(log(f64(S)))) / s_out); code = "
     "clamp(rint(f32(f32(c * q) - p)) + z_out)"},
    {"MEAN", "DR", kMeanRounded},
    {"MEAN", "SR", "the same with SR for DR"},
    {"MEAN.int16", "DR", kMeanRounded},
    {"MEAN.int16", "SR", "the same with SR for DR"},
    {"MEAN", "FP32", "code = clamp(rint(f32(f32(acc) * f32(s_in / f32(s_out * n)))) + z_out)"},
    {"MEAN", "O-MEAN",
     "axes H and W of four dimensions that stay: S = sum of q; t = f32(f32(z_in * s_in) / s_out), bias = "
     "z_out - away(t); r = f32(s_in / "
     "f32(n * s_out)); DRU(S, r) in blocks of 16 channels, DR behind them, + bias; else DR"},
    {"MEAN", "X-RED",
     "S = sum of q; r = f32(f32(s_in / s_out) * f32(1 / n)); code = rint(clamp(f32(f32(f32(S) * r) + "
     "f32(z_out - f32(f32(n * z_in) * r)))))"},
    {"SUM", "O-SUM",
     "S = sum of q; r = f32(s_in / s_out); code = clamp(away(f32(f32(f32(S) * r) + f32(f32(-z_in * r) * n))) "
     "+ z_out)"},
    {"SUM", "X-RED", "as MEAN with r = f32(s_in / s_out)"},
    {"SUM", "U8",
     "a defect: codes are read as uint8, sum of (q & 255) - n * z_in, clamped to 0..255 and stored as a "
     "byte"},
    {"MUL", "O-MUL",
     "as DR-F; in blocks of 16 elements of equal shapes the product is saturated to int16, and z_out is "
     "added in int16, which wraps"},
    {"PRELU", "DR-D", "as DR, the scales combined in double"},
    {"QUANTIZE", "O-REQ",
     "int8 to int8 or uint8: the first 16 * floor(n / 16) elements DRU, those behind them DR; other types "
     "DR"},
    {"QUANTIZE", "X-CVT",
     "int8 to int8 with f32(s_in / s_out) from 2^-8 to 2^7: m = rint(256 * f32(s_in / s_out)), code = "
     "clamp(floor((x * m + 128) / 256) + "
     "z_out); else O-REQ"},
    {"QUANTIZE.float32", "DIV", "code = clamp(away(f32(v / s_out)) + z_out)"},
    {"QUANTIZE.float32", "O-QUANT",
     "to int8 and int16: the first 8 * floor(n / 8) elements rint(f32(v * f32(1 / s_out))), those behind "
     "them DIV-D; else DIV; + z_out"},
    {"QUANTIZE.float32", "X-QUANT", "to int8: rint(f32(v * f32(1 / s_out))) + z_out; else O-QUANT"},
    {"QUANTIZE.float32", "DIV-D", "to int8 and int16: code = clamp(away(f64(v) / s_out) + z_out); else DIV"},
    {"RELU6", "CLAMP", kRelu6Defect},
    {"RELU6.int16", "CLAMP", kRelu6Defect},
    {"RESIZE_BILINEAR", "DR",
     "b = 10: scale = (2^10 * in + out / 2) / out, position = i * scale; sum / 2^20, ties away from zero"},
    {"RESIZE_BILINEAR", "SR", "the same with ties up"},
    {"RESIZE_BILINEAR", "X-RESIZE",
     "b = 11: position in float32, i * f32(in / out) (half pixels: + f32(0.5 * ratio - 0.5), not below 0), "
     "at most in - 1; weight = rint(2048 "
     "* (position - trunc(position))); floor((sum + 2^21) / 2^22)"},
    {"RESIZE_NEAREST_NEIGHBOR", "EXACT",
     "floor(f32((i + h) * f32(in / out))), h = 1/2 with half pixels, else 0; aligned corners: away(f32(i * "
     "f32((in - 1) / (out - 1)))); at "
     "most in - 1"},
    {"RESIZE_NEAREST_NEIGHBOR", "O-NEAREST",
     "neither option set: min(floor(i * (floor(in * 2^16 / out) + 1) / 2^16), in - 1); else EXACT"},
    {"ADD.uint8", "DR", "as ADD, clamped to 0..255"},
    {"AVERAGE_POOL_2D.uint8", "EXACT", "floor((sum + floor(count / 2)) / count): ties go up"},
    {"CONCATENATION.uint8", "F32",
     "k = f32(s_in * f32(1 / s_out)); code = clamp(away(f32(f32(q * k) + f32(-z_in * k))) + z_out)"},
    {"CONV_2D.uint8", "DR", "code = clamp(DR(acc, f64(f32(s_in * s_w)) / s_out) + z_out)"},
    {"DEPTHWISE_CONV_2D.uint8", "DR", "code = clamp(DR(acc, f64(f32(s_in * s_w)) / s_out) + z_out)"},
    {"ADD.int16", "DR",
     "code = clamp(DR(DR(y1) + DR(y2), t / (2^15 * s_out)) + z_out), the ratios in double"},
    {"ADD.int16", "SR", "the same with SR for DR"},
    {"SUB.int16", "DR",
     "code = clamp(DR(DR(y1) - DR(y2), t / (2^15 * s_out)) + z_out), the ratios in double"},
    {"SUB.int16", "SR", "the same with SR for DR"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", "DR-F",
     "each product with a real number is DR's; s_in * s_w and s_h * s_r are rounded to float32"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", "SR-F", "the same with SR for DR"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", "DR-D", "as DR-F, the scales combined in double"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM.int16", "DR-F",
     "products of gates, with sums of 64 bits, by W15 of DEPTHWISE_CONV_2D.int16; s_in * s_w and s_h * s_r "
     "are "
     "rounded to float32; other products with a real number are DR's"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM.int16", "SR-F", "the same with SR for DR"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM.int16", "DR-D", "as DR-F, the scales combined in double"},
    {"CONV_2D.int16", "DR", "bias of int32: DR(acc, r); else W15 of DEPTHWISE_CONV_2D.int16"},
    {"CONV_2D.int16", "SR", "the same with SR for DR"},
    {"DEPTHWISE_CONV_2D.int16", "W15",
     "m15 = min(floor((m + 2^15) / 2^16), 32767); floor((acc * m15 + 2^(14 - e)) / 2^(15 - e)), acc in 64 "
     "bits, the result its lower 32"},
    {"FULLY_CONNECTED.int16", "DR-F",
     "DR of CONV_2D.int16, + z_out; s_in * s_w is rounded to float32 where the weights have one scale"},
    {"FULLY_CONNECTED.int16", "SR-F", "the same with SR for DR"},
    {"FULLY_CONNECTED.int16", "DR-D", "as DR-F, the scales combined in double"},
    {"LOGISTIC.int16", "EXACT",
     "table t of 65536 / (1 + exp(-i / 24)): interpolated in t, in units of 2^-15"},
    {"TANH.int16", "EXACT", "2 * t - 1, interpolated in the table of LOGISTIC.int16, in units of 2^-15"},
    {"TRANSPOSE_CONV.int16", "W15", "as DEPTHWISE_CONV_2D.int16"},
    {"BATCH_MATMUL.int16", "W15", "as DEPTHWISE_CONV_2D.int16"},
    {"SOFTMAX.int16", "DR",
     "d by DR in units of 10 / 65535, at least -65535; e in units of 2^-15, S * 2^k from 2^30 to 2^31; i = 1 "
     "/ "
     "(1 + x) at x = S * 2^(k - 30) - 1, in units of 2^-15; code = floor((e * i + 2^(29 - k)) / 2^(30 - k)), "
     "at "
     "most 32767"},
    {"SOFTMAX.int16", "SR", "the same with SR for DR"},
    {"RESIZE_BILINEAR.uint8", "F32", "code = floor(f32(v + 1/2))"},
    {"SOFTMAX.uint8", "DR", "as SOFTMAX with 0 for -128"},
    {"SPACE_TO_BATCH_ND", "PAD-0", "a defect: new codes are 0, not z_out"},
};

// Returns the text of this operator's row, else that of the row for all operators.
std::string_view TextOf(std::string_view op, std::string_view rule) {
  for (const std::string_view owner : {op, std::string_view()}) {
    for (const Formula& formula : kFormulas) {
      if (formula.op == owner && formula.rule == rule) return formula.text;
    }
  }
  return "";
}

// Returns the profiles that have the rule: "tflm, xnnpack where ...".
std::string ProfilesWith(const Operator& op, const ArithmeticRule& rule) {
  std::string text;
  for (const Profile& profile : Profiles()) {
    const std::vector<const ArithmeticRule*> rules = RulesOf(profile, op);
    const auto found = std::find(rules.begin(), rules.end(), &rule);
    if (found == rules.end()) continue;
    text.append(text.empty() ? "" : ", ").append(profile.name);
    if (rules.size() == 1) continue;
    const std::string_view where = profile.rules.at(op.name()).where;
    if (found == rules.begin()) {
      text.append(" where ").append(where);
    } else {
      text.append(" but where ").append(where);
    }
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string_view ComputedBy(const Operator& op) {
  const std::string name = op.name();
  const auto found = std::find_if(std::begin(kComputations), std::end(kComputations),
                                  [&name](const Computation& row) { return row.op == name; });
  return found == std::end(kComputations) ? "" : found->text;
}

std::string_view FormulaOf(const Operator& op, const ArithmeticRule& rule) {
  return TextOf(op.name(), rule.name);
}

std::string RulesPage() {
  std::string text = kHead;
  text += "| profile | is |\n|---|---|\n";
  for (const Profile& profile : Profiles()) {
    text.append("| `").append(profile.name).append("` | ").append(profile.description).append(" |\n");
  }
  text += kAboutTflm;
  for (const Operator* op : AllOperators()) {
    text.append("\n## ").append(op->name()).append("\n\n").append(ComputedBy(*op));
    text += ".\n\n| rule | code | profiles |\n|---|---|---|\n";
    for (const ArithmeticRule& rule : op->rules) {
      std::string formula(FormulaOf(*op, rule));
      for (size_t at = 0; (at = formula.find('|', at)) != std::string::npos; at += 2)
        formula.insert(at, 1, '\\');
      text.append("| ").append(rule.name).append(" | ").append(formula).append(" | ");
      text.append(ProfilesWith(*op, rule)).append(" |\n");
    }
  }
  return text;
}

}  // namespace lutra::conformance::oracle
