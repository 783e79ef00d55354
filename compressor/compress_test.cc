// SPDX-License-Identifier: Apache-2.0
// Tests the program as a script runs it: verbs, options, JSON, files, exit codes.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compressor/compress_program.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Each filter has at most 16 distinct values.
const std::string kClustered = "models/kws_clustered.tflite";

// bin_model_test.cc tests what bin and curve print, accuracy/auto_command_test.cc tests auto.

// Tensors that a delegate's nodes read get a codec that it takes; all others are compressed as without it.
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
  // Tensor 2 is the weights of FULLY_CONNECTED, which the example delegate takes as lut; 4 is a
  // convolution's.
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

TEST(Compress, RefusesOptionsBeforeAVerb) {
  const host::ScratchFolder folder;
  for (const std::string& options :
       std::vector<std::string>{"--input=" + kPlain + " --output=" + (folder / "a.tflite"),
                                "--spec=" + (folder / "none.yaml"), "--target lutra"}) {
    const host::Outcome outcome =
        host::RunProgram(options + " strip " + kPlain + " " + (folder / "b.tflite"));
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.out, "") << options;
    EXPECT_NE(outcome.err.find(" stands without a verb"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "b.tflite")) << options;
  }
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

// A name of several lines makes no lines of its own, in tables and in the spec, which --spec takes again.
TEST(Compress, PrintsNamesOfFilesInOneLine) {
  const host::ScratchFolder folder;
  const std::string model = "'" + (folder / "a\ntensors: none\x1b.tflite") + "'", out = folder / "out.tflite";
  fs::copy_file(fs::path(LUTRA_SOURCE_DIR) / kClustered, folder / "a\ntensors: none\x1b.tflite");
  const std::string spec = folder / "spec.yaml";
  RunWell("pack " + model + " " + out + " --write-spec " + spec);
  RunWell("pack " + model + " " + (folder / "again.tflite") + " --spec " + spec);
  EXPECT_EQ(host::ReadAll(out), host::ReadAll(folder / "again.tflite"));
  EXPECT_NE(host::ReadAll(spec).find("a\\ntensors: none\\x1b.tflite was compressed.\n"), std::string::npos);
  for (const char* verb : {"strip", "trim", "plan", "align", "unpack"}) {
    const std::string printed = RunWell(verb + (" " + model) + " " + out).out;
    EXPECT_NE(printed.find("a\\ntensors: none\\x1b.tflite: "), std::string::npos) << printed;
  }
  const std::string evaluated = RunWell("evaluate " + model + FewSamples(folder)).out;
  EXPECT_NE(evaluated.find("a\\ntensors: none\\x1b.tflite: "), std::string::npos) << evaluated;
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
  // README.md has these figures, from generic_benchmark.
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
  // Compares answers with those of the model before packing, and of the binned one.
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
  EXPECT_EQ(host::RunProgram(sine + " --reference models/sine.tflite --min-accuracy 1").code, 3)
      << "one output is no class";
  EXPECT_EQ(host::RunProgram(sine + " --min-accuracy 1 --metric rmse").code, 2);
  EXPECT_EQ(host::RunProgram(sine + " --min-accuracy 1 --max-rmse 1").code, 2);
  EXPECT_EQ(host::RunProgram("evaluate " + kPlain + " --data models/ad.validation.inputs.npy").code, 3);
  EXPECT_EQ(host::RunProgram("evaluate " + kPlain + data + " --reference models/ad.tflite").code, 3);
}

// Without labels and --reference a model is compared with itself, and would reach any goal.
TEST(Compress, EvaluatesNoGoalThatAnyModelReaches) {
  const host::ScratchFolder folder;
  const std::string bad = folder / "bad.tflite", labelled = FewSamples(folder);
  const std::string data = labelled.substr(0, labelled.find(" --labels"));
  RunWell("bin --bits 1 " + kPlain + " " + bad);
  const std::string evaluate = "evaluate " + bad;
  const auto refused = [&](const std::string& options, const std::string& message) {
    const host::Outcome outcome = host::RunProgram(evaluate + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  for (const char* goal : {" --min-accuracy 0.99", " --max-rmse 0"})
    refused(data + goal, "compares the model with itself: give --labels or --reference");
  for (const char* goal :
       {" --min-agreement 1", " --max-difference 0", " --metric mean-difference --max-difference 0"}) {
    refused(data + goal, "compares the model with itself: give --reference");
    refused(labelled + goal, "compares the model with itself: give --reference");
    EXPECT_EQ(host::RunProgram(evaluate + labelled + goal + " --reference " + kPlain).code, 1) << goal;
  }
  EXPECT_EQ(host::RunProgram(evaluate + labelled + " --min-accuracy 0.99").code, 1);
  EXPECT_EQ(host::RunProgram(evaluate + data + " --reference " + kPlain + " --min-accuracy 1").code, 1);
  RunWell(evaluate + data);
  for (const char* option : {"--min-accuracy 1", "--min-auc 1", "--min-agreement 1", "--max-rmse 0",
                             "--max-difference 0", "--per-input", "--layers"}) {
    refused(labelled + " --widths " + option, "excludes");
  }
}

// pack for Lutra strips unless an option forbids it; names mean the tensors of the given model.
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

// Exported values and indices, which training elsewhere may change, make the same model when imported.
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
  // Indices other than the nearest are taken into the model: the first two weights change places.
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
  // Refuses files of another model, and broken ones.
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

// A folder has the arrays of one export, and both of each tensor.
TEST(Compress, KeepsExportsOfClustersApart) {
  const host::ScratchFolder folder;
  const std::string to = folder / "c", out = folder / "out.tflite";
  RunWell("bin " + kPlain + " --bits 3 --export-clusters " + to);
  const std::string before = host::ReadAll(to + "/0_2.values.npy");
  const std::string one = "bin " + kPlain + " " + out + " --bits 2 --tensor 2 --export-clusters ";
  const host::Outcome mixed = host::RunProgram(one + to);
  EXPECT_EQ(mixed.code, 3);
  EXPECT_NE(mixed.err.find("which is not exported now"), std::string::npos) << mixed.err;
  EXPECT_EQ(host::ReadAll(to + "/0_2.values.npy"), before);
  EXPECT_FALSE(fs::exists(out));
  RunWell(one + (folder / "one"));
  RunWell(one + (folder / "one"));
  RunWell("bin " + kPlain + " " + out + " --import " + (folder / "one"));
  for (const char* half : {"/0_4.values.npy", "/0_4.indices.npy"}) {
    fs::copy_file(to + half, folder / "one" + half);
    const host::Outcome refused = host::RunProgram("bin " + kPlain + " --import " + (folder / "one"));
    EXPECT_EQ(refused.code, 3) << half;
    EXPECT_NE(refused.err.find("0_4.indices.npy: "), std::string::npos) << refused.err;
    fs::remove(folder / "one" + half);
  }
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

// Returns the cells of a line of a Markdown table, without the spaces around them and without commas.
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

// Each row of the table in compressor/gap9/README.md is what the command beside it prints.
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
  // The printed table has both figures, and says where they differ.
  const std::string text = RunWell(rules + "--min-qsnr=22.5").out;
  for (const char* part : {"nntool's: original B", " 2560 ", " 528\n", " 432 ", "238472", "153069", "248504",
                           "152973", "250424", "added to a bias of zeros"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(RunWell(settings + "--min-qsnr=22.5").out.find("nntool"), std::string::npos);
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

// The folder of the sources is replaced, so no model is read from it.
TEST(Compress, EmbedsNoModelOfTheFolderThatItReplaces) {
  const host::ScratchFolder folder;
  const std::string to = folder / "firmware";
  RunWell("embed models/sine.tflite -o " + to);
  const host::Outcome refused = host::RunProgram("embed " + to + "/sine.tflite -o " + to + "/");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("sine.tflite: is read, and --output replaces its folder"), std::string::npos)
      << refused.err;
  EXPECT_TRUE(fs::exists(to + "/sine.tflite"));
  RunWell("embed models/sine.tflite -o " + to);
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
  // `verbs` has all that the list has. A description may continue in a second line, indented further.
  const std::string from_list = all.substr(all.find("Subcommands:"));
  const std::string list = from_list.substr(0, from_list.find("\n\n"));
  const std::regex listed("\n  [a-z]");
  EXPECT_EQ(std::distance(std::sregex_iterator(list.begin(), list.end(), listed), std::sregex_iterator()),
            static_cast<std::ptrdiff_t>(std::size(verbs)))
      << list;
}

// Parts that strip shared stay shared. Binning to 8 bits changes no value.
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
  const std::string no_goal = host::RunProgram("bin " + kPlain + to).err;
  EXPECT_EQ(no_goal.find("try --help"), no_goal.rfind("try --help")) << no_goal;
  EXPECT_EQ(host::ReadAll(kept), "kept");
  EXPECT_EQ(host::RunProgram("pack " + kClustered + " /no/such/folder/out.tflite").code, 3);
}

}  // namespace
}  // namespace lutra::compressor
