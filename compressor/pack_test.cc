// SPDX-License-Identifier: Apache-2.0
// Tests that packed models are smaller, and equal in every output, in both forms and every codec.

#include "compressor/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "compressor/shared_parts.h"
#include "compressor/strip.h"
#include "compressor/unpack.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/testing/inference.h"
#include "host/testing/scratch_folder.h"
#include "lutra/compression/format.h"
#include "lutra/node_info.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

const fs::path kBundled = fs::path(LUTRA_SOURCE_DIR) / "models";
const fs::path kOthers = fs::path(LUTRA_TEST_DATA) / "models";
const fs::path kRecorded = fs::path(LUTRA_TEST_DATA) / "golden" / "tflm-compressed";

// Expects that unpacking `packed` gives all tensors the bytes that they have in `plain`.
void ExpectSameWeights(const host::ModelFile& plain, const Bytes& packed) {
  const host::ModelFile file = LoadModel(packed, "packed");
  const host::ModelFile unpacked = LoadModel(Unpack(file).editor.Write(), "unpacked");
  ASSERT_EQ(unpacked.model.subgraph_count(), plain.model.subgraph_count());
  for (int s = 0; s < plain.model.subgraph_count(); ++s) {
    ASSERT_EQ(unpacked.model.tensor_count(s), plain.model.tensor_count(s));
    ASSERT_EQ(unpacked.model.node_count(s), plain.model.node_count(s));
    for (int t = 0; t < plain.model.tensor_count(s); ++t) {
      const TensorInfo a = plain.model.tensor(s, t);
      const TensorInfo b = unpacked.model.tensor(s, t);
      EXPECT_STREQ(a.name, b.name);
      EXPECT_EQ(a.type, b.type);
      EXPECT_EQ(a.shape, b.shape);
      EXPECT_EQ(Bytes(a.data.begin(), a.data.end()), Bytes(b.data.begin(), b.data.end())) << t;
    }
  }
}

host::RunOutcome OutcomeOf(const host::ModelFile& like, const Bytes& bytes) {
  const host::ScratchFolder folder;
  const fs::path path = folder / "model.tflite";
  host::WriteFileBytes(path, bytes.data(), bytes.size());
  return host::RunModel(path, host::SeededInputs(like.model, 1), 1, {});
}

std::vector<Bytes> Outputs(const host::ModelFile& like, const Bytes& bytes) {
  const host::RunOutcome outcome = OutcomeOf(like, bytes);
  EXPECT_EQ(outcome.status, Status::kOk) << outcome.refusal;
  return outcome.outputs;
}

int CountCompressed(const PackResult& result) {
  return static_cast<int>(std::count_if(result.tensors.begin(), result.tensors.end(),
                                        [](const PackedTensor& t) { return t.coded.has_value(); }));
}

Obstacle ObstacleOf(const PackResult& result, TensorId id) {
  for (const PackedTensor& t : result.tensors) {
    if (t.constant.id == id) return t.obstacle;
  }
  ADD_FAILURE() << "no constant " << ToText(id);
  return {};
}

void CheckRoundTrips(const fs::path& folder) {
  int packed = 0;
  for (const fs::path& path : ModelsIn(folder)) {
    SCOPED_TRACE(path);
    const host::ModelFile file = host::ReadModelFile(path);
    const host::RunOutcome expected = OutcomeOf(file, ModelEditor(file).Write());
    const auto expect_same_outputs = [&](const Bytes& bytes) {
      // Models that the interpreter does not run can be compressed, too.
      if (expected.status != Status::kOk) return;
      EXPECT_EQ(Outputs(file, bytes), expected.outputs);
    };
    for (const CodecFacts& codec : AllCodecs()) {
      SCOPED_TRACE(codec.name);
      const PackResult result = Pack(file, {.target = Target::kLutra, .codec = codec.type});
      ExpectSameWeights(file, result.file);
      if (CountCompressed(result) == 0) continue;
      EXPECT_LT(static_cast<int64_t>(result.file.size()), result.aligned_bytes);
      expect_same_outputs(result.file);
      ++packed;
    }
    const PackResult metadata = Pack(file, {.form = Form::kMetadata});
    ExpectSameWeights(file, metadata.file);
    expect_same_outputs(metadata.file);
    for (const Target target : {Target::kTflm, Target::kLutra}) {
      const PackResult best = Pack(file, {.target = target});
      ExpectSameWeights(file, best.file);
      expect_same_outputs(best.file);
    }
  }
  EXPECT_GT(packed, 0);
}

TEST(Pack, BundledModelsComeBackFromEveryCodec) { CheckRoundTrips(kBundled); }

TEST(Pack, ModelsOfOthersComeBackFromEveryCodec) {
  if (ModelsIn(kOthers).empty()) GTEST_SKIP() << "no models at " << kOthers << " (LUTRA_TEST_DATA)";
  CheckRoundTrips(kOthers);
}

// TensorFlow Lite Micro's own tool compressed these models, in both forms, by the same spec.
TEST(Pack, IsNoLargerThanTheFilesOfTflm) {
  if (!fs::is_directory(kRecorded)) GTEST_SKIP() << "no models at " << kRecorded << " (LUTRA_TEST_DATA)";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kRecorded)) {
    const std::string name = entry.path().filename();
    const host::ModelFile binned = host::ReadModelFile(entry.path() / (name + ".binned.tflite"));
    for (const auto& [form, ending] :
         {std::pair{Form::kDecode, ".decode"}, std::pair{Form::kMetadata, ".lutmeta"}}) {
      SCOPED_TRACE(name + ending);
      const fs::path theirs = entry.path() / (name + ending + ".tflite");
      const PackResult ours = Pack(binned, {.form = form, .spec = ReadSpec(entry.path() / "spec.yaml")});
      EXPECT_LE(ours.file.size(), fs::file_size(theirs));
      ExpectSameWeights(binned, ours.file);
      ++files;
      RecordProperty(name + ending + ".ours", static_cast<int>(ours.file.size()));
      RecordProperty(name + ending + ".tflm", static_cast<int>(fs::file_size(theirs)));
    }
  }
  EXPECT_EQ(files, 10);
}

TEST(Pack, ClusteredModelIsCompressedWithoutBinning) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  const PackResult result = Pack(file, {});
  EXPECT_GE(CountCompressed(result), 6);
  EXPECT_LT(result.file.size(), file.bytes.size() * 85 / 100);
  ExpectSameWeights(file, result.file);
  // With this target only codecs of TFLM are chosen.
  for (const PackedTensor& t : result.tensors) {
    EXPECT_TRUE(!t.coded || FactsOf(t.coded->entry.codec).read_by_tflm) << t.constant.name;
  }
}

// Filters with 16 values, as binning leaves them.
host::ModelFile WithFewValues(const host::ModelFile& file) {
  ModelEditor editor(file);
  for (int t = 0; t < static_cast<int>(editor.subgraph(0).tensors.size()); ++t) {
    edit::TensorT& tensor = editor.tensor(0, t);
    Bytes values = editor.data(0, t);
    if (static_cast<TensorType>(tensor.type) != TensorType::kInt8) continue;
    for (uint8_t& value : values) value &= 0xF0;
    tensor.buffer = editor.AddBuffer(std::move(values));
  }
  return LoadModel(editor.Write(), file.path);
}

// Parts that strip has shared stay shared, and codecs are chosen for the resulting file.
TEST(Pack, StrippedBeforeAfterOrMeanwhileItIsAsSmall) {
  for (const fs::path& path : ModelsIn(kBundled)) {
    SCOPED_TRACE(path);
    const host::ModelFile bundled = host::ReadModelFile(path);
    for (const bool few_values : {false, true}) {
      const host::ModelFile file = few_values ? WithFewValues(bundled) : host::ReadModelFile(path);
      // A packed bias is no constant any more and keeps its scales, so strip must not remove them before.
      constexpr StripOptions kNames = {.bias_quantization = false};
      const host::ModelFile stripped = LoadModel(Strip(file, kNames).file, path);
      EXPECT_LE(stripped.bytes.size(), file.bytes.size());
      for (const Target target : {Target::kTflm, Target::kLutra}) {
        PackOptions options = {.target = target, .placement = PlacementFor(target)};
        const host::ModelFile packed = LoadModel(Pack(file, options).file, path);
        const Bytes after = Pack(stripped, options).file, before = Strip(packed, kNames).file;
        options.strip = true;
        EXPECT_LE(static_cast<double>(Pack(file, options).file.size()),
                  1.005 * static_cast<double>(Strip(packed).file.size()));
        options.stripping = kNames;
        const PackResult together = Pack(file, options);
        EXPECT_LE(packed.bytes.size(), file.bytes.size());
        EXPECT_LE(after.size(), stripped.bytes.size());
        EXPECT_EQ(together.file, after);
        const auto bytes = static_cast<double>(after.size());
        EXPECT_NEAR(static_cast<double>(before.size()), bytes, 0.005 * bytes);
        // Reports and options name tensors as in the given model.
        for (const PackedTensor& tensor : together.tensors) {
          EXPECT_EQ(tensor.constant.name, file.model.tensor(0, tensor.constant.id.tensor).name);
        }
      }
    }
  }
}

// golden/ has the hash of each case's model, in which equal parts are repeated and added tensors have names.
TEST(Pack, MakesTheFrozenModelsAgain) {
  int files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(LUTRA_SOURCE_DIR) / "golden" / "smoke" / "cases")) {
    const fs::path path = entry.path() / "model.tflite";
    std::optional<host::ModelFile> file;
    try {
      file = host::ReadModelFile(path);
    } catch (const host::BadInput&) {
      continue;  // This case must be refused.
    }
    if (!IsCompressed(ModelEditor(*file))) continue;
    SCOPED_TRACE(path);
    const Form form =
        file->model.Metadata(kCompressionMetadataName).empty() ? Form::kDecode : Form::kMetadata;
    const UnpackResult plain = Unpack(*file);
    const Bytes again =
        Pack(LoadModel(plain.editor.Write(), "plain"),
             {.form = form, .target = Target::kLutra, .parts = Parts::kRepeated, .spec = plain.entries})
            .file;
    EXPECT_EQ(again, Bytes(file->bytes.data(), file->bytes.data() + file->bytes.size()));
    ++files;
  }
  EXPECT_GE(files, 20);
}

TEST(Pack, NamesTensorsAsTheyWereBeforeTheyWereStripped) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  const PackResult result = Pack(file, {.only = {file.model.tensor(0, 4).name}, .strip = true});
  EXPECT_EQ(CountCompressed(result), 1);
  EXPECT_EQ(result.file, Pack(file, {.only = {"4"}, .strip = true}).file);
}

// If nothing becomes smaller, a file with less alignment than this writer's stays as it is.
TEST(Pack, MakesNoFileLarger) {
  const host::ModelFile sine = host::ReadModelFile(kBundled / "sine.tflite");
  const ModelEditor editor(LoadModel(ModelEditor(sine).Write(), "aligned"));
  std::set<uint32_t> all;
  for (uint32_t i = 0; i < editor.model().buffers.size(); ++i) all.insert(i);
  const Bytes aligned = editor.Write(), close = ShareEqualParts(aligned, all);
  ASSERT_LT(close.size(), aligned.size());
  const PackResult result = Pack(LoadModel(close, "close"), {});
  EXPECT_EQ(CountCompressed(result), 0);
  EXPECT_EQ(result.file, close);
  const Bytes stripped = Strip(sine).file, close_too = ShareEqualParts(stripped, all);
  ASSERT_LT(close_too.size(), stripped.size());
  const StripResult again = Strip(LoadModel(close_too, "close"));
  EXPECT_EQ(again.file, close_too);
  EXPECT_TRUE(again.gone.empty());
}

TEST(Pack, TheSpecOfARunMakesTheSameFile) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  for (const Target target : {Target::kTflm, Target::kLutra}) {
    const PackResult first = Pack(file, {.target = target});
    const PackResult second = Pack(file, {.target = target, .spec = ParseSpec(PackSpec(first), "spec")});
    EXPECT_EQ(second.file, first.file);
    // Unpacking finds the same.
    const UnpackResult unpacked = Unpack(LoadModel(first.file, "first"));
    const host::ModelFile plain = LoadModel(unpacked.editor.Write(), "plain");
    EXPECT_EQ(Pack(plain, {.target = target, .spec = unpacked.entries}).file.size(), first.file.size());
  }
}

TEST(Pack, TakesTheSelectionAtItsWord) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  const PackResult all = Pack(file, {});
  const PackResult without = Pack(file, {.exclude = {"4", "op:FULLY_CONNECTED"}});
  EXPECT_EQ(ObstacleOf(without, {0, 4}).text, "excluded");
  EXPECT_EQ(ObstacleOf(without, {0, 2}).text, "excluded");
  EXPECT_EQ(ObstacleOf(without, {0, 8}).text, "");
  const PackResult only = Pack(file, {.only = {"4"}});
  EXPECT_EQ(CountCompressed(only), 1);
  EXPECT_EQ(ObstacleOf(only, {0, 8}).kind, Obstacle::kExcluded);
  EXPECT_EQ(ObstacleOf(only, {0, 8}).text, "excluded: not among --only");
  const PackResult both = Pack(file, {.only = {"4", "8"}, .exclude = {"8"}});
  EXPECT_EQ(CountCompressed(both), 1);
  const PackResult large = Pack(file, {.min_saving = 1500});
  EXPECT_LT(CountCompressed(large), CountCompressed(all));
  EXPECT_GT(CountCompressed(large), 0);
  EXPECT_EQ(ObstacleOf(large, {0, 2}).kind, Obstacle::kNoGain);
  EXPECT_TRUE(ObstacleOf(large, {0, 2}).text.starts_with("no-gain: 768 bytes become "));
  EXPECT_THROW(Pack(file, {.only = {"no such tensor"}}), host::BadInput);
  EXPECT_THROW(Pack(file, {.only = {"99"}}), host::BadInput);
}

TEST(Pack, RefusesWhatIsCompressedAlready) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  for (const Form form : {Form::kDecode, Form::kMetadata}) {
    const PackResult once = Pack(file, {.form = form});
    EXPECT_THROW(Pack(LoadModel(once.file, "once"), {}), host::BadInput);
  }
}

// ---- Small graphs.

constexpr int kCount = 4096;

Bytes TwoValues() {
  Bytes bytes(kCount);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i * i % 7 < 3 ? 5 : 250;
  return bytes;
}

TensorSpec Vector(const Bytes& data = {}) { return {.shape = {1, kCount}, .scale = 0.5f, .data = data}; }

// Returns a model of two sums of an input and the same weights; the weights are also an output if
// `gives_weights`.
constexpr int kWeights = 1;
host::ModelFile TwoSums(bool gives_weights) {
  ModelBuilder builder;
  const int x = builder.AddTensor(Vector());
  EXPECT_EQ(builder.AddTensor(Vector(TwoValues())), kWeights);
  const int y = builder.AddTensor(Vector());
  const int z = builder.AddTensor(Vector());
  builder.AddOperator(BuiltinOperator::kAdd, {x, kWeights}, {y});
  builder.AddOperator(BuiltinOperator::kAdd, {kWeights, y}, {z});
  return LoadModel(builder.Finish({x}, gives_weights ? std::vector<int>{z, kWeights} : std::vector<int>{z}),
                   "memory");
}

TEST(Pack, DecodesForEachConsumerAndForOutputs) {
  const host::ModelFile file = TwoSums(true);
  const PackResult result = Pack(file, {});
  EXPECT_EQ(CountCompressed(result), 1);
  const host::ModelFile packed = LoadModel(result.file, "packed");
  EXPECT_EQ(packed.model.node_count(0), 5);
  for (const int decode : {0, 2, 4})
    EXPECT_STREQ(packed.model.node(0, decode).custom_code, kDecodeCustomCode);
  EXPECT_EQ(Outputs(file, result.file), Outputs(file, ModelEditor(file).Write()));
  ExpectSameWeights(file, result.file);
  // An output keeps its name, even if the encoded tensor loses it.
  const host::ModelFile stripped = LoadModel(Strip(packed).file, "stripped");
  for (const host::ModelFile* made : {&packed, &stripped}) {
    EXPECT_STREQ(made->model.tensor(0, made->model.outputs(0)[1]).name, file.model.tensor(0, kWeights).name);
    const ModelEditor unpacked = Unpack(*made).editor;
    EXPECT_EQ(unpacked.tensor(0, unpacked.subgraph(0).outputs[1]).name, file.model.tensor(0, kWeights).name);
  }
  // COMPRESSION_METADATA has no place for outputs, nor for ADD.
  const PackResult metadata = Pack(file, {.form = Form::kMetadata});
  EXPECT_EQ(CountCompressed(metadata), 0);
  EXPECT_EQ(ObstacleOf(metadata, {0, kWeights}).kind, Obstacle::kConsumer);
  EXPECT_EQ(ObstacleOf(metadata, {0, kWeights}).text, "consumers: it is an output of the graph");
}

// No converter makes these models, but they can be made by hand.
TEST(Pack, TakesAwkwardModels) {
  using Edit = std::function<void(ModelEditor*)>;
  const std::pair<const char*, Edit> edits[] = {
      {"no operators, and a constant as output",
       [](ModelEditor* editor) {
         editor->subgraph(0).operators.clear();
         editor->subgraph(0).outputs = {4};
       }},
      {"constants as outputs, one twice",
       [](ModelEditor* editor) {
         editor->subgraph(0).outputs.insert(editor->subgraph(0).outputs.end(), {4, 8, 4});
       }},
      {"two subgraphs of the same buffers",
       [](ModelEditor* editor) {
         auto& subgraphs = editor->model().subgraphs;
         subgraphs.push_back(std::make_unique<edit::SubGraphT>(*subgraphs[0]));
       }},
      {"no names",
       [](ModelEditor* editor) {
         for (const auto& tensor : editor->subgraph(0).tensors) tensor->name.clear();
       }},
      {"one name for all",
       [](ModelEditor* editor) {
         for (const auto& tensor : editor->subgraph(0).tensors) tensor->name = "x";
       }},
      {"two operators that read one tensor",
       [](ModelEditor* editor) {
         for (const auto& op : editor->subgraph(0).operators)
           std::replace(op->inputs.begin(), op->inputs.end(), 8, 4);
       }},
      {"two tensors of one buffer",
       [](ModelEditor* editor) { editor->tensor(0, 8).buffer = editor->tensor(0, 4).buffer; }},
      {"an operator without inputs",
       [](ModelEditor* editor) { editor->subgraph(0).operators[0]->inputs.clear(); }},
      {"weights of no bytes", [](ModelEditor* editor) { editor->tensor(0, 4).buffer = 0; }},
      {"weights that are a variable", [](ModelEditor* editor) { editor->tensor(0, 4).is_variable = true; }},
      {"metadata of no buffer", [](ModelEditor* editor) {
         auto metadata = std::make_unique<edit::MetadataT>();
         metadata->name = "LUTRA_BINNING";
         metadata->buffer = 9999;
         editor->model().metadata.push_back(std::move(metadata));
       }}};
  for (const auto& [what, edit] : edits) {
    SCOPED_TRACE(what);
    ModelEditor editor(host::ReadModelFile(kBundled / "kws_clustered.tflite"));
    edit(&editor);
    const host::ModelFile file = LoadModel(editor.Write(), "awkward");
    const host::RunOutcome expected = OutcomeOf(file, ModelEditor(file).Write());
    for (const PackOptions& options :
         {PackOptions{}, PackOptions{.form = Form::kMetadata}, PackOptions{.strip = true},
          PackOptions{.target = Target::kLutra, .placement = Placement::kPackedStreams}}) {
      const PackResult result = Pack(file, options);
      if (!options.strip) ExpectSameWeights(file, result.file);
      const host::RunOutcome outcome = OutcomeOf(file, result.file);
      EXPECT_EQ(outcome.status, expected.status) << outcome.refusal;
      EXPECT_EQ(outcome.outputs, expected.outputs);
      EXPECT_LE(result.file.size(), file.bytes.size());
    }
  }
}

// One stream may be decoded to tensors of different scales, in which its numbers mean different values.
TEST(Pack, UnpacksAStreamOfSeveralTensors) {
  const host::ModelFile file = TwoSums(false);
  ModelEditor editor(LoadModel(Pack(file, {}).file, "packed"));
  const auto& operators = editor.subgraph(0).operators;
  ASSERT_EQ(operators.size(), 4u);
  editor.tensor(0, operators[2]->outputs[0]).quantization->scale = {0.125F};
  const host::ModelFile packed = LoadModel(editor.Write(), "packed");
  EXPECT_NE(Outputs(file, editor.Write()), Outputs(file, ModelEditor(file).Write()));
  EXPECT_EQ(Outputs(file, Unpack(packed).editor.Write()), Outputs(file, editor.Write()));
}

// Unpacking removes what packing added, and no more.
TEST(Pack, TensorsThatNobodyUsesStay) {
  ModelBuilder builder;
  const int x = builder.AddTensor(Vector());
  const int weights = builder.AddTensor(Vector(TwoValues()));
  const int y = builder.AddTensor(Vector());
  builder.AddTensor(Vector());
  builder.AddTensor(Vector(Bytes(kCount, 7)));
  builder.AddOperator(BuiltinOperator::kAdd, {x, weights}, {y});
  const host::ModelFile file = LoadModel(builder.Finish({x}, {y}), "memory");
  for (const Form form : {Form::kDecode, Form::kMetadata}) {
    const PackResult result = Pack(file, {.form = form});
    EXPECT_EQ(CountCompressed(result), form == Form::kDecode ? 1 : 0);
    ExpectSameWeights(file, result.file);
  }
}

// The offline plan has an offset for each tensor, of which packing adds some and unpacking removes them.
TEST(Pack, UnpacksAModelWithAnOfflinePlan) {
  ModelBuilder builder;
  const int x = builder.AddTensor(Vector());
  const int weights = builder.AddTensor(Vector(TwoValues()));
  const int y = builder.AddTensor(Vector());
  builder.AddOperator(BuiltinOperator::kAdd, {x, weights}, {y});
  builder.AddMetadata("OfflineMemoryAllocation", {1, 1, 3, 0, -1, 1024});
  const host::ModelFile file = LoadModel(builder.Finish({x}, {y}), "memory");
  for (const Form form : {Form::kDecode, Form::kMetadata}) {
    const PackResult result = Pack(file, {.form = form});
    const host::ModelFile packed = LoadModel(result.file, "packed");
    const host::ModelFile plain = LoadModel(Unpack(packed).editor.Write(), "unpacked");
    const Span<const uint8_t> before = file.model.Metadata("OfflineMemoryAllocation");
    const Span<const uint8_t> after = plain.model.Metadata("OfflineMemoryAllocation");
    ASSERT_EQ(after.size(), before.size());
    EXPECT_EQ(std::memcmp(after.data(), before.data(), before.size()), 0);
    ExpectSameWeights(file, result.file);
  }
}

TEST(Pack, LeavesWhatOperatorsReadWhileTheyArePrepared) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {1, 8}, .scale = 0.5f});
  const int paddings = builder.AddTensor(
      {.shape = {2, 2}, .type = TensorType::kInt32, .data = BytesOf(std::vector<int32_t>{0, 0, 1, 1})});
  const int y = builder.AddTensor({.shape = {1, 10}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kPad, {x, paddings}, {y});
  const host::ModelFile file = LoadModel(builder.Finish({x}, {y}), "memory");
  EXPECT_EQ(ObstacleOf(Pack(file, {}), {0, paddings}).text,
            "consumers: PAD reads input 1 while it is prepared");
  EXPECT_THROW(Pack(file, {.only = {"1"}}), host::BadInput);
  EXPECT_THROW(Pack(file, {.spec = std::vector<SpecEntry>{{.id = {0, paddings}}}}), host::BadInput);
}

TEST(Pack, CompressesTensorsOfTheSameBytesTogether) {
  const auto build = [](bool blocked) {
    ModelBuilder builder;
    const int x = builder.AddTensor(Vector());
    const int a = builder.AddTensor(Vector(TwoValues()));
    const int b = builder.AddTensor(Vector(TwoValues()));
    const int y = builder.AddTensor(Vector());
    const int z = builder.AddTensor(Vector());
    builder.AddOperator(BuiltinOperator::kAdd, {x, a}, {y});
    if (!blocked) builder.AddOperator(BuiltinOperator::kAdd, {y, b}, {z});
    return LoadModel(builder.Finish({x}, {blocked ? y : z}), "memory");
  };
  const PackResult together = Pack(build(false), {});
  EXPECT_EQ(CountCompressed(together), 2);
  EXPECT_LT(together.file.size(), 3000u);
  const PackResult blocked = Pack(build(true), {});
  EXPECT_EQ(CountCompressed(blocked), 0);
  EXPECT_EQ(ObstacleOf(blocked, {0, 1}).kind, Obstacle::kAlias);
  EXPECT_EQ(ObstacleOf(blocked, {0, 1}).text, "alias: tensor 2 has the same bytes and cannot be compressed");
  EXPECT_EQ(ObstacleOf(blocked, {0, 2}).kind, Obstacle::kUnread);
  EXPECT_EQ(ObstacleOf(blocked, {0, 2}).text, "consumers: nobody reads it");
}

// Streams that only TFLM_DECODE reads lie close together if only Lutra reads them, also after stripping.
TEST(Pack, StreamsLieCloseForLutraAlone) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  const auto expected = Outputs(file, ModelEditor(file).Write());
  for (const Target target : {Target::kTflm, Target::kLutra}) {
    const bool close = target == Target::kLutra;
    const host::ModelFile packed =
        LoadModel(Pack(file, {.target = target, .placement = PlacementFor(target)}).file, "packed");
    const Bytes stripped = Strip(packed).file;
    for (const host::ModelFile& written :
         {LoadModel(stripped, "stripped"),
          LoadModel(ModelEditor(packed).Write(PlacementFor(target)), "again")}) {
      EXPECT_EQ(PlacementOf(written) == Placement::kPackedStreams, close);
      const std::set<uint32_t> streams = StreamBuffers(ModelEditor(written).model());
      EXPECT_FALSE(streams.empty());
      for (int t = 0; t < written.model.tensor_count(0); ++t) {
        const TensorInfo tensor = written.model.tensor(0, t);
        if (tensor.data.empty()) continue;
        const bool is_stream = streams.count(ModelEditor(written).tensor(0, t).buffer) != 0;
        EXPECT_EQ((tensor.data.data() - written.bytes.data()) % (close && is_stream ? 4 : 16), 0) << t;
      }
    }
    EXPECT_EQ(Outputs(file, stripped), expected);
    const Bytes aligned = ModelEditor(packed).Write();
    EXPECT_EQ(aligned.size() > packed.bytes.size(), close);
    EXPECT_EQ(Strip(LoadModel(aligned, "aligned")).file.size() > stripped.size(), close);
  }
}

// A spec may list tensors that need not be compressed: they stay, with a warning. What cannot be compressed
// is refused.
TEST(Pack, ASpecMayListWhatStays) {
  ModelBuilder builder;
  const int x = builder.AddTensor(Vector());
  const int a = builder.AddTensor(Vector(TwoValues()));
  const int b = builder.AddTensor(Vector(TwoValues()));
  const int y = builder.AddTensor(Vector());
  builder.AddOperator(BuiltinOperator::kAdd, {x, a}, {y});
  const host::ModelFile file = LoadModel(builder.Finish({x}, {y}), "memory");
  const PackResult result = Pack(file, {.spec = std::vector<SpecEntry>{{.id = {0, a}}, {.id = {0, b}}}});
  EXPECT_EQ(CountCompressed(result), 0);
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_NE(result.warnings[0].find("left as it is, alias: "), std::string::npos) << result.warnings[0];
  EXPECT_NE(result.warnings[1].find("left as it is, consumers: nobody"), std::string::npos)
      << result.warnings[1];
  EXPECT_THROW(Pack(file, {.spec = std::vector<SpecEntry>{{.id = {0, x}}}}), host::BadInput);
}

TEST(Pack, TellsWhyTheOlderFormCannotHoldIt) {
  // This tensor has a table for each channel, and one scale.
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {1, 64}, .scale = 0.5f});
  const int weights = builder.AddTensor({.shape = {64, 64}, .scale = 0.5f, .data = TwoValues()});
  const int y = builder.AddTensor({.shape = {1, 64}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {x, weights}, {y});
  const host::ModelFile file = LoadModel(builder.Finish({x}, {y}), "memory");
  const std::vector<SpecEntry> per_channel = {
      {.id = {0, weights}, .tables = TableChoice::kPerChannel, .axis = 0}};
  EXPECT_THROW(Pack(file, {.form = Form::kMetadata, .spec = per_channel}), host::BadInput);
  const PackResult decode = Pack(file, {.spec = per_channel});
  ExpectSameWeights(file, decode.file);
  EXPECT_EQ(Outputs(file, decode.file), Outputs(file, ModelEditor(file).Write()));
  // This spec has too few bits.
  EXPECT_THROW(Pack(file, {.spec = std::vector<SpecEntry>{{.id = {0, 99}}}}), host::BadInput);
  // TFLM lacks this codec.
  const std::vector<SpecEntry> ours = {{.id = {0, weights}, .codec = DecodeType::kSparseLut}};
  EXPECT_THROW(Pack(file, {.spec = ours}), host::BadInput);
  ExpectSameWeights(file, Pack(file, {.target = Target::kLutra, .spec = ours}).file);
}

TEST(Pack, RefusesASpecOfTooFewBits) {
  const host::ModelFile file = host::ReadModelFile(kBundled / "kws_clustered.tflite");
  try {
    Pack(file, {.spec = std::vector<SpecEntry>{{.id = {0, 4}, .index_bitwidth = 3}}});
    FAIL() << "not refused";
  } catch (const host::BadInput& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("4 bits"), std::string::npos) << refusal.what();
  }
  const PackResult wide = Pack(file, {.spec = std::vector<SpecEntry>{{.id = {0, 4}, .index_bitwidth = 6}}});
  ASSERT_FALSE(wide.warnings.empty());
  ExpectSameWeights(file, wide.file);
}

// ---- Specs and selectors.

TEST(Spec, ReadsTflmsFile) {
  const std::vector<SpecEntry> entries = ParseSpec(
      "tensors:\n"
      "  - subgraph: 0\n    tensor: 17\n    compression:\n      - lut:\n          index_bitwidth: 4\n"
      "  - subgraph: 1\n    tensor: 2\n    compression:\n      - lut:\n          index_bitwidth: 2\n"
      "          per_channel: {axis: 3}\n"
      "  - {subgraph: 0, tensor: 3, compression: [lut: {index_bitwidth: 1, per_tensor: }]}\n"
      "  - {subgraph: 0, tensor: 4, compression: [huffman]}\n"
      "  - {subgraph: 0, tensor: 5, compression: [sparse_lut: {tile_rows: 12}]}\n",
      "spec");
  const std::vector<SpecEntry> expected = {
      {.id = {0, 17}, .index_bitwidth = 4},
      {.id = {1, 2}, .index_bitwidth = 2, .tables = TableChoice::kPerChannel, .axis = 3},
      {.id = {0, 3}, .index_bitwidth = 1, .tables = TableChoice::kPerTensor},
      {.id = {0, 4}, .codec = DecodeType::kHuffman},
      {.id = {0, 5}, .codec = DecodeType::kSparseLut, .tile_rows = 12}};
  EXPECT_EQ(entries, expected);
  EXPECT_EQ(ParseSpec(WriteSpec(entries), "again"), expected);
  EXPECT_TRUE(ParseSpec("tensors: []\n", "spec").empty());
  EXPECT_TRUE(ParseSpec(WriteSpec({}), "spec").empty());
}

TEST(Spec, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> wrong[] = {
      {"other: 1\n", "line 1"},
      {"tensors:\n  - tensor: 1\n", "subgraph"},
      {"tensors:\n  - {subgraph: 0, tensor: x, compression: [lut: {}]}\n", "tensor: x"},
      {"tensors:\n  - subgraph: 0\n    tensor: 1\n    compression:\n      lut:\n        index_bitwidth: 4\n",
       "dash"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [zip]}\n", "zip"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: {index_bitwidth: 8}]}\n",
       "index_bitwidth: 8"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: {index_bitwidth: 4}, huffman]}\n",
       "2 methods"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [sparse_lut: {tile_rows: 0}]}\n", "tile_rows: 0"},
      {"tensors: [\n", "line"},
      // Repeated keys and documents are refused, not dropped.
      {"tensors: []\ntensors: []\n", "line 2: spec: found key \"tensors\" again, required: each key once"},
      {"note: 1\ntensors: []\nnote: 1\n", "line 3: spec: found key \"note\" again"},
      {"tensors:\n  - {subgraph: 0, subgraph: 0, tensor: 1, compression: [lut]}\n", "key \"subgraph\" again"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, tensor: 2, compression: [lut]}\n", "key \"tensor\" again"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut], compression: [lut]}\n",
       "\"compression\" again"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [{lut: , lut: }]}\n", "key \"lut\" again"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: {index_bitwidth: 4, index_bitwidth: 4}]}\n",
       "key \"index_bitwidth\" again"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: {per_channel: {axis: 0, \"axis\": 1}}]}\n",
       "key \"axis\" again"},
      {"tensors: []\nnote: {a: [{b: 1, b: 2}]}\n", "line 2: spec: found key \"b\" again"},
      {"tensors: []\n---\ntensors: []\n", "second document"},
      {"tensors: []\n[1]: 2\n", "a key that is no text"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [{lut: , huffman: }]}\n", "2 methods"},
      // Misspelt options, and those of other methods, are refused, too.
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: {index_bitwith: 4}]}\n",
       "option \"index_bitwith\" of lut"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [huffman: {index_bitwidth: 4}]}\n",
       "option \"index_bitwidth\" of huffman, required: no option for it"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: 4]}\n", "lut without options"},
      {"tensors:\n  - {subgraph: 0, tensor: 1, compression: [lut: {per_tensor: false}]}\n",
       "per_tensor with a value"}};
  for (const auto& [text, part] : wrong) {
    try {
      ParseSpec(text, "spec.yaml");
      ADD_FAILURE() << text;
    } catch (const host::BadInput& refusal) {
      EXPECT_TRUE(std::string(refusal.what()).starts_with("spec.yaml: line ")) << refusal.what();
      EXPECT_NE(std::string(refusal.what()).find(part), std::string::npos) << refusal.what();
    }
  }
}

// yaml-cpp takes these characters for the end of the file.
TEST(Spec, RefusesWhatWouldBeCutOff) {
  for (const char end : {'\4', '\0'}) {
    const std::string text = "tensors: []\n" + std::string(1, end) + "\n";
    try {
      ParseSpec(text, "spec.yaml");
      ADD_FAILURE() << static_cast<int>(end);
    } catch (const host::BadInput& refusal) {
      EXPECT_TRUE(std::string(refusal.what()).starts_with("spec.yaml: byte 12: ")) << refusal.what();
    }
  }
}

// Ten levels of ten aliases each are a few hundred bytes of text, and ten thousand million values.
TEST(Spec, AliasesTakeNoTime) {
  std::string text = "tensors: []\nx0: &x0 [1]\n";
  for (int level = 1; level <= 10; ++level) {
    const std::string alias = "*x" + std::to_string(level - 1);
    text += "x" + std::to_string(level) + ": &x" + std::to_string(level) + " [" + alias;
    for (int i = 1; i < 10; ++i) text += ", " + alias;
    text += "]\n";
  }
  EXPECT_TRUE(ParseSpec(text, "spec").empty());
}

TEST(Selectors, FindTensors) {
  const ModelEditor editor(host::ReadModelFile(kBundled / "kws_clustered.tflite"));
  const auto ids = [](const std::vector<TensorId>& list) {
    std::vector<int> tensors;
    for (const TensorId id : list) tensors.push_back(id.tensor);
    return tensors;
  };
  EXPECT_EQ(ids(SelectTensors(editor, "4")), std::vector<int>{4});
  EXPECT_EQ(ids(SelectTensors(editor, "0:4")), std::vector<int>{4});
  EXPECT_EQ(ids(SelectTensors(editor, editor.tensor(0, 4).name)), std::vector<int>{4});
  EXPECT_EQ(ids(SelectTensors(editor, "op:FULLY_CONNECTED")).size(), 2u);
  EXPECT_EQ(ids(SelectTensors(editor, "*depthwise_conv2d_*/depthwise")).size(), 4u);
  EXPECT_EQ(ids(SelectSteps(editor, "0")), ids(SelectSteps(editor, "-12")));
  EXPECT_EQ(SelectSteps(editor, "0:2").size(), 4u);
  for (const char* none : {"1:4", "-1", "nothing", "nothing*", "op:NOTHING", "0:"}) {
    EXPECT_THROW(SelectTensors(editor, none), host::BadInput) << none;
  }
  for (const char* none : {"12", "-13", "2:1", "x", "", "2147483647", "-2147483648", "2147483647:",
                           "0:2147483647", "-2147483648:2147483647", "2147483648", "99999999999999999999"})
    EXPECT_THROW(SelectSteps(editor, none), host::BadInput) << none;
}

}  // namespace
}  // namespace lutra::compressor
