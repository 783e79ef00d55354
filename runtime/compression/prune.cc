// SPDX-License-Identifier: Apache-2.0
// Pruning: a map of the elements that differ from the zero point, and their values.

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/compression/codec_functions.h"

namespace lutra {
namespace {

// Reads the zero points that pruned elements take.
Fault ReadZeroPoints(const TensorInfo& output, Encoding* e) {
  const bool codes = output.type == TensorType::kInt8;
  for (int32_t i = 0; i < output.zero_points.size(); ++i) {
    const int64_t zero_point = output.zero_points[i];
    if (codes ? zero_point < INT8_MIN || zero_point > INT8_MAX : zero_point != 0) {
      return Fails(Rule::kPruneZeroPoint, i);
    }
  }
  if (!codes) return kSound;
  e->zero_points = output.zero_points;
  if (output.scales.size() <= 1) return kSound;
  const int axis = output.quantized_dimension;
  if (axis != 0 && axis != output.shape.rank - 1) return Fails(Rule::kCompressionAxis, axis);
  if (output.shape.rank == 0 || output.scales.size() != output.shape[axis] ||
      output.zero_points.size() != output.shape[axis]) {
    return Fails(Rule::kCompressionChannels, output.zero_points.size());
  }
  SplitByAxis(output.shape, axis, e);
  return kSound;
}

}  // namespace

Fault ReadPrune(const uint8_t*, Span<const uint8_t> payload, const TensorInfo& output, Encoding* e) {
  const Fault fault = RequireType(kCompressibleTypes, output.type);
  if (fault.rule != Rule::kNone) return fault;
  e->kept = payload;
  return ReadZeroPoints(output, e);
}

// Checks that every element that is not pruned has a value.
Fault CheckPrune(const Encoding& e) {
  const Fault fault = RequireStreamBits(e, e.elements);
  if (fault.rule != Rule::kNone) return fault;
  FieldReader reader(e.stream, BitOrder::kMsbFirst);
  int64_t kept = 0;
  for (int32_t i = 0; i < e.elements; ++i) kept += reader.Read(1);
  const auto held = static_cast<int64_t>(e.kept.size() / e.element_bytes);
  return kept <= held ? kSound : Fails(Rule::kPruneCount, held, kept);
}

void DecodePrune(const Encoding& e, CpuFeatures features, void* output) {
  const PruneDecodeArgs args = {
      .map = e.stream.data(),
      .values = e.kept.data(),
      .zero_points = e.zero_points,
      .channels = e.channels,
      .inner = e.inner,
      .count = e.elements,
      .output = output,
  };
  WithElement<uint64_t>(e.element_bytes,
                        [&](auto zero) { Best(kPruneDecode<decltype(zero)>, features).run(args); });
}

void DecodePrunePart(const Encoding& e, CpuFeatures, int32_t first, int32_t count, StreamPosition* position,
                     void* output) {
  DecodeInOrder(e, first, count, position, output, [&e](StreamPosition* at) {
    const int32_t i = at->element;
    if ((e.stream[static_cast<size_t>(i / 8)] >> (7 - i % 8) & 1) != 0) {
      return ElementAt(e.kept.data(), static_cast<size_t>(at->kept++), e.element_bytes);
    }
    if (e.zero_points.size() == 0) return uint64_t{0};
    return static_cast<uint64_t>(e.zero_points[static_cast<int32_t>(ChannelOf(e, i))]);
  });
}

}  // namespace lutra
