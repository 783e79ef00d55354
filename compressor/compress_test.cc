// SPDX-License-Identifier: Apache-2.0
// The program as a script sees it: verbs, options, JSON, files, exit codes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compressor/accuracy/test_data.h"
#include "host/scores.h"
#include "host/testing/program.h"
#include "runtime/testing/sanitized.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kPlain = "models/kws.tflite";
// Has at most 16 distinct values in each filter.
const std::string kClustered = "models/kws_clustered.tflite";

std::string ReadModel(const std::string& path) { return host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / path); }

host::Outcome RunWell(const std::string& arguments) {
  host::Outcome outcome = host::RunProgram(arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
  return outcome;
}

constexpr int kSamples = kSanitized ? 20 : 60;

// --data and --labels: the first of the 1,000 samples that keyword spotting is validated with.
std::string FewSamples(const host::ScratchFolder& folder) {
  const auto cut = [&](const std::string& name) {
    std::string file = ReadModel("models/kws.validation." + name + ".npy");
    file.replace(file.find("1000"), 4, "  " + std::to_string(kSamples));
    std::ofstream(folder / name, std::ios::binary) << file;
    return folder / name;
  };
  return " --data " + cut("inputs") + " --labels " + cut("labels");
}

// A network to search, and --data and --labels for it. Searches of keyword spotting take minutes under
// sanitizers.
struct Searched {
  explicit Searched(const host::ScratchFolder& folder) {
    if (kSanitized) {
      const SmallClassifier small(folder / "");
      model = small.model;
      data = small.data;
    } else {
      data = FewSamples(folder);
    }
    bytes = static_cast<int64_t>(fs::file_size(fs::path(LUTRA_SOURCE_DIR) / model));
  }
  std::string model = kPlain;
  std::string data;
  int64_t bytes = 0;
};

// bin_model_test.cc tests what bin and curve print.
json RunJson(const std::string& arguments) { return json::parse(RunWell(arguments + " --json").out); }

// Tensors that a delegate's nodes read keep a form that it takes; the rest is compressed as without it.
TEST(Compress, PacksForADelegate) {
  const host::ScratchFolder folder;
  const auto codecs = [&](const std::string& options) {
    RunWell("pack " + kClustered + " " + (folder / "p.tflite") + " --target=lutra " + options);
    std::map<int, std::string> codecs;
    const json inspected = RunJson("inspect " + (folder / "p.tflite"));
    for (const json& tensor : inspected["tensors"]) {
      codecs[tensor["index"]] = tensor["codec"];
    }
    return codecs;
  };
  // Tensor 2 is the weights of FULLY_CONNECTED, which the example takes as lut; 4 is a convolution's.
  const std::map<int, std::string> all = codecs(""), delegated = codecs("--delegate example");
  EXPECT_EQ(delegated.at(2), "lut");
  EXPECT_EQ(delegated.at(4), all.at(4));
  // VTA takes every codec.
  EXPECT_EQ(codecs("--delegate vta"), all);
  EXPECT_EQ(codecs("--delegate example --codec=huffman").count(2), 0u);
  EXPECT_EQ(codecs("--codec=huffman").count(2), 1u);
  const host::Outcome unknown = host::RunProgram("pack " + kClustered + " x.tflite --delegate npu");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("required: one of example"), std::string::npos) << unknown.err;
}

TEST(Compress, TakesTflmsLine) {
  const host::ScratchFolder folder;
  RunWell("--input=" + kClustered + " --output=" + (folder / "a.tflite"));
  RunWell("pack " + kClustered + " " + (folder / "b.tflite"));
  EXPECT_EQ(host::ReadAll(folder / "a.tflite"), host::ReadAll(folder / "b.tflite"));
  EXPECT_LT(host::ReadAll(folder / "a.tflite").size(), ReadModel(kClustered).size());
  std::ofstream(folder / "spec.yaml") << "tensors:\n  - subgraph: 0\n    tensor: 4\n    compression:\n"
                                         "      - lut:\n          index_bitwidth: 4\n";
  RunWell("--input=" + kClustered + " --output=" + (folder / "c.tflite") +
          " --spec=" + (folder / "spec.yaml"));
  const json stored = RunJson("inspect " + (folder / "c.tflite"))["tensors"];
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0]["index"], 4);
  EXPECT_EQ(stored[0]["codec"], "lut");
  EXPECT_EQ(stored[0]["bits"], 4);
  EXPECT_EQ(stored[0]["index_counts"].size(), 16u);
}

TEST(Compress, PrintsNoByteOfANameThatATerminalObeys) {
  const host::ScratchFolder folder;
  const std::string model = folder / "hostile.tflite", packed = folder / "packed.tflite";
  host::CopyWithHostileName(fs::path(LUTRA_SOURCE_DIR) / kClustered, model, "functional_1_1");
  host::CopyWithHostileName(model, model, "Identity");
  const auto expect_escaped = [](const std::string& text) {
    EXPECT_EQ(text.find_first_of("\x1b\xff"), std::string::npos) << text;
    EXPECT_NE(text.find("\\x1b["), std::string::npos) << text;
  };
  expect_escaped(RunWell("pack " + model + " " + packed).out);
  expect_escaped(RunWell("inspect " + packed).out);
  expect_escaped(RunWell("bin " + model + " " + (folder / "binned.tflite") + " --bits 4 --step 0").out);
  expect_escaped(
      RunWell("bin " + model + " " + (folder / "zero.tflite") + " --bits 4 --step 0 --threshold 1000").err);
  for (const char* format : {"table", "csv"}) {
    expect_escaped(RunWell("curve " + model + " --step 0 --format " + format).out);
  }
  const host::Outcome differs = host::RunProgram("verify " + model + " " + (folder / "zero.tflite"));
  EXPECT_EQ(differs.code, 1);
  expect_escaped(differs.out);
  const host::Outcome refused =
      host::RunProgram("bin " + packed + " " + (folder / "no.tflite") + " --tensor 4 --bits 4");
  EXPECT_EQ(refused.code, 3);
  expect_escaped(refused.err);
}

TEST(Compress, NamesTheTensorsThatAThresholdMakesZero) {
  const host::ScratchFolder folder;
  const std::string bin = "bin models/sine.tflite " + (folder / "out.tflite");
  EXPECT_EQ(RunWell(bin + " --bits 4 --threshold 0.001 --json").err, "");
  const host::Outcome zeroed = RunWell(bin + " --bits 4 --threshold 1000 --json");
  const json tensors = json::parse(zeroed.out)["tensors"];
  EXPECT_EQ(std::count(zeroed.err.begin(), zeroed.err.end(), '\n'),
            static_cast<std::ptrdiff_t>(tensors.size()));
  for (const json& tensor : tensors) {
    EXPECT_NE(zeroed.err.find("\"" + tensor["name"].get<std::string>() +
                              "\": threshold: found all of its values below 1000"),
              std::string::npos)
        << tensor << zeroed.err;
  }
  EXPECT_EQ(RunWell(bin + " --min-qsnr 20 --threshold 1000").err, "") << "they miss the quality, and stay";
}

TEST(Compress, ReportsAndWritesTheSpecThatMakesTheFileAgain) {
  const host::ScratchFolder folder;
  const json report = RunJson("pack " + kClustered + " " + (folder / "a.tflite") + " --report " +
                              (folder / "r.json") + " --write-spec " + (folder / "s.yaml"));
  EXPECT_EQ(report["bytes_before"], ReadModel(kClustered).size());
  EXPECT_EQ(report["bytes_after"], fs::file_size(folder / "a.tflite"));
  EXPECT_EQ(json::parse(host::ReadAll(folder / "r.json")), report);
  for (const json& tensor : report["tensors"]) {
    EXPECT_NE(tensor["compressed"].get<bool>(), tensor["why_not"].is_string()) << tensor["name"];
  }
  RunWell("pack " + kClustered + " " + (folder / "b.tflite") + " --spec " + (folder / "s.yaml"));
  EXPECT_EQ(host::ReadAll(folder / "a.tflite"), host::ReadAll(folder / "b.tflite"));
}

TEST(Compress, ConvertsUnpacksAndVerifies) {
  const host::ScratchFolder folder;
  const std::string data = " --data models/kws.validation.inputs.npy";
  RunWell("pack --codec lut " + kClustered + " " + (folder / "decode.tflite"));
  RunWell("convert --format metadata " + (folder / "decode.tflite") + " " + (folder / "metadata.tflite"));
  RunWell("convert --format decode " + (folder / "metadata.tflite") + " " + (folder / "back.tflite"));
  EXPECT_EQ(host::ReadAll(folder / "back.tflite"), host::ReadAll(folder / "decode.tflite"));
  RunWell("align " + kClustered + " " + (folder / "aligned.tflite"));
  for (const char* form : {"decode.tflite", "metadata.tflite"}) {
    RunWell("unpack " + (folder / form) + " " + (folder / "plain.tflite"));
    EXPECT_EQ(host::ReadAll(folder / "plain.tflite"), host::ReadAll(folder / "aligned.tflite")) << form;
    RunWell("verify " + kClustered + " " + (folder / form) + data);
  }
  EXPECT_EQ(RunJson("inspect " + (folder / "metadata.tflite"))["tensors"][0]["format"], "metadata");
  EXPECT_TRUE(RunJson("inspect " + kClustered)["tensors"].empty());
}

TEST(Compress, StripsByItselfAndAfterPacking) {
  const host::ScratchFolder folder;
  const host::Outcome stripped = RunWell("strip " + kClustered + " " + (folder / "stripped.tflite"));
  EXPECT_NE(stripped.out.find("gone  "), std::string::npos) << stripped.out;
  RunWell("verify " + kClustered + " " + (folder / "stripped.tflite"));
  RunWell("pack " + kClustered + " " + (folder / "packed.tflite"));
  const json report = RunJson("pack --strip " + kClustered + " " + (folder / "both.tflite"));
  RunWell("verify " + kClustered + " " + (folder / "both.tflite"));
  EXPECT_EQ(report["bytes_after"], fs::file_size(folder / "both.tflite"));
  EXPECT_LT(fs::file_size(folder / "both.tflite"), fs::file_size(folder / "stripped.tflite"));
  EXPECT_LT(fs::file_size(folder / "both.tflite"), fs::file_size(folder / "packed.tflite"));
}

TEST(Compress, EvaluatesAsTheBenchmarkDoes) {
  const host::ScratchFolder folder;
  // As README.md has it, from generic_benchmark.
  const json whole =
      RunJson("evaluate " + kPlain +
              " --data models/kws.validation.inputs.npy --labels models/kws.validation.labels.npy");
  EXPECT_EQ(whole["metric"], "accuracy");
  EXPECT_EQ(whole["value"], 0.942);
  EXPECT_EQ(whole["count"], 1000);
  EXPECT_TRUE(whole["inputs"].is_null());
  EXPECT_TRUE(whole["layers"].is_null());

  const std::string labelled = FewSamples(folder), data = labelled.substr(0, labelled.find(" --labels"));
  EXPECT_EQ(RunJson("evaluate " + kPlain + labelled), RunJson("evaluate --jobs 3 " + kPlain + labelled));
  RunWell("bin --bits 2 " + kPlain + " " + (folder / "binned.tflite"));
  RunWell("pack " + (folder / "binned.tflite") + " " + (folder / "packed.tflite"));
  // Against the answers of what was packed, and of what was binned.
  EXPECT_EQ(RunJson("evaluate " + (folder / "packed.tflite") + data)["value"], 1.0);
  const std::string against = "evaluate " + (folder / "packed.tflite") + data + " --reference " + kPlain;
  const json result = RunJson(against + " --per-input --layers");
  EXPECT_LT(result["value"].get<double>(), 1.0);
  EXPECT_EQ(result["inputs"].size(), size_t{kSamples});
  for (const json& layer : result["layers"]) EXPECT_LT(layer["qsnr_db"].get<double>(), 40) << layer;
  EXPECT_EQ(result["layers"].back()["op"], "SOFTMAX");
  // Model Explorer finds layers by the names of their outputs.
  const std::string exported = folder / "q.explorer.json";
  EXPECT_TRUE(RunJson(against + " --export " + exported)["layers"].is_null());
  const json node_data = json::parse(host::ReadAll(exported))["main"];
  size_t values = 0;
  for (const json& layer : result["layers"]) {
    if (layer["equal"]) continue;
    EXPECT_EQ(node_data["results"].at(layer["tensor"].get<std::string>())["value"], layer["qsnr_db"]);
    ++values;
  }
  EXPECT_EQ(node_data["results"].size(), values);
  EXPECT_GT(values, 3u);
  EXPECT_EQ(host::RunProgram(against + " --export q.json").code, 2);
  EXPECT_EQ(host::RunProgram(against + " --min-accuracy 0.1").code, 0);
  EXPECT_EQ(host::RunProgram(against + " --min-accuracy 0.999").code, 1);
  EXPECT_EQ(host::RunProgram(against + " --min-accuracy 1.5").code, 2);
  const std::string sine = "evaluate models/sine.tflite --data models/sine.validation.inputs.npy";
  EXPECT_EQ(host::RunProgram(sine + " --min-accuracy 1").code, 3) << "one output is no class";
  EXPECT_EQ(host::RunProgram(sine + " --min-accuracy 1 --metric rmse").code, 2);
  EXPECT_EQ(host::RunProgram(sine + " --min-accuracy 1 --max-rmse 1").code, 2);
  EXPECT_EQ(host::RunProgram("evaluate " + kPlain + " --data models/ad.validation.inputs.npy").code, 3);
  EXPECT_EQ(host::RunProgram("evaluate " + kPlain + data + " --reference models/ad.tflite").code, 3);
}

TEST(Compress, ChoosesWidthsByWhatTheModelAnswers) {
  const host::ScratchFolder folder;
  const Searched network(folder);
  const std::string data = network.data, out = folder / "out.tflite";
  const std::string line = "auto " + network.model + " " + out + data + " --evaluations 60";
  const json result =
      RunJson(line + " --save " + (folder / "settings.json") + " --write-spec " + (folder / "spec.yaml"));
  EXPECT_TRUE(result["reaches_goal"]);
  EXPECT_EQ(result["lost"], 0);
  EXPECT_GE(result["value_after"], result["value_before"]);
  EXPECT_EQ(result["bytes_after"], fs::file_size(out));
  EXPECT_LT(static_cast<double>(fs::file_size(out)), 0.85 * static_cast<double>(network.bytes));
  EXPECT_EQ(RunJson("evaluate " + out + data)["value"], result["value_after"]);
  // A row for each of 2 to 8 bits, one for the model as it is, and two of head.
  const std::string widths = RunWell("evaluate " + network.model + data + " --widths").out;
  EXPECT_EQ(std::count(widths.begin(), widths.end(), '\n'), 10) << widths;
  EXPECT_NE(widths.find("| none | " + std::to_string(network.bytes) + " | |"), std::string::npos) << widths;
  // The settings make the same model.
  RunWell("bin " + network.model + " " + (folder / "binned.tflite") + " --settings " +
          (folder / "settings.json"));
  RunWell("pack --strip " + (folder / "binned.tflite") + " " + (folder / "packed.tflite") + " --spec " +
          (folder / "spec.yaml"));
  EXPECT_TRUE(host::ReadAll(folder / "packed.tflite") == host::ReadAll(out));
  EXPECT_EQ(result["spec"], host::ReadAll(folder / "spec.yaml"));
  // Biases take back what weights that are binned do to means, and weights make up for the errors of others,
  // unless they shall not.
  const auto moved_tensors = [](const json& of, bool binned) {
    int moved = 0;
    for (const auto& tensor : of["settings"]["tensors"]) {
      moved += tensor.contains("add") && tensor.contains("values") == binned ? 1 : 0;
    }
    return moved;
  };
  EXPECT_GT(moved_tensors(result, false), 0);
  EXPECT_GT(moved_tensors(result, true), 0);
  const json simple = RunJson(line + " --no-bias-correction --nearest");
  EXPECT_EQ(moved_tensors(simple, false) + moved_tensors(simple, true), 0);
  EXPECT_GT(simple["bytes_after"], result["bytes_after"]);
  // Other threads choose it, too, and a log is gone on from, if it is that of the same search.
  const std::string logged = line + " --jobs 3 --log " + (folder / "log.jsonl");
  EXPECT_EQ(RunJson(logged)["tensors"], result["tensors"]);
  EXPECT_LE(RunJson(logged)["bytes_after"], result["bytes_after"]);
  EXPECT_EQ(host::RunProgram(logged + " --max-loss 2").code, 3);
  // The best of what was run is not searched for again.
  const json again = RunJson("auto " + network.model + " " + out + data + " --evaluations 1 --log " +
                             (folder / "log.jsonl"));
  EXPECT_LE(again["bytes_after"], result["bytes_after"]);
  EXPECT_LT(again["evaluations"], 10);
  // A device that has no end is not read, and one that takes nothing ends the search.
  EXPECT_EQ(host::RunProgram(line + " --log /dev/full").code, 3);
  // Nor is a line taken that names options which there are not.
  std::ofstream(folder / "log.jsonl", std::ios::app)
      << R"({"chosen": [9999], "wrong": 0, "lost": 0, "whole": true, "shortfall": 0})"
      << "\n";
  RunWell("auto " + network.model + " " + out + data + " --evaluations 1 --log " + (folder / "log.jsonl"));
  EXPECT_EQ(host::RunProgram(line + " --reference " + network.model).code, 2) << "answers or labels";
  std::ofstream(folder / "other.jsonl") << R"({"search": 1})";
  EXPECT_EQ(host::RunProgram(line + " --log " + (folder / "other.jsonl")).code, 3);
}

// For Lutra pack strips unless it shall not; names mean the tensors of the model that was given.
TEST(Compress, PackStripsForLutra) {
  const host::ScratchFolder folder;
  const std::string line = "pack " + kClustered + " " + (folder / "a.tflite") + " ";
  const json lutra = RunJson(line + "--target lutra"), whole = RunJson(line + "--target lutra --no-strip"),
             named = RunJson(line + "--target lutra --keep-names"), tflm = RunJson(line);
  EXPECT_LT(lutra["bytes_after"], named["bytes_after"]);
  EXPECT_LT(named["bytes_after"], whole["bytes_after"]);
  EXPECT_FALSE(lutra["stripped"].empty());
  EXPECT_TRUE(whole["stripped"].empty());
  EXPECT_TRUE(tflm["stripped"].empty());
  EXPECT_EQ(host::RunProgram(line + "--strip --no-strip").code, 2);
  EXPECT_NE(RunWell(line + "--strip").out.find("stripped: "), std::string::npos);
  const json only = RunJson(line + "--target lutra --only functional_1_1/dense_1/MatMul");
  int packed = 0;
  for (const json& tensor : only["tensors"]) packed += tensor["compressed"].get<bool>() ? 1 : 0;
  EXPECT_EQ(packed, 1);
  RunWell("verify " + kClustered + " " + (folder / "a.tflite"));
}

// Values and indices, which training elsewhere may change, make the same model again.
TEST(Compress, ExportsClustersAndImportsThem) {
  const host::ScratchFolder folder;
  const std::string binned = folder / "binned.tflite", again = folder / "again.tflite", to = folder / "c";
  for (const char* how : {"--bits 3", "--bits 2 --per channel"}) {
    SCOPED_TRACE(how);
    fs::remove_all(to);
    RunWell("bin " + kPlain + " " + binned + " " + how + " --export-clusters " + to);
    EXPECT_GT(std::distance(fs::directory_iterator(to), fs::directory_iterator()), 10);
    RunWell("bin " + kPlain + " " + again + " --import " + to);
    EXPECT_TRUE(host::ReadAll(again) == host::ReadAll(binned));
  }
  // Other assignments than the nearest become the model's: the first two weights change places.
  const std::string indices = to + "/0_4.indices.npy", values = to + "/0_4.values.npy";
  std::string array = host::ReadAll(indices);
  const size_t at = array.find('\n') + 1;
  EXPECT_EQ(at % 64, 0u);
  EXPECT_EQ(array.substr(at, 8).find_first_not_of(std::string("\0\1\2\3", 4)), std::string::npos);
  array[at] = array[at] == 0 ? 3 : 0;
  std::ofstream(indices, std::ios::binary) << array;
  RunWell("bin " + kPlain + " " + again + " --import " + to);
  EXPECT_FALSE(host::ReadAll(again) == host::ReadAll(binned));
  const std::string first = host::ReadAll(again), third = folder / "third.tflite";
  RunWell("bin " + kPlain + " " + third + " --import " + to + " --export-clusters " + (folder / "d"));
  EXPECT_TRUE(host::ReadAll(third) == first);
  EXPECT_EQ(host::ReadAll(folder / "d/0_4.indices.npy")[at], array[at]);
  // What is not of the model, or broken, is refused.
  const auto refused = [&](const std::string& from) {
    const host::Outcome outcome = host::RunProgram("bin " + kPlain + " " + again + " --import " + from);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(refused(folder / "none").find("it is no folder"), std::string::npos);
  fs::create_directories(folder / "empty");
  refused(folder / "empty");
  array[at] = 77;
  std::ofstream(indices, std::ios::binary) << array;
  EXPECT_NE(refused(to).find("the index 77"), std::string::npos);
  array[at] = 0;
  std::ofstream(indices, std::ios::binary) << array;
  fs::copy_file(values, to + "/0_999.values.npy");
  EXPECT_NE(refused(to).find("no such tensor"), std::string::npos);
  fs::remove(to + "/0_999.values.npy");
  fs::copy_file(values, to + "/x.values.npy");
  EXPECT_NE(refused(to).find("this name"), std::string::npos);
  fs::remove(to + "/x.values.npy");
  fs::copy_file(to + "/0_2.indices.npy", indices, fs::copy_options::overwrite_existing);
  EXPECT_NE(refused(to).find("the tensor's, ["), std::string::npos);
}

// What is measured of each tensor alone is that of the model with it binned alone.
TEST(Compress, TellsWhatEachTensorAloneDoes) {
  const host::ScratchFolder folder;
  const SmallClassifier small(folder / "");
  const std::string file = folder / "s.json", report = folder / "r.json";
  const std::string line = "auto " + small.model + " " + (folder / "out.tflite") + small.data +
                           " --evaluations 5 --sensitivity " + file;
  const std::string table = RunWell(line + " --report " + report).out;
  EXPECT_NE(table.find("projection"), std::string::npos) << table;
  const json told = json::parse(host::ReadAll(file));
  EXPECT_EQ(told["count"], SmallClassifier::kSamples);
  EXPECT_EQ(json::parse(host::ReadAll(report))["sensitivity"], told["tensors"]);
  EXPECT_FALSE(
      RunJson("auto " + small.model + " " + (folder / "out.tflite") + small.data + " --evaluations 5")
          .contains("sensitivity"));
  int tensors = 0;
  for (const json& tensor : told["tensors"]) {
    const json& widths = tensor["widths"];
    if (tensor["name"] != "projection" && tensor["name"] != "patterns") continue;
    ++tensors;
    EXPECT_EQ(widths[0]["codec"], "plain");
    EXPECT_EQ(widths[0]["error"], 0);
    EXPECT_EQ(widths[0]["answers_changed"], 0);
    EXPECT_GT(widths.back()["error"], 0.05) << "the fewest bytes change what is decided";
    EXPECT_GT(widths.back()["answers_changed"], 0);
    EXPECT_LT(widths[1]["answers_changed"], SmallClassifier::kSamples / 4) << "the most bytes hardly do";
    for (size_t w = 1; w < widths.size(); ++w) {
      EXPECT_LE(widths[w]["bytes"], widths[w - 1]["bytes"]);
      EXPECT_LT(widths[w]["bytes"], tensor["original_bytes"]);
      EXPECT_GT(widths[w]["decode_us"], 0);
    }
  }
  EXPECT_EQ(tensors, 2);
  EXPECT_EQ(host::RunProgram(line + " --search uniform").code, 2);
  // A log has what was measured, too.
  const std::string logged = line + " --log " + (folder / "log.jsonl");
  RunWell(logged);
  const std::string first = host::ReadAll(file);
  RunWell(logged);
  EXPECT_EQ(host::ReadAll(file), first);
}

// Zero weights cost a bit each: large filters have such an option.
TEST(Compress, TriesPrunedWeights) {
  if (kSanitized) GTEST_SKIP() << "takes minutes";
  const host::ScratchFolder folder;
  const Searched network(folder);
  const json told = RunJson("auto " + network.model + " " + (folder / "out.tflite") + network.data +
                            " --evaluations 1 --sensitivity " + (folder / "s.json"));
  int pruned = 0;
  for (const json& tensor : told["sensitivity"]) {
    for (const json& width : tensor["widths"]) pruned += width["codec"] == "prune" ? 1 : 0;
  }
  EXPECT_GT(pruned, 0);
}

// The moves end after some hundred evaluations; what begins again elsewhere may find better, never worse.
TEST(Compress, SearchesUntilNoEvaluationsAreLeft) {
  if (kSanitized) GTEST_SKIP() << "takes minutes";
  const host::ScratchFolder folder;
  const Searched network(folder);
  const auto search = [&](int evaluations) {
    return RunJson("auto " + network.model + " " + (folder / "out.tflite") + network.data +
                   " --evaluations " + std::to_string(evaluations));
  };
  const json few = search(200), many = search(1500);
  EXPECT_GE(many["evaluations"], 1500);
  EXPECT_LE(many["bytes_after"], few["bytes_after"]);
  EXPECT_EQ(many["lost"], 0);
}

TEST(Compress, TrimsChannels) {
  const host::ScratchFolder folder;
  const std::string sine = "models/sine.tflite", out = folder / "trimmed.tflite";
  const json report = RunJson("trim " + sine + " " + out);
  EXPECT_EQ(report["bytes_before"], fs::file_size(fs::path(LUTRA_SOURCE_DIR) / sine));
  EXPECT_EQ(report["bytes_after"], fs::file_size(out));
  EXPECT_LT(report["bytes_after"], report["bytes_before"]);
  EXPECT_LT(report["macs_after"], report["macs_before"]);
  EXPECT_EQ(report["removed"], 9);
  EXPECT_EQ(report["layers"][0]["operator"], 0);
  RunWell("verify " + sine + " " + out + " --every-way");
  const host::Outcome plain = RunWell("trim " + sine + " " + out);
  EXPECT_NE(plain.out.find("of 33 channels 9 cannot change, 9 are gone\n"), std::string::npos) << plain.out;
  EXPECT_NE(RunWell("trim --report " + sine + " " + out).out.find("FULLY_CONNECTED"), std::string::npos);
  RunWell("pack " + kClustered + " " + (folder / "packed.tflite"));
  const host::Outcome refused = host::RunProgram("trim " + (folder / "packed.tflite") + " " + out);
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("run compress unpack first"), std::string::npos) << refused.err;
}

// What auto writes is what it makes of the trimmed file; sizes are compared with the given one's.
TEST(Compress, TrimsBeforeItSearches) {
  const host::ScratchFolder folder;
  const SmallClassifier small(folder / "", 40);
  const std::string trimmed = folder / "trimmed.tflite", data = small.data + " --evaluations 3";
  EXPECT_GE(RunJson("trim " + small.model + " " + trimmed)["removed"], 39);
  const json first = RunJson("auto --trim " + small.model + " " + (folder / "a.tflite") + data);
  const json second = RunJson("auto " + trimmed + " " + (folder / "b.tflite") + data);
  EXPECT_EQ(host::ReadAll(folder / "a.tflite"), host::ReadAll(folder / "b.tflite"));
  EXPECT_EQ(first["bytes_before"], fs::file_size(small.model));
  EXPECT_EQ(second["bytes_before"], fs::file_size(trimmed));
}

// Widths and codecs are for the stripped file, names those of the model that was given.
TEST(Compress, AutoStripsBeforeItChooses) {
  if (kSanitized) GTEST_SKIP() << "with the fewer samples of this build the search finds other widths";
  const host::ScratchFolder folder;
  const Searched network(folder);
  const std::string out = folder / "out.tflite", settings = folder / "settings.json";
  const std::string line = "auto " + network.model + " " + out + network.data + " --evaluations 3";
  const std::string searched = RunWell(line + " --save " + settings + " --report " + (folder / "r.json")).out;
  const json result = json::parse(host::ReadAll(folder / "r.json"));
  EXPECT_EQ(result["bytes_after"], fs::file_size(out));
  RunWell("bin " + network.model + " " + (folder / "binned.tflite") + " --settings " + settings);
  RunWell("pack --strip " + (folder / "binned.tflite") + " " + (folder / "packed.tflite"));
  EXPECT_EQ(host::ReadAll(folder / "packed.tflite"), host::ReadAll(out));
  // It says what went, and --no-strip and --keep-names leave it.
  EXPECT_NE(searched.find("stripped: "), std::string::npos) << searched;
  EXPECT_TRUE(std::any_of(result["stripped"].begin(), result["stripped"].end(), [](const json& gone) {
    return gone.get<std::string>().find("scales of biases") != std::string::npos;
  })) << result["stripped"];
  // Nothing more goes, and nothing is gained by stripping names first.
  RunWell("strip --keep-bias-scales " + network.model + " " + (folder / "stripped.tflite"));
  EXPECT_EQ(RunJson("auto " + (folder / "stripped.tflite") + " " + (folder / "other.tflite") + network.data +
                    " --evaluations 3")["bytes_after"],
            result["bytes_after"]);
  RunWell("strip " + out + " " + (folder / "again.tflite"));
  EXPECT_GE(fs::file_size(folder / "again.tflite"), fs::file_size(out) - 16);
  const json whole = RunJson(line + " --no-strip");
  EXPECT_TRUE(whole["stripped"].empty());
  const json named = RunJson(line + " --keep-names");
  EXPECT_LT(result["bytes_after"], named["bytes_after"]);
  EXPECT_LT(named["bytes_after"], whole["bytes_after"]);
  EXPECT_EQ(host::RunProgram(line + " --strip --no-strip").code, 2);
  EXPECT_EQ(host::RunProgram(line + " --keep-names --no-strip").code, 2);
  // A bias that makes good for others was moved: the distance is no quality.
  const auto moved_and_plain = [](const json& tensor) {
    return tensor["moved"] && tensor["codec"] == "plain";
  };
  EXPECT_TRUE(std::any_of(result["tensors"].begin(), result["tensors"].end(), moved_and_plain)) << result;
  for (const std::string& table :
       {searched, RunWell("settings " + network.model + " --settings " + settings).out}) {
    EXPECT_NE(table.find(" moved"), std::string::npos) << table;
    const std::string rows = table.substr(0, table.find(" bytes become "));
    EXPECT_FALSE(std::regex_search(rows, std::regex(" -[0-9]"))) << "no negative decibels: " << table;
  }
}

std::string Validated(const std::string& model) {
  const std::string name = "models/" + model;
  return name + ".tflite --data " + name + ".validation.inputs.npy --labels " + name +
         ".validation.labels.npy";
}

// Goals of regressions, and of models without labels.
TEST(Compress, AutoTakesGoalsOfEveryMetric) {
  const host::ScratchFolder folder;
  const std::string out = " " + (folder / "out.tflite");
  const std::string sine = "auto models/sine.tflite" + out + " --data models/sine.validation.inputs.npy";
  const std::string labels = " --labels models/sine.validation.labels.npy";
  const json kept = RunJson(sine + labels), looser = RunJson(sine + labels + " --max-loss 50");
  for (const json& result : {kept, looser}) {
    EXPECT_EQ(result["metric"], "rmse");
    EXPECT_TRUE(result["lost"].is_null());
    EXPECT_LT(result["confidence_interval_after"]["low"], result["value_after"]);
    EXPECT_GT(result["confidence_interval_after"]["high"], result["value_after"]);
  }
  const double before = kept["value_before"];
  EXPECT_LE(kept["value_after"], before);
  EXPECT_LE(looser["value_after"].get<double>(), 1.5 * before);
  EXPECT_LE(looser["bytes_after"], kept["bytes_after"]);
  const json limited = RunJson(sine + labels + " --max-rmse 0.02");
  EXPECT_LE(limited["value_after"], 0.02);
  EXPECT_EQ(host::RunProgram(sine + labels + " --max-rmse 0.001").code, 1) << "the model's own is larger";
  // Any model, of which nothing is known but itself.
  const std::string unlabelled = "auto " + SmallClassifier(folder / "").model + out + " --data " +
                                 (folder / "inputs.npy") + " --evaluations 10";
  for (const double most : {0.0, 4e6}) {
    const json result = RunJson(unlabelled + " --max-difference " + std::to_string(most));
    EXPECT_EQ(result["metric"], "difference");
    EXPECT_EQ(result["value_before"], 0);
    EXPECT_LE(result["value_after"], most);
    EXPECT_EQ(result["value_after"].get<double>() > 0, most > 0);
    EXPECT_TRUE(result["confidence_interval_after"].is_null());
    const std::string again = "evaluate" + out + " --data " + (folder / "inputs.npy") + " --reference " +
                              (folder / "small.tflite") + " --max-difference ";
    EXPECT_EQ(RunJson(again + std::to_string(most))["value"], result["value_after"]);
    if (most > 0) {
      EXPECT_EQ(host::RunProgram(again + "1").code, 1);
    }
  }
  const json mean = RunJson(unlabelled + " --metric mean-difference --max-difference 1e6");
  EXPECT_EQ(mean["metric"], "mean-difference");
  EXPECT_LE(mean["value_after"], 1e6);
  EXPECT_GT(mean["value_after"], 0);
  const json agreement = RunJson(unlabelled + " --min-agreement 0.9 --labels " + (folder / "labels.npy"));
  EXPECT_EQ(agreement["value_before"], 1) << "whatever the labels";
  EXPECT_GE(agreement["value_after"], 0.9);
  // What there is no goal for is told.
  const host::Outcome none = host::RunProgram(sine);
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("give --max-difference or --max-bytes, or --labels"), std::string::npos)
      << none.err;
  EXPECT_EQ(host::RunProgram(sine + " --max-loss 1").code, 3);
  EXPECT_EQ(host::RunProgram(sine + labels + " --min-accuracy 1").code, 3);
  EXPECT_EQ(host::RunProgram(sine + labels + " --search nntool").code, 3);
  EXPECT_EQ(host::RunProgram(sine + " --max-difference 1 --max-rmse 1").code, 2);
  EXPECT_EQ(host::RunProgram(sine + " --max-difference -1").code, 2);
}

TEST(Compress, AutoKeepsTheAreaOfAnAutoEncoder) {
  if (kSanitized) GTEST_SKIP() << "its search takes minutes";
  const host::ScratchFolder folder;
  std::string line = "auto " + Validated("ad");
  line.insert(line.find(" --data"), " " + (folder / "out.tflite"));
  line += " --first 200 --evaluations 5 --sensitivity-samples 8 --nearest --importance equal";
  const json kept = RunJson(line + " --max-loss 0.5 --hold-out"),
             bytes = RunJson(line + " --max-bytes 90000");
  EXPECT_EQ(kept["metric"], "auc");
  EXPECT_GE(kept["value_after"].get<double>(), kept["value_before"].get<double>() - 0.005);
  EXPECT_LT(kept["bytes_after"], 200000);
  EXPECT_EQ(kept["count"].get<int>() + kept["held_out"]["count"].get<int>(), 200);
  // Paired: the change is known far better than either value.
  const auto width = [](const json& interval) {
    return interval["high"].get<double>() - interval["low"].get<double>();
  };
  EXPECT_LT(width(kept["confidence_interval_of_change"]), 0.6 * width(kept["confidence_interval_after"]));
  EXPECT_LE(bytes["bytes_after"], 90000);
  EXPECT_EQ(host::RunProgram("evaluate " + Validated("ad") + " --min-auc 0.9").code, 0);
  EXPECT_EQ(host::RunProgram("evaluate " + Validated("ad") + " --min-auc 0.99").code, 1);
}

TEST(Compress, AutoReportsOnSamplesThatItWasNotFittedOn) {
  const host::ScratchFolder folder;
  const SmallClassifier small(folder / "");
  const std::string out = folder / "out.tflite";
  const std::string line =
      "auto " + small.model + " " + out + small.data + " --evaluations 30 --hold-out --nearest";
  const json result = RunJson(line + " --spare 0"), spared = RunJson(line + " --spare 0.5");
  constexpr int kHalf = SmallClassifier::kSamples / 2;
  EXPECT_EQ(result["count"].get<int>() + result["held_out"]["count"].get<int>(), SmallClassifier::kSamples);
  EXPECT_NEAR(result["count"], kHalf, 6) << "half of each of 12 classes";
  EXPECT_TRUE(spared["reaches_goal"]);
  EXPECT_GT(spared["bytes_after"], result["bytes_after"]) << "what keeps margins takes more";
  // The fewest bytes come first, the model as it is comes last; one of them was chosen.
  const json& pareto = result["pareto"];
  ASSERT_GT(pareto.size(), 2u);
  int results = 0;
  for (size_t i = 0; i < pareto.size(); ++i) {
    results += pareto[i]["result"].get<bool>() ? 1 : 0;
    EXPECT_TRUE(pareto[i]["held_out"].is_number());
    EXPECT_GE(pareto[i]["bytes"], pareto[i == 0 ? 0 : i - 1]["bytes"]);
  }
  EXPECT_EQ(results, 1);
  EXPECT_EQ(pareto.back()["value"], result["value_before"]);
  // Left out, --spare is 0.4.
  EXPECT_EQ(RunJson(line)["tensors"], RunJson(line + " --spare 0.4")["tensors"]);
  EXPECT_NE(RunJson(line)["tensors"], result["tensors"]);
  // Another half has other samples, as many of each class.
  const json split = RunJson(line + " --spare 0 --split 1");
  EXPECT_NEAR(split["count"], kHalf, 6);
  EXPECT_NE(split["value_before"].get<double>() * 1000 + split["held_out"]["value_before"].get<double>(),
            result["value_before"].get<double>() * 1000 + result["held_out"]["value_before"].get<double>());
  EXPECT_EQ(host::RunProgram("auto " + small.model + " " + out + small.data + " --split 1").code, 2)
      << "--hold-out";
  // The same bits for all, for comparison.
  const json uniform = RunJson(line + " --search uniform");
  EXPECT_EQ(uniform["lost"], 0);
  std::vector<int> bits;
  for (const auto& tensor : uniform["settings"]["tensors"]) bits.push_back(tensor["bits"]);
  ASSERT_FALSE(bits.empty());
  EXPECT_EQ(std::count(bits.begin(), bits.end(), bits[0]), static_cast<std::ptrdiff_t>(bits.size()));
  EXPECT_LE(result["bytes_after"], uniform["bytes_after"]);
}

// Few samples leave much open: evaluate and auto say how much, of every accuracy, and warn.
TEST(Compress, SaysHowSureAnAccuracyIs) {
  const host::ScratchFolder folder;
  const SmallClassifier small(folder / "");
  const auto expect_interval = [](const json& interval, const json& value, const json& count) {
    const host::Interval expected = host::ConfidenceInterval(value, count);
    EXPECT_EQ(interval["low"], expected.low);
    EXPECT_EQ(interval["high"], expected.high);
  };
  const std::string warning = "found 60 samples, required: 200";
  const host::Outcome evaluated = RunWell("evaluate " + small.model + small.data + " --json");
  const json evaluation = json::parse(evaluated.out);
  expect_interval(evaluation["confidence_interval"], evaluation["value"], 60);
  EXPECT_NE(evaluated.err.find(warning), std::string::npos) << evaluated.err;
  const std::string interval = host::ConfidenceText(evaluation["value"], 60);
  for (const char* form : {"", " --widths"}) {
    const std::string text = RunWell("evaluate " + small.model + small.data + form).out;
    EXPECT_NE(text.find(interval), std::string::npos) << text;
  }
  const std::string line = "auto " + small.model + " " + (folder / "out.tflite") + small.data +
                           " --evaluations 1 --nearest --max-loss 5";
  const host::Outcome made = RunWell(line + " --json --hold-out");
  const json result = json::parse(made.out);
  const json& held_out = result["held_out"];
  for (const json* part : std::initializer_list<const json*>{&result, &held_out}) {
    for (const std::string when : {"before", "after"}) {
      expect_interval((*part)["confidence_interval_" + when], (*part)["value_" + when], (*part)["count"]);
    }
  }
  for (const json& point : result["pareto"]) {
    expect_interval(point["confidence_interval"], point["value"], result["count"]);
    expect_interval(point["held_out_confidence_interval"], point["held_out"], held_out["count"]);
  }
  EXPECT_NE(made.err.find("required: 200"), std::string::npos) << made.err;
  const host::Outcome table = RunWell(line);
  EXPECT_NE(table.out.find("95 % confidence: " + interval + " before, "), std::string::npos) << table.out;
  EXPECT_NE(table.err.find(warning), std::string::npos) << table.err;
  // Other metrics have intervals of their own, and no warning.
  const std::string sine =
      " --data models/sine.validation.inputs.npy --labels models/sine.validation.labels.npy";
  const host::Outcome regression = RunWell("evaluate models/sine.tflite" + sine + " --json");
  const json of_rmse = json::parse(regression.out);
  EXPECT_LT(of_rmse["confidence_interval"]["low"], of_rmse["value"]);
  EXPECT_GT(of_rmse["confidence_interval"]["high"], of_rmse["value"]);
  EXPECT_EQ(regression.err, "");
}

// By default a codec must be worth its time, by a table, so that every run chooses the same.
TEST(Compress, AutoLeavesCodecsThatAreNotWorthTheirTime) {
  if (kSanitized) GTEST_SKIP() << "searches of keyword spotting take minutes under sanitizers";
  const host::ScratchFolder folder;
  const Searched network(folder);
  const std::string out = folder / "out.tflite", line = "auto " + network.model + " " + out + network.data +
                                                        " --evaluations 20 --max-loss 5 ";
  const json worth = RunJson(line);
  const std::string file = host::ReadAll(out);
  const json any = RunJson(line + "--any-codec");
  const json &decoding = worth["decoding"], &of_any = any["decoding"];
  const auto has_huffman = [](const json& codecs) {
    return std::any_of(codecs.begin(), codecs.end(),
                       [](const json& codec) { return codec["codec"] == "huffman"; });
  };
  // The weights are many for so few sums: Huffman's codes take several times as long as all of these.
  ASSERT_TRUE(has_huffman(of_any["codecs"])) << of_any;
  EXPECT_GT(of_any["decode_us"], of_any["inference_us"].get<double>() / 10);
  EXPECT_LE(any["bytes_after"], worth["bytes_after"]);
  EXPECT_TRUE(of_any["left_out"].empty());
  EXPECT_FALSE(has_huffman(decoding["codecs"])) << decoding;
  EXPECT_TRUE(has_huffman(decoding["left_out"])) << decoding;
  EXPECT_LT(decoding["decode_us"], of_any["decode_us"].get<double>() / 5);
  EXPECT_LE(worth["bytes_after"].get<double>(),
            any["bytes_after"].get<double>() + 0.06 * static_cast<double>(network.bytes));
  // The costs of each tensor and of each codec add up.
  double by_tensor = 0, by_codec = 0;
  for (const json& tensor : worth["tensors"]) by_tensor += tensor["decode_us"].get<double>();
  for (const json& codec : decoding["codecs"]) by_codec += codec["decode_us"].get<double>();
  EXPECT_NEAR(by_tensor, decoding["decode_us"], 1e-9);
  EXPECT_NEAR(by_codec, decoding["decode_us"], 1e-9);
  EXPECT_GT(by_tensor, 0);
  const std::string text = RunWell(line + "--jobs 3").out;
  EXPECT_NE(text.find("decoding: about "), std::string::npos) << text;
  EXPECT_NE(text.find("left out: huffman, which would save "), std::string::npos) << text;
  EXPECT_EQ(host::ReadAll(out), file) << "the same seed, the same file";
  // The searches for comparison follow the same rule.
  EXPECT_FALSE(has_huffman(RunJson(line + "--search uniform")["decoding"]["codecs"]));
}

// All that TFLM reads is read for the target lutra, too.
TEST(Compress, AutoForLutraIsNeverLargerThanForTflm) {
  const host::ScratchFolder folder;
  const Searched network(folder);
  for (const std::string& options : std::vector<std::string>{"", " --any-codec"}) {
    const std::string line = "auto " + network.model + " " + (folder / "out.tflite") + network.data +
                             " --evaluations 30" + options;
    EXPECT_LE(RunJson(line + " --target lutra")["bytes_after"], RunJson(line)["bytes_after"]) << options;
  }
}

TEST(Compress, AutoKeepsToATimeOfDecoding) {
  const host::ScratchFolder folder;
  const SmallClassifier small(folder / "");
  const std::string line = "auto " + small.model + " " + (folder / "out.tflite") + small.data +
                           " --evaluations 10 --max-loss 100 --max-decode-us ";
  const json none = RunJson(line + "0");
  EXPECT_EQ(none["decode_us"], 0);
  for (const json& tensor : none["tensors"]) EXPECT_EQ(tensor["codec"], "plain") << tensor["name"];
  // Each run measures anew, so times of two runs are not compared; evaluate_test.cc has a clock of its own.
  const json all = RunJson(line + "1000000");
  EXPECT_GT(all["decode_us"], 0);
  EXPECT_LT(all["bytes_after"], none["bytes_after"]);
  const double half = all["decode_us"].get<double>() / 2;
  const json some = RunJson(line + std::to_string(half));
  EXPECT_LE(some["decode_us"], half);
  EXPECT_LE(some["bytes_after"], none["bytes_after"]);
  EXPECT_EQ(host::RunProgram(line + "1 --search uniform").code, 2);
  EXPECT_EQ(host::RunProgram(line + "-1").code, 2);
}

TEST(Compress, AutoCountsWhatTheEngineOfGap9Reads) {
  const host::ScratchFolder folder;
  const Searched network(folder);
  const std::string data = network.data, out = folder / "out.tflite";
  const std::string line = "auto " + network.model + " " + out + data +
                           " --sizes gap9 --evaluations 10 --sensitivity-samples 8 --max-loss 10";
  const json result = RunJson(line + " --target lutra");
  EXPECT_TRUE(result["reaches_goal"]);
  // Streams and tables are what is counted; a sparse table leaves out its special value, of up to 4 bytes.
  constexpr int64_t kHeader = 16;
  int64_t saved = 0;
  int sparse = 0;
  for (const json& tensor : result["tensors"]) {
    const std::string codec = tensor["codec"];
    EXPECT_TRUE(codec == "plain" || codec == "wide-lut" || codec == "sparse-lut") << codec;
    if (codec == "plain") continue;
    saved += tensor["original_bytes"].get<int64_t>() - tensor["bytes"].get<int64_t>() + kHeader;
    sparse += codec == "sparse-lut" ? 1 : 0;
  }
  const int64_t counted =
      result["constant_bytes_before"].get<int64_t>() - result["constant_bytes_after"].get<int64_t>();
  if (!kSanitized) {
    EXPECT_GT(sparse, 0);
  }
  EXPECT_GE(saved, counted);
  EXPECT_LE(saved, counted + 4 * sparse);
  EXPECT_LT(result["constant_bytes_after"], result["constant_bytes_before"]);
  EXPECT_EQ(RunJson("evaluate " + out + data)["value"], result["value_after"]);
  EXPECT_EQ(host::RunProgram(line).code, 2) << "for --target=lutra";
  // Its own answers are those of a reference.
  const std::string unlabelled = data.substr(0, data.find(" --labels"));
  const json own = RunJson("auto " + network.model + " " + out + unlabelled + " --evaluations 5 --nearest");
  const json reference = RunJson("auto " + network.model + " " + out + unlabelled +
                                 " --evaluations 5 --nearest --reference " + network.model);
  EXPECT_EQ(own["value_before"], 1);
  EXPECT_EQ(reference["tensors"], own["tensors"]);
}

TEST(Compress, SettingsByTheRulesOfNntool) {
  const host::ScratchFolder folder;
  const std::string settings = folder / "settings.json";
  const std::string rules = " --rules nntool --min-qsnr 22.5 --target lutra";
  const json result = RunJson("settings " + kPlain + rules + " --save " + settings);
  int64_t bytes = 0, kept = 0;
  for (const json& tensor : result["tensors"]) {
    if (!tensor["applied"]) {
      ++kept;
      continue;
    }
    bytes += tensor["compressed_bytes"].get<int64_t>();
    if (tensor["lossless"]) continue;
    const double qsnr_db = tensor["qsnr_db"];
    EXPECT_EQ(qsnr_db, std::floor(qsnr_db));
    EXPECT_GE(qsnr_db, 23) << "22.5, as a whole number";
  }
  EXPECT_GT(bytes, 0);
  EXPECT_EQ(result["total"]["compressed_bytes"], bytes) << "without the " << kept << " that do not gain";
  EXPECT_EQ(RunJson("settings " + kPlain + " --settings " + settings)["tensors"], result["tensors"]);
  EXPECT_EQ(host::RunProgram("settings " + kPlain + rules + " --per channel").code, 2);
}

// Cells of a line of Markdown's tables, without the spaces around them and without commas.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '|');) {
    std::erase(cell, ',');
    const size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? ""
                                               : cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return cells;
}

// The table of compressor/gap9/README.md is what the commands print that stand beside it.
TEST(Compress, SettingsPrintWhatThePageOfGap9Says) {
  const fs::path model = fs::path(LUTRA_TEST_DATA) / "models" / "visual_wake_quant.tflite";
  if (!fs::exists(model)) GTEST_SKIP() << "no " << model;
  const std::string settings = "settings '" + model.string() + "' --target=lutra ";
  const std::string rules = settings + "--rules=nntool ";
  const json nntool = RunJson(rules + "--min-qsnr=22.5"), ours = RunJson(settings + "--min-qsnr=22.5");
  const auto row_of = [](const json& report, const std::string& op, bool is_bias) {
    for (const json& row : report["tensors"]) {
      if (row["step"].dump() == op && (row["shape"].size() == 1) == is_bias) return row;
    }
    return json();
  };
  enum Column { kOp = 2, kWhat, kOriginal, kNntool, kAsNntool, kStored, kBits, kOurs };
  std::istringstream page(ReadModel("compressor/gap9/README.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.size() <= kOurs || cells[0] != "") continue;
    if (cells[kWhat] == "total") {
      EXPECT_EQ(nntool["nntool_total"]["original_bytes"].dump(), cells[kOriginal]);
      EXPECT_EQ(nntool["nntool_total"]["compressed_bytes"].dump(), cells[kAsNntool]);
      EXPECT_EQ(nntool["total"]["compressed_bytes"].dump(), cells[kStored]);
      EXPECT_EQ(ours["total"]["compressed_bytes"].dump(), cells[kOurs]);
    } else if (cells[kWhat].find("--threshold") != std::string::npos) {
      const std::string options = cells[kWhat].substr(1, cells[kWhat].size() - 2);
      EXPECT_EQ(RunJson(rules + options)["nntool_total"]["compressed_bytes"].dump(), cells[kAsNntool]);
      const json own = row_of(RunJson(settings + options), cells[kOp], false);
      EXPECT_EQ(own["compressed_bytes"].dump(), cells[kOurs]);
    } else if (cells[kOp].find_first_not_of("0123456789") == std::string::npos && cells[kOp] != "") {
      const bool is_bias = cells[kWhat].find(" bias") != std::string::npos;
      const json row = row_of(nntool, cells[kOp], is_bias), own = row_of(ours, cells[kOp], is_bias);
      ASSERT_TRUE(row.is_object() && own.is_object()) << line;
      EXPECT_EQ(row["nntool"]["original_bytes"].dump(), cells[kOriginal]) << line;
      EXPECT_EQ(row["nntool"]["compressed_bytes"].dump(), cells[kAsNntool]) << line;
      EXPECT_EQ(row["compressed_bytes"].dump(), cells[kStored]) << line;
      EXPECT_EQ(row["bits"].dump(), cells[kBits]) << line;
      EXPECT_EQ(own["compressed_bytes"].dump(), cells[kOurs]) << line;
    } else {
      continue;
    }
    EXPECT_EQ(cells[kAsNntool], cells[kNntool]) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 22);
  // The table for people has both, and says where they differ.
  const std::string text = RunWell(rules + "--min-qsnr=22.5").out;
  for (const char* part : {"nntool's: original B", " 2560 ", " 528\n", " 432 ", "238472", "153069", "248504",
                           "152973", "250424", "added to a bias of zeros"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(RunWell(settings + "--min-qsnr=22.5").out.find("nntool"), std::string::npos);
}

TEST(Compress, AutoWritesNothingWhereTheGoalCannotBeReached) {
  const host::ScratchFolder folder;
  const Searched network(folder);
  const std::string data = network.data, out = folder / "out.tflite";
  const auto code = [&](const std::string& goal) {
    return host::RunProgram("auto " + network.model + " " + out + data + " --evaluations 5 " + goal).code;
  };
  EXPECT_EQ(code("--max-bytes 2500"), 1);
  EXPECT_EQ(code("--min-accuracy 1"), 1) << "the model is wrong about some of them";
  EXPECT_FALSE(fs::exists(out));
  const int64_t most = network.bytes * 5 / 6;
  EXPECT_EQ(code("--max-bytes " + std::to_string(most)), 0);
  EXPECT_LE(static_cast<int64_t>(fs::file_size(out)), most);
  EXPECT_EQ(code("--max-bytes 1 --keep-labels"), 2);
  EXPECT_EQ(code("--search nntool --max-loss 1"), 2);
}

// As many right answers as the bytes allow: more with more runs, the same with other threads, and not less
// from a log.
// Each line is as if it were alone, with the options beside --list before its own; a model that is refused
// stops no other one.
TEST(Compress, AutoTakesAListOfModels) {
  const host::ScratchFolder folder;
  const std::string data = FewSamples(folder), models = std::string(LUTRA_SOURCE_DIR) + "/models/";
  const std::string sine = models + "sine.tflite", kws = models + "kws.tflite", list = folder / "models.txt";
  const std::string sine_data =
      " --data " + models + "sine.validation.inputs.npy --labels " + models + "sine.validation.labels.npy";
  const auto write = [&](const std::string& text) { std::ofstream(list) << text; };
  write("# what goes on the boards\n\n  # two\n" + sine + " '" + (folder / "a sine.tflite") + "'" +
        sine_data + "\n/nowhere.tflite " + (folder / "none") + data + "\n" + kws + " " +
        (folder / "kws.tflite") + data + " --max-loss 1\n");
  const std::string options = " --evaluations 20 --seed 2 --keep-names";
  const host::Outcome all = host::RunProgram("auto --list " + list + options);
  EXPECT_EQ(all.code, 3) << all.out << all.err;
  EXPECT_NE(all.err.find(list + ":5: /nowhere.tflite: cannot open the file"), std::string::npos) << all.err;
  EXPECT_TRUE(all.out.ends_with("\n3 models: 2 written, 0 that miss their goal, 1 refused\n")) << all.out;
  RunWell("auto " + sine + " " + (folder / "alone") + sine_data + options);
  EXPECT_TRUE(host::ReadAll(folder / "a sine.tflite") == host::ReadAll(folder / "alone"));
  RunWell("auto " + kws + " " + (folder / "alone") + data + " --max-loss 1" + options);
  EXPECT_TRUE(host::ReadAll(folder / "kws.tflite") == host::ReadAll(folder / "alone"));

  // Shards of equal work: kws alone is one.
  fs::remove(folder / "a sine.tflite");
  fs::remove(folder / "kws.tflite");
  const host::Outcome first = host::RunProgram("auto --list " + list + options + " --shard 1/2");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(first.out.ends_with("\n1 model: 1 written, 0 that miss their goal, 0 refused, shard 1/2\n"))
      << first.out;
  EXPECT_TRUE(fs::exists(folder / "kws.tflite"));
  const host::Outcome second = host::RunShell(
      "GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1 '" LUTRA_PROGRAM "' auto --list " + list + options);
  EXPECT_EQ(second.code, 3) << second.out;
  EXPECT_NE(second.out.find("2 models: 1 written"), std::string::npos) << second.out;
  EXPECT_TRUE(fs::exists(folder / "a sine.tflite"));

  // Before anything runs: what is no line of auto, and two models for one file.
  const auto refused = [&](const std::string& text, int code, const std::string& says) {
    write(text);
    const host::Outcome outcome = host::RunProgram("auto --list " + list + " --max-loss 1");
    EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  const std::string good = sine + " " + (folder / "new") + sine_data + "\n";
  refused(good + kws + "\n", 2, list + ":2: OUT is required");
  refused(good + good, 2, list + ":2: OUT: found " + (folder / "new"));
  refused(good + kws + " x --data y --keep-labels\n", 2, list + ":2: --max-loss excludes --keep-labels");
  refused(good + kws + " x --data y --lables z\n", 2, list + ":2: --lables: there is no such option");
  refused("# none\n", 3, "found no model");
  EXPECT_FALSE(fs::exists(folder / "new"));
  const std::vector<std::pair<std::string, std::string>> misuses = {
      {"auto --list " + list + " a b", "IN excludes --list"},
      {"auto --list " + list + " --report r.json", "--report excludes --list"},
      {"auto --list " + list + " --list-all", "--list-all: there is no such option"},
      {"auto a b --data c --shard 1/2", "--shard requires --list"},
      {"auto a b", "--data is required"}};
  for (const auto& [line, says] : misuses) {
    const host::Outcome outcome = host::RunProgram(line);
    EXPECT_EQ(outcome.code, 2) << line;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << line << outcome.err;
  }
}

TEST(Compress, SpendsBytesOnAnswers) {
  if (kSanitized) GTEST_SKIP() << "searches of keyword spotting take minutes under sanitizers";
  const host::ScratchFolder folder;
  const std::string line =
      "auto models/kws.tflite " + (folder / "out.tflite") +
      " --data models/kws.validation.inputs.npy --first 40 --spare 0 --no-strip --max-bytes ";
  const json few = RunJson(line + "22500 --evaluations 1"),
             many = RunJson(line + "22500 --evaluations 60 --log " + (folder / "log.jsonl"));
  EXPECT_LE(many["bytes_after"], 22500);
  EXPECT_GE(many["bytes_after"], 22000) << "they are there to be spent";
  EXPECT_GT(many["value_after"], few["value_after"]);
  EXPECT_EQ(RunJson(line + "22500 --evaluations 60 --jobs 3")["tensors"], many["tensors"]);
  const json again = RunJson(line + "22500 --evaluations 1 --log " + (folder / "log.jsonl"));
  EXPECT_EQ(again["value_after"], many["value_after"]);
  // They are the file's, without its names, too.
  const json stripped = RunJson("auto models/kws.tflite " + (folder / "out.tflite") +
                                " --data models/kws.validation.inputs.npy --first 40 --spare 0 --max-bytes "
                                "15500 --evaluations 1");
  EXPECT_TRUE(stripped["reaches_goal"]);
  EXPECT_LE(stripped["bytes_after"], 15500);
  EXPECT_GE(stripped["bytes_after"], 14500);
}

// Files of auto, bin and pack give the same outputs under every policy and with every kernel variant.
TEST(Compress, WhatItMakesRunsInEveryWay) {
  const host::ScratchFolder folder;
  const std::string verify = "verify --every-way --runs 1 ", binned = folder / "binned.tflite";
  RunWell("bin --bits 3 " + kPlain + " " + binned);
  for (const char* how : {"--target tflm", "--target lutra", "--format metadata"}) {
    const std::string packed = folder / "packed.tflite";
    RunWell("pack " + binned + " " + packed + " " + how);
    RunWell(verify + binned + " " + packed);
  }
  const std::string chosen = folder / "auto.tflite", unpacked = folder / "unpacked.tflite";
  const Searched network(folder);
  RunWell("auto " + network.model + " " + chosen + network.data + " --evaluations 10 --target lutra --strip");
  RunWell("unpack " + chosen + " " + unpacked);
  EXPECT_NE(RunWell(verify + unpacked + " " + chosen).out.find("equal outputs on 1 inputs, in "),
            std::string::npos);
  const host::Outcome differs = host::RunProgram(verify + kPlain + " " + binned);
  EXPECT_EQ(differs.code, 1);
  for (const char* memory : {"small", "fast"}) {
    for (const char* policy : {"per-use", "at-init", "streamed"}) {
      const std::string way = std::string("seed 1, ") + memory + ", " + policy + ", ref, output 0";
      EXPECT_NE(differs.out.find(way), std::string::npos) << way << "\n" << differs.out;
    }
  }
}

TEST(Compress, VerifyTellsDifferencesApartFromBadInput) {
  const host::ScratchFolder folder;
  RunWell("bin --bits 2 " + kPlain + " " + (folder / "binned.tflite"));
  const host::Outcome differs =
      host::RunProgram("verify --runs 3 " + kPlain + " " + (folder / "binned.tflite"));
  EXPECT_EQ(differs.code, 1);
  EXPECT_NE(differs.out.find("seed 1, output 0"), std::string::npos) << differs.out;
  EXPECT_EQ(host::RunProgram("verify " + kPlain + " models/ad.tflite").code, 3);
  EXPECT_EQ(
      host::RunProgram("verify " + kPlain + " " + kPlain + " --data models/ad.validation.inputs.npy").code,
      3);
}

// Each verb has an example and exit codes of its own, and no other verb's text.
TEST(Compress, HelpIsTheVerbs) {
  const std::string verbs[] = {"pack",          "bin",    "settings", "curve", "unpack", "convert",
                               "convert-uint8", "align",  "strip",    "plan",  "embed",  "trim",
                               "inspect",       "verify", "evaluate", "auto"};
  const std::string all = RunWell("--help").out;
  std::set<std::string> ends;
  for (const std::string& verb : verbs) {
    EXPECT_NE(all.find("\n  " + verb + " "), std::string::npos) << verb;
    const std::string help = RunWell(verb + " --help").out;
    const size_t example = help.find("Example:\n  compress " + verb + " ");
    ASSERT_NE(example, std::string::npos) << help;
    EXPECT_TRUE(ends.insert(help.substr(example)).second) << help;
    EXPECT_EQ(help.find("Example:", example + 1), std::string::npos) << help;
    const bool may_end_with_1 = verb == "verify" || verb == "evaluate" || verb == "auto";
    const std::string words = std::regex_replace(help, std::regex("\\s+"), " ");
    EXPECT_NE(words.find(may_end_with_1 ? "Exit codes: 0 success, 1 " : "Exit codes: 0 success, 2 "),
              std::string::npos)
        << help;
  }
  EXPECT_NE(all.find("Exit codes: 0 success, 1 "), std::string::npos) << all;
  // Those above are all that there are. A description may go on in a second line, further to the right.
  const std::string from_list = all.substr(all.find("Subcommands:"));
  const std::string list = from_list.substr(0, from_list.find("\n\n"));
  const std::regex listed("\n  [a-z]");
  EXPECT_EQ(std::distance(std::sregex_iterator(list.begin(), list.end(), listed), std::sregex_iterator()),
            static_cast<std::ptrdiff_t>(std::size(verbs)))
      << list;
}

// Parts that strip shared stay shared. 8 bits are nothing but what the tensors have.
TEST(Compress, MakesNoFileLarger) {
  const host::ScratchFolder folder;
  const std::string stripped = folder / "stripped.tflite", out = folder / "out.tflite";
  for (const std::string& model : {kPlain, kClustered}) {
    RunWell("strip " + model + " " + stripped);
    for (const std::string verb : {"strip", "pack", "pack --strip", "pack --target lutra",
                                   "pack --format metadata", "bin --bits 8", "align", "unpack"}) {
      for (const std::string& in : {model, stripped}) {
        RunWell(verb + " " + in + " " + out);
        EXPECT_LE(fs::file_size(out), fs::file_size(fs::path(LUTRA_SOURCE_DIR) / in)) << verb << " " << in;
        RunWell("verify --runs 1 " + in + " " + out);
      }
    }
  }
}

TEST(Compress, UsesItsExitCodesAndLeavesOutputsWhole) {
  const host::ScratchFolder folder;
  EXPECT_EQ(host::RunProgram("--help").code, 0);
  EXPECT_EQ(host::RunProgram("--version").code, 0);
  const std::string kept = folder / "kept.tflite";
  const std::string to = " " + kept;
  std::ofstream(kept) << "kept";
  std::ofstream(folder / "text.tflite") << "this is a text file, not a model";
  for (const char* misuse : {"", "zip", "pack", "--input models/kws.tflite", "convert models/kws.tflite",
                             "curve models/kws.tflite --format xml", "verify models/kws.tflite"}) {
    EXPECT_EQ(host::RunProgram(misuse).code, 2) << misuse;
  }
  for (const std::string misuse : {"pack --codec zip ", "pack --target arm ", "bin ", "bin --bits 9 ",
                                   "bin --bits 4 --min-qsnr 20 ", "bin --min-qsnr 1e999 ", "bin --clear ",
                                   "bin --off ", "bin --on --bits 4 ", "convert-uint8 --per row "}) {
    EXPECT_EQ(host::RunProgram(misuse + kPlain + to).code, 2) << misuse;
  }
  for (const std::string& refused : std::vector<std::string>{
           "pack /no/such/model.tflite", "pack " + (folder / "text.tflite"),
           "unpack " + (folder / "text.tflite"), "bin --bits 4 " + (folder / "text.tflite"),
           "bin --bits 4 --tensor none " + kPlain, "bin --bits 4 --step 2147483647 " + kPlain,
           "pack --only none " + kPlain, "pack --spec /no/such.yaml " + kPlain,
           "bin --settings /no/such.json " + kPlain, "align " + (folder / "text.tflite"),
           "strip " + (folder / "text.tflite"), "convert-uint8 " + (folder / "text.tflite"),
           "convert-uint8 " + kPlain}) {
    const host::Outcome outcome = host::RunProgram(refused + to);
    EXPECT_EQ(outcome.code, 3) << refused << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one line: " << outcome.err;
  }
  EXPECT_EQ(host::ReadAll(kept), "kept");
  EXPECT_EQ(host::RunProgram("pack " + kClustered + " /no/such/folder/out.tflite").code, 3);
}

}  // namespace
}  // namespace lutra::compressor
