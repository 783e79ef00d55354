// SPDX-License-Identifier: Apache-2.0
// COMPRESSION_METADATA: broken cases are refused when the model is loaded, by the rule for them.

#include <functional>
#include <optional>

#include "lutra/compression/decode.h"
#include "lutra/diagnosis_text.h"
#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

// One FULLY_CONNECTED of 4 x 6 weights, indices of 2 bits.

struct MetadataCase {
  TensorSpec weights = {.shape = {4, 6}, .scale = 0.5f, .data = ByteList(6, 0x1B)};
  ByteList values = {1, 2, 3, 4};
  std::vector<int> outputs = {3};
  std::optional<std::vector<LutTensorList>> lists = std::vector<LutTensorList>{
      std::vector<LutTensorSpec>{{.tensor = 1, .value_buffer = 1, .index_bitwidth = 2}}};
  uint32_t version = 1;
  int more_weights = 0;  // Tensors without users, from number 5 on.
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
    // They have enough bytes for tensors that the list does not name.
    const TensorSpec more = {.shape = {4, 6}, .scale = 0.5f, .data = ByteList(24, 0x1B)};
    for (int i = 0; i < more_weights; ++i) builder.AddTensor(more);
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
    {"Type", Rule::kCompressionType, [](MetadataCase& c) { c.weights.type = TensorType::kUInt16; }},
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
    {"TwiceAmongMany", Rule::kCompressionDuplicate,
     [](MetadataCase& c) {
       c.more_weights = 1100;
       for (const int tensor : {1023, 1024, 1025, 1100, 999, 1024}) {
         (*c.lists)[0]->push_back({.tensor = tensor, .value_buffer = 1, .index_bitwidth = 2});
       }
     }},
    // The model is loaded; the arena of this test is too small for so many records.
    {"OnceAmongMany", Rule::kArenaTooSmall,
     [](MetadataCase& c) {
       c.more_weights = 1100;
       for (const int tensor : {1023, 1024, 1025, 1100, 999}) {
         (*c.lists)[0]->push_back({.tensor = tensor, .value_buffer = 1, .index_bitwidth = 2});
       }
     }},
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
    // Some operators cannot take compressed constants.
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
    // ADD reads a compressed constant.
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
  constexpr DecodeFn kReadsNothing = [](const Encoding&, CpuFeatures, void*) { return false; };
  EXPECT_EQ(RuleOf(MetadataCase().Build(), kReadsNothing), Rule::kDecoderMissing);
  EXPECT_NE(RuleOf(MetadataCase().Build(), DecodeLut), Rule::kDecoderMissing);
}

// Every arena that is too small is refused, with the bytes that are missing.
TEST(MetadataRefusal, ArenaTooSmallForRecords) {
  const ByteList bytes = MetadataCase().Build();
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
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

}  // namespace
}  // namespace lutra
