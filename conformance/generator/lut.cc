// SPDX-License-Identifier: Apache-2.0
// Models with compressed weights, as `compress pack` writes them: lookup tables in COMPRESSION_METADATA, and
// TFLM_DECODE before the operators. They must give the outputs of the uncompressed model.

#include <fmt/format.h>

#include <algorithm>

#include "compressor/pack.h"
#include "conformance/generator/draw.h"
#include "conformance/generator/layers.h"
#include "lutra/compression/format.h"

namespace lutra::conformance {
namespace {

// An operator with a constant that can be compressed.
struct Consumer {
  const char* name;
  int input;  // The index of the constant among the operator's inputs.
  Layer (*add)(Random& random, Layers& net, const LayerOptions& options);
};

Layer Image(Random& random, Layers& net) { return net.Input({1, 5, 4, random.Int(4, 9)}); }

Layer AddConv(Random& random, Layers& net, const LayerOptions& options) {
  return net.Conv(Image(random, net), options);
}
Layer AddDepthwise(Random& random, Layers& net, const LayerOptions& options) {
  return net.Depthwise(Image(random, net), options);
}
Layer AddTransposeConv(Random& random, Layers& net, const LayerOptions& options) {
  return net.TransposeConv(Image(random, net), options);
}
Layer AddFullyConnected(Random& random, Layers& net, const LayerOptions& options) {
  const Layer x = net.Input({2, random.Int(20, 40)});
  return net.FullyConnected(x, options);
}
Layer AddConcatenation(Random&, Layers& net, const LayerOptions& options) {
  const Layer x = net.Input({3, 5});
  return net.Concatenation({x, net.Constant({3, 11}, options.levels, &x)}, 1);
}
Layer AddSum(Random&, Layers& net, const LayerOptions& options) {
  const Layer x = net.Input({3, 17});
  return net.Add(x, net.Constant(x.shape, options.levels));
}
Layer AddProduct(Random&, Layers& net, const LayerOptions& options) {
  const Layer x = net.Input({3, 17});
  return net.Mul(x, net.Constant(x.shape, options.levels));
}
Layer AddMaximum(Random&, Layers& net, const LayerOptions& options) {
  const Layer x = net.Input({2, 33});
  return net.Maximum(x, net.Constant(x.shape, options.levels, &x));
}

constexpr Consumer kConv = {"conv_2d", 1, AddConv};
constexpr Consumer kDepthwise = {"depthwise_conv_2d", 1, AddDepthwise};
constexpr Consumer kTransposeConv = {"transpose_conv", 1, AddTransposeConv};
constexpr Consumer kFullyConnected = {"fully_connected", 1, AddFullyConnected};
constexpr Consumer kConcatenation = {"concatenation", 1, AddConcatenation};
constexpr Consumer kSum = {"add", 1, AddSum};
constexpr Consumer kProduct = {"mul", 1, AddProduct};
constexpr Consumer kMaximum = {"maximum", 1, AddMaximum};

struct Place {
  size_t op;
  int input;
};

// Packs the constants at `places`, each as `entry` says.
Case Packed(Case test, compressor::Form form, const compressor::SpecEntry& entry,
            const std::vector<Place>& places) {
  const host::ModelFile file = compressor::LoadModel(test.model, "a generated model");
  const auto model = oracle::ReadModel(test.model);
  std::vector<compressor::SpecEntry> spec;
  for (const Place& place : places) {
    spec.push_back(entry);
    spec.back().id.tensor =
        model->subgraphs[0]->operators[place.op]->inputs[static_cast<size_t>(place.input)];
  }
  test.plain_model = std::move(test.model);
  test.model = compressor::Pack(file, {.form = form,
                                       .target = compressor::Target::kLutra,
                                       .parts = compressor::Parts::kRepeated,
                                       .spec = spec})
                   .file;
  test.op = form == compressor::Form::kMetadata ? "LUT" : "DECODE";
  test.optional = !FactsOf(entry.codec).read_by_tflm;
  return test;
}

class LutMaker {
 public:
  LutMaker(const char* prefix, const CaseSink& sink, Smoke smoke = Smoke::kMaybe)
      : sink_(sink), random_(prefix), ids_(prefix), smoke_(smoke) {}

  void Add(const std::string& what, const Consumer& consumer, compressor::Form form,
           const compressor::SpecEntry& entry, LayerOptions options) {
    Layers net(random_);
    options.channels = random_.Int(3, 9);
    options.filter = random_.OneIn(3) ? 1 : 3;
    const Layer y = consumer.add(random_, net, options);
    Sink(what, Packed(net.Finish({y}), form, entry, {{0, consumer.input}}));
  }
  // Adds a case of two layers, with the weights of both compressed, and the bias if it has few values.
  void AddTwo(const std::string& what, compressor::Form form, const compressor::SpecEntry& entry,
              const LayerOptions& options, const std::vector<Place>& places) {
    Layers net(random_);
    const Layer x = net.Conv(Image(random_, net), options);
    Sink(what, Packed(net.Finish({net.Depthwise(x, options)}), form, entry, places));
  }
  void AddMade(const std::string& what, Case test) { Sink(what, std::move(test)); }
  Random& random() { return random_; }

 private:
  void Sink(const std::string& what, Case test) {
    test.id = ids_(what);
    test.smoke = smoke_;
    sink_(std::move(test));
  }

  const CaseSink& sink_;
  Random random_;
  NumberedIds ids_;
  Smoke smoke_;
};

void AddMetadata(LutMaker& maker) {
  for (int width = 1; width <= 7; ++width) {
    const compressor::SpecEntry entry = {.index_bitwidth = width};
    const auto add = [&](const Consumer& consumer, bool per_channel) {
      maker.Add(fmt::format("metadata.{}.{}.width{}", consumer.name,
                            per_channel ? "per_channel" : "per_tensor", width),
                consumer, compressor::Form::kMetadata, entry,
                {.per_channel = per_channel, .levels = 1 << width});
    };
    for (const Consumer& consumer : {kConv, kDepthwise, kTransposeConv, kFullyConnected}) {
      add(consumer, true);
      if (consumer.input == 1 && (width % 2 == 1 || consumer.add == AddFullyConnected)) add(consumer, false);
    }
    if (width % 2 == 0) add(kConcatenation, false);
  }
  // Indices have more bits than the values need.
  for (const int width : {4, 7}) {
    for (const Consumer& consumer : {kConv, kFullyConnected}) {
      maker.Add(fmt::format("metadata.{}.wide_indices", consumer.name), consumer, compressor::Form::kMetadata,
                {.index_bitwidth = width}, {.per_channel = false, .levels = 2});
    }
  }
  for (const int width : {2, 4, 6}) {
    const LayerOptions options = {.channels = 5, .filter = 3, .levels = 1 << width};
    maker.AddTwo("metadata.two_layers", compressor::Form::kMetadata, {.index_bitwidth = width}, options,
                 {{0, 1}, {1, 1}});
    // The bias has a table of one value for each channel.
    maker.AddTwo("metadata.weights_and_bias", compressor::Form::kMetadata, {}, options,
                 {{0, 1}, {0, 2}, {1, 2}});
  }
}

void AddDecode(LutMaker& maker) {
  for (int width = 1; width <= 7; ++width) {
    const LayerOptions options = {.levels = 1 << width};
    const auto add = [&](const char* tables, const Consumer& consumer, const compressor::SpecEntry& entry,
                         const LayerOptions& layer) {
      maker.Add(fmt::format("decode.lut.{}.{}.width{}", consumer.name, tables, width), consumer,
                compressor::Form::kDecode, entry, layer);
    };
    const compressor::SpecEntry entry = {.index_bitwidth = width};
    add("first_axis", kConv, entry, options);
    add("last_axis", kDepthwise, entry, options);
    add("one_table", kFullyConnected, entry, {.per_channel = false, .levels = 1 << width});
    if (width % 3 != 1) continue;
    add("first_axis", kTransposeConv, entry, options);
    add("one_table", kConcatenation, entry, options);
    add("one_table", kSum, entry, options);
  }
  for (const DecodeType codec : {DecodeType::kHuffman, DecodeType::kPrune}) {
    const std::string name = ToString(codec);
    for (const Consumer& consumer :
         {kConv, kDepthwise, kTransposeConv, kFullyConnected, kConcatenation, kSum, kProduct, kMaximum}) {
      for (const int levels : {5, 256}) {
        maker.Add(fmt::format("decode.{}.{}", name, consumer.name), consumer, compressor::Form::kDecode,
                  {.codec = codec},
                  {.per_channel = levels == 5, .levels = levels, .sparse = codec == DecodeType::kPrune});
      }
    }
    maker.AddTwo("decode." + name + ".two_layers", compressor::Form::kDecode, {.codec = codec},
                 {.channels = 4, .filter = 3, .levels = 9}, {{0, 1}, {1, 1}});
  }
}

void GenerateLut(const CaseSink& sink) {
  LutMaker maker("int8.lut.", sink);
  AddMetadata(maker);
  AddDecode(maker);
}

// ---- Codecs that only Lutra has.

struct LevelsOfCodec {
  DecodeType codec;
  int levels[2];  // The numbers of distinct values, for streams LSB first and MSB first.
};
constexpr LevelsOfCodec kLevels[] = {{DecodeType::kBitPack, {6, 40}},
                                     {DecodeType::kWideLut, {9, 256}},
                                     {DecodeType::kSparseLut, {7, 100}},
                                     {DecodeType::kHuffmanLut, {5, 120}}};

void GenerateDecodeLutra(const CaseSink& sink) {
  LutMaker maker("int8.decode_lutra.", sink);
  for (const LevelsOfCodec& row : kLevels) {
    const CodecFacts codec = FactsOf(row.codec);
    for (const Consumer& consumer : {kConv, kFullyConnected, kSum}) {
      for (const int i : {0, 1}) {
        const compressor::SpecEntry entry = {.codec = row.codec,
                                             .order = i == 0 ? BitOrder::kLsbFirst : BitOrder::kMsbFirst};
        const LayerOptions options = {.per_channel = consumer.add == AddConv,
                                      .levels = row.levels[i],
                                      .one_table = codec.tables != ValueTables::kPerChannel,
                                      .sparse = codec.tables == ValueTables::kOneAndSpecial};
        maker.Add(fmt::format("{}.{}", codec.method, consumer.name), consumer, compressor::Form::kDecode,
                  entry, options);
      }
    }
  }
}

// ---- Real sizes: tensors are so long that decoders look up several elements at once.

Layer AddLongFullyConnected(Random&, Layers& net, const LayerOptions& options) {
  return net.FullyConnected(net.Input({1, 707}), options);
}
Layer AddDeepConv(Random&, Layers& net, const LayerOptions& options) {
  return net.Conv(net.Input({1, 3, 2, 67}), options);
}
Layer AddWideDepthwise(Random&, Layers& net, const LayerOptions& options) {
  return net.Depthwise(net.Input({1, 3, 2, 133}), options);
}
constexpr Consumer kLongFullyConnected = {"fully_connected", 1, AddLongFullyConnected};
constexpr Consumer kDeepConv = {"conv_2d", 1, AddDeepConv};
constexpr Consumer kWideDepthwise = {"depthwise_conv_2d", 1, AddWideDepthwise};

void GenerateRealLut(const CaseSink& sink) {
  LutMaker all("int8.lut.real.", sink, Smoke::kNever), some("int8.lut.real.smoke.", sink, Smoke::kAlways);
  for (int width = 1; width <= 7; ++width) {
    const compressor::SpecEntry entry = {.index_bitwidth = width};
    const LayerOptions one_table = {.per_channel = false, .levels = 1 << width},
                       tables = {.levels = 1 << width};
    for (const compressor::Form form : {compressor::Form::kMetadata, compressor::Form::kDecode}) {
      const bool is_smoke = form == compressor::Form::kMetadata ? width % 3 == 1 : width % 3 == 2;
      LutMaker& maker = is_smoke ? some : all;
      const std::string name = form == compressor::Form::kMetadata ? "metadata" : "decode";
      maker.Add(name + ".one_table", kLongFullyConnected, form, entry, one_table);
      maker.Add(name + ".first_axis", kDeepConv, form, entry, tables);
      maker.Add(name + ".last_axis", kWideDepthwise, form, entry, tables);
    }
  }
  for (const DecodeType codec : {DecodeType::kHuffman, DecodeType::kPrune}) {
    const std::string name = ToString(codec);
    for (const Consumer& consumer : {kLongFullyConnected, kDeepConv, kWideDepthwise}) {
      const bool sparse = codec == DecodeType::kPrune;
      for (const int levels : {7, 256}) {
        (levels == 256 ? some : all)
            .Add(name, consumer, compressor::Form::kDecode, {.codec = codec},
                 {.levels = levels, .sparse = sparse});
      }
    }
  }
}

// ---- Corners: codes of one bit and long ones, tables of 8 bits, long maps, short rows.

// Returns weights of `values` values, where lower ones are more frequent: the counts are the Fibonacci
// numbers, so that the codes of a Huffman tree are as long as possible.
oracle::Bytes LongCodes(int values) {
  std::vector<int64_t> counts = {1, 1};
  while (static_cast<int>(counts.size()) < values) counts.push_back(counts.back() + counts.end()[-2]);
  oracle::Bytes codes;
  for (int i = 0; i < values; ++i) {
    codes.insert(codes.end(), static_cast<size_t>(counts[static_cast<size_t>(i)]),
                 static_cast<uint8_t>(3 * i + 1));
  }
  return codes;
}

// Adds `codes`, in an order of their own, to an input.
Case AddToInput(Random& random, oracle::Bytes codes) {
  for (size_t i = codes.size(); i > 1; --i) {
    std::swap(codes[i - 1], codes[static_cast<size_t>(random.Between(0, static_cast<int64_t>(i) - 1))]);
  }
  ModelMaker maker;
  const oracle::Shape shape = {1, static_cast<int32_t>(codes.size())};
  const MadeTensor tensor = {.shape = shape, .scale = 0.25f, .zero_point = 3};
  const int x = maker.Operand(tensor, MakeCodes(random, oracle::ElementCount(shape), Values::kRandom));
  const int constant = maker.Constant(tensor, std::move(codes));
  const int y = maker.Output({.shape = shape, .scale = 0.5f});
  maker.Op<edit::AddOptionsT>("ADD", {x, constant}, {y});
  return maker.Made();
}

void AddCorner(LutMaker* maker, const std::string& what, Case test, const compressor::SpecEntry& entry) {
  maker->AddMade(what, Packed(std::move(test), compressor::Form::kDecode, entry, {{0, 1}}));
}

void GenerateDecodeCorners(const CaseSink& sink) {
  LutMaker maker("int8.decode_lutra.real.corner.", sink, Smoke::kNever);
  Random& random = maker.random();
  for (const int values : {18, 21}) {
    AddCorner(&maker, "long_codes", AddToInput(random, LongCodes(values)), {.codec = DecodeType::kHuffman});
  }
  const auto dense = [&](int depth, const LayerOptions& options) {
    Layers net(random);
    return net.Finish({net.FullyConnected(net.Input({3, depth}), options)});
  };
  AddCorner(&maker, "one_bit",
            dense(1037, {.channels = 3, .per_channel = false, .levels = 2, .one_table = true}),
            {.codec = DecodeType::kHuffman});
  AddCorner(&maker, "one_bit",
            dense(4099, {.channels = 1, .per_channel = false, .levels = 2, .one_table = true}),
            {.codec = DecodeType::kHuffman});
  AddCorner(&maker, "long_map", dense(1031, {.channels = 33, .sparse = true}), {.codec = DecodeType::kPrune});
  for (const int channels : {7, 33}) {
    for (const DecodeType codec : {DecodeType::kHuffman, DecodeType::kPrune, DecodeType::kBitPack}) {
      AddCorner(&maker, "depth_4", dense(4, {.channels = channels, .sparse = true}), {.codec = codec});
    }
  }
  for (const BitOrder order : {BitOrder::kLsbFirst, BitOrder::kMsbFirst}) {
    AddCorner(&maker, "width_7_signed",
              dense(131, {.channels = 5, .levels = 120, .one_table = true, .largest = 63}),
              {.codec = DecodeType::kBitPack, .order = order});
    AddCorner(&maker, "width_8", dense(707, {.channels = 5, .one_table = true, .sparse = true}),
              {.codec = DecodeType::kSparseLut, .order = order});
  }
}

void GenerateRealDecodeLutra(const CaseSink& sink) {
  LutMaker all("int8.decode_lutra.real.", sink, Smoke::kNever),
      some("int8.decode_lutra.real.smoke.", sink, Smoke::kAlways);
  for (const LevelsOfCodec& row : kLevels) {
    const CodecFacts codec = FactsOf(row.codec);
    for (const int i : {0, 1}) {
      for (const Consumer& consumer : {kLongFullyConnected, kDeepConv}) {
        const compressor::SpecEntry entry = {.codec = row.codec,
                                             .order = i == 0 ? BitOrder::kLsbFirst : BitOrder::kMsbFirst};
        // Bits of small numbers need sign extension.
        const bool is_small = row.codec == DecodeType::kBitPack;
        (consumer.add == AddDeepConv ? some : all)
            .Add(codec.method, consumer, compressor::Form::kDecode, entry,
                 {.per_channel = consumer.add == AddDeepConv,
                  .levels = row.levels[i],
                  .one_table = codec.tables != ValueTables::kPerChannel,
                  .sparse = codec.tables == ValueTables::kOneAndSpecial,
                  .largest = is_small ? 15 : 127});
      }
    }
  }
  GenerateDecodeCorners(sink);
}

// ---- Random ones

// Draws a layer with a constant that `entry` compresses.
Case DrawPacked(Random& random, compressor::Form form, const compressor::SpecEntry& entry,
                LayerOptions options) {
  static const std::vector<int> kinds = {0, 0, 1, 2, 3, 3, 4, 5, 6, 7};
  Layers net(random);
  options.channels = DrawSize(random, 40);
  options.filter = random.Int(1, 4);
  options.stride = random.OneIn(4) ? random.Int(1, 2) : 1;
  const int kind = random.Pick(kinds);
  const auto image = [&] {
    const int32_t height = random.Int(1, 7), width = random.Int(1, 7);
    return net.Input({1, height, width, DrawSize(random, 70)});
  };
  Layer y;
  if (kind == 0) y = net.Conv(image(), options);
  if (kind == 1) y = net.Depthwise(image(), options);
  if (kind == 2) y = net.TransposeConv(image(), options);
  if (kind == 3) {
    const int32_t rows = random.Int(1, 3);
    y = net.FullyConnected(net.Input({rows, DrawSize(random, 1100)}), options);
  }
  if (kind > 3) {
    const Layer x = net.Input({random.Int(1, 4), DrawSize(random, 1100)});
    const bool keeps = kind == 4 || kind == 7;
    const Layer constant = net.Constant(x.shape, options.levels, keeps ? &x : nullptr);
    y = kind == 4   ? net.Concatenation({x, constant}, random.Int(0, 1))
        : kind == 5 ? net.Add(x, constant)
        : kind == 6 ? net.Mul(x, constant)
                    : net.Maximum(x, constant);
  }
  return Packed(net.Finish({y}), form, entry, {{0, 1}});
}

// Returns the test with at most `levels` different weights in its first layer.
Case WithFewWeights(Case test, int levels) {
  const auto model = oracle::ReadModel(test.model);
  const edit::SubGraphT& graph = *model->subgraphs[0];
  const edit::TensorT& weights = *graph.tensors[static_cast<size_t>(graph.operators[0]->inputs[1])];
  const int least = weights.type == oracle::kUint8 ? 0 : levels / 2;
  for (uint8_t& byte : model->buffers[weights.buffer]->data) {
    byte = static_cast<uint8_t>(byte % levels - least);
  }
  test.model = oracle::WriteModel(*model);
  return test;
}

// Draws a layer with int16 or uint8 activations, which is judged like a case of its operator.
Case DrawOtherTypePacked(Random& random, compressor::Form form, const compressor::SpecEntry& entry,
                         int levels) {
  static const std::vector<std::string> ops = {
      "CONV_2D.int16",         "CONV_2D.uint8",         "DEPTHWISE_CONV_2D.int16", "DEPTHWISE_CONV_2D.uint8",
      "FULLY_CONNECTED.int16", "FULLY_CONNECTED.uint8", "TRANSPOSE_CONV.int16"};
  const std::string& op = random.Pick(ops);
  const auto& families = AllFamilies();
  const auto family =
      std::find_if(families.begin(), families.end(), [&](const CaseFamily& one) { return one.op == op; });
  Case test = Packed(WithFewWeights(family->draw(random), levels), form, entry, {{0, 1}});
  test.op = op;
  return test;
}

Case DrawLut(Random& random) {
  const auto form = random.OneIn(2) ? compressor::Form::kMetadata : compressor::Form::kDecode;
  const int width = random.Int(1, 7);
  // Indices may have more bits than the values need.
  const int used = random.OneIn(5) ? random.Int(1, width) : width;
  LayerOptions options = {.per_channel = random.OneIn(2), .levels = 1 << used};
  const compressor::SpecEntry entry = {.index_bitwidth = width};
  if (random.OneIn(6)) return DrawOtherTypePacked(random, form, entry, options.levels);
  return DrawPacked(random, form, entry, options);
}

Case DrawDecode(Random& random) {
  static const std::vector<DecodeType> codecs = {
      DecodeType::kLut,     DecodeType::kHuffman,   DecodeType::kPrune,     DecodeType::kBitPack,
      DecodeType::kWideLut, DecodeType::kSparseLut, DecodeType::kHuffmanLut};
  const DecodeType codec = random.Pick(codecs);
  const ValueTables tables = FactsOf(codec).tables;
  LayerOptions options = {.per_channel = random.OneIn(2)};
  options.levels = codec == DecodeType::kLut ? 1 << random.Int(1, 7) : random.Int(2, 256);
  options.one_table = tables != ValueTables::kPerChannel;
  options.sparse = tables == ValueTables::kOneAndSpecial || codec == DecodeType::kPrune || random.OneIn(3);
  if (codec == DecodeType::kBitPack) {
    options.levels = random.Int(2, 40);
    options.largest = (1 << random.Int(0, 6)) - 1;
    options.largest = std::max(options.largest, 1);
  }
  const BitOrder order = random.OneIn(2) ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
  const compressor::SpecEntry entry = {.codec = codec, .order = order};
  if (random.OneIn(6)) {
    return DrawOtherTypePacked(random, compressor::Form::kDecode, entry, options.levels);
  }
  return DrawPacked(random, compressor::Form::kDecode, entry, options);
}

}  // namespace

extern const CaseFamilies kLutCases = {
    {.op = "LUT",
     .prefix = "int8.lut.",
     .generate = GenerateLut,
     .real_sizes = GenerateRealLut,
     .draw = DrawLut},
    {.op = "DECODE",
     .prefix = "int8.decode_lutra.",
     .generate = GenerateDecodeLutra,
     .real_sizes = GenerateRealDecodeLutra,
     .draw = DrawDecode},
};

}  // namespace lutra::conformance
