// SPDX-License-Identifier: Apache-2.0
// Logs as devices print them, sound and damaged.

#include "bench/device_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "host/model_file.h"
#include "host/output_file.h"
#include "host/result_json.h"
#include "host/testing/scratch_folder.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(LUTRA_SOURCE_DIR) / "models";

// A serial port adds other lines, noise before the mark, and a carriage return at the end.
constexpr char kSine[] =
    "booting\r\n"
    "lutra1 model sine.tflite bytes 2488\r\n"
    "lutra1 arena given 1048576 used 292 persistent 260 activation 32 scratch 0 compression 0\r\n"
    "lutra1 memory small\r\n"
    "lutra1 input 0 crc32 3e611dab\r\n"
    "lutra1 region invoke\r\n"
    "#lutra1 output 0 crc32 12b88320\r\n"
    "lutra1 stack given 16384 used 2236\r\n"
    "lutra1 kernel 1 ref\r\n"
    "lutra1 count invoke instructions 4443 loads 1258 stores 631\r\n"
    "lutra1 count operator 1 FULLY_CONNECTED instructions 2209 loads 660 stores 233 vector 17\r\n"
    "lutra1 flash text 24596 rodata 668 data 4 bss 548\r\n";

class DeviceLog : public testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string ErrorOf(const std::string& text) {
    try {
      ReadDeviceLogs({Write("bad.log", text)}, {kModels});
    } catch (const host::BadInput& error) {
      return error.what();
    }
    return "no error";
  }

  host::ScratchFolder folder_;
};

TEST_F(DeviceLog, KeepsRunsOfEachMemoryPolicyApart) {
  const auto run = [](const std::string& memory, int used) {
    return fmt::format(
        "lutra1 model sine.tflite bytes 2488\nlutra1 memory {}\n"
        "lutra1 arena given 1048576 used {} persistent 260 activation 32 scratch 0 compression 0\n"
        "lutra1 input 0 crc32 3e611dab\nlutra1 output 0 crc32 12b88320\n",
        memory, used);
  };
  const std::vector<host::ModelResult> results = ReadDeviceLogs(
      {Write("sine.log", run("small", 292) + run("fast", 400)), Write("again.log", run("small", 292))},
      {kModels});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].memory, "small");
  EXPECT_EQ(results[0].arena->used_bytes, 292);
  EXPECT_EQ(results[1].memory, "fast");
  EXPECT_EQ(results[1].arena->used_bytes, 400);
  EXPECT_EQ(results[1].outputs[0].crc32, "12b88320");
}

TEST_F(DeviceLog, SaysWhatTheDeviceSaidAndWhatTheModelIs) {
  const std::vector<host::ModelResult> results = ReadDeviceLogs({Write("sine.log", kSine)}, {kModels});
  ASSERT_EQ(results.size(), 1u);
  const host::ModelResult& r = results[0];
  EXPECT_EQ(r.bytes, 2488);
  EXPECT_EQ(r.operators, 3);
  EXPECT_EQ(r.macs, 16 + 256 + 16);
  EXPECT_EQ(r.arena->used_bytes, 292);
  EXPECT_EQ(r.arena->persistent_bytes, 260);
  EXPECT_EQ(r.arena->activation_bytes, 32);
  EXPECT_EQ(r.memory, "small");
  EXPECT_EQ(r.inputs[0].crc32, "3e611dab");
  EXPECT_EQ(r.outputs[0].crc32, "12b88320");
  EXPECT_EQ(r.outputs[0].shape, (std::vector<int64_t>{1, 1}));
  ASSERT_TRUE(r.stack && r.flash && r.arena);
  EXPECT_EQ(r.stack->used_bytes, 2236);
  EXPECT_EQ(r.flash->rodata_bytes, 668);
  EXPECT_EQ(r.inference.counts.instructions, 4443);
  EXPECT_FALSE(r.inference.counts.vector_instructions);
  ASSERT_TRUE(r.op_results[1].counts.any());
  EXPECT_EQ(r.op_results[1].counts.vector_instructions, 17);
  EXPECT_EQ(r.op_results[1].kernel, "ref");
  EXPECT_FALSE(r.op_results[0].counts.any());
}

TEST_F(DeviceLog, HasNoTimesWhereTheDeviceHasNoClock) {
  const std::string json = host::WriteResultJson(
      {.environment = {}, .models = ReadDeviceLogs({Write("sine.log", kSine)}, {kModels})});
  EXPECT_NE(json.find("\"median_ns\": null"), std::string::npos);
  EXPECT_NE(json.find("\"prepare_ns\": null"), std::string::npos);
  EXPECT_NE(json.find("\"instructions\": 4443"), std::string::npos);
  EXPECT_NE(json.find("\"clock\": null"), std::string::npos);
}

TEST_F(DeviceLog, TakesTimesOfARealClock) {
  const std::string times =
      "lutra1 time invoke runs 101 min 900 median 1000 mad 10 p95 1100\n"
      "lutra1 time operator 0 runs 101 min 90 median 250 mad 10 p95 1100\n"
      "lutra1 time operator 2 runs 101 min 90 median 750 mad 10 p95 1100\n";
  const std::vector<host::ModelResult> results =
      ReadDeviceLogs({Write("sine.log", kSine + times)}, {kModels});
  EXPECT_TRUE(results[0].inference.median_ns);
  EXPECT_EQ(results[0].inference.runs, 101);
  EXPECT_FALSE(results[0].init_ns || results[0].prepare_ns) << "this machine's";
  EXPECT_EQ(results[0].inference.median_ns, 1000);
  EXPECT_EQ(results[0].inference.p95_ns, 1100);
  EXPECT_EQ(results[0].op_results[2].median_ns, 750);
  EXPECT_EQ(results[0].op_results[2].share, 0.75);
  EXPECT_FALSE(results[0].op_results[1].median_ns);
}

TEST_F(DeviceLog, ALaterLogOfTheSameModelHasTheLastWord) {
  const fs::path later = Write("later.log",
                               "lutra1 model sine.tflite bytes 2488\nlutra1 output 0 crc32 12b88320\n"
                               "lutra1 stack given 4096 used 1000\n");
  const std::vector<host::ModelResult> results = ReadDeviceLogs({Write("sine.log", kSine), later}, {kModels});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].stack->used_bytes, 1000);
  EXPECT_EQ(results[0].inference.counts.instructions, 4443);
}

// Each of a compressed model's four runs, in two logs, has a result of its own; a plain model's runs have
// one.
TEST_F(DeviceLog, KeepsRunsOfEachDecompressionPolicyApart) {
  const fs::path folder = Write("x.log", "").parent_path();
  const std::string command =
      fmt::format("{} pack {} {} --codec=lut > /dev/null", LUTRA_COMPRESS,
                  (kModels / "kws_clustered.tflite").string(), (folder / "m.tflite").string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto run = [](const std::string& model, uintmax_t bytes, const std::string& decompression, int used) {
    return fmt::format(
        "lutra1 model {} bytes {}\nlutra1 memory small\nlutra1 decompression {}\n"
        "lutra1 arena given 9 used {} persistent 1 activation 1 scratch 0 compression 0\n"
        "lutra1 output 0 crc32 d1ab159e\n",
        model, bytes, decompression, used);
  };
  const auto packed = [&](const std::string& decompression, int used) {
    return run("m.tflite", fs::file_size(folder / "m.tflite"), decompression, used);
  };
  const std::vector<host::ModelResult> results =
      ReadDeviceLogs({Write("1.log", packed("at-init outside 0", 1) + packed("per-use outside 0", 2)),
                      Write("2.log", packed("per-use outside 8192", 3) + packed("streamed outside 0", 4) +
                                         "lutra1 count operator 0 CONV_2D instructions 6 loads 2 stores 1\n" +
                                         packed("at-init outside 0", 5))},
                     {folder});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[1].op_results[0].type, "TFLM_DECODE");
  EXPECT_EQ(results[3].op_results[0].type, "CONV_2D") << "it decodes its weights itself";
  EXPECT_EQ(results[3].op_results[0].counts.instructions, 6);
  const std::vector<std::tuple<std::string, int64_t, int64_t>> expected = {
      {"at-init", 0, 5}, {"per-use", 0, 2}, {"per-use", 8192, 3}, {"streamed", 0, 4}};
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto& [policy, outside_bytes, used_bytes] = expected[i];
    EXPECT_EQ(results[i].decompression->policy, policy) << i;
    EXPECT_EQ(results[i].decompression->outside_bytes, outside_bytes) << i;
    EXPECT_EQ(results[i].arena->used_bytes, used_bytes) << i;
    EXPECT_EQ(results[i].memory, "small") << i;
  }
  const fs::path plain = Write(
      "plain.log", run("kws.tflite", fs::file_size(kModels / "kws.tflite"), "at-init outside 0", 1) +
                       run("kws.tflite", fs::file_size(kModels / "kws.tflite"), "per-use outside 0", 1));
  EXPECT_EQ(ReadDeviceLogs({plain}, {kModels}).size(), 1u);
  EXPECT_NE(ErrorOf(run("sine.tflite", 2488, "sometimes outside 0", 1))
                .find("found sometimes, required per-use, at-init or streamed"),
            std::string::npos);
  EXPECT_NE(ErrorOf(run("sine.tflite", 2488, "at-init 0", 1)).find("required"), std::string::npos);
}

// A model of the host's, with a weight tensor that COMPRESSION_METADATA lists.
TEST_F(DeviceLog, SumsWhatDecodingTakes) {
  const fs::path folder = Write("compressed.log", "").parent_path();
  const std::string command =
      fmt::format("{} pack {} {} --codec=lut --format=metadata > /dev/null", LUTRA_COMPRESS,
                  (kModels / "kws_clustered.tflite").string(), (folder / "m.tflite").string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const fs::path log =
      Write("m.log", fmt::format("lutra1 model m.tflite bytes {}\n", fs::file_size(folder / "m.tflite")) +
                         "lutra1 output 0 crc32 d1ab159e\n"
                         "lutra1 count invoke instructions 1000 loads 1 stores 1\n"
                         "lutra1 count decode 2 CONV_2D instructions 70 loads 5 stores 3\n"
                         "lutra1 count decode 4 CONV_2D instructions 30 loads 5 stores 4\n");
  const std::vector<host::ModelResult> results = ReadDeviceLogs({log}, {folder});
  ASSERT_TRUE(results[0].decompression && results[0].decompression->counts.any());
  EXPECT_FALSE(results[0].decompression->total_ns) << "this machine's";
  EXPECT_EQ(results[0].decompression->counts.instructions, 100);
  EXPECT_EQ(results[0].decompression->counts.stores, 7);
  EXPECT_NE(host::WriteResultJson({.environment = {}, .models = results}).find("\"instructions\": 100,"),
            std::string::npos);
  // Each is a valid figure, but their sum exceeds what a result file may hold.
  const std::string most =
      fmt::format("lutra1 count decode 2 CONV_2D instructions {} loads 5 stores 3\n", host::kMostFigure);
  std::ofstream(log, std::ios::app) << most;
  try {
    ReadDeviceLogs({log}, {folder});
    ADD_FAILURE() << "no error";
  } catch (const host::BadInput& error) {
    EXPECT_NE(
        std::string(error.what()).find("m.log:6: device-log: found 1125899906842724, required decodings of"),
        std::string::npos)
        << error.what();
  }
}

// `./dev firmware` prints an identifier for the model's name, and two figures of the arena.
TEST_F(DeviceLog, ReadsAFirmwareOfEmbed) {
  const std::string rest = "lutra1 arena given 1504 used 1504\nlutra1 output 0 crc32 12b88320\n";
  const std::string log = "lutra1 model sine bytes 2488\n" + rest;
  const host::ModelResult result = ReadDeviceLogs({Write("sine.log", log)}, {kModels}).at(0);
  EXPECT_EQ(result.path, (kModels / "sine.tflite").string());
  EXPECT_EQ(result.arena->given_bytes, 1504);
  EXPECT_EQ(result.arena->used_bytes, 1504);
  EXPECT_EQ(result.outputs[0].crc32, "12b88320");
  // Characters that an identifier has not are replaced; of two models the bytes tell which it is.
  const fs::path folder = Write("none.log", "").parent_path();
  fs::copy_file(kModels / "kws.tflite", folder / "1 sine.tflite");
  fs::copy_file(kModels / "sine.tflite", folder / "1-sine.tflite");
  const std::string other = "lutra1 model model_1_sine bytes ";
  const std::string text = Write("other.log", "lutra1 model 1_sine bytes 2488\n" + rest).string();
  EXPECT_THROW(ReadDeviceLogs({text}, {folder}), host::BadInput);
  EXPECT_EQ(ReadDeviceLogs({Write("1.log", other + "2488\n" + rest)}, {folder}).at(0).path,
            (folder / "1-sine.tflite").string());
  const auto error_of = [&](const std::string& bytes) {
    try {
      ReadDeviceLogs({Write("2.log", other + bytes + "\n" + rest)}, {folder});
    } catch (const host::BadInput& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error_of("2487").find("2.log:1: device-log: found 2487, required "), std::string::npos);
  fs::copy_file(kModels / "sine.tflite", folder / "1_sine.tflite");
  EXPECT_NE(error_of("2488").find("required one model of this name and size"), std::string::npos);
  // A program that names files prints all figures: a line that is cut off is no short one.
  EXPECT_NE(ErrorOf("lutra1 model sine.tflite bytes 2488\n" + rest).find("found the end of the line"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf("lutra1 model sine bytes 2488\nlutra1 arena given 1504 used\n").find("the end of the line"),
      std::string::npos);
  EXPECT_NE(ErrorOf("lutra1 model sine bytes 2488\nlutra1 arena given 9 used 10\n")
                .find("found 10 bytes used, required at most the 9 bytes"),
            std::string::npos);
}

TEST_F(DeviceLog, ReadsTheCountsOfKernels) {
  const fs::path log = Write("variants.lines",
                             "lutra1 reference mul_int8 problems 211 crc32 6c0f3936\n"
                             "lutra1 count kernel mul_int8 neon instructions 90 loads 8 stores 7 vector 60\n"
                             "lutra1 count kernel mul_int8 ref instructions 900 loads 80 stores 70\n");
  const std::vector<host::KernelResult> kernels = ReadKernelCounts(log);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].table, "mul_int8");
  EXPECT_EQ(kernels[0].variant, "neon");
  EXPECT_EQ(kernels[0].counts.vector_instructions, 60);
  EXPECT_EQ(kernels[1].counts.instructions, 900);
  EXPECT_EQ(kernels[1].counts.stores, 70);
  EXPECT_TRUE(
      ReadKernelCounts(Write("uncounted.lines", "lutra1 reference mul_int8 problems 1 crc32 0\n")).empty());
  EXPECT_THROW(ReadKernelCounts(Write("other.lines", kSine)), host::BadInput);
  EXPECT_THROW(ReadKernelCounts(Write("no.lines", "")), host::BadInput);
}

TEST_F(DeviceLog, KeepsARefusal) {
  const std::string text = "lutra1 model sine.tflite bytes 2488\nlutra1 refused arena-too-small rule 3\n";
  const std::vector<host::ModelResult> results = ReadDeviceLogs({Write("refused.log", text)}, {kModels});
  EXPECT_EQ(results[0].error, "refused: arena-too-small rule 3");
  // The last run counts.
  EXPECT_EQ(ReadDeviceLogs({Write("runs.log", text + kSine)}, {kModels}).at(0).error, "");
  EXPECT_EQ(ReadDeviceLogs({Write("fails.log", kSine + text)}, {kModels}).at(0).error,
            "refused: arena-too-small rule 3");
}

TEST_F(DeviceLog, RefusesWhatIsDamagedAndSaysWhere) {
  const std::string model = "lutra1 model sine.tflite bytes 2488\n";
  EXPECT_NE(ErrorOf("").find("found no line `lutra1 model`"), std::string::npos);
  EXPECT_NE(ErrorOf("lutra1 model nothing.tflite bytes 1\n").find("nothing.tflite: device-log"),
            std::string::npos);
  EXPECT_NE(ErrorOf("lutra1 model .. bytes 1\n").find("..: device-log: there is no such model"),
            std::string::npos);
  EXPECT_NE(ErrorOf("lutra1 model " + std::string(300, 'a') + " bytes 1\n").find("there is no such model"),
            std::string::npos);
  EXPECT_NE(ErrorOf(model).find("was the run cut off?"), std::string::npos);
  const std::string output = "lutra1 output 0 crc32 12b88320\n";
  EXPECT_EQ(ErrorOf(model + output), "no error");
  EXPECT_NE(ErrorOf(model + "lutra1 memory smal\n" + output).find("found smal, required small or fast"),
            std::string::npos);
  EXPECT_NE(ErrorOf(model + model + output).find("found 0 outputs of "), std::string::npos)
      << "not the last one";
  EXPECT_NE(ErrorOf(model + output + model).find("found 0 outputs of "), std::string::npos) << "a second run";
  EXPECT_NE(
      ErrorOf(model + output + model + "lutra1 output 0 crc32 12b88321\n").find("as an earlier run has"),
      std::string::npos);
  EXPECT_NE(
      ErrorOf("lutra1 model sine.tflite bytes 2487\n" + output).find("bad.log:1: device-log: found 2487"),
      std::string::npos);
  EXPECT_NE(ErrorOf(model + "lutra1 output 0 crc32 12b8832\n").find("8 digits"), std::string::npos);
  EXPECT_NE(ErrorOf(model + output + "lutra1 time invoke runs 99999999999999999999 min 1")
                .find("required a number"),
            std::string::npos);
  EXPECT_NE(ErrorOf(model + output + "lutra1 stack given 9223372036854775807 used 1").find("a number up to"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(model + "lutra1 output 0 crc32\n").find("bad.log:2: device-log: found the end of the line"),
      std::string::npos);
  // An output that is printed twice does not stand for one that is missing.
  const std::string two_outputs = "lutra1 output 0 crc32 12b88320\nlutra1 output 0 crc32 12b88320\n";
  const fs::path folder = Write("none.log", "").parent_path();
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {1, 16}, .scale = 0.5f});
  const int b = builder.AddTensor({.shape = {1, 16}, .scale = 0.5f});
  const int c = builder.AddTensor({.shape = {1, 16}, .scale = 0.5f});
  builder.AddOperator(BuiltinOperator::kAdd, {a, a}, {b});
  builder.AddOperator(BuiltinOperator::kAdd, {b, b}, {c});
  const auto file = builder.Finish({a}, {b, c});
  host::WriteFileBytes(folder / "two.tflite", file.data(), file.size());
  try {
    ReadDeviceLogs(
        {Write("two.log", fmt::format("lutra1 model two.tflite bytes {}\n", file.size()) + two_outputs)},
        {folder});
    ADD_FAILURE() << "no error";
  } catch (const host::BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("found 1 outputs of "), std::string::npos) << error.what();
  }
  EXPECT_NE(ErrorOf(model + "lutra1 output 1 crc32 12b88320\n").find("required a number below 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf(model + "lutra1 arena given x1 used 2\n").find("found x1, required a number"),
            std::string::npos);
  EXPECT_NE(ErrorOf(model + "lutra1 count operator 0 SOFTMAX instructions 1\n").find("found SOFTMAX"),
            std::string::npos);
}

}  // namespace
}  // namespace lutra::bench
