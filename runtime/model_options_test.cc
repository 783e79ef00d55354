// SPDX-License-Identifier: Apache-2.0
// Options belong to one operator: no reader takes those of another.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lutra/node_info.h"
#include "runtime/schema/tflite.h"

namespace lutra {
namespace {

struct Reader {
  const char* name;
  std::function<bool(const NodeInfo&)> reads;
};

template <typename Options>
Reader ReaderOf(const char* name, bool (*read)(const NodeInfo&, Options*)) {
  return {name, [read](const NodeInfo& node) {
            Options options{};
            return read(node, &options);
          }};
}

std::vector<Reader> Readers() {
  return {ReaderOf("window", ReadWindowOptions),
          ReaderOf("activation", ReadActivation),
          ReaderOf("fully connected", ReadFullyConnectedOptions),
          ReaderOf("SVDF", ReadSvdfOptions),
          ReaderOf("LSTM", ReadLstmOptions),
          ReaderOf("beta", ReadSoftmaxBeta),
          ReaderOf("alpha", ReadLeakyReluAlpha),
          ReaderOf("approximate", ReadGeluApproximate),
          ReaderOf("axis", ReadAxisOptions),
          ReaderOf("resize", ReadResizeOptions),
          ReaderOf("block size", ReadBlockSize),
          ReaderOf("keep dims", ReadKeepDims),
          ReaderOf("dimension list", ReadDimensionList),
          ReaderOf("strided slice", ReadStridedSliceOptions),
          ReaderOf("split count", ReadSplitCount),
          ReaderOf("cumsum", ReadCumsumOptions),
          ReaderOf("mirror", ReadMirrorPadSymmetric),
          ReaderOf("batch matmul", ReadBatchMatMulOptions),
          ReaderOf("init subgraph", ReadInitSubgraph),
          ReaderOf("then subgraph", ReadThenSubgraph),
          ReaderOf("else subgraph", ReadElseSubgraph),
          ReaderOf("cond subgraph", ReadCondSubgraph),
          ReaderOf("body subgraph", ReadBodySubgraph),
          ReaderOf("var handle", ReadVarHandleOptions)};
}

// An operator whose options table of this type lacks all its fields.
std::vector<uint8_t> OperatorWith(schema::BuiltinOptions type) {
  flatbuffers::FlatBufferBuilder builder;
  const auto options = builder.EndTable(builder.StartTable());
  builder.Finish(schema::CreateOperator(builder, 0, 0, 0, type, flatbuffers::Offset<void>(options)));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST(ModelOptions, ReadersTakeNoOptionsOfAnotherOperator) {
  constexpr int kTypes = static_cast<int>(schema::BuiltinOptions::MAX);
  constexpr int kCodes = static_cast<int>(schema::BuiltinOperator::MAX);
  std::vector<std::vector<uint8_t>> operators;
  for (int type = 1; type <= kTypes; ++type) {
    operators.push_back(OperatorWith(static_cast<schema::BuiltinOptions>(type)));
  }
  for (const Reader& reader : Readers()) {
    bool ever = false;
    for (int code = 0; code <= kCodes; ++code) {
      std::string taken;
      int count = 0;
      for (int type = 1; type <= kTypes; ++type) {
        NodeInfo node;
        node.code = static_cast<BuiltinOperator>(code);
        node.schema_operator =
            flatbuffers::GetRoot<schema::Operator>(operators[static_cast<size_t>(type - 1)].data());
        if (!reader.reads(node)) continue;
        ++count;
        taken += std::string(" ") + EnumNameBuiltinOptions(static_cast<schema::BuiltinOptions>(type));
      }
      EXPECT_LE(count, 1) << reader.name << " of " << ToString(static_cast<BuiltinOperator>(code)) << ":"
                          << taken;
      ever |= count == 1;
    }
    EXPECT_TRUE(ever) << reader.name;
  }
}

}  // namespace
}  // namespace lutra
