// SPDX-License-Identifier: Apache-2.0
// Tests policy streamed: random layers whose weights do not fit a block give, in every codec, the outputs of
// the plain layer.

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "compressor/encode/encode.h"
#include "lutra/cpu.h"
#include "lutra/diagnosis_text.h"
#include "lutra/graph.h"
#include "lutra/micro_interpreter.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra::conformance {
namespace {

using ByteList = std::vector<uint8_t>;

struct Layer {
  BuiltinOperator code = BuiltinOperator::kConv2D;
  TensorSpec input;
  TensorSpec weights;
  TensorSpec bias;
  TensorSpec output;
  OperatorOptions options;
  bool compress_bias = false;
};

class Random {
 public:
  explicit Random(uint32_t seed) : random_(seed) {}
  int Of(int first, int last) { return std::uniform_int_distribution<int>(first, last)(random_); }
  // Returns few different values, of which 0 is the most frequent.
  ByteList Values(size_t count) {
    std::vector<uint8_t> pool;
    for (int i = Of(2, 12); i > 0; --i) pool.push_back(static_cast<uint8_t>(Of(-128, 127)));
    ByteList bytes(count);
    for (uint8_t& byte : bytes)
      byte = Of(0, 1) == 0 ? 0 : pool[static_cast<size_t>(Of(0, static_cast<int>(pool.size()) - 1))];
    return bytes;
  }

 private:
  std::mt19937 random_;
};

size_t CountOf(const std::vector<int32_t>& shape) {
  size_t count = 1;
  for (const int32_t dim : shape) count *= static_cast<size_t>(dim);
  return count;
}

void SetScales(int channels, int dimension, Random& random, TensorSpec* weights) {
  weights->quantized_dimension = dimension;
  for (int i = 0; i < channels; ++i) {
    weights->channel_scales.push_back(0.002f * static_cast<float>(random.Of(1, 9)));
  }
}

// Completes a layer of which input and weights have their shapes.
void Complete(int channels, const std::vector<int32_t>& output, Random& random, Layer* layer) {
  layer->input.scale = 0.5f;
  layer->input.zero_point = random.Of(-20, 20);
  layer->output = {.shape = output, .scale = 1.5f, .zero_point = random.Of(-20, 20)};
  layer->weights.data = random.Values(CountOf(layer->weights.shape));
  layer->bias = {.shape = {channels}, .type = TensorType::kInt32};
  std::vector<int32_t> biases;
  for (int i = 0; i < channels; ++i) biases.push_back(random.Of(0, 3) * 1000);
  layer->bias.data = BytesOf(biases);
  layer->compress_bias = random.Of(0, 2) == 0;
}

Layer RandomConvolution(BuiltinOperator code, Random& random) {
  Layer layer;
  layer.code = code;
  const int height = random.Of(1, 7);
  const int width = random.Of(1, 7);
  const int filter_h = random.Of(1, 4);
  const int filter_w = random.Of(1, 4);
  OperatorOptions& o = layer.options;
  o.stride = random.Of(1, 3);
  o.stride_w = random.Of(1, 3);
  if (code == BuiltinOperator::kTransposeConv) {
    const int in_channels = random.Of(1, 40);
    const int channels = random.Of(2, 40);
    o.padding = 1;
    layer.input.shape = {1, height, width, in_channels};
    layer.weights.shape = {channels, filter_h, filter_w, in_channels};
    SetScales(channels, 0, random, &layer.weights);
    Complete(channels,
             {1, (height - 1) * o.stride + filter_h, (width - 1) * *o.stride_w + filter_w, channels}, random,
             &layer);
    return layer;
  }
  o.dilation = random.Of(1, 2);
  o.dilation_w = random.Of(1, 2);
  const int groups = random.Of(0, 1) == 0 ? 1 : random.Of(2, 4);
  const int out_h = (height + o.stride - 1) / o.stride;
  const int out_w = (width + *o.stride_w - 1) / *o.stride_w;
  const int images = random.Of(1, 2);
  if (code == BuiltinOperator::kDepthwiseConv2D) {
    const int in_channels = random.Of(1, 150);
    o.depth_multiplier = random.Of(0, 2) == 0 ? random.Of(2, 5) : 1;
    const int channels = in_channels * o.depth_multiplier;
    layer.input.shape = {images, height, width, in_channels};
    layer.weights.shape = {1, filter_h, filter_w, channels};
    SetScales(channels, 3, random, &layer.weights);
    Complete(channels, {images, out_h, out_w, channels}, random, &layer);
    return layer;
  }
  const int filter_channels = random.Of(1, 50);
  const int channels = groups * random.Of(1, 30);
  layer.input.shape = {images, height, width, filter_channels * groups};
  layer.weights.shape = {channels, filter_h, filter_w, filter_channels};
  SetScales(channels, 0, random, &layer.weights);
  Complete(channels, {images, out_h, out_w, channels}, random, &layer);
  return layer;
}

Layer RandomFullyConnected(Random& random) {
  Layer layer;
  layer.code = BuiltinOperator::kFullyConnected;
  const int rows = random.Of(1, 4);
  const int depth = random.Of(1, 700);
  const int channels = random.Of(1, 150);
  layer.input.shape = {rows, depth};
  layer.weights.shape = {channels, depth};
  if (random.Of(0, 1) == 0) {
    layer.weights.scale = 0.01f;
  } else {
    SetScales(channels, 0, random, &layer.weights);
  }
  Complete(channels, {rows, channels}, random, &layer);
  if (layer.weights.scale > 0) layer.bias.scale = 0.5f * layer.weights.scale;
  return layer;
}

Layer RandomLayer(uint32_t seed) {
  Random random(seed);
  constexpr BuiltinOperator kCodes[] = {BuiltinOperator::kConv2D, BuiltinOperator::kDepthwiseConv2D,
                                        BuiltinOperator::kTransposeConv, BuiltinOperator::kFullyConnected};
  const BuiltinOperator code = kCodes[seed % 4];
  return code == BuiltinOperator::kFullyConnected ? RandomFullyConnected(random)
                                                  : RandomConvolution(code, random);
}

// Adds a constant, or the output of TFLM_DECODE. `codec`: null for a constant. Returns false if the codec
// cannot encode the tensor.
bool AddWeights(TensorSpec spec, const CodecFacts* codec, bool per_channel, ModelBuilder& builder,
                int* tensor) {
  if (codec == nullptr) {
    *tensor = builder.AddTensor(spec);
    return true;
  }
  compressor::TensorValues values = {.type = spec.type, .shape = spec.shape, .bytes = spec.data};
  const auto scales = static_cast<size_t>(std::max<size_t>(1, spec.channel_scales.size()));
  values.axis = per_channel && scales > 1 ? spec.quantized_dimension : -1;
  values.zero_points.assign(scales, 0);
  values.zero_point_axis = spec.quantized_dimension;
  const compressor::Encodable encodable = compressor::Encode(codec->type, values);
  if (!encodable.result) return false;
  const auto constant = [&builder](const ByteList& data) {
    return builder.AddTensor(
        {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
  };
  const int stream = constant(encodable.result->encoded);
  const int ancillary = constant(encodable.result->ancillary);
  spec.data.clear();
  *tensor = builder.AddTensor(spec);
  builder.AddCustomOperator(kDecodeCustomCode, {stream, ancillary}, {*tensor});
  return true;
}

bool Build(const Layer& layer, const CodecFacts* codec, bool per_channel, ByteList* bytes) {
  ModelBuilder builder;
  const int input = builder.AddTensor(layer.input);
  int weights = 0;
  int bias = 0;
  if (!AddWeights(layer.weights, codec, per_channel, builder, &weights)) return false;
  if (!layer.compress_bias || !AddWeights(layer.bias, codec, per_channel, builder, &bias)) {
    bias = builder.AddTensor(layer.bias);
  }
  const int output = builder.AddTensor(layer.output);
  std::vector<int> inputs = {input, weights, bias};
  if (layer.code == BuiltinOperator::kTransposeConv) {
    const std::vector<int32_t>& shape = layer.output.shape;
    inputs = {builder.AddTensor({.shape = {4}, .type = TensorType::kInt32, .data = BytesOf(shape)}), weights,
              input, bias};
  }
  builder.AddOperator(layer.code, inputs, {output}, layer.options);
  *bytes = builder.Finish({input}, {output});
  return true;
}

struct Outcome {
  ByteList output;
  size_t arena_bytes = 0;
  int nodes = 0;
  std::string kernel;
  int passes = 0;
};

// `region_bytes`: the bytes of memory outside the arena.
Outcome Infer(const ByteList& bytes, const InterpreterOptions& options, size_t region_bytes = 0) {
  static std::vector<uint64_t> file;
  alignas(16) static uint8_t arena[1 << 19];
  alignas(16) static uint8_t memory[1 << 18];
  EXPECT_LE(region_bytes, sizeof(memory));
  const AlternateMemoryRegion region = {memory, region_bytes};
  file.assign((bytes.size() + 7) / 8, 0);
  std::memcpy(file.data(), bytes.data(), bytes.size());
  Model model;
  Diagnosis diagnosis;
  EXPECT_EQ(Model::Load({reinterpret_cast<const uint8_t*>(file.data()), bytes.size()}, &model, &diagnosis),
            Status::kOk);
  MicroInterpreter interpreter(model, AllOps(), arena, options);
  EXPECT_EQ(interpreter.SetDecompressionMemory({&region, 1}), Status::kOk);
  Outcome run;
  interpreter.set_visitor({.user = &run, .kernel = [](void* user, int, const char* kernel) {
                             static_cast<Outcome*>(user)->kernel = kernel;
                           }});
  if (interpreter.AllocateTensors() != Status::kOk) {
    ADD_FAILURE() << Describe(interpreter.diagnosis().rule).name;
    return run;
  }
  // Runs twice, as decoded weights must be there again.
  for (int i = 0; i < 2; ++i) {
    const Tensor input = interpreter.input(0);
    for (int32_t k = 0; k < input.info.bytes; ++k) {
      static_cast<int8_t*>(input.data)[k] = static_cast<int8_t>(k * 29 % 251 - 125);
    }
    EXPECT_EQ(interpreter.Invoke(), Status::kOk);
  }
  const Tensor output = interpreter.output(0);
  const auto* values = static_cast<const uint8_t*>(output.data);
  run.output.assign(values, values + output.info.bytes);
  run.arena_bytes = interpreter.memory().used_bytes;
  run.nodes = interpreter.node_count();
  run.passes = interpreter.decoding_passes(0, 1);
  return run;
}

// Compares arenas with the plain layer's. Variants that pack weights do so with any codec; then values that
// are decoded at init are not needed.
TEST(Streamed, RandomLayersInEveryCodec) {
  constexpr uint32_t kLayers = 240;
  constexpr size_t kMostOfFast = 1024;
  int runs = 0;
  [[maybe_unused]] int prepared = 0;
  for (uint32_t seed = 0; seed < kLayers; ++seed) {
    const Layer layer = RandomLayer(seed);
    ByteList plain;
    ASSERT_TRUE(Build(layer, nullptr, false, &plain));
    const bool overlap = seed / 4 % 2 == 0;
    const MemoryPolicy policy = seed / 8 % 2 == 0 ? MemoryPolicy::kSmall : MemoryPolicy::kFast;
    InterpreterOptions options = {.policy = policy, .overlap = overlap};
    const Outcome expected = Infer(plain, options);
    for (const CodecFacts& codec : AllCodecs()) {
      ByteList compressed;
      if (!Build(layer, &codec, seed % 3 != 0, &compressed)) continue;
      options.decompression = DecompressionPolicy::kPerUse;
      const Outcome per_use = Infer(compressed, options);
      options.decompression = DecompressionPolicy::kStreamed;
      const Outcome streamed = Infer(compressed, options);
      EXPECT_EQ(streamed.output, expected.output) << codec.name << ", layer " << seed;
      EXPECT_EQ(per_use.output, expected.output) << codec.name << ", layer " << seed;
      EXPECT_EQ(streamed.nodes, 1);
      if (policy == MemoryPolicy::kSmall) {
        EXPECT_LT(streamed.arena_bytes, expected.arena_bytes + 1024) << codec.name << ", layer " << seed;
      }
      options.decompression = DecompressionPolicy::kAtInit;
      const Outcome at_init = Infer(compressed, options);
      EXPECT_EQ(at_init.output, expected.output) << codec.name << ", layer " << seed;
      if (policy == MemoryPolicy::kFast) {
        EXPECT_EQ(streamed.kernel, expected.kernel) << codec.name << ", layer " << seed;
        EXPECT_EQ(at_init.kernel, expected.kernel) << codec.name << ", layer " << seed;
        if (expected.kernel != "ref") {
          EXPECT_LE(at_init.arena_bytes, expected.arena_bytes + kMostOfFast)
              << codec.name << ", layer " << seed;
          EXPECT_GE(at_init.arena_bytes, expected.arena_bytes) << "what is packed is what a plain model has";
          ++prepared;
        }
      }
      // Under policy `fast`, the arena may be as large as that of a variant that packs plain weights.
      const bool no_more_than_packed =
          policy == MemoryPolicy::kFast && streamed.arena_bytes <= expected.arena_bytes + kMostOfFast;
      EXPECT_TRUE(streamed.arena_bytes < per_use.arena_bytes || no_more_than_packed)
          << codec.name << ", layer " << seed << " (" << streamed.kernel << "): " << streamed.arena_bytes
          << " bytes, per-use " << per_use.arena_bytes << ", plain " << expected.arena_bytes;
      ++runs;
    }
  }
  EXPECT_GT(runs, static_cast<int>(kLayers) * 5);
#if defined(__x86_64__)
  if ((CpuFeaturesHere() & kCpuAvx2) == kCpuAvx2) {
    EXPECT_GT(prepared, runs / 4);
  }
#endif
}

// Weights that fit memory outside the arena are decoded there, once; weights that are a byte too large are
// streamed.
TEST(Streamed, WeightsInARegionAreDecodedOnce) {
  constexpr uint32_t kLayers = 40;
  constexpr auto round_up = [](size_t bytes) { return (bytes + 15) / 16 * 16; };
  int smaller = 0;
  int fewer_passes = 0;
  for (uint32_t seed = 0; seed < kLayers; ++seed) {
    const Layer layer = RandomLayer(seed);
    ByteList plain;
    ASSERT_TRUE(Build(layer, nullptr, false, &plain));
    const InterpreterOptions options = {.policy = MemoryPolicy::kSmall,
                                        .decompression = DecompressionPolicy::kStreamed};
    const Outcome expected = Infer(plain, options);
    const size_t weights = layer.weights.data.size();
    const size_t all = round_up(weights) + layer.bias.data.size();
    for (const CodecFacts& codec : AllCodecs()) {
      ByteList compressed;
      if (!Build(layer, &codec, seed % 3 != 0, &compressed)) continue;
      const Outcome streamed = Infer(compressed, options);
      for (const size_t bytes : {all, weights, weights - 1}) {
        const Outcome outside = Infer(compressed, options, bytes);
        EXPECT_EQ(outside.output, expected.output) << codec.name << ", layer " << seed << ", " << bytes;
        if (bytes != all) continue;
        EXPECT_EQ(outside.passes, 1) << codec.name << ", layer " << seed;
        smaller += outside.arena_bytes < streamed.arena_bytes ? 1 : 0;
        fewer_passes += streamed.passes > 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(smaller, static_cast<int>(kLayers));
  EXPECT_GT(fewer_passes, static_cast<int>(kLayers));
}

// The smallest block is one filter; the block of the bias beside it may be smaller.
TEST(Streamed, TakesLessThanAKilobyteOfLongFiltersWithABias) {
  Random random(1);
  Layer layer;
  layer.code = BuiltinOperator::kFullyConnected;
  layer.input.shape = {1, 760};
  layer.weights.shape = {100, 760};
  SetScales(100, 0, random, &layer.weights);
  Complete(100, {1, 100}, random, &layer);
  layer.compress_bias = true;
  ByteList plain;
  ASSERT_TRUE(Build(layer, nullptr, false, &plain));
  InterpreterOptions options = {.policy = MemoryPolicy::kSmall};
  const Outcome expected = Infer(plain, options);
  options.decompression = DecompressionPolicy::kStreamed;
  int runs = 0;
  for (const CodecFacts& codec : AllCodecs()) {
    ByteList compressed;
    if (!Build(layer, &codec, false, &compressed)) continue;
    const Outcome streamed = Infer(compressed, options);
    EXPECT_EQ(streamed.output, expected.output) << codec.name;
    EXPECT_LT(streamed.arena_bytes, expected.arena_bytes + 1024) << codec.name;
    ++runs;
  }
  EXPECT_GT(runs, 2);
}

// 200 channels of 3 x 3 taps are divided into blocks of at most 64 channels. A stream that can only be read
// from its start is read up to the last tap of the first block, and again for the weights that were skipped.
TEST(Streamed, SaysHowOftenADepthwiseStreamIsRead) {
  Random random(1);
  Layer layer;
  layer.code = BuiltinOperator::kDepthwiseConv2D;
  layer.input.shape = {1, 5, 5, 200};
  for (const int taps : {3, 5}) {
    layer.weights = {.shape = {1, taps, taps, 200}};
    SetScales(200, 3, random, &layer.weights);
    Complete(200, {1, 5, 5, 200}, random, &layer);
    layer.compress_bias = false;
    for (const CodecFacts& codec : AllCodecs()) {
      ByteList compressed;
      if (!Build(layer, &codec, false, &compressed)) continue;
      const Outcome streamed = Infer(compressed, {.policy = MemoryPolicy::kSmall,
                                                  .overlap = false,
                                                  .decompression = DecompressionPolicy::kStreamed});
      if (CanBeEntered(codec.type)) {
        EXPECT_EQ(streamed.passes, 1) << codec.name;
      } else if (taps == 3) {
        EXPECT_EQ(streamed.passes, 2) << codec.name;
      } else {
        EXPECT_GT(streamed.passes, 2) << codec.name;
      }
    }
  }
}

}  // namespace
}  // namespace lutra::conformance
