// SPDX-License-Identifier: Apache-2.0
// The program vta, as a script sees it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "host/testing/program.h"

namespace lutra::vta::sim {
namespace {

using host::Outcome;
using host::RunProgram;

TEST(Program, DisassemblesTheExample) {
  const Outcome outcome = RunProgram("disasm delegates/vta/program/examples/conv.vta");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("delegates/vta/program/examples/conv.vta: 1x8_i8w8a32_9_8_11_10, "), 0u)
      << outcome.out;
  EXPECT_NE(outcome.out.find("compute  GEMM uop_"), std::string::npos);
  EXPECT_NE(outcome.out.find("compute  FINISH\n"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, TracesTheExample) {
  const host::ScratchFolder folder;
  const std::string path = folder / "t.json";
  const Outcome outcome = RunProgram("trace delegates/vta/program/examples/conv.vta -o " + path);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" cycles, estimated\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_GT(nlohmann::json::parse(host::ReadAll(path))["traceEvents"].size(), 50u);
  // Another order of the modules gives the same cycles, and a profile without findings succeeds.
  EXPECT_EQ(RunProgram("trace delegates/vta/program/examples/conv.vta --seed 5").out, outcome.out);
  EXPECT_EQ(RunProgram("trace delegates/vta/program/examples/conv.vta --profile chisel").code, 0);
}

TEST(Program, SaysWhatIsWrong) {
  const host::ScratchFolder folder;
  const std::string good = host::ReadAll(LUTRA_SOURCE_DIR "/delegates/vta/program/examples/conv.vta"),
                    path = folder / "bad.vta";
  // The header, then the sizes of allocations, then instructions.
  const size_t first = 28 + 4 * static_cast<size_t>(static_cast<uint8_t>(good[24]));
  const struct {
    size_t at;
    char flip;
    const char* verb;
    int code;
    const char* says;
  } cases[] = {{first, 7, "disasm", 1, "1 instructions are wrong"},
               {first, 7, "trace", 1, "instruction 0: instruction: found unknown opcode, required: "},
               {first, 0x20, "trace", 1, ": deadlock: found load waits at instruction "},
               {0, 1, "trace", 3, "stream: found "},
               {8, 4, "disasm", 3, "stream: found "}};
  for (const auto& one : cases) {
    std::string bad = good;
    bad[one.at] = static_cast<char>(bad[one.at] ^ one.flip);
    std::ofstream(path, std::ios::binary) << bad;
    const Outcome outcome = RunProgram(std::string(one.verb) + " " + path);
    EXPECT_EQ(outcome.code, one.code) << outcome.err;
    EXPECT_NE(outcome.err.find(one.says), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(RunProgram("trace /nosuch.vta").code, 3);
  EXPECT_EQ(RunProgram("trace delegates/vta/program/examples/conv.vta -o /nosuch/t.json").code, 3);
  EXPECT_EQ(RunProgram("trace delegates/vta/program/examples/conv.vta --profile x").code, 2);
  EXPECT_EQ(RunProgram("").code, 2);
}

// Every configuration and number of threads gives the CPU's outputs; the CPU runs operators that VTA lacks.
TEST(Program, RunsModels) {
  const struct {
    const char* model;
    size_t taken;
    std::vector<const char*> options;
  } cases[] = {{"models/kws.tflite", 11, {"", "--config 4x16_i8w8a32_15_15_18_17 --threads 1"}},
               {"models/kws_clustered.tflite", 11, {"--config 1x32_i8w8a32_15_15_18_17"}},
               {"models/ad.tflite", 10, {"--config 1x8_i8w8a32_9_8_11_10", "--threads 1"}}};
  for (const auto& [model, taken, list] : cases) {
    std::string crc;
    for (const char* const options : list) {
      const Outcome outcome = RunProgram(std::string("run ") + model + " --json " + options);
      ASSERT_EQ(outcome.code, 0) << model << " " << options << outcome.err;
      const nlohmann::json run = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(run["differences"], 0);
      EXPECT_EQ(run["nodes_taken"], taken) << model;
      ASSERT_EQ(run["layers"].size(), taken);
      EXPECT_EQ(run["nodes_taken"].get<size_t>() + run["declined"].size(), run["nodes"].get<size_t>());
      const std::string now = run["outputs"][0]["crc32"];
      EXPECT_EQ(crc.empty() ? now : crc, now);
      crc = now;
      uint64_t sum = 0;
      for (const nlohmann::json& layer : run["layers"]) {
        sum += layer["cycles"].get<uint64_t>();
        for (const char* const bound : {"gemm_cycles", "alu_cycles", "bus_cycles"}) {
          EXPECT_LE(layer[bound].get<uint64_t>(), layer["cycles"].get<uint64_t>()) << layer;
        }
        EXPECT_LT(layer["utilisation"].get<double>(), 1.0);
      }
      EXPECT_EQ(run["cycles"], sum);
    }
  }
}

nlohmann::json RunJson(const std::string& arguments) {
  const Outcome outcome = RunProgram("run " + arguments + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

// Two parts of SRAM are faster than one, tensors that stay in VTA's layout are copied less, and outputs are
// the same.
TEST(Program, MeasuresWhatThreadsAndSequencesGain) {
  const nlohmann::json run = RunJson("models/kws.tflite --gains"), &gains = run["gains"];
  EXPECT_EQ(run["partitions"], 1);
  EXPECT_EQ(gains["two_threads"]["cycles"], run["cycles"]);
  EXPECT_EQ(gains["two_threads"]["copied_bytes"], run["copied_bytes"]);
  EXPECT_GT(gains["one_thread"]["cycles"].get<uint64_t>(), run["cycles"].get<uint64_t>());
  // 490 codes go in, 12 come out; each is read and written.
  EXPECT_EQ(run["copied_bytes"], 2 * (490 + 12));
  EXPECT_GT(run["instructions"], 1000);
  EXPECT_EQ(run["macs"], 2656768);
  EXPECT_GT(run["simulated_ns"], 0);
  EXPECT_NE(RunProgram("run models/kws.tflite").out.find(" MACs a second\n"), std::string::npos);
  const nlohmann::json apart = RunJson("models/kws.tflite --max-nodes-per-partition 1");
  EXPECT_EQ(apart["partitions"], 11);
  EXPECT_EQ(apart["outputs"], run["outputs"]);
  EXPECT_EQ(apart["cycles"], gains["nodes_apart"]["cycles"]);
  EXPECT_EQ(apart["copied_bytes"], gains["nodes_apart"]["copied_bytes"]);
  EXPECT_GT(apart["copied_bytes"].get<uint64_t>(), 10 * run["copied_bytes"].get<uint64_t>());
  EXPECT_EQ(apart["cycles_with_copies"].get<uint64_t>(),
            apart["cycles"].get<uint64_t>() + (apart["copied_bytes"].get<uint64_t>() + 7) / 8);
  EXPECT_FALSE(apart.contains("gains"));
  const Outcome text = RunProgram("run models/sine.tflite --gains");
  EXPECT_NE(text.out.find("\none part of SRAM "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\nnodes apart "), std::string::npos) << text.out;
}

TEST(Program, LimitsPartitions) {
  EXPECT_EQ(RunJson("models/kws.tflite --min-nodes-per-partition 12")["nodes_taken"], 0);
  EXPECT_EQ(
      RunJson("models/kws.tflite --max-delegated-partitions 1 --max-nodes-per-partition 4")["nodes_taken"],
      4);
  EXPECT_EQ(RunProgram("run models/kws.tflite --min-nodes-per-partition -1").code, 2);
}

TEST(Program, FastIsFasterAndNearlyRight) {
  const auto run = [](const std::string& mode) {
    const Outcome outcome = RunProgram("run models/kws.tflite --json --mode " + mode);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  EXPECT_LT(run("fast")["cycles"].get<uint64_t>(), run("exact")["cycles"].get<uint64_t>() * 3 / 4);
}

// A network is exact, whichever processor scales ADD's operands. In ic VTA computes both operands: kLoad has
// nothing to scale.
TEST(Program, AddIsScaledInThreePlaces) {
  std::map<std::string, uint64_t> bytes, cycles;
  for (const char* const where : {"cpu", "load", "vta"}) {
    const Outcome outcome = RunProgram(std::string("run models/ic.tflite --json --add ") + where);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json run = nlohmann::json::parse(outcome.out);
    for (const nlohmann::json& layer : run["layers"]) {
      if (layer["op"] != "ADD") continue;
      bytes[where] += layer["bytes"].get<uint64_t>();
      cycles[where] += layer["alu_cycles"].get<uint64_t>();
    }
  }
  EXPECT_GT(bytes["cpu"], bytes["vta"] * 2);
  EXPECT_LT(cycles["cpu"], cycles["vta"]);
  EXPECT_EQ(bytes["load"], bytes["vta"]);
  EXPECT_EQ(cycles["load"], cycles["vta"]);
  const Outcome unknown = RunProgram("run models/ic.tflite --add host");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("load"), std::string::npos) << unknown.err;
}

TEST(Program, ShowsWhatAModelBecomes) {
  const host::ScratchFolder folder;
  const Outcome roofline = RunProgram("roofline models/kws.tflite");
  EXPECT_EQ(roofline.code, 0) << roofline.err;
  EXPECT_NE(roofline.out.find("\n    0 CONV_2D "), std::string::npos) << roofline.out;
  EXPECT_NE(roofline.out.find(" of 256 MAC/cycle; 8 bytes a cycle on the bus\n"), std::string::npos);
  const Outcome disasm = RunProgram("disasm models/sine.tflite");
  EXPECT_EQ(disasm.code, 0) << disasm.err;
  EXPECT_NE(disasm.out.find("node 2 (FULLY_CONNECTED): "), std::string::npos);
  EXPECT_NE(disasm.out.find(" compute  FINISH\n"), std::string::npos);
  const std::string path = folder / "t.json";
  EXPECT_EQ(RunProgram("trace models/sine.tflite -o " + path).code, 0);
  EXPECT_GT(nlohmann::json::parse(host::ReadAll(path))["traceEvents"].size(), 100u);
}

TEST(Program, RefusesWhatVtaLacks) {
  for (const char* const verb : {"run", "trace", "disasm", "roofline"}) {
    for (const char* const profile : {"hls", "chisel"}) {
      const Outcome outcome =
          RunProgram(std::string(verb) + " models/kws.tflite --mode exact --profile " + profile);
      EXPECT_EQ(outcome.code, 2);
      EXPECT_NE(outcome.err.find("which needs MUL on the ALU"), std::string::npos) << outcome.err;
    }
  }
  EXPECT_EQ(RunProgram("run models/kws.tflite --threads 3").code, 2);
  EXPECT_EQ(RunProgram("run models/kws.tflite --config 1x16").code, 2);
  EXPECT_EQ(RunProgram("run delegates/vta/program/examples/conv.vta").code, 3);
}

}  // namespace
}  // namespace lutra::vta::sim
