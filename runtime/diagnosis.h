// SPDX-License-Identifier: Apache-2.0
// Diagnosis: which rule a model broke, and where. It travels beside a Status.
//
//   Diagnosis diagnosis;
//   if (Model::Load(bytes, &model, &diagnosis) != Status::kOk)
//     puts(Describe(diagnosis.rule).requirement);  // host only: the texts cost flash
//
// On the device a Diagnosis is numbers; host tools turn it into one line: file, node, tensor, rule,
// what was found, what is required, what next.

#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

namespace lutra {

enum class Rule : uint8_t {
  kNone = 0,
  // The file.
  kFileTooShort,
  kFileIdentifier,
  kFileVersion,
  kFlatbuffer,
  kSubgraphCount,
  kBufferIndex,
  kBufferExternal,
  kOperatorCodeIndex,
  kTensorIndex,
  kTooMany,
  // A tensor.
  kTensorType,
  kTensorRank,
  kTensorDimension,
  kTensorSize,
  kConstantSize,
  kSparse,
  kScaleValue,
  kZeroPointValue,
  // The graph.
  kNotProduced,
  kProducedTwice,
  kConstantWritten,
  kGraphOutput,
  kRecursion,
  // An operator.
  kOperatorUnknown,
  kOptionsMissing,
  kInputCount,
  kOutputCount,
  kInputMissing,
  kOperandType,
  kTypesDiffer,
  kUint8,
  kHybrid,
  kOperandRank,
  kOperandShape,
  kBroadcast,
  kElementCount,
  kConstantRequired,
  kQuantizationMissing,
  kPerTensorRequired,
  kScaleCount,
  kQuantizedDimension,
  kSameQuantization,
  kFixedOutputQuantization,
  kZeroPointZero,
  kBiasScale,
  kMultiplierRange,
  kScaleRange,
  kActivation,
  kWindow,
  kAxis,
  kIndex,
  kPermutation,
  kPaddings,
  kBlockSize,
  kSplitSizes,
  kSliceRange,
  kResizeMode,
  kResizeRange,
  kVariable,
  kStateVariable,
  kOptionValue,
  kAccumulator,
  // Compressed tensors.
  kCompressionMetadata,
  kCompressionVersion,
  kCompressionSubgraphs,
  kCompressionTensors,
  kCompressionTensorIndex,
  kCompressionDuplicate,
  kCompressionConstant,
  kCompressionBuffer,
  kCompressionScalar,
  kCompressionType,
  kCompressionWidth,
  kCompressionAxis,
  kCompressionChannels,
  kCompressionTable,
  kCompressionStream,
  kCompressionIndex,
  kCompressedOperand,
  kDecoderMissing,
  kDecodeOperands,
  kDecodeHeader,
  kDecodeVersion,
  kDecodeType,
  kDecodeTypeVersion,
  kHuffmanTable,
  kHuffmanStream,
  kPruneCount,
  kPruneZeroPoint,
  // Memory.
  kArenaTooSmall,
  kOfflinePlanSize,
  kOfflinePlanOffset,
  kOfflinePlanOverlap,
  // At run time.
  kRuntimeIndex,
  kRuntimeDivisor,
  kDelegateFailed,
  kCount,
};

inline constexpr int32_t kNoValue = INT32_MIN;

struct Diagnosis {
  Rule rule = Rule::kNone;
  int16_t subgraph = -1;
  int32_t node = -1;          // In its subgraph, in file order; -1: no node is to blame.
  int32_t tensor = -1;        // In its subgraph.
  int32_t other_tensor = -1;  // The second of a pair (kOfflinePlanOverlap).
  int32_t found = kNoValue;   // kNoValue: the rule is not about a number.
  int32_t required = kNoValue;
  size_t wanted_bytes = 0;  // kArenaTooSmall: a lower bound of what works.
};

struct RuleText {
  const char* name;         // Stable, for scripts: "scale-count".
  const char* requirement;  // What is required.
  const char* next;         // What to do about it.
};

// The texts of a rule. Linked only where it is called, which on a device is nowhere.
RuleText Describe(Rule rule);

}  // namespace lutra
