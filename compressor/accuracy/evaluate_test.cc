// SPDX-License-Identifier: Apache-2.0
// Tests how data are read, and the figures of a model's answers.

#include "compressor/accuracy/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "compressor/accuracy/auto.h"
#include "compressor/accuracy/bias_correction.h"
#include "compressor/accuracy/codec_choice.h"
#include "compressor/accuracy/importance.h"
#include "compressor/accuracy/pictures.h"
#include "compressor/accuracy/test_data.h"
#include "compressor/decoding_cost.h"
#include "host/output_file.h"
#include "host/testing/scratch_folder.h"
#include "lutra/compression/format.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

fs::path Folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  static const host::ScratchFolder all;
  const fs::path folder = all / test->name();
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

// Three codes go through RELU: input and output have scale 0.5 and zero point 0.
host::ModelFile ReluModel(int32_t channels = 3) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1, channels}, .scale = 0.5F});
  const int b = builder.AddTensor({.shape = {1, channels}, .scale = 0.5F});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  return LoadModel(builder.Finish({a}, {b}), "relu");
}

TensorInfo InputOf(const host::ModelFile& file) { return file.model.tensor(0, file.model.inputs(0)[0]); }
TensorInfo OutputOf(const host::ModelFile& file) { return file.model.tensor(0, file.model.outputs(0)[0]); }

Dataset Read(const host::ModelFile& file, const std::string& data, const std::string& labels = "") {
  return ReadDataset({.data = {data}, .labels = labels}, InputOf(file), OutputOf(file));
}

std::string RefusalOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const host::BadInput& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Dataset, QuantizesRealValues) {
  const host::ModelFile file = ReluModel();
  // 0.25 and -0.25 lie half way between codes and are rounded away from zero. The last two saturate.
  const std::string data =
      WriteNpy<float>(Folder() / "a.npy", "<f4", "2, 3", {0.25F, -0.25F, 1.2F, 0.0F, 1000.0F, -1000.0F});
  const Dataset read = Read(file, data);
  ASSERT_EQ(read.count(), 2);
  EXPECT_EQ(read.samples, (Bytes{1, 255, 2, 0, 127, 128}));
  EXPECT_TRUE(read.labels.empty());
}

TEST(Dataset, TakesClassesAndOneHotRows) {
  const host::ModelFile file = ReluModel();
  const fs::path folder = Folder();
  const std::string data = WriteNpy<int8_t>(folder / "a.npy", "|i1", "2, 3", {1, 2, 3, 4, 5, 6});
  const std::string classes = WriteNpy<int32_t>(folder / "c.npy", "<i4", "2", {2, 0});
  const std::string rows = WriteNpy<float>(folder / "r.npy", "<f4", "2, 3", {0, 0, 1, 1, 0, 0});
  const std::string reals = WriteNpy<float>(folder / "f.npy", "<f4", "2, 3", {0, 1, 1, 1, 0, 0});
  EXPECT_EQ(Read(file, data, classes).labels, (std::vector<double>{2, 0}));
  EXPECT_EQ(Read(file, data, rows).labels, (std::vector<double>{2, 0}));
  EXPECT_EQ(Read(file, data, reals).labels, (std::vector<double>{0, 1, 1, 1, 0, 0}));
}

TEST(Dataset, ReadsAFolderOfPicturesAndArrays) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1, 1, 2, 3}, .scale = 1 / 255.0F});
  const int b = builder.AddTensor({.shape = {1, 1, 2, 3}, .scale = 1 / 255.0F});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  const host::ModelFile file = LoadModel(builder.Finish({a}, {b}), "relu");
  const fs::path folder = Folder();
  std::ofstream(folder / "2_cat.ppm", std::ios::binary) << "P6 # made by hand\n2 1\n255\n"
                                                        << std::string("\x00\x01\x02\x7f\x80\xff", 6);
  fs::create_directories(folder / "1");
  WriteNpy<int8_t>(folder / "1" / "b.npy", "|i1", "1, 2, 3", {1, 2, 3, 4, 5, 6});
  const Dataset read = Read(file, folder.string());
  ASSERT_EQ(read.count(), 2);
  EXPECT_EQ(read.samples, (Bytes{1, 2, 3, 4, 5, 6, 0, 1, 2, 127, 127, 127}));
  EXPECT_EQ(read.labels, (std::vector<double>{1, 2}));
  // This picture has another size.
  std::ofstream(folder / "3.ppm", std::ios::binary) << "P6 1 1 255\nabc";
  EXPECT_NE(RefusalOf([&] { Read(file, folder.string()); }).find("3.ppm: picture: found 1 x 1"),
            std::string::npos);
  std::ofstream(folder / "3.ppm", std::ios::binary) << "P6 2 1 255\nabc";
  EXPECT_NE(RefusalOf([&] { Read(file, folder.string()); }).find("cut short"), std::string::npos);
  std::ofstream(folder / "3.ppm", std::ios::binary) << "P6 2 1";
  EXPECT_NE(RefusalOf([&] { Read(file, folder.string()); }).find("cut short"), std::string::npos);
  fs::remove(folder / "3.ppm");
  fs::rename(folder / "2_cat.ppm", folder / "cat.ppm");
  EXPECT_NE(RefusalOf([&] { Read(file, folder.string()); }).find("1 of 2 files"), std::string::npos);
}

TEST(Pictures, AreScaledBetweenTheMiddlesOfPixels) {
  const Picture picture = {.height = 1, .width = 2, .channels = 1, .pixels = {10, 50}};
  EXPECT_EQ(Scaled(picture, 1, 2, 1), (std::vector<double>{10, 50}));
  // The middles of the four new pixels are at 1/4, 3/4, 5/4 and 7/4; those of the two pixels are at 1/2 and
  // 3/2.
  EXPECT_EQ(Scaled(picture, 1, 4, 1), (std::vector<double>{10, 20, 40, 50}));
  EXPECT_EQ(Scaled(picture, 2, 2, 3), (std::vector<double>{10, 10, 10, 50, 50, 50, 10, 10, 10, 50, 50, 50}));
  const Picture square = {.height = 2, .width = 2, .channels = 1, .pixels = {0, 4, 8, 12}};
  EXPECT_EQ(Scaled(square, 1, 1, 1), (std::vector<double>{6}));
}

TEST(Dataset, ScalesPicturesToTheInput) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1, 1, 2, 3}, .scale = 1 / 128.0F});
  const int b = builder.AddTensor({.shape = {1, 1, 2, 3}, .scale = 1 / 128.0F});
  builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
  const host::ModelFile file = LoadModel(builder.Finish({a}, {b}), "relu");
  const fs::path folder = Folder();
  // These are the codes of two grey pictures, of pixels 0, 128, 64, 192 and 5 5 5 5; and of one with three
  // channels.
  const std::string grey =
      WriteNpy<int8_t>(folder / "g.npy", "|i1", "2, 2, 2, 1", {-128, 0, -64, 64, -123, -123, -123, -123});
  const std::string colour = WriteNpy<uint8_t>(folder / "c.npy", "|u1", "1, 1, 1, 3", {1, 2, 3});
  const auto read = [&](DatasetSource source) {
    source.pixel_scale = 1 / 128.0;
    source.pixel_offset = -1;
    source.resize = true;
    return ReadDataset(source, InputOf(file), OutputOf(file));
  };
  const Dataset all = read({.data = {grey, colour}});
  ASSERT_EQ(all.count(), 3);
  // 0 and 64 become 32, 128 and 192 become 160; pixel - 128 is the code.
  EXPECT_EQ(all.samples,
            (Bytes{160, 160, 160, 32, 32, 32, 133, 133, 133, 133, 133, 133, 129, 130, 131, 129, 130, 131}));
  EXPECT_EQ(read({.data = {grey, colour}, .first = 1}).count(), 2);
  EXPECT_NE(RefusalOf([&] {
              read({.data = {WriteNpy<int8_t>(folder / "f.npy", "|i1", "1, 6", {1, 2, 3, 4, 5, 6})}});
            }).find("another array than of pictures"),
            std::string::npos);
  EXPECT_NE(RefusalOf([&] {
              read({.data = {WriteNpy<int8_t>(folder / "t.npy", "|i1", "1, 1, 1, 2", {1, 2})}});
            }).find("1 x 1 pixels of 2 channels"),
            std::string::npos);
}

TEST(Dataset, JoinsParts) {
  const host::ModelFile file = ReluModel();
  const fs::path folder = Folder();
  const std::string a = WriteNpy<int8_t>(folder / "a.npy", "|i1", "2, 3", {1, 2, 3, 4, 5, 6});
  const std::string b = WriteNpy<int8_t>(folder / "b.npy", "|i1", "1, 3", {7, 8, 9});
  const auto read = [&](const DatasetSource& source) {
    return ReadDataset(source, InputOf(file), OutputOf(file));
  };
  EXPECT_EQ(read({.data = {a, b}}).samples, (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(read({.data = {a, b}, .first = 1}).samples, (Bytes{1, 2, 3, 7, 8, 9}));
  fs::create_directories(folder / "1");
  fs::copy(b, folder / "1" / "b.npy");
  EXPECT_EQ(read({.data = {(folder / "1").string()}}).labels, (std::vector<double>{}));
  fs::create_directories(folder / "all" / "1");
  fs::copy(b, folder / "all" / "1" / "b.npy");
  EXPECT_EQ(read({.data = {(folder / "all").string()}}).labels, (std::vector<double>{1}));
  EXPECT_NE(RefusalOf([&] {
              read({.data = {a, (folder / "all").string()}});
            }).find("for 1 of 3 samples"),
            std::string::npos);
}

TEST(Dataset, LabelsOfAllSamplesServeTheFirst) {
  const host::ModelFile file = ReluModel();
  const fs::path folder = Folder();
  const std::string a = WriteNpy<int8_t>(folder / "a.npy", "|i1", "2, 3", {1, 2, 3, 4, 5, 6});
  const std::string b =
      WriteNpy<int8_t>(folder / "b.npy", "|i1", "4, 3", {7, 8, 9, 1, 1, 1, 2, 2, 2, 3, 3, 3});
  const auto labels = [&](const std::string& shape, const std::vector<int32_t>& values) {
    const std::string name = WriteNpy<int32_t>(folder / "labels.npy", "<i4", shape, values);
    return ReadDataset({.data = {a, b}, .labels = name, .first = 1}, InputOf(file), OutputOf(file)).labels;
  };
  using Labels = std::vector<double>;
  // Uses two of six samples, of three values each: six labels are one for each of the six samples.
  EXPECT_EQ(labels("6", {2, 1, 0, 1, 2, 1}), (Labels{2, 0}));
  EXPECT_EQ(labels("6, 1", {2, 1, 0, 1, 2, 1}), (Labels{2, 0}));
  EXPECT_EQ(labels("2", {2, 0}), (Labels{2, 0}));
  EXPECT_EQ(labels("2, 3", {1, 0, 0, 0, 0, 1}), (Labels{0, 2}));
  EXPECT_EQ(labels("6, 3", {0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}), (Labels{2, 1}));
  EXPECT_EQ(labels("2, 3", {1, 2, 3, 4, 5, 6}), (Labels{1, 2, 3, 4, 5, 6}));
  EXPECT_NE(RefusalOf([&] {
              labels("5", {1, 2, 0, 1, 2});
            }).find("found 5, required: 2 or 6 for 2 samples, or those of all 6"),
            std::string::npos);
}

TEST(Dataset, TakesTheAnswersOfAModelForLabels) {
  const host::ModelFile file = ReluModel();
  const std::string data = WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "3, 3", {1, 2, 0, 9, 5, 6, -1, -1, 4});
  Dataset read = Read(file, data);
  LabelByAnswers(file, read, 2, &read);
  EXPECT_EQ(read.labels, (std::vector<double>{1, 0, 2}));
  EXPECT_EQ(Evaluator(read, 1).Evaluate(file, "accuracy", {}).value, 1);
}

TEST(Dataset, RefusesWhatDoesNotFit) {
  const host::ModelFile file = ReluModel();
  const fs::path folder = Folder();
  const std::string good = WriteNpy<int8_t>(folder / "a.npy", "|i1", "2, 3", {1, 2, 3, 4, 5, 6});
  const auto refusal = [&](const std::string& data, const std::string& labels = "") {
    return RefusalOf([&] { Read(file, data, labels); });
  };
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(refusal(WriteNpy<int8_t>(folder / "b.npy", "|i1", "4", {1, 2, 3, 4})).find("samples of 3"),
            std::string::npos);
  EXPECT_NE(
      refusal(WriteNpy<int8_t>(folder / "t.npy", "|i1", "3, 2", {1, 2, 3, 4, 5, 6})).find("shape (3, 2)"),
      std::string::npos);
  EXPECT_EQ(refusal(WriteNpy<int8_t>(folder / "r.npy", "|i1", "6", {1, 2, 3, 4, 5, 6})), "");
  EXPECT_NE(refusal(WriteNpy<int32_t>(folder / "c.npy", "<i4", "3", {1, 2, 3})).find("elements of int32"),
            std::string::npos);
  EXPECT_NE(
      refusal(WriteNpy<float>(folder / "d.npy", "<f4", "3", {1, NAN, 3})).find("found nan at element 1"),
      std::string::npos);
  EXPECT_NE(refusal(WriteNpy<int8_t>(folder / "e.npy", "|i1", "0, 3", {})).find("found the shape (0, 3)"),
            std::string::npos);
  EXPECT_NE(refusal(good, WriteNpy<int32_t>(folder / "f.npy", "<i4", "3", {1, 2, 3})).find("labels: found 3"),
            std::string::npos);
  fs::create_directories(folder / "empty");
  EXPECT_NE(refusal((folder / "empty").string()).find("found no sample"), std::string::npos);
}

TEST(Evaluate, CountsAnswersMarginsAndConfusion) {
  const host::ModelFile file =
      ReluModel(4);  // The output has as many values as the input: accuracy must be asked for.
  const fs::path folder = Folder();
  // The answers: 2 (margin 1.0), 0 (a tie, margin 0), 1 (outputs of 0 and 3 codes: margin 1.5).
  const std::string data =
      WriteNpy<int8_t>(folder / "a.npy", "|i1", "3, 4", {1, 2, 4, -8, 5, 5, 0, 0, -1, 3, -7, -100});
  const std::string labels = WriteNpy<int32_t>(folder / "l.npy", "<i4", "3", {2, 1, 1});
  const Evaluator evaluator(Read(file, data, labels), 2);
  const Evaluation result = evaluator.Evaluate(file, "accuracy", {});
  EXPECT_EQ(result.metric, "accuracy");
  EXPECT_DOUBLE_EQ(result.value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(result.margin, (1.0 + 0 + 1.5) / 3);
  EXPECT_EQ(result.confusion[1], (std::vector<int64_t>{1, 1, 0, 0}));
  EXPECT_EQ(result.confusion[2], (std::vector<int64_t>{0, 0, 1, 0}));
  ASSERT_EQ(result.inputs.size(), 3u);
  EXPECT_EQ(result.inputs[1].answer, 0);
  EXPECT_EQ(result.inputs[1].label, 1);
  EXPECT_DOUBLE_EQ(result.inputs[2].margin, 1.5);
}

TEST(Evaluate, MeasuresAutoEncodersAndRegressions) {
  const host::ModelFile file = ReluModel(2);
  const fs::path folder = Folder();
  // RELU's output differs from its input if that is negative: scores 0, (2 * 0.5)^2 / 2, (4 * 0.5)^2 / 2.
  const std::string data = WriteNpy<int8_t>(folder / "a.npy", "|i1", "3, 2", {1, 2, -2, 2, -4, 0});
  const std::string labels = WriteNpy<int32_t>(folder / "l.npy", "<i4", "3", {0, 0, 1});
  const Evaluation auc = Evaluator(Read(file, data, labels), 1).Evaluate(file, "", {});
  EXPECT_EQ(auc.metric, "auc");
  EXPECT_DOUBLE_EQ(auc.value, 1);
  EXPECT_DOUBLE_EQ(auc.inputs[1].error, 0.5);
  // Compares with wanted values; the outputs are 0.5 1 0 1 0 0.
  const std::string wanted = WriteNpy<float>(folder / "w.npy", "<f4", "3, 2", {0.5F, 1, 0, 1, 0, 3});
  const Evaluation rmse = Evaluator(Read(file, data, wanted), 2).Evaluate(file, "", {});
  EXPECT_EQ(rmse.metric, "rmse");
  EXPECT_DOUBLE_EQ(rmse.value, std::sqrt(9.0 / 6));
  EXPECT_DOUBLE_EQ(rmse.inputs[2].error, std::sqrt(9.0 / 2));
  // Without labels and reference, the model can be compared with itself alone.
  const Evaluator unlabelled(Read(file, data), 2);
  const Evaluation same = unlabelled.Evaluate(file, "", unlabelled.Outputs(file));
  EXPECT_EQ(same.metric, "rmse");
  EXPECT_EQ(same.value, 0);
}

// Asks for tensors 1 and 0, and 1 again.
TEST(Evaluate, GivesActivations) {
  const host::ModelFile file = ReluModel(2);
  const std::string data = WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "3, 2", {1, 2, -2, 2, 100, 100});
  for (const int jobs : {1, 2}) {
    std::vector<std::vector<int>> codes(3);
    Evaluator(Read(file, data), jobs)
        .ForEachActivations(file, {1, 0, 1}, [&](int64_t sample, const std::vector<Tensor>& values) {
          for (const Tensor& tensor : values) {
            const auto* const bytes = static_cast<const int8_t*>(tensor.data);
            codes[static_cast<size_t>(sample)].insert(codes[static_cast<size_t>(sample)].end(), bytes,
                                                      bytes + 2);
          }
        });
    EXPECT_EQ(codes, (std::vector<std::vector<int>>{
                         {1, 2, 1, 2, 1, 2}, {0, 2, -2, 2, 0, 2}, {100, 100, 100, 100, 100, 100}}));
  }
}

TEST(Dataset, SpreadsSamples) {
  const host::ModelFile file = ReluModel(1);
  const Dataset data = Read(file, WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "7, 1", {0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Spread(data, 3).samples, (Bytes{0, 2, 4}));
  EXPECT_EQ(Spread(data, 0).samples, data.samples);
  EXPECT_EQ(Spread(data, 8).samples, data.samples);
}

// A 3x3 window lies over 2x2 pixels with zeros around, so each tap meets other pixels; with stride 2 there is
// one window.
TEST(FilterInputs, CountsWhatLiesOutside) {
  for (const int stride : {1, 2}) {
    ModelBuilder builder;
    const int in = builder.AddTensor({.shape = {1, 2, 2, 1}, .scale = 0.5F, .zero_point = -10});
    const int filter =
        builder.AddTensor({.shape = {1, 3, 3, 1}, .scale = 1, .data = {1, 2, 3, 4, 5, 6, 7, 8, 9}});
    const int bias =
        builder.AddTensor({.shape = {1}, .type = TensorType::kInt32, .scale = 0.5F, .data = {0, 0, 0, 0}});
    const int side = 2 / stride;
    const int out = builder.AddTensor({.shape = {1, side, side, 1}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kConv2D, {in, filter, bias}, {out},
                        {.padding = 0, .stride = stride});
    const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "window");
    // The pixels are 1 2 / 3 4 in real units.
    const std::string data = WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "1, 4", {-8, -6, -4, -2});
    const std::vector<FilterInputs> all = MeasureFilterInputs(file, Evaluator(Read(file, data), 1, true));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].filter, (TensorId{0, filter}));
    EXPECT_EQ(all[0].bias, (TensorId{0, bias}));
    EXPECT_EQ(all[0].outputs, (std::vector<int32_t>(9)));
    // At (0, 0) the middle of the window is 1, and so on.
    const std::vector<double> places =
        stride == 1
            ? std::vector<double>{1. / 4, 3. / 4, 2. / 4, 4. / 4, 10. / 4, 6. / 4, 3. / 4, 7. / 4, 4. / 4}
            : std::vector<double>{1, 2, 0, 3, 4, 0, 0, 0, 0};
    EXPECT_EQ(all[0].means, places);
    if (stride == 2) {
      EXPECT_EQ(all[0].squares, (std::vector<double>{1, 4, 0, 9, 16, 0, 0, 0, 0}));
    }
  }
}

// A weight that grew by 2 meets inputs of mean 3 codes, and one that fell by 1 meets inputs of mean 1: the
// output moves by 5.
TEST(BiasCorrection, TakesBackTheMean) {
  ModelBuilder builder;
  const int in = builder.AddTensor({.shape = {1, 2}, .scale = 0.5F});
  const int filter = builder.AddTensor({.shape = {2, 2}, .scale = 1, .data = {10, 20, 30, 40}});
  const int bias = builder.AddTensor(
      {.shape = {2}, .type = TensorType::kInt32, .scale = 0.5F, .data = BytesOf<int32_t>({100, 200})});
  const int out = builder.AddTensor({.shape = {1, 2}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter, bias}, {out});
  const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "dense");
  const std::string data = WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "2, 2", {2, 0, 4, 2});
  const std::vector<FilterInputs> inputs = MeasureFilterInputs(file, Evaluator(Read(file, data), 1, true));
  const BiasCorrection correction(inputs);
  const std::vector<BiasShift> shifts =
      correction.ShiftsFor({0, filter}, file.model.tensor(0, filter), {12, 19, 30, 40});
  ASSERT_EQ(shifts.size(), 1u);
  EXPECT_EQ(shifts[0].bias, (TensorId{0, bias}));
  EXPECT_EQ(shifts[0].add, (std::vector<int64_t>{-5, 0}));
  EXPECT_TRUE(BiasCorrection().ShiftsFor({0, filter}, file.model.tensor(0, filter), {}).empty());
  // With corrected biases only the variance of inputs counts: 1 each, with means 3 and 1.
  EXPECT_EQ(Importance(file, inputs, true).at({0, filter}), (std::vector<double>(4, 0.25)));
  EXPECT_EQ(Importance(file, inputs, false).at({0, filter}), (std::vector<double>{2.5, 0.5, 2.5, 0.5}));
}

// Two layers have biases of the same bytes, or of different ones: a model that is written anew has one buffer
// for equal bytes, so changing one bias would change the other.
TEST(BiasCorrection, LeavesBiasesOfTheSameBytes) {
  constexpr int kInputs = 32, kWidth = 24, kSamples = 40;
  std::mt19937 random(3);
  const auto codes = [&](int count) {
    std::vector<uint8_t> values(count);
    for (uint8_t& value : values) value = static_cast<uint8_t>(random());
    return values;
  };
  std::vector<int8_t> samples;
  for (int i = 0; i < kSamples * kInputs; ++i) samples.push_back(static_cast<int8_t>(random() % 100));
  const std::string data =
      WriteNpy(Folder() / "a.npy", "|i1", std::to_string(kSamples) + ", " + std::to_string(kInputs), samples);
  for (const bool same : {true, false}) {
    ModelBuilder builder;
    const int in = builder.AddTensor({.shape = {1, kInputs}, .scale = 1});
    int x = in, width = kInputs;
    for (int layer = 0; layer < 2; ++layer) {
      const int filter =
          builder.AddTensor({.shape = {kWidth, width}, .scale = 1, .data = codes(kWidth * width)});
      const int bias =
          builder.AddTensor({.shape = {kWidth},
                             .type = TensorType::kInt32,
                             .scale = layer == 0 ? 1.F : 400.F,
                             .data = BytesOf(std::vector<int32_t>(kWidth, same ? 7 : 7 + layer))});
      const int y = builder.AddTensor({.shape = {1, kWidth}, .scale = layer == 0 ? 400.F : 160000.F});
      builder.AddOperator(BuiltinOperator::kFullyConnected, {x, filter, bias}, {y});
      x = y;
      width = kWidth;
    }
    const host::ModelFile file = LoadModel(builder.Finish({in}, {x}), "twins");
    AutoOptions options;
    options.goal = {.kind = SolverGoal::kLimit, .limit = 0.5};
    options.solver.evaluations = 20;
    options.jobs = 1;
    const AutoResult result = Auto(file, Read(file, data), options);
    EXPECT_LT(result.summary.bytes_after, result.summary.bytes_before);
    int moved = 0;
    for (const auto& [id, planned] : result.plan) {
      const bool is_bias = file.model.tensor(0, id.tensor).type == TensorType::kInt32;
      moved += is_bias && !planned.settings.add.empty() ? 1 : 0;
    }
    EXPECT_EQ(moved > 0, !same);
  }
}

TEST(Evaluate, WeighsFiltersByTheirInputs) {
  ModelBuilder builder;
  const int in = builder.AddTensor({.shape = {1, 1, 1, 2}, .scale = 0.5F});
  // Each channel has two outputs, and the last output has another scale.
  const int depthwise = builder.AddTensor({.shape = {1, 1, 1, 4},
                                           .channel_scales = {1, 1, 1, 3},
                                           .quantized_dimension = 3,
                                           .zero_points = {0, 0, 0, 0},
                                           .data = {1, 1, 1, 1}});
  const int middle = builder.AddTensor({.shape = {1, 1, 1, 4}, .scale = 0.5F});
  const int filter = builder.AddTensor({.shape = {1, 4}, .scale = 2, .data = {1, 2, 3, 4}});
  const int out = builder.AddTensor({.shape = {1, 1}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kDepthwiseConv2D, {in, depthwise}, {middle}, {.depth_multiplier = 2});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {middle, filter}, {out});
  const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "weights");
  const std::string data = WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "1, 2", {2, 4});
  const Evaluator evaluator(Read(file, data), 1);
  const auto importance = Importance(file, MeasureFilterInputs(file, evaluator), true);
  ASSERT_EQ(importance.size(), 2u);
  EXPECT_EQ(importance.at({0, depthwise}), (std::vector<double>{1, 1, 4, 4 * 9}));
  // The first scale gives 1, 1, 2 and 6, times 4 for the scale.
  EXPECT_EQ(importance.at({0, filter}), (std::vector<double>{4, 4, 16, 144}));
}

TEST(Evaluate, RefusesLabelsThatAreNone) {
  const host::ModelFile file = ReluModel();
  const fs::path folder = Folder();
  const std::string data = WriteNpy<int8_t>(folder / "a.npy", "|i1", "2, 3", {1, 2, 3, 4, 5, 6});
  const auto refusal = [&](const std::string& metric, const std::vector<int32_t>& labels) {
    const std::string file_name = WriteNpy<int32_t>(folder / "l.npy", "<i4", "2", labels);
    return RefusalOf([&] { Evaluator(Read(file, data, file_name), 1).Evaluate(file, metric, {}); });
  };
  EXPECT_EQ(refusal("accuracy", {0, 2}), "");
  EXPECT_NE(refusal("accuracy", {0, 3}).find("found 3 for sample 1"), std::string::npos);
  EXPECT_NE(refusal("accuracy", {-1, 0}).find("found -1 for sample 0"), std::string::npos);
  EXPECT_NE(refusal("auc", {0, 2}).find("found 2 for sample 1"), std::string::npos);
  EXPECT_NE(refusal("auc", {1, 1}).find("2 of 2 samples positive"), std::string::npos);
  EXPECT_NE(refusal("rmse", {1, 1}).find("labels: found 2, required: 6"), std::string::npos);
  // This model has another input.
  const host::ModelFile wider = ReluModel(5);
  EXPECT_NE(RefusalOf([&] { Evaluator(Read(file, data), 1).Outputs(wider); }).find("found 5 bytes"),
            std::string::npos);
}

// True and false are the classes if there are two, and labels of two classes may be one-hot.
TEST(Evaluate, TakesBoolForTwoClassesOnly) {
  const fs::path folder = Folder();
  const auto outcome = [&](int32_t channels, const std::string& metric, const std::string& shape,
                           const std::vector<uint8_t>& labels) {
    const host::ModelFile file = ReluModel(channels);
    const std::string data = WriteNpy<int8_t>(folder / "a.npy", "|i1", "2, " + std::to_string(channels),
                                              std::vector<int8_t>(static_cast<size_t>(2 * channels), 1));
    const std::string file_name = WriteNpy<uint8_t>(folder / "l.npy", "|b1", shape, labels);
    return RefusalOf([&] { Evaluator(Read(file, data, file_name), 1).Evaluate(file, metric, {}); });
  };
  EXPECT_EQ(outcome(2, "accuracy", "2", {0, 1}), "");
  EXPECT_EQ(outcome(3, "auc", "2", {0, 1}), "");
  EXPECT_EQ(outcome(3, "accuracy", "2, 3", {0, 0, 1, 1, 0, 0}), "");
  EXPECT_NE(outcome(3, "accuracy", "2", {0, 1})
                .find("labels: found bool, which tells two classes apart, "
                      "required: a whole number from 0 to 2"),
            std::string::npos);
}

TEST(Evaluate, ComparesLayers) {
  const auto model = [](float second_scale) {
    ModelBuilder builder;
    const int a = builder.AddTensor({.shape = {1, 2}, .scale = 1});
    const int b = builder.AddTensor({.shape = {1, 2}, .scale = 1});
    const int c = builder.AddTensor({.shape = {1, 2}, .scale = second_scale});
    builder.AddOperator(BuiltinOperator::kRelu, {a}, {b});
    builder.AddOperator(BuiltinOperator::kRelu, {b}, {c});
    return LoadModel(builder.Finish({a}, {c}), "relus");
  };
  const host::ModelFile reference = model(1);
  // With a grid of 2, 3 becomes 4 and 1 becomes 2, while 2 and 4 stay.
  const host::ModelFile coarser = model(2);
  const std::string data = WriteNpy<int8_t>(Folder() / "a.npy", "|i1", "2, 2", {1, 2, 3, 4});
  for (const int jobs : {1, 2}) {
    const Evaluator evaluator(Read(reference, data), jobs);
    const std::vector<LayerResult> layers = evaluator.CompareLayers(coarser, reference);
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_EQ(layers[0].op, "RELU");
    EXPECT_TRUE(std::isinf(layers[0].qsnr_db));
    EXPECT_DOUBLE_EQ(layers[1].qsnr_db, 10 * std::log10(30.0 / 2));
  }
  EXPECT_NE(RefusalOf([&] {
              Evaluator(Read(reference, data), 1).CompareLayers(ReluModel(2), reference);
            }).find("operators: found others"),
            std::string::npos);
}

// A codec whose decoding takes over 10 % of the inference's time is chosen only if it saves over 5 % of the
// bytes.
TEST(CodecChoice, AsksEachCodecWhatItsTimeIsWorth) {
  ModelBuilder builder;
  const int in = builder.AddTensor({.shape = {1, 100}, .scale = 1});
  const int filter =
      builder.AddTensor({.shape = {100, 100}, .scale = 1, .data = std::vector<uint8_t>(10000, 1)});
  const int out = builder.AddTensor({.shape = {1, 100}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter}, {out});
  const host::ModelFile file = LoadModel(builder.Finish({in}, {out}), "dense");
  const Choices choices(file, Target::kTflm, Widths::kUniform);
  const auto whole = static_cast<double>(choices.base().bytes.size());
  const double inference_us = InferenceUs(choices.base().model);
  EXPECT_GT(inference_us, 0);
  // Tables save half of the bytes; Huffman's codes save this much more.
  const auto choose = [&](double huffman_saves, double huffman_us) {
    return ChooseCodecs(choices, Target::kTflm, [=](const CodecSet& codecs) {
      const bool huffman = codecs.Contains(DecodeType::kHuffman);
      const bool lut = codecs.Contains(DecodeType::kLut);
      return CodecCost{std::llround(whole * (1 - (lut ? 0.5 : 0) - (huffman ? huffman_saves : 0))),
                       huffman ? huffman_us : 0, huffman ? huffman_us : 0};
    });
  };
  const CodecChoice slow = choose(0.049, inference_us);
  EXPECT_TRUE(slow.taken.Contains(DecodeType::kLut));
  EXPECT_FALSE(slow.taken.Contains(DecodeType::kHuffman));
  ASSERT_EQ(slow.left_out.size(), 1u);
  EXPECT_EQ(slow.left_out[0].codec, DecodeType::kHuffman);
  EXPECT_NEAR(static_cast<double>(slow.left_out[0].saved_bytes), 0.049 * whole, 1);
  EXPECT_EQ(slow.left_out[0].decode_us, inference_us);
  EXPECT_TRUE(choose(0.051, inference_us).taken.Contains(DecodeType::kHuffman));
  const CodecChoice fast = choose(0.001, inference_us / 10);
  EXPECT_TRUE(fast.taken.Contains(DecodeType::kHuffman));
  EXPECT_TRUE(fast.left_out.empty());
  // TFLM has only its own codecs.
  EXPECT_FALSE(AllCodecsOf(Target::kTflm).Contains(DecodeType::kWideLut));
  EXPECT_TRUE(AllCodecsOf(Target::kLutra).Contains(DecodeType::kWideLut));
}

// By this clock decoding takes a nanosecond for each byte of a tensor, with tables and with Huffman's codes.
TEST(Auto, KeepsToATimeOfDecoding) {
  const fs::path folder = Folder();
  const SmallClassifier small(folder);
  const host::ModelFile file = host::ReadModelFile(small.model);
  const Dataset data = Read(file, (folder / "inputs.npy").string(), (folder / "labels.npy").string());
  AutoOptions options;
  options.goal.kind = SolverGoal::kLimit;
  options.max_loss = 1;
  options.solver.evaluations = 10;
  options.timer = [](const CodedTensor& /*coded*/, const TensorInfo& tensor) {
    return static_cast<double>(tensor.bytes) / 1e3;
  };
  const auto within = [&](double us) {
    options.goal.decode_us = us;
    const host::AutoSummary summary = Auto(file, data, options).summary;
    EXPECT_TRUE(summary.reaches_goal);
    double sum = 0;
    for (const host::ChosenTensor& tensor : summary.tensors) {
      if (tensor.codec != "plain") sum += static_cast<double>(tensor.original_bytes) / 1e3;
    }
    EXPECT_NEAR(*summary.decode_us, sum, 1e-9);
    EXPECT_LE(sum, us);
    return summary;
  };
  const host::AutoSummary none = within(0), all = within(1e6), some = within(*all.decode_us / 2);
  EXPECT_EQ(*none.decode_us, 0);
  EXPECT_GT(*some.decode_us, 0);
  EXPECT_LT(*some.decode_us, *all.decode_us);
  EXPECT_LT(all.bytes_after, some.bytes_after);
  EXPECT_LT(some.bytes_after, none.bytes_after);
  EXPECT_EQ(within(*all.decode_us).bytes_after, all.bytes_after) << "the very time is enough";
}

TEST(DecodingCost, IsOfBytesAndCodecs) {
  EXPECT_EQ(DecodingUs(DecodeType::kLut, 16, 2000), 2 * DecodingUs(DecodeType::kLut, 16, 1000));
  for (const CodecFacts& codec : AllCodecs()) EXPECT_GT(DecodingUs(codec.type, 16, 1), 0) << codec.name;
  EXPECT_GT(DecodingUs(DecodeType::kHuffman, 16, 1), 20 * DecodingUs(DecodeType::kLut, 16, 1));
  EXPECT_GT(DecodingUs(DecodeType::kHuffman, 17, 1), DecodingUs(DecodeType::kHuffman, 16, 1));
  EXPECT_TRUE(DecodesAsFast(DecodeType::kWideLut, DecodeType::kLut));
  EXPECT_FALSE(DecodesAsFast(DecodeType::kHuffman, DecodeType::kLut));
}

}  // namespace
}  // namespace lutra::compressor
