// SPDX-License-Identifier: Apache-2.0
// What is wrong with compressed tensors is found when the model is loaded, by the rule that names it.

#include <gtest/gtest.h>

#include <functional>

#include "lutra/compression/format.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra {
namespace {

using ByteList = std::vector<uint8_t>;

// The rule that refuses the model, at Load or at AllocateTensors; kNone: it runs.
Rule RuleOf(const ByteList& bytes, DecodeFn decode = Decode) {
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  memcpy(aligned.data(), bytes.data(), bytes.size());
  const Span<const uint8_t> file(reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size());
  Model model;
  Diagnosis diagnosis;
  if (Model::Load(file, &model, &diagnosis) != Status::kOk) return diagnosis.rule;
  alignas(16) uint8_t arena[8192];
  MicroInterpreter interpreter(model, AllOps(), arena, {.decode = decode});
  if (interpreter.AllocateTensors() != Status::kOk) return interpreter.diagnosis().rule;
  EXPECT_EQ(interpreter.Invoke(), Status::kOk);
  return Rule::kNone;
}

// ---- COMPRESSION_METADATA: one FULLY_CONNECTED of 4 x 6 weights, indices of 2 bits.

struct MetadataCase {
  TensorSpec weights = {.shape = {4, 6}, .scale = 0.5f, .data = ByteList(6, 0x1B)};
  ByteList values = {1, 2, 3, 4};
  std::vector<int> outputs = {3};
  std::optional<std::vector<LutTensorList>> lists = std::vector<LutTensorList>{
      std::vector<LutTensorSpec>{{.tensor = 1, .value_buffer = 1, .index_bitwidth = 2}}};
  uint32_t version = 1;
  std::function<void(ByteList&)> change_metadata = [](ByteList&) {};

  LutTensorSpec& entry() { return (*(*lists)[0])[0]; }
  ByteList Build() const {
    ModelBuilder builder;
    builder.AddBuffer(values);
    const int input = builder.AddTensor({.shape = {1, 6}, .scale = 0.5f});
    const int filter = builder.AddTensor(weights);
    const int bias =
        builder.AddTensor({.shape = {4}, .type = TensorType::kInt32, .scale = 0.25f, .data = ByteList(16)});
    const int output = builder.AddTensor({.shape = {1, 4}, .scale = 1});
    const int relu = builder.AddTensor({.shape = {1, 4}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {input, filter, bias}, {output});
    builder.AddOperator(BuiltinOperator::kRelu, {output}, {relu});
    ByteList metadata = CompressionMetadata(lists, version);
    change_metadata(metadata);
    builder.AddMetadataBytes(kCompressionMetadataName, metadata);
    return builder.Finish({input}, outputs);
  }
};

struct MetadataRow {
  const char* name;
  Rule rule;
  void (*change)(MetadataCase&);
};

const MetadataRow kMetadataRows[] = {
    {"Sound", Rule::kNone, [](MetadataCase&) {}},
    {"NoSubgraphs", Rule::kCompressionSubgraphs, [](MetadataCase& c) { c.lists.reset(); }},
    {"EmptySubgraphs", Rule::kCompressionSubgraphs, [](MetadataCase& c) { c.lists->clear(); }},
    {"MoreSubgraphsThanTheModel", Rule::kCompressionSubgraphs,
     [](MetadataCase& c) { c.lists->push_back((*c.lists)[0]); }},
    {"NoLutTensors", Rule::kCompressionTensors, [](MetadataCase& c) { (*c.lists)[0].reset(); }},
    {"EmptyLutTensors", Rule::kCompressionTensors, [](MetadataCase& c) { (*c.lists)[0]->clear(); }},
    {"TensorIndex", Rule::kCompressionTensorIndex, [](MetadataCase& c) { c.entry().tensor = 5; }},
    {"NegativeTensorIndex", Rule::kCompressionTensorIndex, [](MetadataCase& c) { c.entry().tensor = -1; }},
    {"Width8", Rule::kCompressionWidth, [](MetadataCase& c) { c.entry().index_bitwidth = 8; }},
    {"Width0", Rule::kCompressionWidth, [](MetadataCase& c) { c.entry().index_bitwidth = 0; }},
    {"ValueBufferIndex", Rule::kCompressionBuffer, [](MetadataCase& c) { c.entry().value_buffer = 99; }},
    {"ValueBufferEmpty", Rule::kCompressionBuffer, [](MetadataCase& c) { c.entry().value_buffer = 0; }},
    {"Scalar", Rule::kCompressionScalar, [](MetadataCase& c) { c.weights.shape = {}; }},
    {"Type", Rule::kCompressionType, [](MetadataCase& c) { c.weights.type = TensorType::kUInt8; }},
    {"TypeWithoutSize", Rule::kCompressionType,
     [](MetadataCase& c) { c.weights.type = TensorType::kString; }},
    {"Int4", Rule::kCompressionType, [](MetadataCase& c) { c.weights.type = TensorType::kInt4; }},
    {"MiddleAxis", Rule::kCompressionAxis,
     [](MetadataCase& c) {
       c.weights.shape = {2, 3, 4};
       c.weights.channel_scales = {1, 1, 1};
       c.weights.quantized_dimension = 1;
     }},
    {"ScalesOfOtherCount", Rule::kCompressionChannels,
     [](MetadataCase& c) {
       c.weights.channel_scales = {1, 1, 1};
     }},
    {"Twice", Rule::kCompressionDuplicate, [](MetadataCase& c) { (*c.lists)[0]->push_back(c.entry()); }},
    {"NotConstant", Rule::kCompressionConstant,
     [](MetadataCase& c) {
       (*c.lists)[0]->push_back({.tensor = 3, .value_buffer = 1, .index_bitwidth = 2});
     }},
    {"GraphOutput", Rule::kCompressionConstant,
     [](MetadataCase& c) {
       c.outputs = {3, 1};
     }},
    {"TableNotDivisible", Rule::kCompressionTable,
     [](MetadataCase& c) {
       c.weights.channel_scales = {1, 1, 1, 1};
       c.values = ByteList(6);
     }},
    {"TableTooLong", Rule::kCompressionTable, [](MetadataCase& c) { c.values = ByteList(256); }},
    {"StreamTooShort", Rule::kCompressionStream, [](MetadataCase& c) { c.weights.data = ByteList(5); }},
    {"IndexBeyondTheTable", Rule::kCompressionIndex,
     [](MetadataCase& c) {
       c.values = {1, 2, 3};
     }},
    {"NewerVersion", Rule::kCompressionVersion, [](MetadataCase& c) { c.version = 2; }},
    {"Damaged", Rule::kCompressionMetadata,
     [](MetadataCase& c) { c.change_metadata = [](ByteList& bytes) { bytes[0] = 0xF0; }; }},
    {"TooShort", Rule::kCompressionMetadata,
     [](MetadataCase& c) { c.change_metadata = [](ByteList& bytes) { bytes.resize(4); }; }},
    // Operators that cannot take what is compressed.
    {"OtherOperator", Rule::kCompressedOperand,
     [](MetadataCase& c) {
       c.weights = {.shape = {1, 6}, .scale = 0.5f, .data = ByteList(2, 0x1B)};
       c.entry().tensor = 1;
     }},
};

class MetadataRefusal : public testing::TestWithParam<MetadataRow> {};

TEST_P(MetadataRefusal, NamesTheRule) {
  MetadataCase test;
  GetParam().change(test);
  if (std::string(GetParam().name) == "OtherOperator") {
    // ADD of a compressed constant.
    ModelBuilder builder;
    builder.AddBuffer(test.values);
    const int input = builder.AddTensor({.shape = {1, 6}, .scale = 0.5f});
    const int constant = builder.AddTensor(test.weights);
    const int output = builder.AddTensor({.shape = {1, 6}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kAdd, {input, constant}, {output});
    builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(test.lists));
    EXPECT_EQ(RuleOf(builder.Finish({input}, {output})), Rule::kCompressedOperand);
    return;
  }
  const Rule rule = RuleOf(test.Build());
  EXPECT_EQ(rule, GetParam().rule) << Describe(rule).name;
}

INSTANTIATE_TEST_SUITE_P(Rows, MetadataRefusal, testing::ValuesIn(kMetadataRows),
                         [](const auto& info) { return info.param.name; });

TEST(MetadataRefusal, ApplicationWithoutADecoder) {
  EXPECT_EQ(RuleOf(MetadataCase().Build(), nullptr), Rule::kDecoderMissing);
}

// The arena is refused at every size that is too small, and says how much it lacks.
TEST(MetadataRefusal, ArenaTooSmallForRecords) {
  const ByteList bytes = MetadataCase().Build();
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  memcpy(aligned.data(), bytes.data(), bytes.size());
  Model model;
  Diagnosis diagnosis;
  ASSERT_EQ(Model::Load({reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size()}, &model, &diagnosis),
            Status::kOk);
  for (const auto policy : {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit}) {
    size_t arena_bytes = 0;
    size_t wanted_bytes = 0;
    for (;;) {
      ASSERT_LT(arena_bytes, 4096u);
      std::vector<uint64_t> memory(arena_bytes / 8 + 2);
      auto* base = reinterpret_cast<uint8_t*>(memory.data());
      base += (16 - reinterpret_cast<uintptr_t>(base) % 16) % 16;
      MicroInterpreter interpreter(model, AllOps(), {base, arena_bytes}, {.decompression = policy});
      const Status status = interpreter.AllocateTensors();
      if (status == Status::kOk) break;
      ASSERT_EQ(status, Status::kArenaTooSmall);
      wanted_bytes = std::max(wanted_bytes, interpreter.diagnosis().wanted_bytes);
      arena_bytes += 16;
    }
    EXPECT_GT(wanted_bytes, 100u);
    EXPECT_LE(wanted_bytes, arena_bytes);
  }
}

// ---- TFLM_DECODE: one pair, the output copied by RESHAPE. Sound: indices of 2 bits into 4 values.

struct DecodeCase {
  ByteList encoded = {0x1B, 0xE4};
  ByteList ancillary = {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
  TensorSpec output = {.shape = {1, 2, 4}, .scale = 1};
  std::vector<int> inputs = {0, 1};
  std::vector<int> outputs = {2};

  ByteList Build() const {
    ModelBuilder builder;
    const auto constant = [&builder](const ByteList& data) {
      return builder.AddTensor(
          {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
    };
    constant(encoded);
    constant(ancillary);
    const int decoded = builder.AddTensor(output);
    TensorSpec copy = output;
    int32_t elements = 1;
    for (const int32_t dim : output.shape) elements *= dim;
    copy.shape = {elements};
    const int reshaped = builder.AddTensor(copy);
    builder.AddCustomOperator(kDecodeCustomCode, inputs, outputs);
    if (outputs == std::vector<int>{2}) builder.AddOperator(BuiltinOperator::kReshape, {decoded}, {reshaped});
    return builder.Finish({}, {outputs == std::vector<int>{2} ? reshaped : 0});
  }
};

struct DecodeRow {
  const char* name;
  Rule rule;
  void (*change)(DecodeCase&);
};

// The header of another type, with the payload that follows it.
void SetType(DecodeCase& c, DecodeType type, std::initializer_list<std::pair<int, uint8_t>> header,
             const ByteList& payload) {
  c.ancillary.assign(kDecodeHeaderBytes, 0);
  c.ancillary[0] = static_cast<uint8_t>(type);
  c.ancillary[1] = 1;
  c.ancillary[4] = 1;
  for (const auto& [at, value] : header) c.ancillary[static_cast<size_t>(at)] = value;
  c.ancillary.insert(c.ancillary.end(), payload.begin(), payload.end());
}

// Codes of one bit: 0 is symbol 1, 1 is symbol 2. Entries of 16 bits: leaf, one bit used.
const ByteList kTwoCodes = {0x01, 0x88, 0x02, 0x88};

const DecodeRow kDecodeRows[] = {
    {"Sound", Rule::kNone, [](DecodeCase&) {}},
    {"OddInputs", Rule::kDecodeOperands, [](DecodeCase& c) { c.inputs = {0}; }},
    {"ThreeInputs", Rule::kDecodeOperands,
     [](DecodeCase& c) {
       c.inputs = {0, 1, 0};
     }},
    {"NoOutputs", Rule::kDecodeOperands,
     [](DecodeCase& c) {
       c.inputs = {};
       c.outputs = {};
     }},
    {"InputLeftOut", Rule::kInputMissing,
     [](DecodeCase& c) {
       c.inputs = {0, -1};
     }},
    {"ShortHeader", Rule::kDecodeHeader, [](DecodeCase& c) { c.ancillary.resize(15); }},
    {"Version", Rule::kDecodeVersion, [](DecodeCase& c) { c.ancillary[1] = 2; }},
    {"Type3", Rule::kDecodeType, [](DecodeCase& c) { c.ancillary[0] = 3; }},
    {"Type127", Rule::kDecodeType, [](DecodeCase& c) { c.ancillary[0] = 127; }},
    {"Type132", Rule::kDecodeType, [](DecodeCase& c) { c.ancillary[0] = 132; }},
    {"TypeVersion", Rule::kDecodeTypeVersion, [](DecodeCase& c) { c.ancillary[4] = 0; }},
    {"LutWidth0", Rule::kCompressionWidth, [](DecodeCase& c) { c.ancillary[5] = 0xF0; }},
    {"LutTensorType", Rule::kCompressionType,
     [](DecodeCase& c) {
       c.output = {.shape = {1, 2, 4}, .type = TensorType::kUInt8};
     }},
    {"LutStride0", Rule::kCompressionTable, [](DecodeCase& c) { c.ancillary[6] = 0; }},
    {"LutNoTable", Rule::kCompressionTable, [](DecodeCase& c) { c.ancillary.resize(16); }},
    {"LutTableNotDivisible", Rule::kCompressionTable, [](DecodeCase& c) { c.ancillary.resize(19); }},
    {"LutStreamTooShort", Rule::kCompressionStream, [](DecodeCase& c) { c.encoded.resize(1); }},
    {"LutIndexBeyondTheTable", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       c.ancillary[6] = 3;
       c.ancillary.resize(19);
     }},
    {"LutTablesOfNoAxis", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       c.ancillary[5] = 0x02;
       c.ancillary[6] = 2;
     }},
    {"LutOneTableButTwo", Rule::kCompressionAxis, [](DecodeCase& c) { c.ancillary[6] = 2; }},
    {"LutAxisOfOtherSize", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       c.ancillary[5] = 0x22;
       c.ancillary[6] = 2;
     }},
    {"HuffmanSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanInt16NeedsWideEntries", Rule::kCompressionType,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0, 0};
       c.output.type = TensorType::kInt16;
     }},
    {"HuffmanOtherType", Rule::kCompressionType,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 1}}, ByteList(8));
       c.encoded = {0x5A, 0, 0, 0};
       c.output = {.shape = {8}, .type = TensorType::kInt32};
     }},
    {"HuffmanTableTooShort", Rule::kHuffmanTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0x10}}, kTwoCodes);
       c.encoded = {0xFF, 0, 0, 0};
     }},
    {"HuffmanTableLoops", Rule::kHuffmanTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, {0x00, 0x00, 0x00, 0x00});
       c.encoded = ByteList(64);
     }},
    {"HuffmanLeafTakesMoreThanWasFetched", Rule::kHuffmanTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, {0x01, 0x90, 0x02, 0x90});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanStreamEnds", Rule::kHuffmanStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0, 0};
       c.output.shape = {33};
     }},
    {"HuffmanStreamNoWords", Rule::kHuffmanStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0};
     }},
    {"PruneSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, {1, 2, 3, 4});
       c.encoded = {0x5A};
     }},
    {"PruneTooFewValues", Rule::kPruneCount,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, {1, 2, 3});
       c.encoded = {0x5A};
     }},
    {"PruneMapTooShort", Rule::kCompressionStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(16));
       c.output.shape = {9};
       c.encoded = {0x5A};
     }},
    {"PruneZeroPointOfInt16", Rule::kPruneZeroPoint,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(16));
       c.output = {.shape = {8}, .type = TensorType::kInt16, .scale = 1, .zero_point = 1};
       c.encoded = {0x5A};
     }},
    {"PruneZeroPointRange", Rule::kPruneZeroPoint,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.zero_point = 128;
       c.encoded = {0x5A};
     }},
    {"PruneAxis", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.channel_scales = {1, 1};
       c.output.quantized_dimension = 1;
       c.encoded = {0x5A};
     }},
    {"PruneChannels", Rule::kCompressionChannels,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.channel_scales = {1, 1};
       c.output.quantized_dimension = 2;
       c.encoded = {0x5A};
     }},
    {"PruneFewerZeroPointsThanScales", Rule::kCompressionChannels,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.channel_scales = {1, 1, 1, 1};
       c.output.zero_points = {1, 1, 1};
       c.output.quantized_dimension = 2;
       c.encoded = {0x5A};
     }},
    {"BitPackSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 3}}, {});
       c.encoded = {0xD1, 0x58, 0x1F};
     }},
    {"BitPackWidth0", Rule::kCompressionWidth,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 0}}, {});
     }},
    {"BitPackWidth32", Rule::kCompressionWidth,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 32}}, {});
     }},
    {"BitPackStream", Rule::kCompressionStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 3}}, {});
     }},
    {"BitPackType", Rule::kCompressionType,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 1}}, {});
       c.output = {.shape = {8}, .type = TensorType::kFloat32};
     }},
    {"WideLutSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 4}}, {1, 2, 3, 4});
     }},
    {"WideLutWidth9", Rule::kCompressionWidth,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 9}, {8, 4}}, {1, 2, 3, 4});
     }},
    {"WideLutTable", Rule::kCompressionTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 5}}, {1, 2, 3, 4});
     }},
    {"WideLutNoEntries", Rule::kCompressionTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 0}}, {1, 2, 3, 4});
     }},
    {"WideLutIndex", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 3}}, {1, 2, 3});
     }},
    {"SparseLutSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kSparseLut, {{5, 2}, {8, 4}, {12, 0xAA}}, {1, 2, 3, 4});
       c.encoded = {0xCA, 0x0E};
       c.output.shape = {6};
     }},
    {"SparseLutIndex", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kSparseLut, {{5, 2}, {8, 3}}, {1, 2, 3});
       c.encoded = {0xCA, 0x0E};
       c.output.shape = {6};
     }},
    {"SparseLutStream", Rule::kCompressionStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kSparseLut, {{5, 2}, {8, 4}}, {1, 2, 3, 4});
       c.encoded = {0xCA};
       c.output.shape = {6};
     }},
    {"HuffmanLutSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 0xF}, {8, 3}, {12, 4}},
               {7, 8, 9, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanLutIndex", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 0xF}, {8, 2}, {12, 4}},
               {7, 8, 0, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanLutTablesOverlap", Rule::kCompressionTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 0xF}, {8, 5}, {12, 4}},
               {7, 8, 0, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanLutAxis", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 3}, {8, 2}, {12, 4}},
               {7, 8, 0, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
};

class DecodeRefusal : public testing::TestWithParam<DecodeRow> {};

TEST_P(DecodeRefusal, NamesTheRule) {
  DecodeCase test;
  GetParam().change(test);
  const Rule rule = RuleOf(test.Build());
  EXPECT_EQ(rule, GetParam().rule) << Describe(rule).name;
}

INSTANTIATE_TEST_SUITE_P(Rows, DecodeRefusal, testing::ValuesIn(kDecodeRows),
                         [](const auto& info) { return info.param.name; });

TEST(DecodeRefusal, InputsMustBeConstant) {
  ModelBuilder builder;
  const int encoded = builder.AddTensor({.shape = {2}, .type = TensorType::kUInt8});
  const int ancillary =
      builder.AddTensor({.shape = {20}, .type = TensorType::kUInt8, .data = DecodeCase().ancillary});
  const int decoded = builder.AddTensor({.shape = {8}});
  builder.AddCustomOperator(kDecodeCustomCode, {encoded, ancillary}, {decoded});
  EXPECT_EQ(RuleOf(builder.Finish({encoded}, {decoded})), Rule::kConstantRequired);
}

TEST(DecodeRefusal, OtherCustomOperatorsAreUnknown) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {4}});
  const int y = builder.AddTensor({.shape = {4}});
  builder.AddCustomOperator("TFLM_DECOD", {x}, {y});
  EXPECT_EQ(RuleOf(builder.Finish({x}, {y})), Rule::kOperatorUnknown);
}

}  // namespace
}  // namespace lutra
