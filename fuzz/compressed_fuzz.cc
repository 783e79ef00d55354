// SPDX-License-Identifier: Apache-2.0
// Readers: runtime/compression/*.cc
// Fuzz target: one compressed tensor, checked and decoded.
//
// The input's first bytes say what tensor it is; the rest are the two buffers:
//
//   0      element type, of kTypes
//   1, 2   the two dimensions, less 1
//   3      scales and zero points: none, one, one for each index of axis 0, or of axis 1; and 4: not so
//   4      zero point
//   5      0: a pair of TFLM_DECODE; else a tensor of COMPRESSION_METADATA with indices of that many bits
//   6, 7   bytes of the ancillary tensor, or of the value tables; the stream follows

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "lutra/compression/decode.h"
#include "lutra/cpu.h"
#include "lutra/rule.h"

namespace {

using lutra::TensorType;

constexpr size_t kHeaderBytes = 8;
constexpr TensorType kTypes[] = {TensorType::kInt8,  TensorType::kBool,  TensorType::kInt16,
                                 TensorType::kInt32, TensorType::kInt64, TensorType::kFloat32,
                                 TensorType::kUInt8};

// The tensor, and the lists to which it points.
struct Described {
  lutra::TensorInfo tensor;
  std::vector<float> scales;
  std::vector<int64_t> zero_points;

  explicit Described(const uint8_t* header) {
    tensor.type = kTypes[header[0] % std::size(kTypes)];
    tensor.shape = {.rank = 2, .dims = {header[1] + 1, header[2] + 1}};
    tensor.bytes = tensor.shape.Count() * lutra::ElementBytes(tensor.type);
    const int kind = header[3] % 4;
    const bool is_other_axis = header[3] / 4 % 2 != 0;
    tensor.quantized_dimension = (kind == 3) != is_other_axis ? 1 : 0;
    const int lists[] = {0, 1, tensor.shape[0], tensor.shape[1]};
    scales.assign(static_cast<size_t>(lists[kind]), 0.5f);
    zero_points.assign(scales.size(), static_cast<int8_t>(header[4]));
    tensor.scales = {reinterpret_cast<const uint8_t*>(scales.data()), lists[kind]};
    tensor.zero_points = {reinterpret_cast<const uint8_t*>(zero_points.data()), lists[kind]};
  }
};

// Copies exactly these bytes to the heap, so that a sanitizer sees every read past them.
std::vector<uint8_t> Copy(const uint8_t* begin, const uint8_t* end) { return {begin, end}; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kHeaderBytes) return 0;
  const Described described(data);
  const uint8_t* const rest = data + kHeaderBytes;
  const size_t rest_bytes = size - kHeaderBytes;
  const size_t first_bytes = std::min<size_t>(data[6] | static_cast<size_t>(data[7]) << 8, rest_bytes);
  const std::vector<uint8_t> first = Copy(rest, rest + first_bytes);
  const std::vector<uint8_t> stream = Copy(rest + first_bytes, data + size);

  lutra::Encoding encoding;
  const lutra::Span<const uint8_t> first_span(first.data(), first.size());
  const lutra::Span<const uint8_t> stream_span(stream.data(), stream.size());
  lutra::Fault fault =
      data[5] == 0 ? lutra::ReadDecodePair(stream_span, first_span, described.tensor, &encoding)
                   : lutra::ReadLutTensor(stream_span, first_span, data[5], described.tensor, &encoding);
  if (fault.rule == lutra::Rule::kNone) fault = lutra::CheckContents(encoding);
  if (fault.rule != lutra::Rule::kNone) return 0;

  // Every variant of a decoder must write all bytes, the same ones, and no others.
  const auto bytes = static_cast<size_t>(described.tensor.bytes);
  const auto plain = std::make_unique<uint8_t[]>(bytes), best = std::make_unique<uint8_t[]>(bytes);
  memset(best.get(), 0xFF, bytes);
  lutra::Decode(encoding, lutra::kCpuAny, plain.get());
  lutra::Decode(encoding, lutra::CpuFeaturesHere(), best.get());
  if (memcmp(plain.get(), best.get(), bytes) != 0) abort();

  // So must parts: first every second part is decoded, then the parts between them.
  const int32_t part = 1 + data[7] % 37;
  memset(best.get(), 0xFF, bytes);
  for (int32_t from : {0, part}) {
    lutra::StreamPosition position;
    for (int32_t first_element = from; first_element < encoding.elements; first_element += 2 * part) {
      const int32_t count = std::min(part, encoding.elements - first_element);
      lutra::DecodePart(encoding, lutra::CpuFeaturesHere(), first_element, count, &position,
                        best.get() + static_cast<size_t>(first_element) * encoding.element_bytes);
    }
  }
  if (memcmp(plain.get(), best.get(), bytes) != 0) abort();
  return 0;
}
