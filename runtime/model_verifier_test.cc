// SPDX-License-Identifier: Apache-2.0
// The verifier against FlatBuffers' own: it accepts all that the latter accepts, and all that it accepts can
// be read.

#include "runtime/model_verifier.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <vector>

#include "compression_generated.h"
#include "lutra/compression/encoding.h"
#include "lutra/compression/lut_metadata.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/rule.h"
#include "runtime/schema/tflite.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/model_files.h"
#include "runtime/testing/sanitized.h"

namespace lutra {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

// Memory for files between memory that must not be touched, as far as an offset of 32 bits leads: reading
// outside a file ends the test, with and without a sanitizer.
class GuardedPlace {
 public:
  GuardedPlace() {
    // With addresses of 32 bits, not all of them are available.
    constexpr size_t kAround = sizeof(void*) == 4 ? size_t{64} << 20 : size_t{5} << 30;
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    capacity_ = (kMostBytes + page - 1) / page * page;
    total_ = capacity_ + 2 * kAround;
    void* const all = mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<uint8_t*>(all);
    place_ = start_ + kAround;
    if (mprotect(place_, capacity_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~GuardedPlace() { munmap(start_, total_); }
  GuardedPlace(const GuardedPlace&) = delete;
  GuardedPlace& operator=(const GuardedPlace&) = delete;

  // Puts the bytes at a multiple of 8, with their end at the guard or less than 8 bytes before it.
  Span<const uint8_t> Put(const Bytes& bytes) {
    uint8_t* const to = place_ + capacity_ - (bytes.size() + 7) / 8 * 8;
    if (!bytes.empty()) memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }
  static constexpr size_t kMostBytes = 1 << 20;

 private:
  size_t capacity_;
  size_t total_;
  uint8_t* start_;
  uint8_t* place_;
};

bool FlatBuffersTakes(Span<const uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return bytes.size() >= 16 && schema::VerifyModelBuffer(verifier);
}

// Reads its arguments, so that no compiler drops them.
class Reader {
 public:
  template <typename T>
  void Number(T value) {
    sum_ = sum_ + static_cast<unsigned char>(value != 0);
  }
  void Text(const char* text) { Number(strlen(text)); }
  template <typename T>
  void List(const PackedList<T>& list) {
    for (int32_t i = 0; i < list.size(); ++i) Number(list[i]);
  }
  void Data(Span<const uint8_t> data) {
    for (const uint8_t byte : data) Number(byte);
  }

 private:
  volatile unsigned sum_ = 0;
};

void ReadOptions(const NodeInfo& node, Reader& reader) {
  WindowOptions window;
  Activation activation = Activation::kNone;
  FullyConnectedOptions fully_connected;
  SvdfOptions svdf;
  LstmOptions lstm;
  float number = 0;
  bool flag = false;
  int32_t count = 0;
  AxisOptions axis;
  ResizeOptions resize;
  PackedList<int32_t> dims;
  StridedSliceOptions slice;
  BatchMatMulOptions matmul;
  VarHandleOptions variable;
  CumsumOptions cumsum;
  const bool read[] = {ReadWindowOptions(node, &window),
                       ReadActivation(node, &activation),
                       ReadFullyConnectedOptions(node, &fully_connected),
                       ReadSvdfOptions(node, &svdf),
                       ReadLstmOptions(node, &lstm),
                       ReadSoftmaxBeta(node, &number),
                       ReadLeakyReluAlpha(node, &number),
                       ReadGeluApproximate(node, &flag),
                       ReadAxisOptions(node, &axis),
                       ReadResizeOptions(node, &resize),
                       ReadBlockSize(node, &count),
                       ReadKeepDims(node, &flag),
                       ReadStridedSliceOptions(node, &slice),
                       ReadSplitCount(node, &count),
                       ReadCumsumOptions(node, &cumsum),
                       ReadMirrorPadSymmetric(node, &flag),
                       ReadBatchMatMulOptions(node, &matmul),
                       ReadInitSubgraph(node, &count)};
  for (const bool one : read) reader.Number(one);
  for (const uint8_t byte : CustomOptionBytes(node)) reader.Number(byte);
  if (ReadDimensionList(node, &dims)) reader.List(dims);
  if (ReadVarHandleOptions(node, &variable)) {
    reader.Text(variable.container);
    reader.Text(variable.shared_name);
  }
}

// Reads everything that a Model returns. Returns false if it was refused.
bool LoadAndRead(Span<const uint8_t> bytes) {
  Model model;
  Diagnosis diagnosis;
  if (Model::Load(bytes, &model, &diagnosis) != Status::kOk) return false;
  Reader reader;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    reader.List(model.inputs(s));
    reader.List(model.outputs(s));
    for (int t = 0; t < model.tensor_count(s); ++t) {
      const TensorInfo info = model.tensor(s, t);
      reader.Text(info.name);
      reader.List(info.scales);
      reader.List(info.zero_points);
      reader.Data(info.data);
      if (info.is_compressed) reader.Data(model.encoding(s, t).stream);
    }
    for (int n = 0; n < model.node_count(s); ++n) {
      const NodeInfo node = model.node(s, n);
      reader.Text(node.custom_code);
      reader.List(node.inputs);
      reader.List(node.outputs);
      ReadOptions(node, reader);
    }
  }
  reader.Data(model.Metadata("OfflineMemoryAllocation"));
  return true;
}

// One case of each operator, and of each way to compress.
std::vector<Bytes> SmallModels() {
  std::vector<Bytes> models = {ReadAll(fs::path(LUTRA_SOURCE_DIR) / "models" / "sine.tflite")};
  std::set<std::string> seen;
  for (const fs::path& path :
       ModelsIn<fs::recursive_directory_iterator>(fs::path(LUTRA_SOURCE_DIR) / "golden" / "smoke")) {
    const std::string name = path.parent_path().filename().string();
    const bool compressed =
        name.find("lut.") != std::string::npos || name.find("decode_") != std::string::npos;
    const std::string kind = compressed ? name : name.substr(0, name.find('.', name.find('.') + 1));
    if (seen.insert(kind).second) models.push_back(ReadAll(path));
  }
  return models;
}

// Every kind of options, with each field in the file, even if its value is the default.
using Builder = flatbuffers::FlatBufferBuilder;
const std::vector<int32_t> kDims = {1, 2};
struct OptionsKind {
  schema::BuiltinOptions type;
  flatbuffers::Offset<void> (*create)(Builder&);
};
constexpr OptionsKind kOptionsKinds[] = {
    {schema::BuiltinOptions::Conv2DOptions,
     [](Builder& b) { return schema::CreateConv2DOptions(b).Union(); }},
    {schema::BuiltinOptions::DepthwiseConv2DOptions,
     [](Builder& b) { return schema::CreateDepthwiseConv2DOptions(b).Union(); }},
    {schema::BuiltinOptions::Pool2DOptions,
     [](Builder& b) { return schema::CreatePool2DOptions(b).Union(); }},
    {schema::BuiltinOptions::SVDFOptions, [](Builder& b) { return schema::CreateSVDFOptions(b).Union(); }},
    {schema::BuiltinOptions::FullyConnectedOptions,
     [](Builder& b) { return schema::CreateFullyConnectedOptions(b).Union(); }},
    {schema::BuiltinOptions::SoftmaxOptions,
     [](Builder& b) { return schema::CreateSoftmaxOptions(b).Union(); }},
    {schema::BuiltinOptions::ConcatenationOptions,
     [](Builder& b) { return schema::CreateConcatenationOptions(b).Union(); }},
    {schema::BuiltinOptions::AddOptions, [](Builder& b) { return schema::CreateAddOptions(b).Union(); }},
    {schema::BuiltinOptions::L2NormOptions,
     [](Builder& b) { return schema::CreateL2NormOptions(b).Union(); }},
    {schema::BuiltinOptions::ResizeBilinearOptions,
     [](Builder& b) { return schema::CreateResizeBilinearOptions(b).Union(); }},
    {schema::BuiltinOptions::ReshapeOptions,
     [](Builder& b) { return schema::CreateReshapeOptionsDirect(b, &kDims).Union(); }},
    {schema::BuiltinOptions::SpaceToDepthOptions,
     [](Builder& b) { return schema::CreateSpaceToDepthOptions(b).Union(); }},
    {schema::BuiltinOptions::MulOptions, [](Builder& b) { return schema::CreateMulOptions(b).Union(); }},
    {schema::BuiltinOptions::GatherOptions,
     [](Builder& b) { return schema::CreateGatherOptions(b).Union(); }},
    {schema::BuiltinOptions::ReducerOptions,
     [](Builder& b) { return schema::CreateReducerOptions(b).Union(); }},
    {schema::BuiltinOptions::SubOptions, [](Builder& b) { return schema::CreateSubOptions(b).Union(); }},
    {schema::BuiltinOptions::DivOptions, [](Builder& b) { return schema::CreateDivOptions(b).Union(); }},
    {schema::BuiltinOptions::SqueezeOptions,
     [](Builder& b) { return schema::CreateSqueezeOptionsDirect(b, &kDims).Union(); }},
    {schema::BuiltinOptions::StridedSliceOptions,
     [](Builder& b) { return schema::CreateStridedSliceOptions(b).Union(); }},
    {schema::BuiltinOptions::SplitOptions, [](Builder& b) { return schema::CreateSplitOptions(b).Union(); }},
    {schema::BuiltinOptions::TransposeConvOptions,
     [](Builder& b) { return schema::CreateTransposeConvOptions(b).Union(); }},
    {schema::BuiltinOptions::PackOptions, [](Builder& b) { return schema::CreatePackOptions(b).Union(); }},
    {schema::BuiltinOptions::UnpackOptions,
     [](Builder& b) { return schema::CreateUnpackOptions(b).Union(); }},
    {schema::BuiltinOptions::UnidirectionalSequenceLSTMOptions,
     [](Builder& b) { return schema::CreateUnidirectionalSequenceLSTMOptions(b).Union(); }},
    {schema::BuiltinOptions::ResizeNearestNeighborOptions,
     [](Builder& b) { return schema::CreateResizeNearestNeighborOptions(b).Union(); }},
    {schema::BuiltinOptions::LeakyReluOptions,
     [](Builder& b) { return schema::CreateLeakyReluOptions(b).Union(); }},
    {schema::BuiltinOptions::MirrorPadOptions,
     [](Builder& b) { return schema::CreateMirrorPadOptions(b).Union(); }},
    {schema::BuiltinOptions::SplitVOptions,
     [](Builder& b) { return schema::CreateSplitVOptions(b).Union(); }},
    {schema::BuiltinOptions::DepthToSpaceOptions,
     [](Builder& b) { return schema::CreateDepthToSpaceOptions(b).Union(); }},
    {schema::BuiltinOptions::BatchMatMulOptions,
     [](Builder& b) { return schema::CreateBatchMatMulOptions(b).Union(); }},
    {schema::BuiltinOptions::CallOnceOptions,
     [](Builder& b) { return schema::CreateCallOnceOptions(b).Union(); }},
    {schema::BuiltinOptions::VarHandleOptions,
     [](Builder& b) { return schema::CreateVarHandleOptionsDirect(b, "c", "v").Union(); }},
    {schema::BuiltinOptions::GeluOptions, [](Builder& b) { return schema::CreateGeluOptions(b).Union(); }},
};

// A model of one operator with every field that a reader might look for.
Bytes CompleteModel(const OptionsKind& kind) {
  Builder b;
  b.ForceDefaults(true);
  b.DedupVtables(false);  // The offsets of each table can be changed by themselves.
  const std::vector<uint8_t> data = {1, 2};
  const std::vector<flatbuffers::Offset<schema::Buffer>> buffers = {
      schema::CreateBuffer(b), schema::CreateBuffer(b, b.CreateVector(data))};
  std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
  for (uint32_t buffer = 0; buffer < 2; ++buffer) {
    const std::vector<float> scales = {0.5f};
    const std::vector<int64_t> zero_points = {3};
    const auto quantization =
        schema::CreateQuantizationParametersDirect(b, nullptr, nullptr, &scales, &zero_points);
    tensors.push_back(schema::CreateTensorDirect(b, &kDims, static_cast<int8_t>(TensorType::kInt8), buffer,
                                                 "t", quantization));
  }
  const std::vector<int32_t> operands = {0, 1};
  const std::vector<flatbuffers::Offset<schema::Operator>> operators = {
      schema::CreateOperatorDirect(b, 0, &operands, &operands, kind.type, kind.create(b))};
  const std::vector<flatbuffers::Offset<schema::SubGraph>> subgraphs = {
      schema::CreateSubGraphDirect(b, &tensors, &operands, &operands, &operators, "g")};
  const std::vector<flatbuffers::Offset<schema::OperatorCode>> codes = {
      schema::CreateOperatorCodeDirect(b, 3, "custom", 1, 3)};
  const std::vector<flatbuffers::Offset<schema::Metadata>> metadata = {
      schema::CreateMetadataDirect(b, "m", 1)};
  b.Finish(schema::CreateModelDirect(b, 3, &codes, &subgraphs, "d", &buffers, nullptr, &metadata), "TFL3");
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

struct Verdicts {
  int tried = 0;
  int theirs = 0;
  int ours = 0;
  int read = 0;
};

void Judge(const Bytes& bytes, GuardedPlace& place, Verdicts* verdicts) {
  const Span<const uint8_t> file = place.Put(bytes);
  const bool theirs = FlatBuffersTakes(file);
  const bool ours = bytes.size() >= 16 && VerifyModel(file);
  ++verdicts->tried;
  verdicts->theirs += theirs ? 1 : 0;
  verdicts->ours += ours ? 1 : 0;
  // FlatBuffers' verifier adds the offsets of listed tables to pointers. If pointers have 32 bits, offsets
  // beyond the file wrap, and it accepts some that lead back into it.
  if (sizeof(void*) > sizeof(flatbuffers::uoffset_t)) {
    EXPECT_TRUE(ours || !theirs) << "FlatBuffers' verifier takes it";
  }
  if (ours) verdicts->read += LoadAndRead(file) ? 1 : 0;
}

void Store(Bytes* bytes, size_t at, uint32_t value, size_t width) {
  for (size_t i = 0; i < width && at + i < bytes->size(); ++i) {
    (*bytes)[at + i] = static_cast<uint8_t>(value >> (8 * i));
  }
}

TEST(ModelVerifier, TakesEveryModel) {
  GuardedPlace place;
  int models = 0;
  for (const fs::path& folder :
       {fs::path(LUTRA_SOURCE_DIR) / "models", fs::path(LUTRA_SOURCE_DIR) / "golden",
        fs::path(LUTRA_TEST_DATA) / "models", fs::path(LUTRA_TEST_DATA) / "golden"}) {
    for (const fs::path& path : ModelsIn<fs::recursive_directory_iterator>(folder)) {
      const Bytes bytes = ReadAll(path);
      if (bytes.size() > GuardedPlace::kMostBytes) continue;
      SCOPED_TRACE(path);
      Verdicts verdicts;
      Judge(bytes, place, &verdicts);
      models += verdicts.theirs;
    }
  }
  RecordProperty("models", models);
  EXPECT_GT(models, 200);
}

// Each two bytes, and each four, are made to lead just past the file's end, far away and backwards, so that
// every field is once outside.
TEST(ModelVerifier, LeavesNothingToReadOutside) {
  constexpr size_t kStep = kSanitized ? 5 : 1;
  GuardedPlace place;
  Verdicts verdicts;
  std::vector<Bytes> models = SmallModels();
  for (const OptionsKind& kind : kOptionsKinds) {
    models.push_back(CompleteModel(kind));
    EXPECT_TRUE(LoadAndRead(place.Put(models.back())));
  }
  for (const Bytes& whole : models) {
    const auto size = static_cast<uint32_t>(whole.size());
    if (size > 4096) continue;
    for (const size_t width : {sizeof(uint16_t), sizeof(uint32_t)}) {
      for (size_t at = 0; at < size; at += width * kStep) {
        const uint32_t rest = size - static_cast<uint32_t>(at);
        for (const uint32_t value : {rest - 2, rest + 6, 0xFFFCu, 0x7FFFFFFCu, 0x80000000u, 0u - rest}) {
          Bytes mutant = whole;
          Store(&mutant, at, value, width);
          Judge(mutant, place, &verdicts);
        }
      }
    }
  }
  RecordProperty("tried", verdicts.tried);
  RecordProperty("ours", verdicts.ours);
  EXPECT_GT(verdicts.tried, 50000 / static_cast<int>(kStep));
  EXPECT_GT(verdicts.ours, verdicts.theirs / 2);
}

TEST(ModelVerifier, TakesNoMutantThatCannotBeRead) {
  GuardedPlace place;
  Verdicts verdicts;
  std::mt19937 generator(1);
  const auto below = [&generator](uint64_t limit) { return static_cast<uint32_t>(generator() % limit); };
  const std::vector<Bytes> models = SmallModels();
  for (int i = 0; i < 50000; ++i) {
    Bytes mutant = models[static_cast<size_t>(i) % models.size()];
    if (i % 8 == 0) mutant.resize(below(mutant.size()));
    for (uint32_t changes = mutant.empty() ? 0 : 1 + below(8); changes > 0; --changes) {
      const uint32_t at = below(mutant.size());
      if (below(2) == 0) {
        mutant[at] = static_cast<uint8_t>(below(256));
      } else {
        const uint32_t values[] = {below(64), below(uint64_t{1} << 32),
                                   static_cast<uint32_t>(mutant.size()) - at, below(mutant.size()),
                                   0u - below(64)};
        Store(&mutant, at & ~3u, values[below(5)], sizeof(uint32_t));
      }
    }
    Judge(mutant, place, &verdicts);
  }
  RecordProperty("ours", verdicts.ours);
  RecordProperty("theirs", verdicts.theirs);
  RecordProperty("read", verdicts.read);
  EXPECT_GT(verdicts.read, 1000);
  EXPECT_LT(verdicts.ours, verdicts.tried);
}

// The lists of one subgraph may be those of another: a short file can lead to more tables than can be
// visited.
TEST(ModelVerifier, DoesNotFollowSharedListsForever) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<flatbuffers::Offset<schema::Tensor>> tensors(4000, schema::CreateTensor(builder));
  const auto list = builder.CreateVector(tensors);
  const std::vector<flatbuffers::Offset<schema::SubGraph>> subgraphs(4000,
                                                                     schema::CreateSubGraph(builder, list));
  builder.Finish(schema::CreateModelDirect(builder, 3, nullptr, &subgraphs), "TFL3");
  const Bytes bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  GuardedPlace place;
  EXPECT_FALSE(VerifyModel(place.Put(bytes)));
}

TEST(ModelVerifier, ChecksCompressionMetadata) {
  GuardedPlace place;
  const Bytes whole = CompressionMetadata({{{{{.tensor = 1, .value_buffer = 2, .index_bitwidth = 3}}}}});
  EXPECT_TRUE(VerifyCompressionMetadata(place.Put(whole)));
  int taken = 0;
  for (size_t at = 0; at < whole.size(); at += 2) {
    for (const uint32_t value : {0xFFFCu, static_cast<uint32_t>(whole.size() - at), 0x7FFFFFFCu}) {
      Bytes mutant = whole;
      Store(&mutant, at, value, value > 0xFFFF ? sizeof(uint32_t) : sizeof(uint16_t));
      const Span<const uint8_t> file = place.Put(mutant);
      flatbuffers::Verifier verifier(file.data(), file.size());
      const bool theirs = compression_schema::VerifyMetadataBuffer(verifier);
      EXPECT_TRUE(VerifyCompressionMetadata(file) || !theirs);
      LutMetadata metadata;
      if (metadata.Read(file) != Rule::kNone) continue;
      ++taken;
      LutTensorInfo entry;
      for (int s = 0; s < metadata.subgraph_count(); ++s) metadata.Find(s, -1, &entry);
    }
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace lutra
