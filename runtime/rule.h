// SPDX-License-Identifier: Apache-2.0
// Rule: the rules that a model, or the data of an inference, can break. Texts: diagnosis_text.h.
//
//   if (diagnosis.rule == Rule::kArenaTooSmall) Print("a larger arena, please");

#pragma once

#include <stdint.h>

namespace lutra {

// Devices print the numbers: a rule keeps its number, and a new one is added at the end.
enum class Rule : uint8_t {
  kNone = 0,
  // The file.
  kFileTooShort = 1,
  kFileIdentifier = 2,
  kFileVersion = 3,
  kFlatbuffer = 4,
  kSubgraphCount = 5,
  kBufferIndex = 6,
  kBufferExternal = 7,
  kOperatorCodeIndex = 8,
  kTensorIndex = 9,
  kTooMany = 10,
  // A tensor.
  kTensorType = 11,
  kTensorRank = 12,
  kTensorDimension = 13,
  kTensorSize = 14,
  kConstantSize = 15,
  kSparse = 16,
  kScaleValue = 17,
  kZeroPointValue = 18,
  // The graph.
  kNotProduced = 19,
  kProducedTwice = 20,
  kConstantWritten = 21,
  kGraphOutput = 22,
  kRecursion = 23,
  // An operator.
  kOperatorUnknown = 24,
  kOptionsMissing = 25,
  kInputCount = 26,
  kOutputCount = 27,
  kInputMissing = 28,
  kOperandType = 29,
  kTypesDiffer = 30,
  kUint8 = 31,
  kHybrid = 32,
  kOperandRank = 33,
  kOperandShape = 34,
  kBroadcast = 35,
  kElementCount = 36,
  kConstantRequired = 37,
  kQuantizationMissing = 38,
  kPerTensorRequired = 39,
  kScaleCount = 40,
  kQuantizedDimension = 41,
  kSameQuantization = 42,
  kFixedOutputQuantization = 43,
  kZeroPointZero = 44,
  kBiasScale = 45,
  kMultiplierRange = 46,
  kScaleRange = 47,
  kActivation = 48,
  kWindow = 49,
  kAxis = 50,
  kIndex = 51,
  kPermutation = 52,
  kPaddings = 53,
  kBlockSize = 54,
  kSplitSizes = 55,
  kSliceRange = 56,
  kResizeMode = 57,
  kResizeRange = 58,
  kVariable = 59,
  kStateVariable = 60,
  kOptionValue = 61,
  kAccumulator = 62,
  // Compressed tensors.
  kCompressionMetadata = 63,
  kCompressionVersion = 64,
  kCompressionSubgraphs = 65,
  kCompressionTensors = 66,
  kCompressionTensorIndex = 67,
  kCompressionDuplicate = 68,
  kCompressionConstant = 69,
  kCompressionBuffer = 70,
  kCompressionScalar = 71,
  kCompressionType = 72,
  kCompressionWidth = 73,
  kCompressionAxis = 74,
  kCompressionChannels = 75,
  kCompressionTable = 76,
  kCompressionStream = 77,
  kCompressionIndex = 78,
  kCompressedOperand = 79,
  kDecoderMissing = 80,
  kDecodeOperands = 81,
  kDecodeHeader = 82,
  kDecodeVersion = 83,
  kDecodeType = 84,
  kDecodeTypeVersion = 85,
  kHuffmanTable = 86,
  kHuffmanStream = 87,
  kPruneCount = 88,
  kPruneZeroPoint = 89,
  // Memory.
  kArenaTooSmall = 90,
  kOfflinePlanSize = 91,
  kOfflinePlanOffset = 92,
  kOfflinePlanOverlap = 93,
  kRowPlan = 98,
  // At run time.
  kRuntimeIndex = 94,
  kRuntimeDivisor = 95,
  kDelegateFailed = 96,
  kRuntimeShape = 97,
  // These are about operands again.
  kInputNotTaken = 99,
  // At run time again.
  kRuntimeBox = 100,
  kRuntimeNegative = 101,
  // These are about control flow.
  kCalledSubgraph = 102,
  kRuntimeLoop = 103,
  // This is about the file.
  kModelAlignment = 104,
  kCount,
};

}  // namespace lutra
