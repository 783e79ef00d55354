// SPDX-License-Identifier: Apache-2.0
// Tests every element type, index width, channel layout, length and table size, in every format: an
// interpreter decodes what was encoded, with each policy, in the arena and in alternate memory.

#include <gtest/gtest.h>

#include <cstring>

#include "compressor/encode/encode.h"
#include "lutra/compression/format.h"
#include "lutra/diagnosis_text.h"
#include "lutra/micro_interpreter.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra::conformance {
namespace {

using ByteList = std::vector<uint8_t>;

constexpr int kLengths[] = {1,  2,  3,  4,  5,  7,  8,   9,   15,  16,  17,
                            31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256};
constexpr TensorType kTypes[] = {TensorType::kBool,  TensorType::kInt8,  TensorType::kInt16,
                                 TensorType::kInt32, TensorType::kInt64, TensorType::kFloat32};

struct Shape4 {
  int width;
  int channels;
  bool last_axis;
  int length;   // Elements of a channel.
  int entries;  // Entries of a channel's table.
};

// Appends entry `index` of table `channel`.
void PutValue(TensorType type, int channel, int index, ByteList* bytes) {
  const int number = -1 - index - (channel % 2 == 0 ? 0 : index % 3);
  const auto put = [bytes](auto value) {
    const size_t at = bytes->size();
    bytes->resize(at + sizeof(value));
    std::memcpy(bytes->data() + at, &value, sizeof(value));
  };
  switch (type) {
    case TensorType::kBool:
      return put(static_cast<uint8_t>((index + channel) % 2));
    case TensorType::kInt8:
      return put(static_cast<int8_t>(number));
    case TensorType::kInt16:
      return put(static_cast<int16_t>(number * 100));
    case TensorType::kInt32:
      return put(static_cast<int32_t>(number * 10'000'000));
    case TensorType::kInt64:
      return put(static_cast<int64_t>(number) * 100'000'000'000);
    default:
      return put(static_cast<float>(number) - 0.1f);
  }
}

// Returns the tensor: each channel repeats the entries of its table.
ByteList ValuesOf(TensorType type, const Shape4& s) {
  ByteList bytes;
  for (int i = 0; i < s.length * s.channels; ++i) {
    const int channel = s.last_axis ? i % s.channels : i / s.length;
    const int in_channel = s.last_axis ? i / s.channels : i % s.length;
    PutValue(type, channel, in_channel % s.entries, &bytes);
  }
  return bytes;
}

TensorSpec SpecOf(TensorType type, const Shape4& s) {
  TensorSpec spec;
  spec.shape =
      s.last_axis ? std::vector<int32_t>{s.length, s.channels} : std::vector<int32_t>{s.channels, s.length};
  spec.type = type;
  spec.channel_scales.assign(static_cast<size_t>(s.channels), 1.0f);
  spec.quantized_dimension = s.last_axis ? 1 : 0;
  return spec;
}

// Returns a model of TFLM_DECODE and a copy of its output.
ByteList DecodeModel(const TensorSpec& spec, const compressor::EncodedTensor& encoded) {
  ModelBuilder builder;
  const auto constant = [&builder](const ByteList& data) {
    return builder.AddTensor(
        {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
  };
  const int stream = constant(encoded.encoded);
  const int ancillary = constant(encoded.ancillary);
  const int decoded = builder.AddTensor(spec);
  const int copy = builder.AddTensor(spec);
  builder.AddCustomOperator(kDecodeCustomCode, {stream, ancillary}, {decoded});
  builder.AddOperator(BuiltinOperator::kReshape, {decoded}, {copy});
  return builder.Finish({}, {copy});
}

// Returns a model in which a variable is assigned the compressed constant.
ByteList MetadataModel(TensorSpec spec, const compressor::LutTables& tables, int width) {
  ModelBuilder builder;
  const uint32_t values = builder.AddBuffer(tables.values);
  const int handle = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  const int output = builder.AddTensor(spec);
  spec.data = compressor::PackIndices(tables, width);
  const int constant = builder.AddTensor(spec);
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {handle, constant}, {});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {output});
  const std::vector<LutTensorSpec> list = {{constant, values, static_cast<uint8_t>(width)}};
  builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
  return builder.Finish({}, {output});
}

// Runs the model with all six settings. Returns the number of runs that gave `expected`.
int RunAll(const ByteList& bytes, const ByteList& expected) {
  static std::vector<uint64_t> file;
  alignas(16) static uint8_t arena[16384];
  alignas(16) static uint8_t region[8192];
  file.assign((bytes.size() + 7) / 8, 0);
  std::memcpy(file.data(), bytes.data(), bytes.size());
  Model model;
  Diagnosis diagnosis;
  if (Model::Load({reinterpret_cast<const uint8_t*>(file.data()), bytes.size()}, &model, &diagnosis) !=
      Status::kOk) {
    ADD_FAILURE() << Describe(diagnosis.rule).name;
    return 0;
  }
  int equal = 0;
  for (const auto policy :
       {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit, DecompressionPolicy::kStreamed}) {
    for (const bool alternate : {false, true}) {
      MicroInterpreter interpreter(model, AllOps(), arena,
                                   {.plan = {.search_moves = 0}, .decompression = policy});
      const AlternateMemoryRegion regions[] = {{region, sizeof(region)}};
      if (alternate && interpreter.SetDecompressionMemory(regions) != Status::kOk) continue;
      if (interpreter.AllocateTensors() != Status::kOk || interpreter.Invoke() != Status::kOk) {
        ADD_FAILURE() << Describe(interpreter.diagnosis().rule).name;
        continue;
      }
      const Tensor output = interpreter.output(0);
      equal += static_cast<size_t>(output.info.bytes) == expected.size() &&
                       std::memcmp(output.data, expected.data(), expected.size()) == 0
                   ? 1
                   : 0;
    }
  }
  return equal;
}

constexpr int kSettings = 6;

class CompressionMatrix : public testing::TestWithParam<TensorType> {};

template <typename Visit>
void ForEachShape(TensorType type, const Visit& visit) {
  for (int width = 1; width <= 7; ++width) {
    for (const int channels : {1, 2}) {
      for (const bool last_axis : {false, true}) {
        for (const int length : kLengths) {
          for (const int fewer : {0, 1}) {
            const int most = type == TensorType::kBool ? 2 : 1 << width;
            visit(Shape4{width, channels, last_axis, length, std::min(length, std::max(1, most - fewer))});
          }
        }
      }
    }
  }
}

TEST_P(CompressionMatrix, LookupTablesOfBothForms) {
  int cases = 0;
  int runs = 0;
  ForEachShape(GetParam(), [&](const Shape4& s) {
    const ByteList expected = ValuesOf(GetParam(), s);
    const TensorSpec spec = SpecOf(GetParam(), s);
    const compressor::TensorValues values = {.type = GetParam(),
                                             .shape = spec.shape,
                                             .bytes = expected,
                                             .axis = s.channels == 1 ? -1 : spec.quantized_dimension};
    std::string why_not;
    const auto tables = compressor::BuildLutTables(values, 128, &why_not);
    ASSERT_TRUE(tables) << why_not;
    runs += RunAll(MetadataModel(spec, *tables, s.width), expected);
    compressor::Encodable lut = compressor::EncodeLut(values, {.width = s.width});
    ASSERT_TRUE(lut.result) << lut.why_not;
    runs += RunAll(DecodeModel(spec, *lut.result), expected);
    // Files that were written before the axis field existed are like this.
    lut.result->ancillary[kLutWidthByte] &= kLutWidthMask;
    runs += RunAll(DecodeModel(spec, *lut.result), expected);
    cases += 3;
  });
  EXPECT_EQ(cases, 3 * 7 * 2 * 2 * 22 * 2);
  EXPECT_EQ(runs, kSettings * cases);
}

TEST_P(CompressionMatrix, EveryDecodeType) {
  int cases = 0;
  int runs = 0;
  ForEachShape(GetParam(), [&](const Shape4& s) {
    const ByteList expected = ValuesOf(GetParam(), s);
    const TensorSpec spec = SpecOf(GetParam(), s);
    compressor::TensorValues values = {.type = GetParam(),
                                       .shape = spec.shape,
                                       .bytes = expected,
                                       .axis = s.channels == 1 ? -1 : spec.quantized_dimension};
    values.zero_points.assign(static_cast<size_t>(s.channels), 0);
    values.zero_point_axis = spec.quantized_dimension;
    for (const CodecFacts& codec : AllCodecs()) {
      const compressor::Encodable encodable = compressor::Encode(codec.type, values);
      if (!encodable.result) {
        ASSERT_FALSE(encodable.why_not.empty());
        continue;
      }
      runs += RunAll(DecodeModel(spec, *encodable.result), expected);
      ++cases;
    }
  });
  // Three of the codecs, at least, take any type.
  EXPECT_GE(cases, 3 * 7 * 2 * 2 * 22 * 2);
  EXPECT_EQ(runs, kSettings * cases);
  RecordProperty("cases", cases);
}

INSTANTIATE_TEST_SUITE_P(Types, CompressionMatrix, testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(ToString(info.param)); });

}  // namespace
}  // namespace lutra::conformance
