// SPDX-License-Identifier: Apache-2.0
// The operators of lutra/c.h: an object for each, so that a program links only those that it names. The
// header's type has the layout of Op, which c.cc checks.

#include "lutra/compression/decode.h"
#include "lutra/ops/ops.h"
#include "lutra/options.h"

#define LUTRA_C_OPERATORS(OP)                                                      \
  OP(Abs, abs)                                                                     \
  OP(Add, add)                                                                     \
  OP(AddN, add_n)                                                                  \
  OP(ArgMax, arg_max)                                                              \
  OP(ArgMin, arg_min)                                                              \
  OP(AssignVariable, assign_variable)                                              \
  OP(AveragePool2D, average_pool_2d)                                               \
  OP(BatchMatmul, batch_matmul)                                                    \
  OP(BatchToSpaceNd, batch_to_space_nd)                                            \
  OP(BroadcastArgs, broadcast_args)                                                \
  OP(BroadcastTo, broadcast_to)                                                    \
  OP(CallOnce, call_once)                                                          \
  OP(Cast, cast)                                                                   \
  OP(Ceil, ceil)                                                                   \
  OP(Concatenation, concatenation)                                                 \
  OP(Conv2D, conv_2d)                                                              \
  OP(Cos, cos)                                                                     \
  OP(Cumsum, cumsum)                                                               \
  OP(DepthToSpace, depth_to_space)                                                 \
  OP(DepthwiseConv2D, depthwise_conv_2d)                                           \
  OP(Dequantize, dequantize)                                                       \
  OP(Div, div)                                                                     \
  OP(DynamicUpdateSlice, dynamic_update_slice)                                     \
  OP(Elu, elu)                                                                     \
  OP(EmbeddingLookup, embedding_lookup)                                            \
  OP(Equal, equal)                                                                 \
  OP(Exp, exp)                                                                     \
  OP(ExpandDims, expand_dims)                                                      \
  OP(Fill, fill)                                                                   \
  OP(Floor, floor)                                                                 \
  OP(FloorDiv, floor_div)                                                          \
  OP(FloorMod, floor_mod)                                                          \
  OP(FullyConnected, fully_connected)                                              \
  OP(Gather, gather)                                                               \
  OP(GatherNd, gather_nd)                                                          \
  OP(Gelu, gelu)                                                                   \
  OP(Greater, greater)                                                             \
  OP(GreaterEqual, greater_equal)                                                  \
  OP(HardSwish, hard_swish)                                                        \
  OP(If, if)                                                                       \
  OP(L2Normalization, l2_normalization)                                            \
  OP(L2Pool2D, l2_pool_2d)                                                         \
  OP(LeakyRelu, leaky_relu)                                                        \
  OP(Less, less)                                                                   \
  OP(LessEqual, less_equal)                                                        \
  OP(Log, log)                                                                     \
  OP(LogicalAnd, logical_and)                                                      \
  OP(LogicalNot, logical_not)                                                      \
  OP(LogicalOr, logical_or)                                                        \
  OP(Logistic, logistic)                                                           \
  OP(LogSoftmax, log_softmax)                                                      \
  OP(Maximum, maximum)                                                             \
  OP(MaxPool2D, max_pool_2d)                                                       \
  OP(Mean, mean)                                                                   \
  OP(Minimum, minimum)                                                             \
  OP(MirrorPad, mirror_pad)                                                        \
  OP(Mul, mul)                                                                     \
  OP(Neg, neg)                                                                     \
  OP(NotEqual, not_equal)                                                          \
  OP(Pack, pack)                                                                   \
  OP(Pad, pad)                                                                     \
  OP(Padv2, padv2)                                                                 \
  OP(Prelu, prelu)                                                                 \
  OP(Quantize, quantize)                                                           \
  OP(ReadVariable, read_variable)                                                  \
  OP(ReduceAll, reduce_all)                                                        \
  OP(ReduceMax, reduce_max)                                                        \
  OP(ReduceMin, reduce_min)                                                        \
  OP(Relu, relu)                                                                   \
  OP(Relu6, relu6)                                                                 \
  OP(Reshape, reshape)                                                             \
  OP(ResizeBilinear, resize_bilinear)                                              \
  OP(ResizeNearestNeighbor, resize_nearest_neighbor)                               \
  OP(ReverseV2, reverse_v2)                                                        \
  OP(Round, round)                                                                 \
  OP(Rsqrt, rsqrt)                                                                 \
  OP(SelectV2, select_v2)                                                          \
  OP(Shape, shape)                                                                 \
  OP(Sin, sin)                                                                     \
  OP(Slice, slice)                                                                 \
  OP(Softmax, softmax)                                                             \
  OP(SpaceToBatchNd, space_to_batch_nd)                                            \
  OP(SpaceToDepth, space_to_depth)                                                 \
  OP(Split, split)                                                                 \
  OP(SplitV, split_v)                                                              \
  OP(Sqrt, sqrt)                                                                   \
  OP(Square, square)                                                               \
  OP(SquaredDifference, squared_difference)                                        \
  OP(Squeeze, squeeze)                                                             \
  OP(StridedSlice, strided_slice)                                                  \
  OP(Sub, sub)                                                                     \
  OP(Sum, sum)                                                                     \
  OP(Svdf, svdf)                                                                   \
  OP(Tanh, tanh)                                                                   \
  OP(Transpose, transpose)                                                         \
  OP(TransposeConv, transpose_conv)                                                \
  OP(Unpack, unpack)                                                               \
  OP(UnidirectionalSequenceLstm, unidirectional_sequence_lstm)                     \
  OP(VarHandle, var_handle)                                                        \
  OP(While, while)                                                                 \
  OP(CircularBuffer, circular_buffer)                                              \
  OP(Decode, decode)                                                               \
  OP(DetectionPostprocess, detection_postprocess)                                  \
  OP(SignalDelay, signal_delay)                                                    \
  OP(SignalEnergy, signal_energy)                                                  \
  OP(SignalFftAutoScale, signal_fft_auto_scale)                                    \
  OP(SignalFilterBank, signal_filter_bank)                                         \
  OP(SignalFilterBankLog, signal_filter_bank_log)                                  \
  OP(SignalFilterBankSpectralSubtraction, signal_filter_bank_spectral_subtraction) \
  OP(SignalFilterBankSquareRoot, signal_filter_bank_square_root)                   \
  OP(SignalFramer, signal_framer)                                                  \
  OP(SignalIrfft, signal_irfft)                                                    \
  OP(SignalOverlapAdd, signal_overlap_add)                                         \
  OP(SignalPcan, signal_pcan)                                                      \
  OP(SignalRfft, signal_rfft)                                                      \
  OP(SignalStacker, signal_stacker)                                                \
  OP(SignalWindow, signal_window)                                                  \
  OP(ZerosLike, zeros_like)

#if defined(__GNUC__)
#define LUTRA_EXPORTED __attribute__((visibility("default")))
#else
#define LUTRA_EXPORTED
#endif

extern "C" {
#define LUTRA_DEFINE_C_OPERATOR(name, c_name)              \
  LUTRA_EXPORTED extern const lutra::Op lutra_op_##c_name; \
  constexpr lutra::Op lutra_op_##c_name = lutra::k##name;
LUTRA_C_OPERATORS(LUTRA_DEFINE_C_OPERATOR)
}
