// SPDX-License-Identifier: Apache-2.0
// Bins the models of models/ and compresses them in each form with each codec: they give the outputs of the
// binned model, with every policy, place of decoding and delegate.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "compressor/bin_model.h"
#include "compressor/pack.h"
#include "delegates/taken_nodes.h"
#include "host/decompression_policy.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/testing/inference.h"
#include "host/testing/scratch_folder.h"
#include "lutra/cpu.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(LUTRA_SOURCE_DIR) / "models";

std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kModels)) {
    if (entry.path().extension() == ".tflite") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Bins each tensor that can be binned to 16 values for each table.
host::Bytes Binned(const host::ModelFile& file) {
  compressor::BinPlan plan;
  for (const compressor::BinCandidate& candidate : compressor::BinCandidates(file.model)) {
    if (!candidate.reason.empty() || !candidate.left_out_by_default.empty()) continue;
    compressor::BinSettings settings;
    settings.bits = 4;
    settings.per = compressor::TableScope::kTensor;
    plan[candidate.id] = {candidate.name, settings};
  }
  compressor::ModelEditor editor(file);
  compressor::BinModel(file, plan, &editor);
  return editor.Write();
}

struct Packing {
  std::string name;
  compressor::Form form;
  std::optional<DecodeType> codec;  // If empty, each tensor has the codec of the smallest size.
};

std::vector<Packing> AllPackings() {
  std::vector<Packing> packings = {{"metadata", compressor::Form::kMetadata, std::nullopt},
                                   {"smallest", compressor::Form::kDecode, std::nullopt}};
  for (const CodecFacts& codec : AllCodecs()) {
    packings.push_back({codec.name, compressor::Form::kDecode, codec.type});
  }
  return packings;
}

class LutRoundTrip : public testing::TestWithParam<std::string> {
 protected:
  host::RunOutcome Run(const host::Bytes& model, const std::vector<host::Bytes>& inputs,
                       const InterpreterOptions& options, Span<const AlternateMemoryRegion> regions = {},
                       const DelegateList& delegates = {}) {
    host::WriteFileBytes(path_, model.data(), model.size());
    // Runs twice: weights that are decoded before each use must be there again.
    return host::RunModel(path_, inputs, 2, options, regions, delegates);
  }

  host::ScratchFolder folder_;
  fs::path path_ = folder_ / (GetParam() + ".tflite");
};

TEST_P(LutRoundTrip, EveryFormCodecPolicyAndKernelGivesTheBinnedOutputs) {
  const host::ModelFile original = host::ReadModelFile(kModels / (GetParam() + ".tflite"));
  const host::Bytes bytes = Binned(original);
  const host::ModelFile binned = compressor::LoadModel(bytes, GetParam() + " (binned)");
  const std::vector<host::Bytes> inputs = host::SeededInputs(binned.model, 1);
  const host::RunOutcome expected = Run(bytes, inputs, {});
  ASSERT_EQ(expected.status, Status::kOk) << expected.refusal;
  alignas(16) static uint8_t memory[2][30000];
  const AlternateMemoryRegion both[] = {{memory[0], 700}, {memory[1], sizeof(memory[1])}};
  int packings = 0;
  for (const Packing& packing : AllPackings()) {
    const compressor::PackResult packed = compressor::Pack(binned, {.form = packing.form,
                                                                    .target = compressor::Target::kLutra,
                                                                    .codec = packing.codec,
                                                                    // It packs even if the file grows.
                                                                    .min_saving = INT32_MIN});
    const bool compressed =
        std::any_of(packed.tensors.begin(), packed.tensors.end(), [](const auto& t) { return t.coded; });
    if (!compressed) continue;
    ++packings;
    for (const auto policy :
         {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit, DecompressionPolicy::kStreamed}) {
      for (const bool alternate : {false, true}) {
        for (const bool reference : {false, true}) {
          InterpreterOptions options;
          options.decompression = policy;
          if (reference) options.cpu_features = kCpuAny;
          const host::RunOutcome outcome =
              Run(packed.file, inputs, options,
                  alternate ? Span<const AlternateMemoryRegion>(both) : Span<const AlternateMemoryRegion>());
          ASSERT_EQ(outcome.status, Status::kOk) << packing.name << ": " << outcome.refusal;
          EXPECT_EQ(outcome.outputs, expected.outputs)
              << packing.name << " " << host::NameOf(policy) << (alternate ? ", alternate memory" : "")
              << (reference ? ", reference kernels" : "");
        }
      }
    }
  }
  // Any model can be packed in both forms of tables, in Huffman codes, and by the automatic choice.
  EXPECT_GE(packings, 4);
  RecordProperty("packings", packings);
}

// With delegates, too: VTA takes the nodes that it takes of the binned model, whatever the form and the
// codec; the example takes those whose weights are in tables. The CPU runs the others in between.
TEST_P(LutRoundTrip, DelegatesGiveTheBinnedOutputs) {
  const host::ModelFile original = host::ReadModelFile(kModels / (GetParam() + ".tflite"));
  const host::Bytes bytes = Binned(original);
  const host::ModelFile binned = compressor::LoadModel(bytes, GetParam() + " (binned)");
  const std::vector<host::Bytes> inputs = host::SeededInputs(binned.model, 2);
  const host::RunOutcome expected = Run(bytes, inputs, {});
  ASSERT_EQ(expected.status, Status::kOk) << expected.refusal;
  constexpr DecompressionPolicy kPolicies[] = {DecompressionPolicy::kPerUse, DecompressionPolicy::kAtInit,
                                               DecompressionPolicy::kStreamed};
  for (const char* const name : {"vta", "example"}) {
    const delegates::ChosenDelegates chosen(name, "");
    const size_t taken = delegates::TakenNodes(binned.model, chosen.tables()).size();
    EXPECT_TRUE(taken > 0 || std::string(name) == "example");
    const CodecSet& known = chosen.tables()[0]->compressed;
    size_t packings = 0;
    for (const Packing& packing : AllPackings()) {
      const compressor::PackResult packed = compressor::Pack(binned, {.form = packing.form,
                                                                      .target = compressor::Target::kLutra,
                                                                      .codec = packing.codec,
                                                                      .min_saving = INT32_MIN});
      const bool is_known =
          std::all_of(packed.tensors.begin(), packed.tensors.end(),
                      [&known](const auto& t) { return !t.coded || known.Contains(t.coded->entry.codec); });
      const host::ModelFile file = compressor::LoadModel(packed.file, packing.name);
      const size_t now = delegates::TakenNodes(file.model, chosen.tables()).size();
      EXPECT_LE(now, taken) << name << " " << packing.name;
      EXPECT_TRUE(now == taken || !is_known) << name << " " << packing.name << ": " << now << " of " << taken;
      EXPECT_TRUE(is_known || std::string(name) != "vta") << "VTA takes every codec";
      InterpreterOptions options;
      options.decompression = kPolicies[packings++ % std::size(kPolicies)];
      const host::RunOutcome outcome = Run(packed.file, inputs, options, {}, chosen.list());
      ASSERT_EQ(outcome.status, Status::kOk) << name << " " << packing.name << ": " << outcome.refusal;
      EXPECT_EQ(outcome.outputs, expected.outputs) << name << " " << packing.name;
    }
    EXPECT_EQ(packings, AllPackings().size());
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LutRoundTrip, testing::ValuesIn(ModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lutra::conformance
