// SPDX-License-Identifier: Apache-2.0
// Tests where compressed tensors are decoded, and that every operator which takes them reads the values of
// the uncompressed model, with each policy, in the arena and in alternate memory.

#include <gtest/gtest.h>

#include "lutra/compression/format.h"
#include "lutra/diagnosis_text.h"
#include "lutra/micro_context.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra {
namespace {

using ByteList = std::vector<uint8_t>;

constexpr DecompressionPolicy kPolicies[] = {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit,
                                             DecompressionPolicy::kStreamed};

// Indices of `width` bits, most significant bit first.
ByteList PackIndices(const std::vector<int>& indices, int width) {
  ByteList bytes((indices.size() * static_cast<size_t>(width) + 7) / 8);
  size_t bit = 0;
  for (const int index : indices) {
    for (int b = width - 1; b >= 0; --b, ++bit) {
      if ((index >> b & 1) != 0) bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] | 0x80 >> bit % 8);
    }
  }
  return bytes;
}

// An interpreter of a model with compressed tensors.
class Running {
 public:
  Running(const ByteList& bytes, DecompressionPolicy policy, Span<const AlternateMemoryRegion> regions = {},
          Span<const Op> ops = AllOps(), MemoryPolicy memory = MemoryPolicy::kFast)
      : file_((bytes.size() + 7) / 8), arena_(1 << 14) {
    memcpy(file_.data(), bytes.data(), bytes.size());
    Diagnosis diagnosis;
    status_ =
        Model::Load({reinterpret_cast<const uint8_t*>(file_.data()), bytes.size()}, &model_, &diagnosis);
    EXPECT_EQ(status_, Status::kOk) << Describe(diagnosis.rule).name;
    memset(arena_.data(), 0xA5, arena_.size() * sizeof(Block));
    interpreter_.emplace(model_, ops, Span<uint8_t>(arena_[0].bytes, arena_.size() * sizeof(Block)),
                         InterpreterOptions{.policy = memory, .decompression = policy});
    EXPECT_EQ(interpreter_->SetDecompressionMemory(regions), Status::kOk);
    status_ = interpreter_->AllocateTensors();
    EXPECT_EQ(status_, Status::kOk) << Describe(interpreter_->diagnosis().rule).name;
  }
  MicroInterpreter* operator->() { return &*interpreter_; }

  template <typename T>
  std::vector<T> Output(int i) {
    const Tensor output = interpreter_->output(i);
    const auto* values = static_cast<const T*>(output.data);
    return {values, values + static_cast<size_t>(output.info.bytes) / sizeof(T)};
  }
  // Returns the offset of an operand's address from `base`; -1 if it is outside the region.
  std::ptrdiff_t PlaceOf(int node, int operand, const AlternateMemoryRegion& region) {
    const auto* address = static_cast<const uint8_t*>(interpreter_->node(node).addresses[operand]);
    const auto* base = static_cast<const uint8_t*>(region.address);
    return address >= base && address < base + region.bytes ? address - base : -1;
  }

 private:
  struct alignas(16) Block {
    uint8_t bytes[16];
  };
  std::vector<uint64_t> file_;
  std::vector<Block> arena_;
  Model model_;
  std::optional<MicroInterpreter> interpreter_;
  Status status_ = Status::kOk;
};

// CONCATENATION of `counts.size()` compressed tensors; tensor i is all ones times (i + 1). There are two of
// them, so that a second operator requests memory, too.
ByteList Concatenations(const std::vector<int32_t>& counts) {
  ModelBuilder builder;
  std::vector<LutTensorSpec> list;
  std::vector<int> inputs;
  int32_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const uint32_t values = builder.AddBuffer({static_cast<uint8_t>(i + 1), 0});
    const std::vector<int> zeros(static_cast<size_t>(counts[i]), 0);
    const int tensor = builder.AddTensor({.shape = {counts[i]}, .data = PackIndices(zeros, 1)});
    inputs.push_back(tensor);
    list.push_back({tensor, values, 1});
    total += counts[i];
  }
  const int first = builder.AddTensor({.shape = {total}});
  const int second = builder.AddTensor({.shape = {total}});
  builder.AddOperator(BuiltinOperator::kConcatenation, inputs, {first});
  builder.AddOperator(BuiltinOperator::kConcatenation, inputs, {second});
  builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
  return builder.Finish({}, {first, second});
}

std::vector<int8_t> Expected(const std::vector<int32_t>& counts) {
  std::vector<int8_t> values;
  for (size_t i = 0; i < counts.size(); ++i) {
    values.insert(values.end(), static_cast<size_t>(counts[i]), static_cast<int8_t>(i + 1));
  }
  return values;
}

TEST(AlternateMemory, FirstFitAlignedAndResetForEachOperator) {
  alignas(16) uint8_t memory[30];
  const AlternateMemoryRegion regions[] = {{memory, sizeof(memory)}};
  const std::vector<int32_t> counts = {10, 10, 10};
  Running running(Concatenations(counts), DecompressionPolicy::kPerUse, regions);
  for (int node = 0; node < 2; ++node) {
    EXPECT_EQ(running.PlaceOf(node, 0, regions[0]), 0) << node;
    EXPECT_EQ(running.PlaceOf(node, 1, regions[0]), 16) << node;
    EXPECT_EQ(running.PlaceOf(node, 2, regions[0]), -1) << node;
  }
  ASSERT_EQ(running->Invoke(), Status::kOk);
  EXPECT_EQ(running.Output<int8_t>(0), Expected(counts));
  EXPECT_EQ(running.Output<int8_t>(1), Expected(counts));
}

TEST(AlternateMemory, RegionsTooSmallStayUntouched) {
  alignas(16) uint8_t memory[2][32] = {};
  const AlternateMemoryRegion regions[] = {{memory[0], 20}, {memory[1], 20}};
  Running running(Concatenations({30}), DecompressionPolicy::kPerUse, regions);
  ASSERT_EQ(running->Invoke(), Status::kOk);
  EXPECT_EQ(running.Output<int8_t>(1), Expected({30}));
  for (const auto& region : memory) {
    for (const uint8_t byte : region) EXPECT_EQ(byte, 0);
  }
}

TEST(AlternateMemory, TheFirstRegionWithRoomHasTheTensor) {
  alignas(16) uint8_t memory[2][48];
  const AlternateMemoryRegion regions[] = {{memory[0], 20}, {memory[1], 40}};
  Running running(Concatenations({30}), DecompressionPolicy::kPerUse, regions);
  EXPECT_EQ(running.PlaceOf(0, 0, regions[1]), 0);
}

// In TFLM, operands may be decoded in another order than memory was reserved for them.
TEST(AlternateMemory, ThePlaceOfPrepareIsThatOfEval) {
  alignas(16) uint8_t memory[2][64];
  const AlternateMemoryRegion regions[] = {{memory[0], 50}, {memory[1], 45}};
  const std::vector<int32_t> counts = {50, 45};
  Running running(Concatenations(counts), DecompressionPolicy::kPerUse, regions);
  EXPECT_EQ(running.PlaceOf(0, 0, regions[0]), 0);
  EXPECT_EQ(running.PlaceOf(0, 1, regions[1]), 0);
  ASSERT_EQ(running->Invoke(), Status::kOk);
  EXPECT_EQ(running.Output<int8_t>(0), Expected(counts));
}

TEST(AlternateMemory, UnalignedRegionsAreUsedFromTheirFirstAlignedByte) {
  alignas(16) uint8_t memory[64];
  const AlternateMemoryRegion regions[] = {{memory + 3, 40}};
  Running running(Concatenations({10, 10}), DecompressionPolicy::kPerUse, regions);
  EXPECT_EQ(running.PlaceOf(0, 0, regions[0]), 13);
  EXPECT_EQ(running.PlaceOf(0, 1, regions[0]), 29);
}

TEST(AlternateMemory, AtInitKeepsEveryTensorOnce) {
  alignas(16) uint8_t memory[64];
  const AlternateMemoryRegion regions[] = {{memory, sizeof(memory)}};
  const std::vector<int32_t> counts = {10, 10, 40};
  Running running(Concatenations(counts), DecompressionPolicy::kAtInit, regions);
  EXPECT_EQ(running.PlaceOf(0, 0, regions[0]), 0);
  EXPECT_EQ(running.PlaceOf(0, 1, regions[0]), 16);
  EXPECT_EQ(running.PlaceOf(0, 2, regions[0]), -1);
  // Both operators read the same tensors.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(running->node(0).addresses[i], running->node(1).addresses[i]) << i;
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(running->Invoke(), Status::kOk);
    EXPECT_EQ(running.Output<int8_t>(1), Expected(counts));
  }
}

TEST(AlternateMemory, IsSetOnceAndBeforeTensorsAreAllocated) {
  const ByteList bytes = Concatenations({10});
  Running running(bytes, DecompressionPolicy::kPerUse);
  uint8_t memory[16];
  const AlternateMemoryRegion regions[] = {{memory, sizeof(memory)}};
  EXPECT_EQ(running->SetDecompressionMemory(regions), Status::kInvalidArgument);

  std::vector<uint64_t> file((bytes.size() + 7) / 8);
  memcpy(file.data(), bytes.data(), bytes.size());
  Model model;
  Diagnosis diagnosis;
  ASSERT_EQ(Model::Load({reinterpret_cast<const uint8_t*>(file.data()), bytes.size()}, &model, &diagnosis),
            Status::kOk);
  alignas(16) uint8_t arena[4096];
  MicroInterpreter interpreter(model, AllOps(), arena);
  EXPECT_EQ(interpreter.SetDecompressionMemory(regions), Status::kOk);
  EXPECT_EQ(interpreter.SetDecompressionMemory(regions), Status::kInvalidArgument);
}

TEST(Arena, RecordsAndDecodedTensorsAreCounted) {
  Running per_use(Concatenations({10, 20}), DecompressionPolicy::kPerUse);
  EXPECT_EQ(per_use->record(RecordKind::kCompression).count, 4);
  EXPECT_EQ(per_use->record(RecordKind::kDecoded).bytes, 0u);
  EXPECT_GE(per_use->memory().head_bytes, 60u + 48u);  // Both outputs, and the scratch of one operator.
  Running at_init(Concatenations({10, 20}), DecompressionPolicy::kAtInit);
  EXPECT_EQ(at_init->record(RecordKind::kDecoded).count, 2);
  EXPECT_GE(at_init->record(RecordKind::kDecoded).bytes, 30u);
}

// ---- A custom operator that decodes its weights itself: input + weights, in int16.

struct SumData {
  int scratch;
};

Status PrepareSum(PrepareContext& context) {
  SumData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  return context.AllocateDecompressionScratchBuffer(1, &data->scratch);
}

Status EvalSum(EvalContext& context) {
  const auto* weights = GetTensorData<int16_t>(context, 1, context.GetTensorCompressionData(1),
                                               context.Data<SumData>().scratch);
  const auto* input = GetTensorData<int16_t>(context, 0, context.GetTensorCompressionData(0), -1);
  for (int i = 0; i < 15; ++i)
    context.OutputData<int16_t>(0)[i] = static_cast<int16_t>(input[0] + weights[i]);
  return Status::kOk;
}

constexpr Op kSumOps[] = {{BuiltinOperator::kCustom, PrepareSum, EvalSum, 0, "SUM_OF_WEIGHTS"}};

TEST(GetTensorData, DecodesForTheOperatorThatAsks) {
  ModelBuilder builder;
  const std::vector<int16_t> table = {1, 2, 3, 4, 5, -1, -5, -4, -3, -2};
  const uint32_t values = builder.AddBuffer(BytesOf(table));
  const int input = builder.AddTensor({.shape = {1}, .type = TensorType::kInt16});
  const int weights = builder.AddTensor(
      {.shape = {15}, .type = TensorType::kInt16, .data = {0x01, 0x23, 0x45, 0x98, 0x76, 0x01, 0x23, 0x40}});
  const int output = builder.AddTensor({.shape = {15}, .type = TensorType::kInt16});
  builder.AddCustomOperator("SUM_OF_WEIGHTS", {input, weights}, {output});
  const std::vector<LutTensorSpec> list = {{weights, values, 4}};
  builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
  const ByteList bytes = builder.Finish({input}, {output});
  alignas(16) uint8_t memory[64];
  const AlternateMemoryRegion all[] = {{memory, sizeof(memory)}};
  for (const DecompressionPolicy policy : kPolicies) {
    for (const bool alternate : {false, true}) {
      Running running(
          bytes, policy,
          alternate ? Span<const AlternateMemoryRegion>(all) : Span<const AlternateMemoryRegion>(), kSumOps);
      *static_cast<int16_t*>(running->input(0).data) = 42;
      ASSERT_EQ(running->Invoke(), Status::kOk);
      EXPECT_EQ(running.Output<int16_t>(0),
                (std::vector<int16_t>{43, 44, 45, 46, 47, 41, 40, 39, 38, 37, 43, 44, 45, 46, 47}));
    }
  }
}

// The results of GetTensorCompressionData for one table, and for a table for each slice of either axis.
struct Seen {
  CompressionTensorData weights;
  CompressionTensorData input;
};
Seen seen;

Status PrepareLook(PrepareContext& context) {
  seen.weights = context.GetTensorCompressionData(1);
  int scratch = 0;
  return context.AllocateDecompressionScratchBuffer(1, &scratch);
}

Status EvalLook(EvalContext& context) {
  seen.input = context.GetTensorCompressionData(0);
  const int scratch = context.GetTensorCompressionData(1).scratch;
  // A scratch buffer of another input is refused.
  if (GetTensorData<int8_t>(context, 1, context.GetTensorCompressionData(1), scratch + 1) != nullptr) {
    return Status::kInvalidArgument;
  }
  const auto* values = GetTensorData<int8_t>(context, 1, context.GetTensorCompressionData(1), scratch);
  memcpy(context.OutputData<int8_t>(0), values, 6);
  return Status::kOk;
}

constexpr Op kLookOps[] = {{BuiltinOperator::kCustom, PrepareLook, EvalLook, kNoInputs, "LOOK"}};

TEST(GetTensorCompressionData, SaysHowTheInputIsStored) {
  struct Case {
    int quantized_dimension;
    int tables;
  };
  for (const Case& c : {Case{0, 1}, Case{0, 2}, Case{1, 3}}) {
    ModelBuilder builder;
    // Each table t has two entries: 10 t and 10 t + 1.
    std::vector<int8_t> table;
    for (int t = 0; t < c.tables; ++t) {
      table.push_back(static_cast<int8_t>(10 * t));
      table.push_back(static_cast<int8_t>(10 * t + 1));
    }
    const uint32_t values = builder.AddBuffer(BytesOf(table));
    TensorSpec spec = {.shape = {2, 3}, .data = {0b01001100}, .name = "weights"};
    spec.channel_scales.assign(static_cast<size_t>(c.tables), 1.0f);
    spec.quantized_dimension = c.quantized_dimension;
    const int input = builder.AddTensor({.shape = {1}});
    const int weights = builder.AddTensor(spec);
    const int output = builder.AddTensor({.shape = {2, 3}});
    builder.AddCustomOperator("LOOK", {input, weights}, {output});
    const std::vector<LutTensorSpec> list = {{weights, values, 1}};
    builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
    Running running(builder.Finish({input}, {output}), DecompressionPolicy::kPerUse, {}, kLookOps);
    ASSERT_EQ(running->Invoke(), Status::kOk);
    EXPECT_FALSE(seen.input);
    ASSERT_TRUE(seen.weights);
    EXPECT_EQ(seen.weights.scheme, DecodeType::kLut);
    EXPECT_EQ(seen.weights.compressed_bit_width, 1);
    EXPECT_EQ(seen.weights.axis, c.tables == 1 ? -1 : c.quantized_dimension);
    EXPECT_EQ(seen.weights.lut_data.value_table_bytes, table.size());
    EXPECT_EQ(seen.weights.lut_data.value_table_channel_stride, 2);
    EXPECT_EQ(seen.weights.indices.size(), 1u);
    const std::vector<int8_t> decoded = running.Output<int8_t>(0);
    constexpr int kIndices[] = {0, 1, 0, 0, 1, 1};
    for (int i = 0; i < 6; ++i) {
      const int channel = c.tables == 1 ? 0 : c.quantized_dimension == 0 ? i / 3 : i % 3;
      EXPECT_EQ(decoded[static_cast<size_t>(i)], 10 * channel + kIndices[i]) << i << " of " << c.tables;
    }
  }
}

// ---- TFLM_DECODE: two pairs, outputs with several consumers.

int AddBytes(ModelBuilder& builder, const ByteList& data) {
  return builder.AddTensor(
      {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
}

// a = 1 2 3 4 4 3 2 1 and b = 5 6 7 8 8 7 6 5 (the same indices) are decoded by one TFLM_DECODE, c (a again)
// by another between the uses of a; a is also an output of the graph.
TEST(Decode, OutputsLiveUntilTheirLastUse) {
  ModelBuilder builder;
  const int encoded = AddBytes(builder, {0x1B, 0xE4});
  const int low = AddBytes(builder, {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4});
  const int high = AddBytes(builder, {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8});
  const int a = builder.AddTensor({.shape = {8}});
  const int b = builder.AddTensor({.shape = {8}});
  const int c = builder.AddTensor({.shape = {8}});
  const int ab = builder.AddTensor({.shape = {16}});
  const int ac = builder.AddTensor({.shape = {16}});
  builder.AddCustomOperator(kDecodeCustomCode, {encoded, low, encoded, high}, {a, b});
  builder.AddOperator(BuiltinOperator::kConcatenation, {a, b}, {ab});
  builder.AddCustomOperator(kDecodeCustomCode, {encoded, high}, {c});
  builder.AddOperator(BuiltinOperator::kConcatenation, {a, c}, {ac});
  const ByteList bytes = builder.Finish({}, {ab, ac, a});
  const std::vector<int8_t> both = {1, 2, 3, 4, 4, 3, 2, 1, 5, 6, 7, 8, 8, 7, 6, 5};
  alignas(16) uint8_t memory[48];
  const AlternateMemoryRegion all[] = {{memory, sizeof(memory)}};
  for (const DecompressionPolicy policy : kPolicies) {
    for (const bool alternate : {false, true}) {
      Running running(
          bytes, policy,
          alternate ? Span<const AlternateMemoryRegion>(all) : Span<const AlternateMemoryRegion>());
      for (int run = 0; run < 2; ++run) {
        ASSERT_EQ(running->Invoke(), Status::kOk);
        EXPECT_EQ(running.Output<int8_t>(0), both);
        EXPECT_EQ(running.Output<int8_t>(1), both);
        EXPECT_EQ(running.Output<int8_t>(2), std::vector<int8_t>(both.begin(), both.begin() + 8));
      }
      // Policy streamed decodes c into its output, without a node for it.
      EXPECT_EQ(running->node_count(), policy == DecompressionPolicy::kStreamed ? 3 : 4);
      if (!alternate || policy == DecompressionPolicy::kStreamed) continue;
      EXPECT_EQ(running.PlaceOf(1, 0, all[0]), 0);
      EXPECT_EQ(running.PlaceOf(1, 1, all[0]), 16);
      // b is dead when c is decoded, unless all tensors are kept.
      EXPECT_EQ(running.PlaceOf(3, 1, all[0]), policy == DecompressionPolicy::kAtInit ? 32 : 16);
    }
  }
}

// A layer that streams its weights lies between two readers of a tensor that is decoded once for both:
// neither memory is overwritten, and in a region with room for one of them the earlier one lies.
TEST(Decode, StreamedWeightsSpareWhatLivesInTheirRegion) {
  const auto build = [](bool compressed) {
    ModelBuilder builder;
    const int encoded = AddBytes(builder, {0x1B, 0xE4});
    const int table = AddBytes(builder, {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4});
    const auto add = [&](const std::vector<int32_t>& shape) {
      const ByteList data = compressed ? ByteList() : ByteList{1, 2, 3, 4, 4, 3, 2, 1};
      const int tensor = builder.AddTensor({.shape = shape, .scale = 1, .data = data});
      if (compressed) builder.AddCustomOperator(kDecodeCustomCode, {encoded, table}, {tensor});
      return tensor;
    };
    const int a = add({8});
    const int once = builder.AddTensor({.shape = {16}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kConcatenation, {a, a}, {once});
    const int input = builder.AddTensor({.shape = {1, 4}, .scale = 1});
    const int weights = add({2, 4});
    const int layer = builder.AddTensor({.shape = {1, 2}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kFullyConnected, {input, weights, -1}, {layer});
    const int again = builder.AddTensor({.shape = {16}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kConcatenation, {a, a}, {again});
    return builder.Finish({input}, {once, layer, again});
  };
  const auto run = [](Running& running) {
    const Tensor input = running->input(0);
    const int8_t values[] = {3, -1, 2, 1};
    memcpy(input.data, values, sizeof(values));
    EXPECT_EQ(running->Invoke(), Status::kOk);
    ByteList outputs;
    for (int i = 0; i < 3; ++i) {
      const ByteList output = running.Output<uint8_t>(i);
      outputs.insert(outputs.end(), output.begin(), output.end());
    }
    return outputs;
  };
  Running plain(build(false), DecompressionPolicy::kPerUse);
  const ByteList expected = run(plain);
  for (const size_t bytes : {24u, 16u, 8u}) {
    alignas(16) uint8_t memory[32];
    memset(memory, 0x55, sizeof(memory));
    const AlternateMemoryRegion regions[] = {{memory, bytes}};
    Running running(build(true), DecompressionPolicy::kStreamed, regions, AllOps(), MemoryPolicy::kSmall);
    EXPECT_EQ(running->node_count(), 4) << "the layer decodes its own weights";
    EXPECT_EQ(running.PlaceOf(0, 2, regions[0]), 0);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run(running), expected) << bytes;
    EXPECT_EQ(memory[16] == 1, bytes == 24) << "the weights are there if they fit";
  }
}

// ---- Operators of COMPRESSION_METADATA, compared with uncompressed ones.

struct OperatorCase {
  const char* name;
  BuiltinOperator code;
  TensorSpec input;
  TensorSpec filter;
  TensorSpec bias;
  TensorSpec output;
};

const OperatorCase kOperators[] = {
    {"FullyConnected",
     BuiltinOperator::kFullyConnected,
     {.shape = {2, 10}, .scale = 0.5f},
     {.shape = {3, 10}, .scale = 0.25f},
     {.shape = {3}, .type = TensorType::kInt32, .scale = 0.125f},
     {.shape = {2, 3}, .scale = 1}},
    {"FullyConnectedFloat",
     BuiltinOperator::kFullyConnected,
     {.shape = {2, 10}, .type = TensorType::kFloat32},
     {.shape = {3, 10}, .type = TensorType::kFloat32},
     {.shape = {3}, .type = TensorType::kFloat32},
     {.shape = {2, 3}, .type = TensorType::kFloat32}},
    {"Conv2D",
     BuiltinOperator::kConv2D,
     {.shape = {1, 4, 4, 2}, .scale = 0.5f},
     {.shape = {3, 2, 2, 2}, .channel_scales = {0.25f, 0.5f, 0.125f}},
     {.shape = {3}, .type = TensorType::kInt32, .channel_scales = {0.125f, 0.25f, 0.0625f}},
     {.shape = {1, 4, 4, 3}, .scale = 1}},
    {"DepthwiseConv2D",
     BuiltinOperator::kDepthwiseConv2D,
     {.shape = {1, 4, 4, 3}, .scale = 0.5f},
     {.shape = {1, 2, 2, 3}, .channel_scales = {0.25f, 0.5f, 0.125f}, .quantized_dimension = 3},
     {.shape = {3}, .type = TensorType::kInt32, .channel_scales = {0.125f, 0.25f, 0.0625f}},
     {.shape = {1, 4, 4, 3}, .scale = 1}},
};

class CompressedOperator : public testing::TestWithParam<OperatorCase> {};

// Constants have tables of four values for each channel (or one for all) and indices 0 1 2 3 2 1...
void FillConstant(TensorSpec spec, bool compressed, ModelBuilder& builder, std::vector<LutTensorSpec>* list,
                  int* tensor) {
  int32_t elements = 1;
  for (const int32_t dim : spec.shape) elements *= dim;
  const bool per_channel = spec.channel_scales.size() > 1;
  const bool last = per_channel && spec.quantized_dimension != 0;
  const auto tables = per_channel ? static_cast<int>(spec.channel_scales.size()) : 1;
  const auto value = [](int table, int index) { return 3 * index - 4 + 5 * table; };
  std::vector<int> indices;
  std::vector<int> values;
  for (int i = 0; i < elements; ++i) {
    const int table = last ? i % tables : i / (elements / tables);
    indices.push_back(i * 7 % 4);
    values.push_back(value(table, indices.back()));
  }
  const auto bytes_of = [&spec](const std::vector<int>& numbers) {
    if (spec.type == TensorType::kInt32) return BytesOf(std::vector<int32_t>(numbers.begin(), numbers.end()));
    if (spec.type == TensorType::kFloat32) return BytesOf(std::vector<float>(numbers.begin(), numbers.end()));
    return BytesOf(std::vector<int8_t>(numbers.begin(), numbers.end()));
  };
  spec.data = compressed ? PackIndices(indices, 2) : bytes_of(values);
  *tensor = builder.AddTensor(spec);
  if (!compressed) return;
  std::vector<int> table_values;
  for (int t = 0; t < tables; ++t) {
    for (int i = 0; i < 4; ++i) table_values.push_back(value(t, i));
  }
  list->push_back({*tensor, builder.AddBuffer(bytes_of(table_values)), 2});
}

ByteList BuildOperator(const OperatorCase& c, bool compressed) {
  ModelBuilder builder;
  std::vector<LutTensorSpec> list;
  const int input = builder.AddTensor(c.input);
  int filter = 0;
  int bias = 0;
  FillConstant(c.filter, compressed, builder, &list, &filter);
  FillConstant(c.bias, compressed, builder, &list, &bias);
  const int output = builder.AddTensor(c.output);
  builder.AddOperator(c.code, {input, filter, bias}, {output});
  if (compressed) {
    builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
  }
  return builder.Finish({input}, {output});
}

TEST_P(CompressedOperator, ComputesWhatTheUncompressedOneDoes) {
  const auto run = [](Running& running) {
    const Tensor input = running->input(0);
    const int elements = input.info.shape.Count();
    for (int i = 0; i < elements; ++i) {
      const int value = i * 29 % 60 - 30;
      if (input.info.type == TensorType::kFloat32) {
        static_cast<float*>(input.data)[i] = static_cast<float>(value);
      } else {
        static_cast<int8_t*>(input.data)[i] = static_cast<int8_t>(value);
      }
    }
    EXPECT_EQ(running->Invoke(), Status::kOk);
    return running.Output<uint8_t>(0);
  };
  Running plain(BuildOperator(GetParam(), false), DecompressionPolicy::kPerUse);
  const ByteList expected = run(plain);
  EXPECT_NE(expected, ByteList(expected.size(), expected[0]));
  const ByteList compressed = BuildOperator(GetParam(), true);
  alignas(16) uint8_t memory[64];
  const AlternateMemoryRegion all[] = {{memory, sizeof(memory)}};
  for (const DecompressionPolicy policy : kPolicies) {
    for (const MemoryPolicy memory_policy : {MemoryPolicy::kFast, MemoryPolicy::kSmall}) {
      Running arena(compressed, policy, {}, AllOps(), memory_policy);
      EXPECT_EQ(run(arena), expected);
      Running alternate(compressed, policy, all, AllOps(), memory_policy);
      EXPECT_EQ(run(alternate), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, CompressedOperator, testing::ValuesIn(kOperators),
                         [](const auto& info) { return info.param.name; });

TEST(CompressedOperator, AssignVariableStoresDecodedValues) {
  ModelBuilder builder;
  const uint32_t values = builder.AddBuffer({10, 20, 30, 40});
  const int handle = builder.AddTensor({.shape = {1}, .type = TensorType::kResource});
  const int constant =
      builder.AddTensor({.shape = {6}, .scale = 1, .data = PackIndices({3, 2, 1, 0, 1, 2}, 2)});
  const int output = builder.AddTensor({.shape = {6}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {handle, constant}, {});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {output});
  const std::vector<LutTensorSpec> list = {{constant, values, 2}};
  builder.AddMetadataBytes(kCompressionMetadataName, CompressionMetadata(std::vector<LutTensorList>{list}));
  const ByteList bytes = builder.Finish({}, {output});
  for (const DecompressionPolicy policy : kPolicies) {
    Running running(bytes, policy);
    ASSERT_EQ(running->Invoke(), Status::kOk);
    EXPECT_EQ(running.Output<int8_t>(0), (std::vector<int8_t>{40, 30, 20, 10, 20, 30}));
  }
}

}  // namespace
}  // namespace lutra
