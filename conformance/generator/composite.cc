// SPDX-License-Identifier: Apache-2.0
// Small graphs like those of networks: an operator's output is the input of the next.

#include "conformance/generator/draw.h"
#include "conformance/generator/layers.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

Layer Image(Random& random, Layers& net) {
  return net.Input({1, random.Int(5, 9), random.Int(5, 9), random.Int(1, 9)});
}

Case ConvolutionStack(Random& random, Layers& net) {
  Layer x = Image(random, net);
  const int depth = random.Int(3, 5);
  for (int i = 0; i < depth; ++i) {
    x = net.Conv(x, {.channels = random.Int(3, 17),
                     .filter = i % 2 == 0 ? 3 : 1,
                     .stride = i == 1 ? 2 : 1,
                     .activation = kRelu6,
                     .per_channel = random.OneIn(2)});
  }
  return net.Finish({x});
}

Case Residual(Random& random, Layers& net) {
  const Layer x = Image(random, net);
  Layer y = net.Conv(x, {.channels = x.shape[3], .filter = 3, .activation = kRelu});
  y = net.Conv(y, {.channels = x.shape[3], .filter = 3});
  y = net.Add(x, y, random.OneIn(2) ? kRelu : kRelu6);
  const Layer z = net.Conv(y, {.channels = x.shape[3]});
  return net.Finish({net.Add(z, y)});
}

Case Separable(Random& random, Layers& net) {
  Layer x = Image(random, net);
  for (int i = 0; i < 2; ++i) {
    x = net.Depthwise(x, {.filter = 3, .stride = 1 + i, .activation = kRelu6});
    x = net.Conv(x, {.channels = random.Int(4, 20), .activation = kRelu6});
  }
  return net.Finish({x});
}

Case InvertedResidual(Random& random, Layers& net) {
  const Layer x = Image(random, net);
  Layer y = net.Conv(x, {.channels = 3 * x.shape[3], .activation = kRelu6});
  y = net.Depthwise(y, {.filter = 3, .activation = kRelu6});
  y = net.Conv(y, {.channels = x.shape[3]});
  y = net.Add(x, y);
  return net.Finish({net.HardSwish(y)});
}

Case Inception(Random& random, Layers& net) {
  const Layer x = Image(random, net);
  const Layer narrow = net.Conv(x, {.channels = random.Int(2, 6), .activation = kRelu, .like = &x});
  Layer wide = net.Conv(x, {.channels = random.Int(2, 6), .activation = kRelu});
  wide = net.Conv(wide, {.channels = random.Int(2, 9), .filter = 3, .activation = kRelu, .like = &x});
  const Layer pooled = net.MaxPool(x, {.filter = 3});
  const Layer y = net.Concatenation({narrow, wide, pooled}, 3);
  return net.Finish({net.Conv(y, {.channels = 5})});
}

Case Classifier(Random& random, Layers& net) {
  Layer x = Image(random, net);
  x = net.Conv(x, {.channels = 3, .filter = 3, .stride = 2, .activation = kRelu});
  x = net.Reshape(x, {1, static_cast<int32_t>(oracle::ElementCount(x.shape))});
  x = net.FullyConnected(x, {.channels = random.Int(9, 33), .activation = kRelu, .per_channel = false});
  x = net.FullyConnected(x, {.channels = random.Int(2, 12), .per_channel = random.OneIn(2)});
  return net.Finish({net.Softmax(x)});
}

// Scales channels by a function of their means.
Case ChannelAttention(Random& random, Layers& net) {
  const Layer image = Image(random, net);
  const Layer x = net.Conv(image, {.channels = random.Int(4, 17), .activation = kRelu});
  Layer y = net.Mean(x, true);
  y = net.Conv(y, {.channels = 3, .activation = kRelu});
  y = net.Logistic(net.Conv(y, {.channels = x.shape[3]}));
  return net.Finish({net.Mul(x, y)});
}

// One branch scales the other, element by element.
Case BranchAttention(Random& random, Layers& net) {
  const Layer x = Image(random, net);
  const int channels = random.Int(3, 9);
  const Layer values = net.Conv(x, {.channels = channels, .filter = 3});
  const Layer weights = net.Logistic(net.Conv(x, {.channels = channels, .filter = 3}));
  const Layer y = net.Mul(values, weights);
  return net.Finish({net.Add(y, values, kRelu), weights});
}

Case PaddedConvolution(Random& random, Layers& net) {
  Layer x = net.Pad(Image(random, net), 0, 1);
  x = net.Conv(x, {.channels = 6, .filter = 3, .stride = 2, .same = false, .activation = kRelu6});
  x = net.Pad(x, 1, 1);
  return net.Finish({net.Depthwise(x, {.filter = 3, .same = false})});
}

Case MeanClassifier(Random& random, Layers& net) {
  Layer x = Image(random, net);
  x = net.Conv(x, {.channels = random.Int(5, 16), .filter = 3, .activation = kRelu});
  x = net.Depthwise(x, {.filter = 3, .stride = 2, .activation = kRelu});
  x = net.Mean(x, false);
  x = net.FullyConnected(x, {.channels = random.Int(2, 11), .per_channel = false});
  return net.Finish({net.Softmax(x)});
}

Case LstmGates(Random& random, Layers& net) {
  const int units = random.Int(3, 17);
  const Layer x = net.Input({1, 4 * units});
  const Layer cell = net.Input({1, units});
  const std::vector<Layer> gates = net.Split(x, 4);
  const Layer open = net.Logistic(gates[0]);
  const Layer fresh = net.Mul(open, net.Tanh(gates[1]));
  const Layer kept = net.Mul(net.Logistic(gates[2]), cell);
  const Layer next = net.Add(fresh, kept);
  return net.Finish({next, net.Tanh(next)});
}

Case GruGates(Random& random, Layers& net) {
  const int units = random.Int(3, 17);
  const Layer x = net.Input({2, 7});
  const Layer h = net.Input({2, units});
  const Layer z = net.Logistic(net.FullyConnected(x, {.channels = units, .per_channel = false}));
  const Layer fresh = net.Tanh(net.FullyConnected(x, {.channels = units, .per_channel = false}));
  return net.Finish({net.Add(h, net.Mul(z, net.Sub(fresh, h)))});
}

Case EncoderDecoder(Random& random, Layers& net) {
  const Layer x = net.Input({1, 2 * random.Int(2, 4), 2 * random.Int(2, 4), random.Int(2, 5)});
  Layer y = net.MaxPool(x, {.filter = 2, .stride = 2});
  y = net.Conv(y, {.channels = x.shape[3], .filter = 3, .activation = kRelu, .like = &x});
  y = net.Concatenation({x, net.Enlarge(y, 2)}, 3);
  return net.Finish({net.Conv(y, {.channels = 4, .filter = 3})});
}

Case Upsampling(Random& random, Layers& net) {
  Layer x = Image(random, net);
  x = net.AveragePool(x, {.filter = 2, .stride = 2});
  x = net.TransposeConv(x, {.channels = random.Int(2, 5)});
  return net.Finish({net.Tanh(net.Conv(x, {.channels = 3, .filter = 3}))});
}

// Mixes along one axis, then along the other.
Case Mixer(Random& random, Layers& net) {
  const Layer x = net.Input({1, random.Int(3, 9), random.Int(3, 9)});
  Layer y = net.Transpose(x, {0, 2, 1});
  y = net.FullyConnected(y, {.channels = x.shape[1], .activation = kRelu, .per_channel = false});
  y = net.Add(x, net.Transpose(y, {0, 2, 1}));
  return net.Finish({net.FullyConnected(y, {.channels = 5, .per_channel = false})});
}

Case SelfAttention(Random& random, Layers& net) {
  const Layer x = net.Input({1, random.Int(3, 7), random.Int(4, 9)});
  const int width = random.Int(3, 9);
  const Layer q = net.FullyConnected(x, {.channels = width, .per_channel = false});
  const Layer k = net.FullyConnected(x, {.channels = width, .per_channel = false});
  const Layer v = net.FullyConnected(x, {.channels = x.shape[2], .per_channel = false});
  const Layer weights = net.Softmax(net.BatchMatmul(q, k, true));
  return net.Finish({net.Add(x, net.BatchMatmul(weights, v, false))});
}

Case GroupedBranches(Random& random, Layers& net) {
  const int channels = 2 * random.Int(1, 5);
  const Layer x = net.Input({1, 5, 6, channels});
  const std::vector<Layer> halves = net.Split(x, 2);
  const Layer left = net.Conv(halves[0], {.channels = channels, .filter = 3, .like = &x});
  const Layer right = net.Depthwise(halves[1], {.filter = 3, .like = &x});
  const Layer y = net.Concatenation({left, right, halves[0]}, 3);
  return net.Finish({y, net.Maximum(left, x)});
}

Case FloatEnds(Random& random, Layers& net) {
  Layer x = net.Quantize(net.FloatInput({1, 6, 5, random.Int(1, 4)}));
  x = net.Conv(x, {.channels = random.Int(2, 9), .filter = 3, .activation = kRelu6});
  x = net.Quantize(net.AveragePool(x, {.filter = 2, .stride = 2}));
  return net.Finish({net.Dequantize(x)});
}

Case Autoencoder(Random& random, Layers& net) {
  Layer x = net.Input({2, 24});
  for (const int channels : {16, 8, 3, 8, 16}) {
    x = net.FullyConnected(x, {.channels = channels, .activation = kRelu, .per_channel = random.OneIn(4)});
  }
  return net.Finish({net.FullyConnected(x, {.channels = 24, .per_channel = false})});
}

Case Dense(Random& random, Layers& net) {
  Layer x = net.Input({1, 5, 5, random.Int(2, 4)});
  for (int i = 0; i < 3; ++i) {
    const Layer y = net.Conv(x, {.channels = 3, .filter = 3, .activation = kRelu, .like = &x});
    x = net.Concatenation({x, y}, 3);
  }
  return net.Finish({net.Mean(x, false)});
}

void GenerateComposite(Series& series) {
  struct Kind {
    const char* name;
    Case (*make)(Random&, Layers&);
  };
  constexpr Kind kKinds[] = {{"convolution_stack", ConvolutionStack},
                             {"residual", Residual},
                             {"separable", Separable},
                             {"inverted_residual", InvertedResidual},
                             {"inception", Inception},
                             {"classifier", Classifier},
                             {"channel_attention", ChannelAttention},
                             {"branch_attention", BranchAttention},
                             {"padded_convolution", PaddedConvolution},
                             {"mean_classifier", MeanClassifier},
                             {"lstm_gates", LstmGates},
                             {"gru_gates", GruGates},
                             {"encoder_decoder", EncoderDecoder},
                             {"upsampling", Upsampling},
                             {"mixer", Mixer},
                             {"self_attention", SelfAttention},
                             {"grouped_branches", GroupedBranches},
                             {"float_ends", FloatEnds},
                             {"autoencoder", Autoencoder},
                             {"dense", Dense}};
  for (const Kind& kind : kKinds) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      Layers net(series.random);
      series.Add(kind.name, kind.make(series.random, net));
    }
  }
}

// ---- Real sizes

// The operator's input is read again later: so the output cannot overwrite it, and kernels make all rows in
// one call.
struct Kept {
  const char* name;
  oracle::Shape input;
  Layer (*add)(Layers& net, const Layer& x);
};

// A delegate takes the layers. Their outputs are read by functions, which it does not take, and by later
// layers.
void AddShared(RealSizes& series, int repeat) {
  Layers net(series.random);
  const int size = 5 + 2 * repeat, channels = 16 + repeat;
  const Layer x = net.Input({1, size, size, 16});
  const Layer y = net.Conv(x, {.channels = channels, .filter = 3, .activation = kRelu});
  const Layer function = net.HardSwish(y);
  const Layer behind = net.Conv(y, {.channels = channels});
  const Layer sum = net.Add(function, behind);
  const Layer last = net.Conv(sum, {.channels = 8, .filter = 3});
  if (repeat % 2 == 0) {
    series.AddSmoke("shared", net.Finish({last, y}));
  } else {
    series.AddSmoke("shared", net.Finish({net.Logistic(behind), last, sum}));
  }
}

void GenerateRealComposite(RealSizes& series) {
  const std::vector<Kept> kept = {
      {"conv_2d",
       {2, 67, 5, 9},
       [](Layers& net, const Layer& x) { return net.Conv(x, {.channels = 6, .filter = 3}); }},
      {"depthwise_conv_2d",
       {2, 67, 5, 9},
       [](Layers& net, const Layer& x) { return net.Depthwise(x, {.filter = 3}); }},
      {"transpose_conv",
       {1, 35, 3, 4},
       [](Layers& net, const Layer& x) { return net.TransposeConv(x, {.channels = 3}); }},
      {"max_pool_2d",
       {2, 67, 5, 9},
       [](Layers& net, const Layer& x) { return net.MaxPool(x, {.filter = 3}); }},
      {"average_pool_2d",
       {2, 67, 5, 9},
       [](Layers& net, const Layer& x) { return net.AveragePool(x, {.filter = 3}); }},
      {"fully_connected",
       {67, 21},
       [](Layers& net, const Layer& x) {
         return net.FullyConnected(x, {.channels = 19, .per_channel = false});
       }},
      {"pad", {1, 67, 5, 9}, [](Layers& net, const Layer& x) { return net.Pad(x, 1, 2); }},
      {"softmax", {67, 13}, [](Layers& net, const Layer& x) { return net.Softmax(x); }},
      {"logistic", {1037}, [](Layers& net, const Layer& x) { return net.Logistic(x); }},
      {"quantize", {1037}, [](Layers& net, const Layer& x) { return net.Quantize(x); }}};
  for (const Kept& kind : kept) {
    Layers net(series.random);
    const Layer x = net.Input(kind.input);
    const Layer y = kind.add(net, x);
    series.AddSmoke(std::string("kept.") + kind.name, net.Finish({y, net.HardSwish(x)}));
  }
  for (int repeat = 0; repeat < 4; ++repeat) AddShared(series, repeat);
}

}  // namespace

extern const CaseFamilies kCompositeCases = {
    Family("composite", GenerateComposite, GenerateRealComposite, DrawGraph),
};

}  // namespace lutra::conformance
