// SPDX-License-Identifier: Apache-2.0
// Runs compressed models with changed bytes: each is refused with a rule, or runs. Does the same with
// conversions of changed uint8 models, and with changed models that are trimmed. Sanitizers watch for bad
// accesses.

#include "runtime/testing/hostile.h"

#include <gtest/gtest.h>

#include <random>

#include "compressor/convert_uint8.h"
#include "compressor/pack.h"
#include "compressor/strip.h"
#include "compressor/trim.h"
#include "lutra/compression/format.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/sanitized.h"
#include "runtime/testing/uint8_network.h"

namespace lutra::compressor {
namespace {

constexpr int kMutants = 5000;
constexpr int kConversions = kSanitized ? 1000 : 5000;
constexpr int kChannels = 16;
constexpr int kInputs = 32;

// Returns a model of FULLY_CONNECTED and two CONV_2D whose filters have few values; filters have one scale,
// or one for each channel.
host::ModelFile FewValues() {
  ModelBuilder builder;
  std::mt19937 random(7);
  Bytes weights(kChannels * kInputs);
  for (uint8_t& w : weights) w = random() % 4 == 0 ? static_cast<uint8_t>(random() % 13 * 9) : 3;
  int x = builder.AddTensor({.shape = {1, kInputs}, .scale = 0.5f});
  const int input = x;
  const int filter = builder.AddTensor({.shape = {kChannels, kInputs}, .scale = 0.25f, .data = weights});
  int y = builder.AddTensor({.shape = {1, kChannels}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {x, filter}, {y});
  x = y;
  weights.resize(kChannels * kChannels);
  const std::vector<float> scales(kChannels, 0.25f);
  for (int layer = 0; layer < 2; ++layer) {
    std::shuffle(weights.begin(), weights.end(), random);
    const int next =
        builder.AddTensor({.shape = {kChannels, 1, 1, kChannels}, .channel_scales = scales, .data = weights});
    y = builder.AddTensor({.shape = {1, kChannels}, .scale = 0.5f});
    const int a = builder.AddTensor({.shape = {1, 1, 1, kChannels}, .scale = 0.5f});
    const int b = builder.AddTensor({.shape = {1, 1, 1, kChannels}, .scale = 0.5f});
    builder.AddOperator(BuiltinOperator::kReshape, {x}, {a});
    builder.AddOperator(BuiltinOperator::kConv2D, {a, next}, {b});
    builder.AddOperator(BuiltinOperator::kReshape, {b}, {y});
    x = y;
  }
  return LoadModel(builder.Finish({input}, {y}), "memory");
}

// Changes one to three bytes of a file.
void Mutate(std::mt19937* random, Bytes* bytes) {
  for (uint32_t changes = 1 + (*random)() % 3; changes > 0; --changes) {
    uint8_t& byte = (*bytes)[(*random)() % bytes->size()];
    const uint8_t kinds[] = {static_cast<uint8_t>((*random)()),
                             static_cast<uint8_t>(byte ^ 1u << (*random)() % 8), 0xFF, 0};
    byte = kinds[(*random)() % 4];
  }
}

// Returns the model with all filters that `codec` takes compressed, and streams close together; empty if it
// takes none.
Bytes Packed(const host::ModelFile& plain, DecodeType codec, TableChoice tables, Form form) {
  const ModelEditor editor(plain);
  std::vector<SpecEntry> spec;
  for (const Constant& constant : FindConstants(editor, form)) {
    const SpecEntry entry = {.id = constant.id, .codec = codec, .tables = tables};
    Obstacle obstacle;
    if (constant.type == TensorType::kInt32 || !EncodeTensor(editor, entry, form, &obstacle)) continue;
    spec.push_back(entry);
  }
  if (spec.empty()) return {};
  return Pack(plain,
              {.form = form, .target = Target::kLutra, .placement = Placement::kPackedStreams, .spec = spec})
      .file;
}

// Returns the model in every codec that takes `type`, with tables in both forms.
std::vector<Bytes> PackedInEveryWay(const host::ModelFile& plain, TensorType type) {
  std::vector<Bytes> files = {Packed(plain, DecodeType::kLut, TableChoice::kByQuantization, Form::kMetadata),
                              Packed(plain, DecodeType::kLut, TableChoice::kPerTensor, Form::kDecode)};
  for (const CodecFacts& codec : AllCodecs()) {
    if (!Contains(codec.types, type)) continue;
    files.push_back(Packed(plain, codec.type, TableChoice::kByQuantization, Form::kDecode));
  }
  for (const Bytes& file : files) EXPECT_FALSE(file.empty());
  return files;
}

// Expects that each file runs, and that changed files are refused with a rule, or run.
void ExpectMutantsAreRefusedOrRun(const std::vector<Bytes>& files) {
  alignas(16) static uint8_t fast_memory[3000];
  const AlternateMemoryRegion regions[] = {{fast_memory, 700}, {fast_memory + 1001, 1500}};
  std::mt19937 random(1);
  int ran = 0;
  for (int i = 0; i < kMutants; ++i) {
    Bytes bytes = files[static_cast<size_t>(i) % files.size()];
    if (i / static_cast<int>(files.size()) == 0) {
      EXPECT_TRUE(TryToRun(bytes)) << i;
    }
    Mutate(&random, &bytes);
    const InterpreterOptions options = {.decompression = static_cast<DecompressionPolicy>(i % 3)};
    ran += TryToRun(
               bytes, options,
               i % 5 == 0 ? Span<const AlternateMemoryRegion>(regions) : Span<const AlternateMemoryRegion>())
               ? 1
               : 0;
  }
  testing::Test::RecordProperty("ran", ran);
  EXPECT_GT(ran, kMutants / 10);
  EXPECT_LT(ran, kMutants);
}

TEST(HostileCompressedModel, IsRefusedWithARuleOrRuns) {
  ExpectMutantsAreRefusedOrRun(PackedInEveryWay(FewValues(), TensorType::kInt8));
}

TEST(HostileCompressedModel, OfUint8) {
  ExpectMutantsAreRefusedOrRun(PackedInEveryWay(LoadModel(Uint8Network(), "memory"), TensorType::kUInt8));
}

// A model that convert-uint8 accepts becomes one that is refused with a rule, or runs; all others are bad
// input.
TEST(HostileUint8Model, IsConvertedOrRefused) {
  const Bytes whole = Uint8Network();
  EXPECT_TRUE(TryToRun(ConvertUint8(LoadModel(whole, "memory"), WeightScales::kChannel).file));
  std::mt19937 random(1);
  int converted = 0, ran = 0;
  for (int i = 0; i < kConversions; ++i) {
    Bytes bytes = whole;
    Mutate(&random, &bytes);
    try {
      const host::ModelFile file = LoadModel(bytes, "memory");
      const Uint8Conversion result =
          ConvertUint8(file, i % 2 == 0 ? WeightScales::kTensor : WeightScales::kChannel);
      ++converted;
      ran += TryToRun(result.file) ? 1 : 0;
    } catch (const host::BadInput& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("required"), std::string::npos) << refusal.what();
    }
  }
  EXPECT_GT(ran, kConversions / 10);
  EXPECT_LE(ran, converted);
  EXPECT_LT(converted, kConversions);
}

// Returns a network of every operator through which trim follows channels, with dead channels in each layer.
Bytes NetworkToTrim() {
  ModelBuilder builder;
  const auto activation = [&](const std::vector<int32_t>& shape) {
    return builder.AddTensor({.shape = shape, .scale = 0.5f});
  };
  const auto ints = [&](const std::vector<int32_t>& shape, const std::vector<int32_t>& values) {
    return builder.AddTensor(
        {.shape = shape, .type = TensorType::kInt32, .scale = 0.125f, .data = BytesOf(values)});
  };
  const auto weights = [&](const std::vector<int32_t>& shape, uint8_t count) {
    Bytes values;
    for (uint8_t i = 0; i < count; ++i) values.push_back(static_cast<uint8_t>(5 * i));
    return builder.AddTensor({.shape = shape, .scale = 0.25f, .data = values});
  };
  const auto node = [&](BuiltinOperator code, const std::vector<int>& inputs,
                        const std::vector<int32_t>& shape, const OperatorOptions& options = {}) {
    const int output = activation(shape);
    builder.AddOperator(code, inputs, {output}, options);
    return output;
  };
  constexpr int32_t kDead = -1000000;
  const std::vector<int32_t> image = {1, 2, 2, 4};
  const OperatorOptions relu = {.activation = 1};
  const int x = activation({1, 2, 2, 2});
  const int a = node(BuiltinOperator::kConv2D, {x, weights({4, 1, 1, 2}, 8), ints({4}, {0, kDead, 9, kDead})},
                     image, relu);
  const int b = node(BuiltinOperator::kDepthwiseConv2D,
                     {a, weights({1, 2, 2, 4}, 16), ints({4}, {kDead, 0, 0, kDead})}, image, relu);
  const int sum = node(BuiltinOperator::kAdd, {b, weights({4}, 4)}, image);
  const int scaled = node(BuiltinOperator::kMul, {sum, b}, image);
  const int pooled = node(BuiltinOperator::kMaxPool2D, {scaled}, image, {.filter = 2});
  const int joined = node(BuiltinOperator::kConcatenation, {pooled, b}, {1, 2, 2, 8}, {.axis = 3});
  const int padded =
      node(BuiltinOperator::kPad, {joined, ints({4, 2}, {0, 0, 1, 0, 0, 0, 0, 0})}, {1, 3, 2, 8});
  const int mean = node(BuiltinOperator::kMean, {padded, ints({1}, {1})}, {1, 2, 8});
  const int flat = node(BuiltinOperator::kReshape, {mean, ints({2}, {1, 16})}, {1, 16}, {.dims = {1, 16}});
  const int y =
      node(BuiltinOperator::kFullyConnected, {flat, weights({3, 16}, 48), ints({3}, {1, 2, 3})}, {1, 3});
  return builder.Finish({x}, {y});
}

// A model after a change.
struct Changed {
  Bytes file;
  bool is_other = false;  // The change found something to change.
};

// A changed model computes the same as before, if that runs; all others are bad input.
template <typename Change>
void ExpectMutantsComputeTheSame(const Bytes& whole, const Change& change) {
  EXPECT_TRUE(change(LoadModel(whole, "memory")).is_other);
  std::mt19937 random(1);
  int changed = 0, ran = 0;
  for (int i = 0; i < kConversions; ++i) {
    Bytes bytes = whole;
    if (i > 0) Mutate(&random, &bytes);
    try {
      const Changed result = change(LoadModel(bytes, "memory"));
      changed += result.is_other ? 1 : 0;
      const Trial before = Try({bytes.data(), bytes.size()});
      if (before.status != Status::kOk) continue;
      const Trial after = Try({result.file.data(), result.file.size()});
      EXPECT_EQ(after.status, Status::kOk) << i;
      EXPECT_EQ(after.outputs, before.outputs) << i;
      ran += result.is_other ? 1 : 0;
    } catch (const host::BadInput& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("required"), std::string::npos) << refusal.what();
    }
  }
  EXPECT_GT(ran, kConversions / 10);
  EXPECT_LE(ran, changed);
  EXPECT_LT(changed, kConversions);
}

TEST(HostileModel, IsTrimmedOrRefused) {
  ExpectMutantsComputeTheSame(NetworkToTrim(), [](const host::ModelFile& file) {
    TrimResult result = Trim(file);
    const bool is_other = result.removed() > 0;
    return Changed{std::move(result.file), is_other};
  });
}

TEST(HostileModel, IsStrippedOrRefused) {
  ExpectMutantsComputeTheSame(NetworkToTrim(), [](const host::ModelFile& file) {
    const StripResult result = Strip(file);
    return Changed{result.file, !result.gone.empty()};
  });
}

TEST(HostileModel, IsStrippedAndPackedOrRefused) {
  ExpectMutantsComputeTheSame(NetworkToTrim(), [](const host::ModelFile& file) {
    const PackResult result =
        Pack(file, {.target = Target::kLutra, .placement = Placement::kPackedStreams, .strip = true});
    return Changed{result.file, result.file.size() < file.bytes.size()};
  });
}

}  // namespace
}  // namespace lutra::compressor
