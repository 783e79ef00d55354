// SPDX-License-Identifier: Apache-2.0
// The program as a script sees it: options, JSON, files, exit codes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "host/output_file.h"
#include "host/scores.h"
#include "host/testing/program.h"
#include "host/wrap.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The path is relative to LUTRA_SOURCE_DIR, where the program is started: that path may contain spaces.
const std::string kModels = "models/";

json RunJson(const std::string& arguments) {
  const host::Outcome outcome = host::RunProgram(arguments + " --format json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return json::parse(outcome.out);
}

// Returns the words of --help that match, without the text around them, so that a new form is tested, too.
std::vector<std::string> Listed(const std::string& within, const std::string& word) {
  // A text that is too long for its line continues in the next one, which is indented by as many spaces.
  const std::string help = std::regex_replace(host::RunProgram("--help").out, std::regex("\n {20,}"), " ");
  std::smatch part;
  EXPECT_TRUE(std::regex_search(help, part, std::regex(within))) << help;
  const std::string words = part[1];
  const std::regex pattern(word);
  std::vector<std::string> listed;
  for (std::sregex_iterator match(words.begin(), words.end(), pattern), end; match != end; ++match) {
    listed.push_back(match->str());
  }
  return listed;
}
std::vector<std::string> Formats() { return Listed("--format [A-Z:]*\\{([^}]*)\\}", "[a-z]+"); }
std::vector<std::string> ExportEndings() { return Listed("Also write (.*)", "\\.[a-z.]*json|\\.[a-z]+"); }

TEST(GenericBenchmark, NamesTheKernelOfEachOperator) {
  const json report = RunJson(kModels + "kws.tflite --runs 1 --warmup 0 --no-arena-search --kernels ref");
  for (const json& op : report["results"].at(0)["operators"]) {
    if (op["type"] == "RESHAPE") continue;
    EXPECT_EQ(op["kernel"], "ref") << op["type"];
  }
}

// A node that a delegate takes runs there with the same outputs; a node that it declines is named.
TEST(GenericBenchmark, DelegatesTakeTheirNodes) {
  int taken = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(LUTRA_SOURCE_DIR) / "models")) {
    if (entry.path().extension() != ".tflite") continue;
    const std::string run = kModels + entry.path().filename().string() + " --runs 1 --warmup 1 ";
    const json plain = RunJson(run)["results"].at(0);
    const json result = RunJson(run + "--delegate example")["results"].at(0);
    EXPECT_EQ(plain["delegates"], json::array());
    EXPECT_EQ(result["outputs"], plain["outputs"]) << run;
    const json& delegate = result["delegates"].at(0);
    EXPECT_EQ(delegate["name"], "example");
    size_t nodes = delegate["declined"].size();
    for (const json& partition : delegate["partitions"]) {
      nodes += partition["nodes"].size();
      taken += static_cast<int>(partition["nodes"].size());
      EXPECT_TRUE(partition.at("cycles").is_null());
    }
    EXPECT_EQ(nodes, result["operators"].size());
    for (const json& declined : delegate["declined"]) EXPECT_NE(declined["reason"], "");
    for (const json& op : result["operators"]) {
      EXPECT_EQ(op.at("delegate"), op["type"] == "FULLY_CONNECTED" ? json("example") : json()) << op["index"];
    }
  }
  EXPECT_GT(taken, 10);
}

TEST(GenericBenchmark, RefusesDelegatesThatItDoesNotKnow) {
  const std::pair<const char*, const char*> cases[] = {
      {"--delegate npu", "found 'npu', required: one of example"},
      {"--delegate example,npu", "found 'npu'"},
      {"--delegate example,example", "twice"},
      {"--delegate example --delegate-options mode=exact", "it has no options"},
      {"--delegate-options mode=exact", "go with --delegate"}};
  for (const auto& [options, message] : cases) {
    const host::Outcome outcome = host::RunProgram(kModels + "sine.tflite " + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

// Variants take memory if they may, and do without it if they must.
TEST(GenericBenchmark, RepacksOrNot) {
  const std::string run = kModels + "kws.tflite --runs 1 --warmup 0 --no-arena-search";
  const json packed = RunJson(run)["results"].at(0),
             plain = RunJson(run + " --repack never")["results"].at(0);
  const auto prepared = [](const json& result) {
    for (const json& record : result["arena"]["records"]) {
      if (record["kind"] == "prepared") return record["bytes"].get<int64_t>();
    }
    return int64_t{0};
  };
  const auto sum = [](const json& result) {
    int64_t bytes = 0;
    for (const json& op : result["operators"]) {
      bytes += op.at("prepared_bytes").is_null() ? 0 : op["prepared_bytes"].get<int64_t>();
    }
    return bytes;
  };
  // The arena's record includes the bytes that align the memory.
  EXPECT_LE(sum(packed), prepared(packed));
  EXPECT_GT(sum(packed) + static_cast<int64_t>(16 * packed["operators"].size()), prepared(packed));
  EXPECT_EQ(sum(plain), 0);
  EXPECT_EQ(prepared(plain), 0);
  EXPECT_FALSE(packed.contains("repack"));
  EXPECT_EQ(plain["repack"], "never");
  EXPECT_EQ(packed["outputs"], plain["outputs"]);
  // This holds only if there are variants that prepare.
  const bool has_avx2 = host::RunProgram("--help").out.find("avx2") != std::string::npos;
  if (has_avx2) {
    EXPECT_GT(sum(packed), 10000);
    EXPECT_NE(plain["operators"][0]["kernel"], packed["operators"][0]["kernel"]);
  }
  EXPECT_EQ(sum(RunJson(run + " --memory small")["results"].at(0)), 0);
  EXPECT_EQ(host::RunProgram(run + " --repack always").code, 2);
}

TEST(GenericBenchmark, MeasuresTheReferenceBeside) {
  const std::string run = kModels + "kws.tflite --runs 3 --no-arena-search";
  const json both = RunJson(run + " --against-ref")["results"].at(0), alone = RunJson(run)["results"].at(0);
  int64_t best = 0, ref = 0;
  for (const json& op : both["operators"]) {
    if (!op["median_ns"].is_null()) best += op["median_ns"].get<int64_t>();
    if (!op["ref_median_ns"].is_null()) ref += op["ref_median_ns"].get<int64_t>();
  }
  const bool has_avx2 = host::RunProgram("--help").out.find("avx2") != std::string::npos;
  EXPECT_GT(ref, 0);
  EXPECT_GT(best, 0);
#if !defined(LUTRA_SANITIZED)
  // In an optimised build, the factor is ten and more.
  if (has_avx2) {
    EXPECT_GT(ref, 2 * best);
  }
#endif
  for (const json& op : alone["operators"]) EXPECT_TRUE(op.at("ref_median_ns").is_null());
  EXPECT_EQ(both["outputs"], alone["outputs"]);
  const std::string table = host::RunProgram(run + " --against-ref").out;
  EXPECT_NE(table.find(" ref us "), std::string::npos) << table;
  EXPECT_EQ(host::RunProgram(run).out.find(" ref us "), std::string::npos);
  EXPECT_NE(table.find(" packed "), std::string::npos) << table;
  const std::string csv = host::RunProgram(run + " --against-ref --format csv").out;
  EXPECT_TRUE(std::regex_search(csv, std::regex(",macs,prepared_bytes,ref_median_ns,delegate\n")));
  const std::regex line(has_avx2 ? "CONV_2D,.*,[0-9]+,[0-9]+,[0-9]+,\n" : "CONV_2D,.*,[0-9]*,[0-9]+,\n");
  EXPECT_TRUE(std::regex_search(csv, line)) << csv;
  EXPECT_EQ(host::RunProgram(kModels + "kws.tflite --against-ref --inspect").code, 2);
}

TEST(GenericBenchmark, CountsTraffic) {
  const std::string run = kModels + "kws.tflite --runs 1 --no-arena-search";
  const json traffic = RunJson(run + " --traffic gap9")["results"].at(0)["traffic"];
  EXPECT_EQ(traffic["engine"], "gap9");
  EXPECT_EQ(traffic["layers"].size(), 12u);
  EXPECT_EQ(traffic["total"]["l3_l2_plain_bytes"], 24368) << "all of its weights and biases";
  EXPECT_EQ(traffic["total"]["l3_l2_bytes"], 24368);
  EXPECT_TRUE(RunJson(run)["results"].at(0).at("traffic").is_null());
  EXPECT_NE(host::RunProgram(run + " --traffic gap9").out.find("traffic gap9, bytes"), std::string::npos);
  // A model that was packed by default has codecs that the engine cannot read, which the table must say.
  const host::ScratchFolder folder;
  const std::string packed = folder / "packed.tflite";
  const auto expect_note = [&](const std::string& options, bool expected) {
    const std::string pack = "pack " + kModels + "kws_clustered.tflite " + packed + options;
    ASSERT_EQ(host::RunProgram(pack, LUTRA_COMPRESS).code, 0);
    const std::string line = packed + " --runs 1 --no-arena-search --traffic gap9";
    EXPECT_EQ(RunJson(line)["results"].at(0)["traffic"]["unread"].empty(), !expected);
    const std::string text = host::RunProgram(line).out;
    EXPECT_EQ(text.find("--codec=wide-lut") != std::string::npos, expected) << text;
  };
  expect_note("", true);
  expect_note(" --target=lutra --codec=wide-lut", false);
  EXPECT_EQ(host::RunProgram(run + " --traffic gap8").code, 2);
  EXPECT_EQ(host::RunProgram(run + " --traffic gap9 --inspect").code, 2);
}

// The names are those in the system's own list.
TEST(GenericBenchmark, VersionNamesTheInstructionSets) {
  std::ifstream info("/proc/cpuinfo");
  std::string flags;
  while (std::getline(info, flags) && !flags.starts_with("flags")) continue;
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  flags += " ";
  const auto has = [&](const std::string& names) {
    std::istringstream words(names);
    for (std::string name; words >> name;) {
      if (flags.find(" " + name + " ") == std::string::npos) return false;
    }
    return true;
  };
  const std::string sse41 = "pni ssse3 sse4_1 ";
  const std::string avx2 = sse41 + "sse4_2 popcnt avx avx2 fma ";
  const std::string avx512 = avx2 + "avx512f avx512bw avx512dq avx512vl ";
  const std::vector<std::pair<std::string, std::string>> sets = {{"sse41", sse41},
                                                                 {"avx2", avx2},
                                                                 {"avxvnni", avx2 + "avx_vnni"},
                                                                 {"avx512vnni", avx512 + "avx512_vnni"},
                                                                 {"avx512vbmi", avx512 + "avx512vbmi"}};
  std::string expected;
  for (const auto& [name, needs] : sets) expected += has(needs) ? " " + name : "";
  const std::string version = host::RunProgram("--version").out;
  EXPECT_NE(version.find("\nCPU features:" + (expected.empty() ? " none" : expected) + "\n"),
            std::string::npos)
      << version << expected;
}

TEST(GenericBenchmark, ListsTheVariantsOfEachTable) {
  const host::Outcome list = host::RunProgram("--kernels=list");
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(list.err, "");
  std::istringstream lines(list.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "kernel variants in this binary, best first; this CPU lacks those in brackets");
  std::set<std::string> tables;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(line.ends_with(" ref")) << line;
    EXPECT_TRUE(tables.insert(line.substr(0, line.find(' '))).second) << line;
  }
  for (const char* table : {"arg_max_int8", "conv_2d_int8", "lookup", "prune_decode_64"}) {
    EXPECT_EQ(tables.count(table), 1u) << table;
  }
}

TEST(GenericBenchmark, WritesTheJsonThatScriptsRelyOn) {
  const json report = RunJson(kModels + "kws.tflite --runs 5 --warmup 1");
  EXPECT_EQ(report["schema_version"], 1);
  for (const char* key : {"program", "version", "commit", "date", "platform", "cpu", "compiler", "build_type",
                          "rounding", "clock", "noise"}) {
    EXPECT_TRUE(report["context"].contains(key)) << key;
  }
  const json& result = report["results"].at(0);
  EXPECT_EQ(result["status"], "ok");
  EXPECT_TRUE(result["error"].is_null());
  EXPECT_EQ(result["model"]["bytes"], 47672);
  EXPECT_EQ(result["model"]["sha256"], "7617c5abf95ba348c5ed073a2ce3049466cebc331cf6b5f758a83e9f0a8bfc31");
  EXPECT_EQ(result["model"]["macs"], 2656768);
  EXPECT_EQ(result["model"]["operators"], 12);
  EXPECT_EQ(result["inference"]["runs"], 5);
  EXPECT_GT(result["inference"]["min_ns"], 0);
  EXPECT_LE(result["inference"]["min_ns"], result["inference"]["median_ns"]);
  EXPECT_LE(result["inference"]["median_ns"], result["inference"]["p95_ns"]);
  EXPECT_EQ(result["arena"]["given_bytes"], result["arena"]["smallest_working_bytes"]);
  EXPECT_EQ(result["arena"]["activation_bytes"], 8640);
  EXPECT_FALSE(result["arena"]["records"].empty());
  ASSERT_EQ(result["operators"].size(), 12u);
  EXPECT_EQ(result["operators"][0]["type"], "CONV_2D");
  EXPECT_FALSE(result["operators"][0]["kernel"].get<std::string>().empty());
  EXPECT_EQ(result["operators"][0]["macs"], 320000);
  EXPECT_TRUE(result["operators"][0]["instructions"].is_null());
  double share = 0;
  for (const json& op : result["operators"]) share += op["share"].is_null() ? 0 : op["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_TRUE(result["decompression"].is_null());
  EXPECT_TRUE(result["evaluation"].is_null());
  EXPECT_EQ(result["inputs"][0]["shape"], json({1, 49, 10, 1}));
  EXPECT_EQ(result["inputs"][0]["crc32"], "d959bf05");
#if !defined(LUTRA_SINGLE_ROUNDING)
  EXPECT_EQ(result["outputs"][0]["crc32"], "d1ab159e");
  EXPECT_EQ(result["profile"], "tflm");
#endif
}

class BundledModel : public testing::TestWithParam<size_t> {};

TEST_P(BundledModel, EvaluatesAsModelsJsonSays) {
#if defined(LUTRA_SINGLE_ROUNDING)
  GTEST_SKIP() << "the figures are of double rounding";
#endif
  const json models = json::parse(host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / kModels / "models.json"));
  ASSERT_EQ(models.size(), 6u);
  const json& model = models[GetParam()];
  const std::string name = model["name"];
  const std::string data = name == "kws_clustered" ? "kws" : name;
  const json report =
      RunJson(kModels + name + ".tflite --runs 1 --warmup 0 --no-arena-search --data " + kModels + data +
              ".validation.inputs.npy --labels " + kModels + data + ".validation.labels.npy");
  const json& evaluation = report["results"][0]["evaluation"];
  const double expected = model["metrics"]["validation"]["int8_tflm"];
  EXPECT_NEAR(evaluation["value"].get<double>(), expected, 1e-6 * std::abs(expected))
      << name << " " << evaluation["metric"];
  EXPECT_GE(evaluation["count"], 200) << name;
  if (evaluation["metric"] == "accuracy") {
    const host::Interval interval = host::ConfidenceInterval(evaluation["value"], evaluation["count"]);
    EXPECT_EQ(evaluation["confidence_interval"]["low"], interval.low);
    EXPECT_EQ(evaluation["confidence_interval"]["high"], interval.high);
  } else {
    EXPECT_TRUE(evaluation.at("confidence_interval").is_null());
  }
}

TEST(GenericBenchmark, WarnsOfFewSamples) {
  const host::ScratchFolder folder;
  const auto cut = [&](const std::string& name) {
    std::string file =
        host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / kModels / ("kws.validation." + name + ".npy"));
    file.replace(file.find("1000"), 4, "  10");
    std::ofstream(folder / name, std::ios::binary) << file;
    return folder / name;
  };
  const host::Outcome ten =
      host::RunProgram(kModels + "kws.tflite --runs 1 --warmup 0 --no-arena-search --data " + cut("inputs") +
                       " --labels " + cut("labels"));
  EXPECT_EQ(ten.code, 0) << ten.err;
  EXPECT_NE(ten.err.find("data: found 10 samples, required: 200"), std::string::npos) << ten.err;
  EXPECT_NE(ten.out.find("over 10 samples\n              95 % confidence 0."), std::string::npos) << ten.out;
}

INSTANTIATE_TEST_SUITE_P(Models, BundledModel, testing::Range<size_t>(0, 6));

TEST(GenericBenchmark, NamesTheArenaThatWorks) {
  const host::Outcome refused = host::RunProgram(kModels + "kws.tflite --arena-bytes 1000");
  EXPECT_EQ(refused.code, 3);
  const size_t at = refused.err.find("use --arena-bytes ");
  ASSERT_NE(at, std::string::npos) << refused.err;
  const long bytes = std::stol(refused.err.substr(at + 18));
  const std::string run = kModels + "kws.tflite --runs 1 --no-arena-search --arena-bytes ";
  EXPECT_EQ(host::RunProgram(run + std::to_string(bytes)).code, 0);
  EXPECT_EQ(host::RunProgram(run + std::to_string(bytes - 16)).code, 3);
  const json report = RunJson(kModels + "kws.tflite --runs 1 --no-arena-search");
  EXPECT_TRUE(report["results"][0]["arena"]["smallest_working_bytes"].is_null());
}

TEST(GenericBenchmark, GivesTheSameBytesUnderEveryPolicy) {
  const std::string model = kModels + "ad.tflite --runs 1 --no-arena-search";
  const std::string crc = RunJson(model)["results"][0]["outputs"][0]["crc32"];
  for (const char* option :
       {" --memory small", " --no-overlap", " --kernels ref", " --memory small --no-overlap"}) {
    EXPECT_EQ(RunJson(model + option)["results"][0]["outputs"][0]["crc32"], crc) << option;
  }
  EXPECT_NE(RunJson(model + " --seed 2")["results"][0]["outputs"][0]["crc32"], crc);
}

TEST(GenericBenchmark, ReadsInputsAndWritesOutputs) {
  const host::ScratchFolder scratch;
  const std::string folder = scratch / "";
  std::ofstream(folder + "/in.bin", std::ios::binary) << '\x10';
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --runs 1 --input " + folder + "/in.bin --output-prefix " +
                             folder + "/out")
                .code,
            0);
  EXPECT_EQ(fs::file_size(folder + "/out.0.bin"), 1u);
  std::ofstream(folder + "/in.bin", std::ios::binary) << "too long";
  const host::Outcome refused =
      host::RunProgram(kModels + "sine.tflite --runs 1 --input " + folder + "/in.bin");
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("needs 1 bytes, the file holds 8"), std::string::npos) << refused.err;
  const std::vector<std::string> endings = ExportEndings();
  EXPECT_GE(endings.size(), 8u);
  for (const std::string& ending : endings) {
    const std::string file = folder + "/r" + ending;
    EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --runs 3 --export " + file).code, 0) << file;
    EXPECT_GT(fs::file_size(file), 100u) << file;
  }
  EXPECT_TRUE(json::parse(host::ReadAll(folder + "/r.trace.json"))["traceEvents"].size() >= 3);
  EXPECT_EQ(json::parse(host::ReadAll(folder + "/r.gbench.json"))["benchmarks"][0]["time_unit"], "ns");
  const std::string csv = host::ReadAll(folder + "/r.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4) << "a header and a line for each operator";
}

// The formats of other programs, as their readers require them.
TEST(GenericBenchmark, ExportsWhatServicesAndViewersRead) {
  const host::ScratchFolder folder;
  const std::string base = folder / "r";
  std::string run = kModels + "kws.tflite --runs 3";
  for (const char* ending : {"", ".bmf", ".action", ".explorer", ".arena.explorer"}) {
    run += " --export " + base + ending + ".json";
  }
  ASSERT_EQ(host::RunProgram(run).code, 0);
  const auto read = [&](const std::string& ending) {
    return json::parse(host::ReadAll(base + ending + ".json"));
  };
  const json result = read("")["results"][0], inference = result["inference"];
  const json bmf = read(".bmf");
  ASSERT_EQ(bmf.size(), 1u);
  EXPECT_EQ(bmf["kws"]["latency"]["value"], inference["median_ns"]);
  EXPECT_EQ(bmf["kws"]["latency"]["upper_value"],
            inference["median_ns"].get<int64_t>() + inference["mad_ns"].get<int64_t>());
  EXPECT_EQ(bmf["kws"]["latency"]["lower_value"],
            inference["median_ns"].get<int64_t>() - inference["mad_ns"].get<int64_t>());
  EXPECT_EQ(bmf["kws"]["arena"]["value"], result["arena"]["used_bytes"]);
  EXPECT_EQ(bmf["kws"]["file-size"]["value"], 47672);
  const json action = read(".action");
  ASSERT_EQ(action.size(), 3u);
  for (const json& row : action) {
    EXPECT_TRUE(row["name"].is_string() && row["unit"].is_string() && row["value"].is_number()) << row;
  }
  EXPECT_EQ(action[0]["value"], inference["median_ns"]);
  EXPECT_EQ(action[1]["name"], "kws arena");
  EXPECT_EQ(action[1]["value"], result["arena"]["used_bytes"]);
  EXPECT_EQ(action[2]["value"], 47672);
  const json times = read(".explorer")["main"], arena = read(".arena.explorer")["main"];
  EXPECT_EQ(times["gradient"][1]["stop"], 1);
  int64_t most = 0;
  for (const json& op : result["operators"]) {
    const std::string name = op["name"];
    if (op["median_ns"].is_null()) {
      EXPECT_FALSE(times["results"].contains(name));
    } else {
      EXPECT_EQ(times["results"][name]["value"], op["median_ns"].get<double>() / 1e3) << name;
    }
    most = std::max(most, arena["results"].at(name)["value"].get<int64_t>());
    if (op["index"] > 0) {
      EXPECT_EQ(op["reads"], json({op["index"].get<int>() - 1})) << "it is a chain";
    }
  }
  EXPECT_EQ(most, result["arena"]["activation_bytes"].get<int64_t>() +
                      result["arena"]["scratch_bytes"].get<int64_t>());
}

TEST(GenericBenchmark, NamesTwoModelsOfOneNameByTheirPaths) {
  const host::ScratchFolder folder;
  fs::create_directory(folder / "other");
  fs::copy_file(fs::path(LUTRA_SOURCE_DIR) / kModels / "sine.tflite", folder / "other/sine.tflite");
  const std::string other = folder / "other/sine.tflite", bmf = folder / "r.bmf.json";
  const std::string models = kModels + "sine.tflite " + other + " --runs 3 --export ";
  ASSERT_EQ(host::RunProgram(models + bmf).code, 0);
  const json benchmarks = json::parse(host::ReadAll(bmf));
  EXPECT_EQ(benchmarks.size(), 2u);
  EXPECT_TRUE(benchmarks.contains(other)) << benchmarks;
  const host::Outcome two = host::RunProgram(models + (folder / "r.explorer.json"));
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("works with one model only"), std::string::npos) << two.err;
}

// An option takes one value, so that the model may follow it.
TEST(GenericBenchmark, TakesOptionsBeforeTheModel) {
  const host::ScratchFolder folder;
  const std::string base = folder / "order";
  std::ofstream(base + ".bin", std::ios::binary) << '\x10';
  const host::Outcome outcome = host::RunProgram("--runs 1 --export " + base + ".json --input " + base +
                                                 ".bin " + kModels + "sine.tflite");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(base + ".json"));
}

TEST(GenericBenchmark, ComparesSeveralModelsAndGoesOnAfterABadOne) {
  const host::ScratchFolder folder;
  const std::string bad = folder / "not_a_model.tflite";
  std::ofstream(bad) << "this is a text file, not a model";
  const host::Outcome outcome =
      host::RunProgram(kModels + "sine.tflite " + bad + " " + kModels + "ad.tflite --runs 1 --format json");
  EXPECT_EQ(outcome.code, 3);
  const json results = json::parse(outcome.out)["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["status"], "ok");
  EXPECT_EQ(results[1]["status"], "refused");
  EXPECT_NE(results[1]["error"].get<std::string>().find("file-identifier"), std::string::npos);
  EXPECT_EQ(results[2]["status"], "ok");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one line: " << outcome.err;
}

// Models with the same inputs and outputs are compared; others are not.
TEST(GenericBenchmark, ComparesModelsWithTheSameInputsAndOutputs) {
  const host::Outcome table = host::RunProgram(kModels + "sine.tflite " + kModels + "kws.tflite " + kModels +
                                               "ad.tflite " + kModels + "kws_clustered.tflite --runs 1");
  const size_t at = table.out.find("x the time");
  ASSERT_NE(at, std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("x the time", at + 1), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nkws_clustered.tflite: "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find(" x the bytes of kws.tflite\n"), std::string::npos) << table.out;
}

TEST(GenericBenchmark, PrintsNoByteOfANameThatATerminalObeys) {
  const host::ScratchFolder folder;
  const std::string model = folder / "hostile.tflite";
  host::CopyWithHostileName(fs::path(LUTRA_SOURCE_DIR) / kModels / "sine.tflite", model,
                            "sequential_1/dense");
  host::CopyWithHostileName(model, model, "Identity");
  std::vector<std::string> all_options = {" --inspect", " --plan"};
  for (const std::string& format : Formats()) all_options.push_back(" --runs 1 --format " + format);
  EXPECT_GE(all_options.size(), 5u);
  for (const std::string& options : all_options) {
    const host::Outcome outcome = host::RunProgram(model + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find_first_of("\x1b\xff"), std::string::npos) << options << outcome.out;
    // JSON has an escape of its own.
    if (options != " --plan" && !options.ends_with(" json")) {
      EXPECT_NE(outcome.out.find("\\x1b[2J\\xff"), std::string::npos) << options << outcome.out;
    }
  }
  EXPECT_EQ(json::parse(host::RunProgram(model + " --runs 1 --format json").out)["results"][0]["status"],
            "ok");
}

TEST(GenericBenchmark, SaysWhereTheClockIsTooCoarse) {
  const json result = RunJson(kModels + "sine.tflite --runs 400");
  const int64_t step_ns = result["context"]["clock_resolution_ns"];
  const json& inference = result["results"][0]["inference"];
  const bool is_coarse = inference["median_ns"].get<int64_t>() < 100 * step_ns;
  EXPECT_EQ(inference.contains("runs_per_time"), is_coarse);
  EXPECT_EQ(result["context"]["noise"].dump().find("clock steps of ") != std::string::npos, is_coarse);
}

// Labels that are NaN give no error figure.
TEST(GenericBenchmark, HasNoFigureWhereThereIsNoNumber) {
  const host::ScratchFolder folder;
  const std::string labels =
      host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / kModels / "sine.validation.labels.npy");
  const std::string run =
      kModels + "sine.tflite --runs 1 --data " + kModels + "sine.validation.inputs.npy --labels ";
  std::string nan = labels;
  nan.replace(nan.size() - 4, 4, std::string("\x00\x00\xc0\x7f", 4));
  std::ofstream(folder / "nan.npy", std::ios::binary) << nan;
  const host::Outcome refused = host::RunProgram(run + (folder / "nan.npy"));
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("labels: found nan at 199, required: a number"), std::string::npos)
      << refused.err;
  // These numbers' squares are too large.
  constexpr size_t kSamples = 200;
  std::string large = labels.substr(0, labels.size() - kSamples * sizeof(float));
  ASSERT_NE(large.find("<f4"), std::string::npos);
  large.replace(large.find("<f4"), 3, "<f8");
  const std::vector<double> values(kSamples, 1e300);
  large.append(reinterpret_cast<const char*>(values.data()), kSamples * sizeof(double));
  std::ofstream(folder / "large.npy", std::ios::binary) << large;
  const std::string arguments = run + (folder / "large.npy");
  const json evaluation = RunJson(arguments)["results"][0]["evaluation"];
  EXPECT_EQ(evaluation["metric"], "rmse");
  EXPECT_TRUE(evaluation["value"].is_null());
  EXPECT_NE(host::RunProgram(arguments).out.find("evaluation  rmse has no value over 200 samples"),
            std::string::npos);
}

TEST(GenericBenchmark, MeasuresDecompression) {
  const host::ScratchFolder folder;
  const std::string plain = kModels + "kws_clustered.tflite";
  const std::string crc = RunJson(plain + " --runs 1")["results"][0]["outputs"][0]["crc32"];
  for (const char* form : {"decode", "metadata"}) {
    const std::string packed = folder / (std::string(form) + ".tflite");
    ASSERT_EQ(host::RunProgram("pack --codec lut --format " + std::string(form) + " " + plain + " " + packed,
                               LUTRA_COMPRESS)
                  .code,
              0);
    for (const char* policy : {"per-use", "at-init", "streamed"}) {
      // Variants that keep streamed weights packed decode them in their loops, which cannot be timed.
      const bool streamed = policy == std::string("streamed");
      const json result = RunJson(packed + " --runs 5 --warmup 1 --decompression " + policy +
                                  (streamed ? " --memory small" : ""))["results"][0];
      EXPECT_EQ(result["outputs"][0]["crc32"], crc);
      const json& decompression = result["decompression"];
      EXPECT_EQ(decompression["policy"], policy);
      ASSERT_EQ(decompression["tensors"].size(), 6u) << form;
      for (const json& tensor : decompression["tensors"]) {
        EXPECT_EQ(tensor["codec"], "lut");
        EXPECT_GT(tensor["bytes"], 500);
        EXPECT_GT(tensor["ns"], 0);
        EXPECT_GE(tensor["index"], 0);
        EXPECT_FALSE(tensor["name"].get<std::string>().empty());
      }
      EXPECT_GT(decompression["total_ns"], 0);
      if (streamed) {
        const auto& tensors = decompression["tensors"];
        const auto repeats = [](const json& tensor) { return tensor.contains("passes"); };
        EXPECT_TRUE(std::any_of(tensors.begin(), tensors.end(), repeats))
            << "where the plan makes rows one by one";
        EXPECT_FALSE(std::all_of(tensors.begin(), tensors.end(), repeats));
      }
      const bool per_use = policy == std::string("per-use");
      if (policy != std::string("at-init")) {
        EXPECT_GT(decompression["share"], 0);
        EXPECT_LT(decompression["share"], 1);
      }
      // With decoding before each use, TFLM_DECODE needs no memory.
      EXPECT_EQ(result["arena"]["compression_bytes"].get<int>() > 0,
                !per_use || form == std::string("metadata"));
    }
    EXPECT_NE(host::RunProgram(packed + " --runs 2").out.find("decompression per-use: "), std::string::npos);
    // A tensor that is decoded outside the arena does not count in it.
    const std::string once = packed + " --runs 1 --memory small";
    const json outside =
        RunJson(once + " --decompression streamed --decompression-memory 8192")["results"][0];
    EXPECT_EQ(outside["outputs"][0]["crc32"], crc);
    for (const json& tensor : outside["decompression"]["tensors"]) EXPECT_FALSE(tensor.contains("passes"));
    const auto arena_bytes = [&once](const std::string& more) {
      const json result = RunJson(once + more)["results"][0];
      return std::pair(result["arena"]["smallest_working_bytes"].get<int64_t>(),
                       result["outputs"][0]["crc32"]);
    };
    const auto [whole, same_crc] = arena_bytes("");
    const auto [without, outside_crc] = arena_bytes(" --decompression-memory 64,16384");
    EXPECT_LT(without, whole - 3000);
    EXPECT_EQ(outside_crc, same_crc);
  }
}

TEST(GenericBenchmark, PrintsAtMostEightyColumns) {
  for (const std::string& arguments :
       {kModels + "kws.tflite --runs 1", kModels + "kws.tflite --plan", kModels + "*.tflite --runs 1"}) {
    const host::Outcome outcome = host::RunProgram(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(".tflite:") != std::string::npos || line.find(kModels) == 0)
        continue;  // A path may be long.
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
}

// Returns the lines that are wider than a terminal, each with its line end.
std::string TooWide(const std::string& text) {
  std::string wide;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (host::Width(line) > host::kColumns) wide += line + "\n";
  }
  return wide;
}

TEST(GenericBenchmark, IsAsWideAsATerminal) {
  const std::string run = " --runs 1 --warmup 0 --no-arena-search";
  for (const std::string& options :
       {std::string(" --inspect"), std::string(" --plan"), run + " --traffic gap9",
        run + " --delegate example", run + " --against-ref"}) {
    for (const char* model : {"kws", "ic", "ad", "sine"}) {
      const host::Outcome outcome = host::RunProgram(kModels + model + ".tflite" + options);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_EQ(TooWide(outcome.out), "") << model << options;
    }
  }
  EXPECT_EQ(TooWide(host::RunProgram(kModels + "kws.tflite " + kModels + "kws_clustered.tflite" + run).out),
            "");
}

// Whatever names a model has, no cell of the table is a formula.
TEST(GenericBenchmark, WritesNoFormulaIntoACsv) {
  const host::ScratchFolder folder;
  for (const std::string first : {"=", "+", "-", "@"}) {
    ModelBuilder builder;
    const int in = builder.AddTensor({.shape = {4}, .scale = 1});
    const int out = builder.AddTensor({.shape = {4}, .scale = 1, .name = first + "cmd|' /C calc'!A0,\"x\""});
    builder.AddOperator(BuiltinOperator::kRelu, {in}, {out});
    const auto model = builder.Finish({in}, {out});
    host::WriteFileBytes(folder / "m.tflite", model.data(), model.size());
    const host::Outcome outcome = host::RunProgram((folder / "m.tflite") + " --runs 1 --format csv");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(",\"'" + first + "cmd|' /C calc'!A0,\"\"x\"\"\","), std::string::npos)
        << outcome.out;
  }
}

TEST(GenericBenchmark, DrawsIndicesThatAGatherTakes) {
  const host::ScratchFolder folder;
  ModelBuilder builder;
  const int table = builder.AddTensor({.shape = {5, 2}, .scale = 1, .data = std::vector<uint8_t>(10, 1)});
  const int indices = builder.AddTensor({.shape = {8}, .type = TensorType::kInt32});
  const int out = builder.AddTensor({.shape = {8, 2}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kGather, {table, indices}, {out});
  const auto model = builder.Finish({indices}, {out});
  host::WriteFileBytes(folder / "m.tflite", model.data(), model.size());
  const host::Outcome outcome = host::RunProgram((folder / "m.tflite") + " --runs 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // Given indices are used as they are.
  const std::vector<int32_t> outside(8, 5);
  host::WriteFileBytes(folder / "i.bin", outside.data(), 8 * sizeof(int32_t));
  const host::Outcome given =
      host::RunProgram((folder / "m.tflite") + " --runs 1 --input " + (folder / "i.bin"));
  EXPECT_EQ(given.code, 3);
  EXPECT_EQ(given.err.find("--seed"), std::string::npos) << given.err;
}

// Computed indices may be out of range: then the line says which input to give.
TEST(GenericBenchmark, NamesTheInputThatWouldDo) {
  const host::ScratchFolder folder;
  ModelBuilder builder;
  const int table = builder.AddTensor({.shape = {1, 2}, .scale = 1, .data = std::vector<uint8_t>(2, 1)});
  const int in = builder.AddTensor({.shape = {64}, .type = TensorType::kInt32});
  const int one =
      builder.AddTensor({.shape = {1}, .type = TensorType::kInt32, .data = BytesOf(std::vector<int32_t>{1})});
  const int indices = builder.AddTensor({.shape = {64}, .type = TensorType::kInt32});
  const int out = builder.AddTensor({.shape = {64, 2}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kMaximum, {in, one}, {indices});
  builder.AddOperator(BuiltinOperator::kGather, {table, indices}, {out});
  const auto model = builder.Finish({in}, {out});
  host::WriteFileBytes(folder / "m.tflite", model.data(), model.size());
  const host::Outcome outcome = host::RunProgram((folder / "m.tflite") + " --runs 1");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("which --seed made: name it with --input"), std::string::npos) << outcome.err;
}

TEST(GenericBenchmark, EndsWithItsRunsOrItsSeconds) {
  const host::Outcome seconds =
      host::RunProgram(kModels + "sine.tflite --runs 1000000000 --max-seconds 0.1 --format json");
  EXPECT_EQ(seconds.code, 0) << seconds.err;
  const json inference = json::parse(seconds.out)["results"][0]["inference"];
  EXPECT_LT(inference["runs"], 1000000000);
  EXPECT_NE(seconds.err.find("of 1000000000 runs; --max-seconds 0.1 ended them"), std::string::npos)
      << seconds.err;
  const host::Outcome runs =
      host::RunProgram(kModels + "sine.tflite --runs 3 --max-seconds 100 --format json");
  EXPECT_EQ(json::parse(runs.out)["results"][0]["inference"]["runs"], 3);
  EXPECT_EQ(runs.err, "");
}

#if !defined(LUTRA_SANITIZED)
// A sanitizer would have to be loaded first.
TEST(GenericBenchmark, EndsThoughTheClockStandsStill) {
  for (const std::string options : {"--runs 3 --max-seconds 1", ""}) {
    const host::Outcome outcome =
        host::RunShell("LD_PRELOAD='" LUTRA_STANDING_CLOCK "' timeout 60 '" LUTRA_PROGRAM "' " + kModels +
                       "sine.tflite " + options + " --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    EXPECT_EQ(result["results"][0]["inference"]["runs"], options.empty() ? 10 : 3);
    EXPECT_TRUE(result["results"][0]["inference"]["median_ns"].is_null()) << "no time is a figure";
    EXPECT_TRUE(result["context"]["clock"].is_null());
  }
}
#endif

// Runs against a baseline whose figures `change` has changed.
host::Outcome AgainstBaseline(const std::function<void(json*)>& change, const std::string& options = "") {
  const host::ScratchFolder folder;
  const std::string run = kModels + "sine.tflite --runs 50 ";
  json old = json::parse(host::RunProgram(run + "--format json").out);
  old["results"][0]["inference"]["median_ns"] = 1000000000;  // So high that a busy machine does not matter.
  change(&old);
  std::ofstream(folder / "old.json") << old;
  return host::RunProgram(run + "--baseline " + (folder / "old.json") + " " + options);
}

TEST(GenericBenchmark, HoldsItsFiguresAgainstABaseline) {
  const auto says = [](const host::Outcome& outcome, int code, const std::string& text) {
    EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  };
  says(AgainstBaseline([](json*) {}), 0, "  outputs         equal\n");
  const auto result = [](json* old) -> json& { return (*old)["results"][0]; };
  says(AgainstBaseline([&](json* old) { result(old)["arena"]["used_bytes"] = 100; }), 1, ": worse\n");
  says(AgainstBaseline([&](json* old) { result(old)["arena"]["smallest_working_bytes"] = 100; }), 1,
       ": worse\n");
  says(AgainstBaseline([&](json* old) { result(old)["model"]["bytes"] = 100; }), 1, ": worse\n");
  says(AgainstBaseline([&](json* old) { result(old)["model"]["bytes"] = 1 << 20; }), 0, ": better\n");
  says(AgainstBaseline([&](json* old) { result(old)["outputs"][0]["crc32"] = "00000000"; }), 1, ": lost\n");
  says(AgainstBaseline([&](json* old) {
         result(old)["outputs"][0]["crc32"] = result(old)["inputs"][0]["crc32"] = "00000000";
       }),
       0, "the inputs are others");
  const auto one_ns = [&](json* old) {
    result(old)["inference"]["median_ns"] = 1;
    result(old)["inference"]["mad_ns"] = 0;
  };
  says(AgainstBaseline([&](json* old) { one_ns(old), result(old)["inference"]["mad_ns"] = 1000000000; }), 0,
       "undecided\n");
  says(AgainstBaseline([&](json* old) { one_ns(old), result(old)["inference"]["runs"] = 1; }), 0,
       "undecided\n");
  says(AgainstBaseline([&](json* old) { result(old)["inference"]["median_ns"] = nullptr; }), 0, ": new\n");
  // A figure that one side lacks is told; one that only the old side has is no success.
  says(AgainstBaseline([&](json* old) { result(old)["arena"] = nullptr; }), 0, "arena bytes     none -> ");
  says(AgainstBaseline([](json*) {}, "--no-arena-search"), 1, "-> none: gone\n");
  says(AgainstBaseline([&](json* old) { result(old)["model"].erase("bytes"); }), 0,
       "model bytes     none -> 2488: new\n");
  const auto evaluated = [&](double value, int count) {
    return [=](json* old) {
      result(old)["evaluation"] = {
          {"metric", "rmse"}, {"value", value}, {"count", count}, {"confidence_interval", nullptr}};
    };
  };
  says(AgainstBaseline(evaluated(0.5, 1000)), 1, "rmse            0.5 -> none: gone\n");
  const std::string data =
      "--data " + kModels + "sine.validation.inputs.npy --labels " + kModels + "sine.validation.labels.npy";
  says(AgainstBaseline([](json*) {}, data), 0, ": new\n");
  const json scored = RunJson(kModels + "sine.tflite --runs 1 " + data)["results"][0]["evaluation"];
  ASSERT_EQ(scored["metric"], "rmse");
  says(AgainstBaseline(evaluated(0, scored["count"]), data), 1, ": worse\n");
  says(AgainstBaseline(evaluated(100, scored["count"]), data), 0, ": better\n");
  says(AgainstBaseline(evaluated(scored["value"], scored["count"]), data), 0, ": equal\n");
  says(AgainstBaseline(evaluated(0, 1), data), 0, "the samples are others");
  // The verdict is not printed into JSON.
  const host::Outcome outcome = AgainstBaseline([](json*) {}, "--format json");
  EXPECT_TRUE(json::accept(outcome.out));
  EXPECT_NE(outcome.err.find("sine.tflite and the baseline:"), std::string::npos) << outcome.err;
}

TEST(GenericBenchmark, RefusesABaselineOfSomethingElse) {
  for (const auto& other :
       {std::pair("kernels", "other"), std::pair("memory", "small"), std::pair("repack", "never")}) {
    const host::Outcome outcome =
        AgainstBaseline([&](json* old) { (*old)["results"][0][other.first] = other.second; });
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("old.json: baseline: found 0 results of sine.tflite"), std::string::npos)
        << outcome.err;
  }
  // The measurements are not lost with the baseline.
  const host::Outcome two = AgainstBaseline([](json*) {}, kModels + "ad.tflite --format json");
  EXPECT_EQ(two.code, 3);
  EXPECT_NE(two.err.find("found 0 results of ad.tflite"), std::string::npos) << two.err;
  EXPECT_NE(two.err.find("sine.tflite and the baseline:"), std::string::npos) << two.err;
  const json measured = json::parse(two.out, nullptr, false);
  ASSERT_TRUE(measured.is_object()) << two.out;
  EXPECT_EQ(measured["results"].size(), 2u);
  const host::Outcome delegated = AgainstBaseline([](json*) {}, "--delegate example");
  EXPECT_EQ(delegated.code, 3);
  EXPECT_NE(delegated.err.find("and delegate example, required: 1"), std::string::npos) << delegated.err;
  const std::string run = kModels + "sine.tflite --runs 5 ";
  EXPECT_EQ(AgainstBaseline([](json* old) { (*old)["schema_version"] = 2; }).code, 3);
  const host::Outcome negative =
      AgainstBaseline([](json* old) { (*old)["results"][0]["inference"]["min_ns"] = -5; });
  EXPECT_EQ(negative.code, 3);
  EXPECT_NE(negative.err.find("min_ns: found -5, required: a whole number from 0 to "), std::string::npos)
      << negative.err;
  EXPECT_EQ(host::RunProgram(run + "--baseline /no/such.json").code, 3);
  EXPECT_EQ(host::RunProgram(run + "--baseline a --against b").code, 2);
  EXPECT_EQ(host::RunProgram(run + "--inspect --against b").code, 2);
  EXPECT_EQ(host::RunProgram(run + "--against b --turns 7").code, 2);
  EXPECT_EQ(host::RunProgram(run + "--against b --max-increase-percent -1").code, 2);
  EXPECT_EQ(host::RunProgram(run + "--against b --timeout 0").code, 2);
  const host::ScratchFolder folder;
  const std::string endless = folder / "endless";
  std::ofstream(endless) << "#!/bin/sh\nexec yes\n";
  const std::string hanging = folder / "hanging";
  std::ofstream(hanging) << "#!/bin/sh\nsleep 1000 & wait\n";
  for (const std::string& program : {endless, hanging})
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  for (const auto& [program, says] :
       {std::pair("/no/such/program", "No such file"), std::pair("/bin/false", "/bin/false: exit code 1"),
        std::pair("/bin/echo", "/bin/echo: not a result file"),
        std::pair(endless.c_str(), "signal 25 (File size limit exceeded); it must take"),
        std::pair(hanging.c_str(), "hanging: found no result after 0.5 s, required: one; see --timeout")}) {
    const std::string limit = program == hanging ? " --timeout 0.5" : "";
    const host::Outcome outcome = host::RunProgram(run + "--against " + program + limit);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

#if !defined(LUTRA_SANITIZED)
// The times of one old program are a tenth, those of another ten times as long.
TEST(GenericBenchmark, RunsInTurnsWithAnOldProgram) {
  const host::ScratchFolder folder;
  const std::string old = folder / "old program";
  const auto compare = [&](const std::string& digits, const std::string& figure = "min_ns") {
    // Edits the JSON that this program prints.
    std::ofstream(old) << "#!/bin/sh\n'" LUTRA_PROGRAM "' \"$@\" | sed -E 's/(\"" + figure +
                              "\": )([0-9]+)/\\1" + digits + "/'\n";
    std::filesystem::permissions(old, std::filesystem::perms::owner_all);
    return host::RunProgram(kModels + "sine.tflite --runs 20 --turns 8 --export " + (folder / "new.json") +
                            " --against '" + old + "'");
  };
  host::Outcome outcome = compare("\\20");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("within\n"), std::string::npos) << outcome.out;
  outcome =
      host::RunProgram(kModels + "sine.tflite --runs 20 --turns 8 --no-arena-search --against '" + old + "'");
  EXPECT_EQ(outcome.code, 0) << "neither has the smallest arena: " << outcome.out << outcome.err;
  outcome = compare("1");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("slower\n"), std::string::npos) << outcome.out;
  const json against = json::parse(host::ReadAll(folder / "new.json"))["results"][0]["against"];
  EXPECT_EQ(against["turns"], 8);
  EXPECT_EQ(against["old_median_ns"], 1);
  EXPECT_LT(against["p"], 0.001);
  EXPECT_GT(against["low"], 2);
  // Half of its inferences were disturbed.
  outcome = compare("1", "median_ns");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  // The old program has no times, or does not print them.
  outcome = compare("0");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("found no time, required: a clock that goes on"), std::string::npos)
      << outcome.err;
}
#endif

TEST(GenericBenchmark, TellsWhatAFirmwareNeeds) {
  const host::Outcome measured = host::RunProgram("--firmware cortex-m4 " + kModels + "kws.tflite");
  EXPECT_EQ(measured.code, 0);
  for (const char* const line : {"    lutra::kConv2D,\n", "  small   12672 bytes", "  model   47672 bytes",
                                 "within 2 %", "bytes and the stack"}) {
    EXPECT_NE(measured.out.find(line), std::string::npos) << line << " in:\n" << measured.out;
  }
  const host::Outcome other = host::RunProgram("--firmware xtensa-lx106 " + kModels + "kws.tflite");
  EXPECT_EQ(other.code, 0);
  EXPECT_NE(other.out.find("not measured for this platform"), std::string::npos) << other.out;
  EXPECT_EQ(other.out.find("\nRAM"), std::string::npos) << other.out;
}

TEST(GenericBenchmark, InspectsAndDrawsThePlan) {
  const host::Outcome inspected = host::RunProgram("--inspect " + kModels + "ic.tflite");
  EXPECT_EQ(inspected.code, 0);
  EXPECT_NE(inspected.out.find("12501632 MACs"), std::string::npos);
  const host::Outcome plan = host::RunProgram("--plan " + kModels + "kws.tflite");
  EXPECT_EQ(plan.code, 0);
  EXPECT_NE(plan.out.find("8640 bytes for activations"), std::string::npos);
  EXPECT_EQ(plan.out.find("|"), std::string::npos) << "it has no groups";
  // Options that they would ignore are refused.
  for (const std::string what : {"--inspect", "--plan", "--firmware 32"}) {
    for (const std::string option :
         {"--format json", "--format csv", "--input x", "--output-prefix x", "--data x --labels x"}) {
      const host::Outcome outcome = host::RunProgram(kModels + "sine.tflite " + what + " " + option);
      EXPECT_EQ(outcome.code, 2) << what << " " << option;
      EXPECT_EQ(outcome.out, "") << what << " " << option;
    }
    EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --format table " + what).code, 0) << what;
  }
}

// The drawing is written with --plan and without. A planned model's groups are bands, which its results have,
// too.
TEST(GenericBenchmark, WritesThePlanAsADrawing) {
  const host::ScratchFolder folder;
  const std::string model = folder / "planned.tflite", file = folder / "plan.svg";
  ASSERT_EQ(
      host::RunProgram("plan '" LUTRA_SOURCE_DIR "/" + kModels + "ic.tflite' " + model, LUTRA_COMPRESS).code,
      0);
  const host::Outcome plan = host::RunProgram(model + " --plan --export " + file);
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("steps 1 to 8 run together"), std::string::npos) << plan.out;
  const std::string drawing = host::ReadAll(file);
  EXPECT_TRUE(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << drawing;
  EXPECT_NE(drawing.find("<title>steps 1 to 8 run together, row by row, when step 8 is due</title>"),
            std::string::npos)
      << drawing;
  const std::string json_file = folder / "r.json", measured = folder / "measured.svg";
  ASSERT_EQ(host::RunProgram(model + " --runs 1 --export " + json_file + " --export " + measured).code, 0);
  const json arena = json::parse(host::ReadAll(json_file))["results"][0]["arena"];
  EXPECT_EQ(arena["row_groups"], json::parse(R"([{"first_step": 1, "last_step": 8}])"));
  EXPECT_NE(host::ReadAll(measured).find("steps 1 to 8 run together"), std::string::npos);
  // No drawing is written without a plan, or for two models.
  EXPECT_EQ(host::RunProgram(model + " --inspect --export " + file).code, 2);
  EXPECT_EQ(host::RunProgram(model + " --plan --export " + json_file).code, 2);
  EXPECT_EQ(host::RunProgram(model + " " + model + " --plan --export " + file).code, 2);
  // A refused model does not change the file.
  host::WriteFileBytes(model, "no", 2);
  EXPECT_EQ(host::RunProgram(model + " --plan --export " + file).code, 3);
  EXPECT_EQ(host::ReadAll(file), drawing);
}

// A sanitizer needs far more address space than any limit leaves.
#if !defined(LUTRA_SANITIZED)
TEST(GenericBenchmark, RefusesAnArenaThatTheSystemDoesNotGive) {
  const std::string program = std::string("ulimit -v 1000000; '") + LUTRA_PROGRAM + "' ";
  const std::string model = kModels + "sine.tflite";
  const host::Outcome outcome = host::RunShell(program + model + " --runs 1 --arena-bytes 4294967295");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_EQ(outcome.err.find(model + ": memory: "), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find(" bytes that were asked for; "), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one line: " << outcome.err;
  EXPECT_EQ(host::RunShell(program + model + " --runs 1").code, 0)
      << "the limit leaves room for small models";
}
#endif

TEST(GenericBenchmark, SaysWhenItsOutputIsLost) {
  const host::Outcome outcome =
      host::RunShell(std::string("'") + LUTRA_PROGRAM + "' " + kModels + "sine.tflite --runs 1 >/dev/full");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(
      outcome.err,
      "generic_benchmark: standard output: No space left on device; what was printed is not complete\n");
}

TEST(GenericBenchmark, ReplacesNothingThatItReadsByOutputs) {
  const host::ScratchFolder folder;
  const std::string model = folder / "m.0.bin", input = folder / "i.0.bin";
  fs::copy_file(fs::path(LUTRA_SOURCE_DIR) / kModels / "sine.tflite", model);
  std::ofstream(input) << "x";
  for (const std::string& line :
       {model + " --output-prefix " + (folder / "m"),
        kModels + "sine.tflite --input " + input + " --output-prefix " + (folder / "i")}) {
    const host::Outcome outcome = host::RunProgram(line + " --runs 1");
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_NE(outcome.err.find("is read, and an output has this name"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(fs::file_size(model), 2488u);
  EXPECT_EQ(host::ReadAll(input), "x");
}

// Neither who stops to read what is printed, nor another file, keeps a file from being written.
TEST(GenericBenchmark, WritesFilesThoughNobodyReads) {
  const host::ScratchFolder folder;
  const std::string run = "'" LUTRA_PROGRAM "' " + kModels + "kws.tflite " + kModels + "ic.tflite " +
                          kModels + "vww96.tflite --runs 1 --warmup 0 --format json --export ";
  const std::string closed = run + (folder / "r.json") + " | true";
  EXPECT_EQ(host::RunShell(closed).code, 0);
  EXPECT_TRUE(json::accept(host::ReadAll(folder / "r.json")));
  if (host::RunShell("mkdir '" + folder / "disk" + "' && unshare -rm true").code != 0) return;
  const host::Outcome disk =
      host::RunShell("unshare -rm sh -c \"mount -t tmpfs -o size=4k none '" + folder / "disk" + "' && " +
                     run + (folder / "disk/r.json") + " --export " + (folder / "t.json") + "\"");
  EXPECT_EQ(disk.code, 3) << disk.err;
  EXPECT_TRUE(json::accept(disk.out)) << disk.out;
  EXPECT_TRUE(json::accept(host::ReadAll(folder / "t.json")));
}

TEST(GenericBenchmark, UsesItsExitCodes) {
  EXPECT_EQ(host::RunProgram("--help").code, 0);
  EXPECT_NE(host::RunProgram("--version").out.find("rounding"), std::string::npos);
  EXPECT_EQ(host::RunProgram("").code, 2);
  EXPECT_EQ(host::RunProgram("--no-such-option " + kModels + "sine.tflite").code, 2);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --runs 0").code, 2);
  for (const char* const seconds : {"0", "-1"}) {
    const host::Outcome outcome =
        host::RunProgram(kModels + "sine.tflite --max-seconds " + std::string(seconds));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "generic_benchmark: --max-seconds: found " + std::string(seconds) +
                               ", required: more than 0; try --help\n");
  }
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --kernels no_such").code, 2);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --export x.txt").code, 2);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --export x.json --inspect").code, 2);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --data x.npy").code, 2);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite " + kModels + "ad.tflite --input x").code, 2);
  EXPECT_EQ(host::RunProgram("/no/such/model.tflite").code, 3);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --data /no/such.npy --labels /no/such.npy --runs 1").code,
            3);
  EXPECT_EQ(host::RunProgram(kModels + "sine.tflite --runs 1 --export /no/such/folder/r.json").code, 3);
}

}  // namespace
}  // namespace lutra::bench
