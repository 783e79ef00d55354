// SPDX-License-Identifier: Apache-2.0
// The operators that the runtime has, as entries of an op resolver.
//
//   constexpr lutra::Op kOps[] = {lutra::kConv2D, lutra::kReshape, lutra::kSoftmax};
//   lutra::MicroInterpreter interpreter(model, kOps, arena);  // Links these three and no other.
// AllOps() has all of them. The file in ops/ that defines an operator's prepare describes the operator.

#pragma once

#include "lutra/builtin_operator.h"
#include "lutra/op.h"
#include "lutra/span.h"

// One row for each operator; adding an operator is adding a row here and its functions in ops/.
//   name         of the constant kName and of BuiltinOperator::kName
//   prepare      its functions; several operators may share one, and tell themselves apart by
//   eval         context.op().code
//   compressible the inputs that COMPRESSION_METADATA may compress: those that TFLM's kernels decompress
//   constant     the inputs whose values prepare reads: TFLM_DECODE cannot make them
//   macs         how many multiply-accumulates it takes (facts.h); nullptr: none worth counting
// clang-format off
#define LUTRA_OPERATORS(OP) \
  OP(Abs,                        PrepareAbs,                        EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Add,                        PrepareAdd,                        EvalBinary,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(AddN,                       PrepareAddN,                       EvalAddN,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(ArgMax,                     PrepareArgMax,                     EvalArgMax,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(ArgMin,                     PrepareArgMax,                     EvalArgMax,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(AssignVariable,             PrepareAssignVariable,             EvalAssignVariable,             Inputs(1),    kNoInputs,       nullptr)               \
  OP(AveragePool2D,              PrepareAveragePool2D,              EvalPool,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(BatchMatmul,                PrepareBatchMatmul,                EvalBatchMatmul,                kNoInputs,    kNoInputs,       MacsOfBatchMatmul)     \
  OP(BatchToSpaceNd,             PrepareBatchToSpaceNd,             EvalSpaceBatch,                 kNoInputs,    Inputs(1, 2),    nullptr)               \
  OP(BroadcastArgs,              PrepareBroadcastArgs,              EvalBroadcastArgs,              kNoInputs,    kNoInputs,       nullptr)               \
  OP(BroadcastTo,                PrepareBroadcastTo,                EvalCopy,                       kNoInputs,    Inputs(1),       nullptr)               \
  OP(CallOnce,                   PrepareCallOnce,                   EvalCallOnce,                   kNoInputs,    kNoInputs,       nullptr)               \
  OP(Cast,                       PrepareCast,                       EvalConvert,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(Ceil,                       PrepareCeil,                       EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Concatenation,              PrepareConcatenation,              EvalJoin,                       kAllInputs,   kNoInputs,       nullptr)               \
  OP(Conv2D,                     PrepareConv2D,                     EvalConv2D,                     Inputs(1, 2), kNoInputs,       MacsOfConv2D)          \
  OP(Cos,                        PrepareCos,                        EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Cumsum,                     PrepareCumsum,                     EvalCumsum,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(DepthToSpace,               PrepareDepth,                      EvalCopy,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(DepthwiseConv2D,            PrepareDepthwiseConv2D,            EvalDepthwiseConv2D,            Inputs(1, 2), kNoInputs,       MacsOfDepthwiseConv2D) \
  OP(Dequantize,                 PrepareDequantize,                 EvalConvert,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(Div,                        PrepareDiv,                        EvalDiv,                        kNoInputs,    kNoInputs,       nullptr)               \
  OP(DynamicUpdateSlice,         PrepareDynamicUpdateSlice,         EvalDynamicUpdateSlice,         kNoInputs,    kNoInputs,       nullptr)               \
  OP(Elu,                        PrepareElu,                        EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(EmbeddingLookup,            PrepareEmbeddingLookup,            EvalEmbeddingLookup,            kNoInputs,    kNoInputs,       nullptr)               \
  OP(Equal,                      PrepareCompare,                    EvalCompare,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(Exp,                        PrepareExp,                        EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(ExpandDims,                 PrepareExpandDims,                 EvalReshape,                    kNoInputs,    Inputs(1),       nullptr)               \
  OP(Fill,                       PrepareFill,                       EvalFill,                       kNoInputs,    Inputs(0),       nullptr)               \
  OP(Floor,                      PrepareFloor,                      EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(FloorDiv,                   PrepareFloorDiv,                   EvalFloorDiv,                   kNoInputs,    kNoInputs,       nullptr)               \
  OP(FloorMod,                   PrepareFloorMod,                   EvalFloorMod,                   kNoInputs,    kNoInputs,       nullptr)               \
  OP(FullyConnected,             PrepareFullyConnected,             EvalFullyConnected,             Inputs(1, 2), kNoInputs,       MacsOfFullyConnected)  \
  OP(Gather,                     PrepareGather,                     EvalGather,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(GatherNd,                   PrepareGatherNd,                   EvalGatherNd,                   kNoInputs,    kNoInputs,       nullptr)               \
  OP(Gelu,                       PrepareGelu,                       EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Greater,                    PrepareCompare,                    EvalCompare,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(GreaterEqual,               PrepareCompare,                    EvalCompare,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(HardSwish,                  PrepareHardSwish,                  EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(If,                         PrepareIf,                         EvalIf,                         kNoInputs,    kNoInputs,       nullptr)               \
  OP(L2Normalization,            PrepareL2Normalization,            EvalL2Normalization,            kNoInputs,    kNoInputs,       nullptr)               \
  OP(L2Pool2D,                   PrepareL2Pool2D,                   EvalPool,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(LeakyRelu,                  PrepareLeakyRelu,                  EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Less,                       PrepareCompare,                    EvalCompare,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(LessEqual,                  PrepareCompare,                    EvalCompare,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(Log,                        PrepareLog,                        EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(LogicalAnd,                 PrepareLogical,                    EvalLogicalAnd,                 kNoInputs,    kNoInputs,       nullptr)               \
  OP(LogicalNot,                 PrepareLogicalNot,                 EvalLogicalNot,                 kNoInputs,    kNoInputs,       nullptr)               \
  OP(LogicalOr,                  PrepareLogical,                    EvalLogicalOr,                  kNoInputs,    kNoInputs,       nullptr)               \
  OP(Logistic,                   PrepareLogistic,                   EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(LogSoftmax,                 PrepareLogSoftmax,                 EvalLogSoftmax,                 kNoInputs,    kNoInputs,       nullptr)               \
  OP(Maximum,                    PrepareMinMax,                     EvalMinMax,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(MaxPool2D,                  PrepareMaxPool2D,                  EvalPool,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Mean,                       PrepareSum,                        EvalReduce,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(Minimum,                    PrepareMinMax,                     EvalMinMax,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(MirrorPad,                  PrepareMirrorPad,                  EvalMirrorPad,                  kNoInputs,    Inputs(1),       nullptr)               \
  OP(Mul,                        PrepareMul,                        EvalBinary,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(Neg,                        PrepareNeg,                        EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(NotEqual,                   PrepareCompare,                    EvalCompare,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(Pack,                       PreparePack,                       EvalJoin,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Pad,                        PreparePad,                        EvalCopy,                       kNoInputs,    Inputs(1),       nullptr)               \
  OP(Padv2,                      PreparePadv2,                      EvalCopy,                       kNoInputs,    Inputs(1, 2),    nullptr)               \
  OP(Prelu,                      PreparePrelu,                      EvalPrelu,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Quantize,                   PrepareQuantize,                   EvalConvert,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(ReadVariable,               PrepareReadVariable,               EvalReadVariable,               kNoInputs,    kNoInputs,       nullptr)               \
  OP(ReduceAll,                  PrepareReduceAll,                  EvalReduce,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(ReduceMax,                  PrepareReduceMax,                  EvalReduce,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(ReduceMin,                  PrepareReduceMin,                  EvalReduce,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(Relu,                       PrepareRelu,                       EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Relu6,                      PrepareRelu6,                      EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Reshape,                    PrepareReshape,                    EvalReshape,                    kNoInputs,    Inputs(1),       nullptr)               \
  OP(ResizeBilinear,             PrepareResizeBilinear,             EvalResizeBilinear,             kNoInputs,    Inputs(1),       nullptr)               \
  OP(ResizeNearestNeighbor,      PrepareResizeNearestNeighbor,      EvalResizeNearestNeighbor,      kNoInputs,    Inputs(1),       nullptr)               \
  OP(ReverseV2,                  PrepareReverseV2,                  EvalCopy,                       kNoInputs,    Inputs(1),       nullptr)               \
  OP(Round,                      PrepareRound,                      EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Rsqrt,                      PrepareRsqrt,                      EvalRsqrt,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(SelectV2,                   PrepareSelectV2,                   EvalSelectV2,                   kNoInputs,    kNoInputs,       nullptr)               \
  OP(Shape,                      PrepareShape,                      EvalShape,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Sin,                        PrepareSin,                        EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Slice,                      PrepareSlice,                      EvalSlice,                      kNoInputs,    Inputs(1, 2),    nullptr)               \
  OP(Softmax,                    PrepareSoftmax,                    EvalSoftmax,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(SpaceToBatchNd,             PrepareSpaceToBatchNd,             EvalSpaceBatch,                 kNoInputs,    Inputs(1, 2),    nullptr)               \
  OP(SpaceToDepth,               PrepareDepth,                      EvalCopy,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Split,                      PrepareSplit,                      EvalSplit,                      kNoInputs,    Inputs(0),       nullptr)               \
  OP(SplitV,                     PrepareSplitV,                     EvalSplitV,                     kNoInputs,    Inputs(1, 2),    nullptr)               \
  OP(Sqrt,                       PrepareSqrt,                       EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(Square,                     PrepareSquare,                     EvalMath,                       kNoInputs,    kNoInputs,       nullptr)               \
  OP(SquaredDifference,          PrepareSquaredDifference,          EvalBinary,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(Squeeze,                    PrepareSqueeze,                    EvalReshape,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(StridedSlice,               PrepareStridedSlice,               EvalCopy,                       kNoInputs,    Inputs(1, 2, 3), nullptr)               \
  OP(Sub,                        PrepareSub,                        EvalBinary,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(Sum,                        PrepareSum,                        EvalReduce,                     kNoInputs,    Inputs(1),       nullptr)               \
  OP(Svdf,                       PrepareSvdf,                       EvalSvdf,                       kNoInputs,    kNoInputs,       MacsOfSvdf)            \
  OP(Tanh,                       PrepareTanh,                       EvalUnary,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(Transpose,                  PrepareTranspose,                  EvalCopy,                       kNoInputs,    Inputs(1),       nullptr)               \
  OP(TransposeConv,              PrepareTransposeConv,              EvalTransposeConv,              Inputs(1, 3), Inputs(0),       MacsOfTransposeConv)   \
  OP(UnidirectionalSequenceLstm, PrepareUnidirectionalSequenceLstm, EvalUnidirectionalSequenceLstm, kNoInputs,    kNoInputs,       MacsOfLstm)            \
  OP(Unpack,                     PreparePack,                       EvalSplitV,                     kNoInputs,    kNoInputs,       nullptr)               \
  OP(VarHandle,                  PrepareVarHandle,                  EvalNothing,                    kNoInputs,    kNoInputs,       nullptr)               \
  OP(While,                      PrepareWhile,                      EvalWhile,                      kNoInputs,    kNoInputs,       nullptr)               \
  OP(ZerosLike,                  PrepareZerosLike,                  EvalZerosLike,                  kNoInputs,    kNoInputs,       nullptr)

// The custom operators.
//   name         of the constant kName
//   custom_code  by which a model calls it
#define LUTRA_CUSTOM_OPERATORS(OP) \
  OP(CircularBuffer,                      "CIRCULAR_BUFFER",                     PrepareCircularBuffer,                      EvalCircularBuffer)                      \
  OP(Decode,                              kDecodeCustomCode,                     PrepareDecode,                              EvalDecode)                              \
  OP(DetectionPostprocess,                "TFLite_Detection_PostProcess",        PrepareDetectionPostprocess,                EvalDetectionPostprocess)                \
  OP(SignalDelay,                         "SignalDelay",                         PrepareSignalDelay,                         EvalSignalDelay)                         \
  OP(SignalEnergy,                        "SignalEnergy",                        PrepareSignalEnergy,                        EvalSignalEnergy)                        \
  OP(SignalFftAutoScale,                  "SignalFftAutoScale",                  PrepareSignalFftAutoScale,                  EvalSignalFftAutoScale)                  \
  OP(SignalFilterBank,                    "SignalFilterBank",                    PrepareSignalFilterBank,                    EvalSignalFilterBank)                    \
  OP(SignalFilterBankLog,                 "SignalFilterBankLog",                 PrepareSignalFilterBankLog,                 EvalSignalFilterBankLog)                 \
  OP(SignalFilterBankSpectralSubtraction, "SignalFilterBankSpectralSubtraction", PrepareSignalFilterBankSpectralSubtraction, EvalSignalFilterBankSpectralSubtraction) \
  OP(SignalFilterBankSquareRoot,          "SignalFilterBankSquareRoot",          PrepareSignalFilterBankSquareRoot,          EvalSignalFilterBankSquareRoot)          \
  OP(SignalFramer,                        "SignalFramer",                        PrepareSignalFramer,                        EvalSignalFramer)                        \
  OP(SignalIrfft,                         "SignalIrfft",                         PrepareSignalIrfft,                         EvalSignalIrfft)                         \
  OP(SignalOverlapAdd,                    "SignalOverlapAdd",                    PrepareSignalOverlapAdd,                    EvalSignalOverlapAdd)                    \
  OP(SignalPcan,                          "SignalPCAN",                          PrepareSignalPcan,                          EvalSignalPcan)                          \
  OP(SignalRfft,                          "SignalRfft",                          PrepareSignalRfft,                          EvalSignalRfft)                          \
  OP(SignalStacker,                       "SignalStacker",                       PrepareSignalStacker,                       EvalSignalStacker)                       \
  OP(SignalWindow,                        "SignalWindow",                        PrepareSignalWindow,                        EvalSignalWindow)
// clang-format on

namespace lutra {

extern const Calls kCallsOfCallOnce, kCallsOfIf, kCallsOfWhile;
constexpr Op OpOf(BuiltinOperator code, Op::PrepareFn prepare, Op::EvalFn eval, InputSet compressible) {
  if (code == BuiltinOperator::kCallOnce) return {code, prepare, eval, kCallsOfCallOnce};
  if (code == BuiltinOperator::kIf) return {code, prepare, eval, kCallsOfIf};
  if (code == BuiltinOperator::kWhile) return {code, prepare, eval, kCallsOfWhile};
  return {code, prepare, eval, compressible};
}

#define LUTRA_DECLARE_OPERATOR(name, prepare, eval, compressible, constant, macs) \
  Status prepare(PrepareContext& context);                                        \
  Status eval(EvalContext& context);                                              \
  inline constexpr Op k##name = OpOf(BuiltinOperator::k##name, prepare, eval, compressible);
LUTRA_OPERATORS(LUTRA_DECLARE_OPERATOR)
#undef LUTRA_DECLARE_OPERATOR

#define LUTRA_DECLARE_CUSTOM_OPERATOR(name, custom_code, prepare, eval) \
  Status prepare(PrepareContext& context);                              \
  Status eval(EvalContext& context);                                    \
  inline constexpr Op k##name = {BuiltinOperator::kCustom, prepare, eval, kNoInputs, custom_code};
LUTRA_CUSTOM_OPERATORS(LUTRA_DECLARE_CUSTOM_OPERATOR)
#undef LUTRA_DECLARE_CUSTOM_OPERATOR

Span<const Op> AllOps();

}  // namespace lutra
