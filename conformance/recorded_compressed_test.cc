// SPDX-License-Identifier: Apache-2.0
// Runs models that TensorFlow Lite Micro's own tool compressed, in both of its formats: their weights are
// those of the uncompressed model, and their outputs are the recorded ones, with every policy and place of
// decoding. The data is not part of the repository (LUTRA_TEST_DATA).

#include <gtest/gtest.h>

#include <algorithm>

#include "host/model_inputs.h"
#include "host/testing/inference.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/cpu.h"
#include "lutra/node_info.h"
#include "lutra/rule.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(LUTRA_TEST_DATA) / "golden" / "tflm-compressed";

std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  if (fs::is_directory(kFolder)) {
    for (const auto& entry : fs::directory_iterator(kFolder)) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) names.push_back("absent");
  return names;
}

fs::path PathOf(const std::string& name, const std::string& form) {
  return kFolder / name / (name + "." + form + ".tflite");
}

host::Bytes DecodedBytes(const Encoding& encoding) {
  host::Bytes values(static_cast<size_t>(encoding.elements) * encoding.element_bytes);
  Decode(encoding, CpuFeaturesHere(), values.data());
  return values;
}

host::Bytes ConstantBytes(const TensorInfo& info) {
  return {info.data.begin(), info.data.begin() + info.bytes};
}

class RecordedCompressed : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#if defined(LUTRA_SINGLE_ROUNDING)
    GTEST_SKIP() << "the recordings are of double rounding";
#endif
    if (GetParam() == "absent") GTEST_SKIP() << "no models at " << kFolder << " (LUTRA_TEST_DATA)";
  }
};

TEST_P(RecordedCompressed, WeightsOfTheMetadataFormAreTheBinnedOnes) {
  const host::ModelFile binned = host::ReadModelFile(PathOf(GetParam(), "binned"));
  const host::ModelFile compressed = host::ReadModelFile(PathOf(GetParam(), "lutmeta"));
  int tensors = 0;
  for (int t = 0; t < compressed.model.tensor_count(0); ++t) {
    if (!compressed.model.tensor(0, t).is_compressed) continue;
    ++tensors;
    EXPECT_EQ(DecodedBytes(compressed.model.encoding(0, t)), ConstantBytes(binned.model.tensor(0, t))) << t;
  }
  EXPECT_GT(tensors, 0);
}

TEST_P(RecordedCompressed, WeightsOfTheDecodeFormAreTheBinnedOnes) {
  const host::ModelFile binned = host::ReadModelFile(PathOf(GetParam(), "binned"));
  const host::ModelFile compressed = host::ReadModelFile(PathOf(GetParam(), "decode"));
  const Model& model = compressed.model;
  int tensors = 0;
  for (int n = 0; n < model.node_count(0); ++n) {
    const NodeInfo node = model.node(0, n);
    if (std::string(node.custom_code) != kDecodeCustomCode) continue;
    for (int i = 0; i < node.outputs.size(); ++i, ++tensors) {
      Encoding encoding;
      const Fault fault = ReadDecodePair(model.tensor(0, node.inputs[2 * i]).data,
                                         model.tensor(0, node.inputs[2 * i + 1]).data,
                                         model.tensor(0, node.outputs[i]), &encoding);
      ASSERT_EQ(fault.rule, Rule::kNone);
      ASSERT_EQ(CheckContents(encoding).rule, Rule::kNone);
      // The tool puts the encoded tensor in the place of the plain one.
      EXPECT_EQ(DecodedBytes(encoding), ConstantBytes(binned.model.tensor(0, node.inputs[2 * i])));
    }
  }
  EXPECT_GT(tensors, 0);
}

TEST_P(RecordedCompressed, OutputsAreReproduced) {
  alignas(16) static uint8_t memory[2][20000];
  const AlternateMemoryRegion both[] = {{memory[0], 700}, {memory[1], sizeof(memory[1])}};
  const Span<const AlternateMemoryRegion> regions(both);
  int runs = 0;
  for (const std::string form : {"binned", "lutmeta", "decode"}) {
    const host::ModelFile file = host::ReadModelFile(PathOf(GetParam(), form));
    for (const uint64_t seed : {1, 2, 3}) {
      const fs::path recorded =
          kFolder / GetParam() / "outputs" / (form + ".seed" + std::to_string(seed) + ".0.bin");
      const host::Bytes expected = host::ReadBytes(recorded);
      for (int setting = 0; setting < 12; ++setting) {
        InterpreterOptions options;
        options.policy = (setting & 1) != 0 ? MemoryPolicy::kSmall : MemoryPolicy::kFast;
        options.decompression = static_cast<DecompressionPolicy>(setting / 4);
        // Runs twice: weights that are decoded before each use must be there again.
        const host::RunOutcome outcome =
            host::RunModel(PathOf(GetParam(), form), host::SeededInputs(file.model, seed), 2, options,
                           (setting & 2) != 0 ? regions : Span<const AlternateMemoryRegion>());
        ASSERT_EQ(outcome.status, Status::kOk) << outcome.refusal;
        ASSERT_EQ(outcome.outputs.size(), 1u);
        EXPECT_EQ(host::Difference(outcome.outputs[0], expected, outcome.types[0], 0), "")
            << form << " seed " << seed << " setting " << setting;
        ++runs;
      }
    }
  }
  EXPECT_EQ(runs, 3 * 3 * 12);
}

INSTANTIATE_TEST_SUITE_P(Golden, RecordedCompressed, testing::ValuesIn(ModelNames()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace lutra::conformance
