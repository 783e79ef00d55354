// SPDX-License-Identifier: Apache-2.0
// Tests the builder's networks: the runtime computes nearly the codes that float32 gives, and the codes use
// their range.

#include "bench/compare/networks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "bench/compare/network_builder.h"
#include "bench/compare/peer.h"

namespace lutra::bench {
namespace {

host::ModelFile Open(const std::vector<uint8_t>& model) {
  host::AlignedBytes bytes(model.size());
  std::copy(model.begin(), model.end(), bytes.data());
  return host::CheckModelFile("network", std::move(bytes));
}

std::vector<int8_t> RunReference(const std::vector<uint8_t>& model, const std::vector<int8_t>& input) {
  const host::ModelFile file = Open(model);
  const std::vector<Bytes> inputs = {Bytes(input.begin(), input.end())};
  const std::unique_ptr<Peer> peer = LutraRuntime("ref", "ref").prepare(file, inputs);
  peer->Fill(inputs);
  peer->Run();
  const Bytes output = peer->Outputs().at(0);
  return {output.begin(), output.end()};
}

// `most`: roundings of all layers together.
void CheckNetwork(NetworkBuilder& net, int input, int output, int most) {
  const std::vector<int8_t> actual = RunReference(net.Finish(output), net.CodesOf(input));
  const std::vector<int8_t> expected = net.CodesOf(output);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_LE(std::abs(actual[i] - expected[i]), most) << "element " << i;
  }
  EXPECT_GT(std::set<int8_t>(actual.begin(), actual.end()).size(), std::min<size_t>(actual.size(), 40) / 2);
}

TEST(NetworkBuilder, EachLayerIsWhatFloat32Says) {
  using Make = int (*)(NetworkBuilder&, int);
  const Make layers[] = {
      [](NetworkBuilder& net, int x) { return net.Conv(x, {.outputs = 7, .height = 4, .width = 2}); },
      [](NetworkBuilder& net, int x) {
        return net.Conv(x, {.outputs = 4, .height = 3, .width = 1, .stride = 2, .activation = kRelu});
      },
      [](NetworkBuilder& net, int x) {
        return net.Conv(x, {.outputs = 4, .height = 3, .width = 3, .dilation = 2, .activation = kRelu6});
      },
      [](NetworkBuilder& net, int x) { return net.Depthwise(x, {.height = 1, .width = 9}); },
      [](NetworkBuilder& net, int x) { return net.Depthwise(x, {.height = 3, .width = 3, .dilation = 4}); },
      [](NetworkBuilder& net, int x) { return net.MaxPool(x, {.height = 3, .width = 2, .stride = 2}); },
      [](NetworkBuilder& net, int x) { return net.AveragePool(x, {.height = 3, .width = 3}); },
      [](NetworkBuilder& net, int x) { return net.Mean(x); },
      [](NetworkBuilder& net, int x) { return net.Add(x, x, kRelu); },
      [](NetworkBuilder& net, int x) { return net.FullyConnected(net.Mean(x), 9); },
  };
  for (size_t i = 0; i < std::size(layers); ++i) {
    SCOPED_TRACE(i);
    NetworkBuilder net(3);
    const int x = net.Input({2, 9, 8, 5});
    CheckNetwork(net, x, layers[i](net, x), 2);
  }
}

TEST(NetworkBuilder, DeepNetworksStayInRange) {
  NetworkBuilder net(1);
  const int input = net.Input({1, 12, 12, 3});
  int x = net.Conv(input, {.outputs = 8, .activation = kRelu});
  for (int i = 0; i < 8; ++i) {
    const int y = net.Conv(x, {.outputs = 8, .height = 3, .width = 3, .activation = kRelu});
    x = net.Add(x, net.Conv(y, {.outputs = 8}), kRelu);
  }
  CheckNetwork(net, input, x, 12);
}

TEST(Networks, FortySingleLayersOfDifferentNames) {
  const std::vector<std::string> all = SingleLayerNames();
  const std::set<std::string> names(all.begin(), all.end());
  EXPECT_EQ(all.size(), 40u);
  EXPECT_EQ(names.size(), 40u);
  EXPECT_EQ(names.count("conv 7x7 s2, 131x131x3 to 17"), 1u);
  EXPECT_EQ(names.count("fc 131x17 to 130"), 1u);
}

TEST(Networks, SingleLayersAreSeeded) {
  const std::vector<Network> layers = SingleLayers(1, "3x3x130");
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[2].name, "avg 3x3 s3, 3x3x130");
  for (const Network& layer : layers) EXPECT_EQ(Open(layer.bytes).model.node_count(0), 1) << layer.name;
  EXPECT_EQ(SingleLayers(1, "avg 3x3")[0].bytes, layers[2].bytes);
  EXPECT_NE(SingleLayers(2, "dw 3x3, 3x3")[0].bytes, layers[1].bytes);
}

}  // namespace
}  // namespace lutra::bench
