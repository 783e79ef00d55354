// SPDX-License-Identifier: Apache-2.0
// Tests compress auto as a script runs it: goals, searches, reports, lists of models.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "compressor/compress_program.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(Auto, ChoosesWidthsByWhatTheModelAnswers) {
  const host::ScratchFolder folder;
  const SmallClassifier network(folder / "");
  const std::string data = network.data, out = folder / "out.tflite";
  const std::string line = "auto " + network.model + " " + out + data + " --evaluations 60";
  const json result =
      RunJson(line + " --save " + (folder / "settings.json") + " --write-spec " + (folder / "spec.yaml"));
  EXPECT_TRUE(result["reaches_goal"]);
  EXPECT_EQ(result["lost"], 0);
  EXPECT_GE(result["value_after"], result["value_before"]);
  EXPECT_EQ(result["bytes_after"], fs::file_size(out));
  EXPECT_LT(static_cast<double>(fs::file_size(out)),
            0.85 * static_cast<double>(fs::file_size(network.model)));
  EXPECT_EQ(RunJson("evaluate " + out + data)["value"], result["value_after"]);
  // A row for each of 2 to 8 bits, one for the model as it is, and two of head.
  const std::string widths = RunWell("evaluate " + network.model + data + " --widths").out;
  EXPECT_EQ(std::count(widths.begin(), widths.end(), '\n'), 10) << widths;
  EXPECT_NE(widths.find("| none | " + std::to_string(fs::file_size(network.model)) + " | |"),
            std::string::npos)
      << widths;
  // The settings make the same model.
  RunWell("bin " + network.model + " " + (folder / "binned.tflite") + " --settings " +
          (folder / "settings.json"));
  RunWell("pack --strip " + (folder / "binned.tflite") + " " + (folder / "packed.tflite") + " --spec " +
          (folder / "spec.yaml"));
  EXPECT_TRUE(host::ReadAll(folder / "packed.tflite") == host::ReadAll(out));
  EXPECT_EQ(result["spec"], host::ReadAll(folder / "spec.yaml"));
  // Biases correct the means that binned weights change, and weights make up for errors of others, unless
  // options forbid it.
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
  // Other numbers of threads choose the same, and a search continues its own log.
  const std::string logged = line + " --jobs 3 --log " + (folder / "log.jsonl");
  EXPECT_EQ(RunJson(logged)["tensors"], result["tensors"]);
  EXPECT_LE(RunJson(logged)["bytes_after"], result["bytes_after"]);
  EXPECT_EQ(host::RunProgram(logged + " --max-loss 2").code, 3);
  // The best of the logged runs is not searched for again.
  const json again = RunJson("auto " + network.model + " " + out + data + " --evaluations 1 --log " +
                             (folder / "log.jsonl"));
  EXPECT_LE(again["bytes_after"], result["bytes_after"]);
  EXPECT_LT(again["evaluations"], 10);
  // A log that is an endless device is not read, and one that cannot be written ends the search.
  EXPECT_EQ(host::RunProgram(line + " --log /dev/full").code, 3);
  // A line of the log that names options which do not exist is ignored, too.
  std::ofstream(folder / "log.jsonl", std::ios::app)
      << R"({"chosen": [9999], "wrong": 0, "lost": 0, "whole": true, "shortfall": 0})"
      << "\n";
  RunWell("auto " + network.model + " " + out + data + " --evaluations 1 --log " + (folder / "log.jsonl"));
  EXPECT_EQ(host::RunProgram(line + " --reference " + network.model).code, 2) << "answers or labels";
  std::ofstream(folder / "other.jsonl") << R"({"search": 1})";
  EXPECT_EQ(host::RunProgram(line + " --log " + (folder / "other.jsonl")).code, 3);
  // Nothing is appended to a file that is no log.
  for (const std::string mine : {"mine\n", "\n", "{\"a\": 1}\n"}) {
    std::ofstream(folder / "notes.txt") << mine;
    const host::Outcome refused = host::RunProgram(line + " --log " + (folder / "notes.txt"));
    EXPECT_EQ(refused.code, 3) << mine;
    EXPECT_NE(refused.err.find("found a file that is no log"), std::string::npos) << refused.err;
    EXPECT_EQ(host::ReadAll(folder / "notes.txt"), mine);
  }
}

// A tensor's figures are those of the model in which that tensor alone is binned.
TEST(Auto, TellsWhatEachTensorAloneDoes) {
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
  // The log has the measured sensitivities, too.
  const std::string logged = line + " --log " + (folder / "log.jsonl");
  RunWell(logged);
  const std::string first = host::ReadAll(file);
  RunWell(logged);
  EXPECT_EQ(host::ReadAll(file), first);
}

// Pruned weights cost a bit each if they are zero: large filters have such an option.
TEST(Auto, TriesPrunedWeights) {
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

// Moves end after some hundred evaluations; a restart from elsewhere may find a better choice, never a worse.
TEST(Auto, SearchesUntilNoEvaluationsAreLeft) {
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

// auto searches in the trimmed file; sizes are compared with those of the given file.
TEST(Auto, TrimsBeforeItSearches) {
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

// Widths and codecs are for the stripped file, names are those of the given model.
TEST(Auto, StripsBeforeItChooses) {
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
  // Its report says what was removed; --no-strip and --keep-names keep it.
  EXPECT_NE(searched.find("stripped: "), std::string::npos) << searched;
  EXPECT_TRUE(std::any_of(result["stripped"].begin(), result["stripped"].end(), [](const json& gone) {
    return gone.get<std::string>().find("scales of biases") != std::string::npos;
  })) << result["stripped"];
  // Stripping again removes nothing, and stripping names first gains nothing.
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
  // A bias that makes up for other errors was moved: its distance from the original is no measure of quality.
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

// Tests goals of regressions, and of models without labels.
TEST(Auto, TakesGoalsOfEveryMetric) {
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
  // Without labels, the difference from the model's own outputs is the metric.
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
  // The error says that the metric has no such goal.
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

TEST(Auto, KeepsTheAreaOfAnAutoEncoder) {
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
  // The changes are paired by sample, so they are known far better than either value.
  const auto width = [](const json& interval) {
    return interval["high"].get<double>() - interval["low"].get<double>();
  };
  EXPECT_LT(width(kept["confidence_interval_of_change"]), 0.6 * width(kept["confidence_interval_after"]));
  EXPECT_LE(bytes["bytes_after"], 90000);
  EXPECT_EQ(host::RunProgram("evaluate " + Validated("ad") + " --min-auc 0.9").code, 0);
  EXPECT_EQ(host::RunProgram("evaluate " + Validated("ad") + " --min-auc 0.99").code, 1);
}

TEST(Auto, ReportsOnSamplesThatItWasNotFittedOn) {
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
  // If --spare is absent, it is 0.4.
  EXPECT_EQ(RunJson(line)["tensors"], RunJson(line + " --spare 0.4")["tensors"]);
  EXPECT_NE(RunJson(line)["tensors"], result["tensors"]);
  // Another split has other samples, as many of each class.
  const json split = RunJson(line + " --spare 0 --split 1");
  EXPECT_NEAR(split["count"], kHalf, 6);
  EXPECT_NE(split["value_before"].get<double>() * 1000 + split["held_out"]["value_before"].get<double>(),
            result["value_before"].get<double>() * 1000 + result["held_out"]["value_before"].get<double>());
  EXPECT_EQ(host::RunProgram("auto " + small.model + " " + out + small.data + " --split 1").code, 2)
      << "--hold-out";
  // A uniform search, for comparison, gives all tensors the same bits.
  const json uniform = RunJson(line + " --search uniform");
  EXPECT_EQ(uniform["lost"], 0);
  std::vector<int> bits;
  for (const auto& tensor : uniform["settings"]["tensors"]) bits.push_back(tensor["bits"]);
  ASSERT_FALSE(bits.empty());
  EXPECT_EQ(std::count(bits.begin(), bits.end(), bits[0]), static_cast<std::ptrdiff_t>(bits.size()));
  EXPECT_LE(result["bytes_after"], uniform["bytes_after"]);
}

// An accuracy on few samples is uncertain: evaluate and auto report its interval, and warn.
TEST(Auto, SaysHowSureAnAccuracyIs) {
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

// By default a codec must save enough for its time, which a table estimates, so that every run chooses the
// same.
TEST(Auto, LeavesCodecsThatAreNotWorthTheirTime) {
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
  // The network has many weights for its few sums: decoding Huffman's codes takes several times as long as
  // the sums.
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

// The target lutra reads all that TFLM reads, too.
TEST(Auto, ForLutraIsNeverLargerThanForTflm) {
  const host::ScratchFolder folder;
  const SmallClassifier network(folder / "");
  for (const std::string& options : std::vector<std::string>{"", " --any-codec"}) {
    const std::string line = "auto " + network.model + " " + (folder / "out.tflite") + network.data +
                             " --evaluations 30" + options;
    EXPECT_LE(RunJson(line + " --target lutra")["bytes_after"], RunJson(line)["bytes_after"]) << options;
  }
}

TEST(Auto, KeepsToATimeOfDecoding) {
  const host::ScratchFolder folder;
  const SmallClassifier small(folder / "");
  const std::string line = "auto " + small.model + " " + (folder / "out.tflite") + small.data +
                           " --evaluations 10 --max-loss 100 --max-decode-us ";
  const json none = RunJson(line + "0");
  EXPECT_EQ(none["decode_us"], 0);
  for (const json& tensor : none["tensors"]) EXPECT_EQ(tensor["codec"], "plain") << tensor["name"];
  // Each run measures times anew, so two runs are not compared; evaluate_test.cc sets the clock itself.
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

TEST(Auto, CountsWhatTheEngineOfGap9Reads) {
  const host::ScratchFolder folder;
  const SmallClassifier network(folder / "");
  const std::string data = network.data, out = folder / "out.tflite";
  const std::string line = "auto " + network.model + " " + out + data +
                           " --sizes gap9 --evaluations 10 --sensitivity-samples 8 --max-loss 10";
  const json result = RunJson(line + " --target lutra");
  EXPECT_TRUE(result["reaches_goal"]);
  // Streams and tables are counted; a sparse table leaves out its special value, of up to 4 bytes.
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
  // Without --reference the model's own answers are the reference.
  const std::string unlabelled = data.substr(0, data.find(" --labels"));
  const json own = RunJson("auto " + network.model + " " + out + unlabelled + " --evaluations 5 --nearest");
  const json reference = RunJson("auto " + network.model + " " + out + unlabelled +
                                 " --evaluations 5 --nearest --reference " + network.model);
  EXPECT_EQ(own["value_before"], 1);
  EXPECT_EQ(reference["tensors"], own["tensors"]);
}

TEST(Auto, WritesNothingWhereTheGoalCannotBeReached) {
  const host::ScratchFolder folder;
  const SmallClassifier network(folder / "");
  const std::string data = network.data, out = folder / "out.tflite";
  const auto code = [&](const std::string& goal) {
    return host::RunProgram("auto " + network.model + " " + out + data + " --evaluations 5 " + goal).code;
  };
  EXPECT_EQ(code("--max-bytes 2500"), 1);
  EXPECT_EQ(code("--min-accuracy 1"), 1) << "the model is wrong about some of them";
  EXPECT_FALSE(fs::exists(out));
  const int64_t most = static_cast<int64_t>(fs::file_size(network.model)) * 5 / 6;
  EXPECT_EQ(code("--max-bytes " + std::to_string(most)), 0);
  EXPECT_LE(static_cast<int64_t>(fs::file_size(out)), most);
  EXPECT_EQ(code("--max-bytes 1 --keep-labels"), 2);
  EXPECT_EQ(code("--search nntool --max-loss 1"), 2);
}

// The model as it is may be the best that the bytes allow: its run does not end at its wrong answers.
TEST(Auto, RunsTheModelAsItIsToItsEndWhereBytesAreTheGoal) {
  const host::ScratchFolder folder;
  const SmallClassifier network(folder / "");
  const std::string log = folder / "log.jsonl";
  RunJson("auto " + network.model + " " + (folder / "out.tflite") + network.data +
          " --evaluations 5 --max-bytes 1000000 --log " + log);
  std::ifstream lines(log);
  bool is_found = false;
  for (std::string line; std::getline(lines, line);) {
    const json run = json::parse(line);
    if (!run.contains("whole") || run["values"] != json(std::vector<int>(run["values"].size()))) continue;
    is_found = true;
    EXPECT_EQ(run["whole"], true) << line;
    EXPECT_GT(run["wrong"], 0) << line;
  }
  EXPECT_TRUE(is_found);
}

// Each line runs as if it were alone, with the options beside --list before its own; after a refused model
// the others still run.
TEST(Auto, TakesAListOfModels) {
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

  // Shards have about equal work: kws alone is one.
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

  // Before any search, refuses lines that auto would not take, and two models for one file.
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
  // No output is another's, however it is written, and none is an input of any line, or the list.
  const std::string same = folder / "sub/../new", out = sine + " " + (folder / "b") + sine_data;
  fs::create_directory(folder / "sub");
  refused(good + sine + " " + same + sine_data + "\n", 2,
          list + ":2: OUT: found " + same + ", required: another file than OUT of " + list + ":1");
  refused(good + out + " --report " + same + "\n", 2, list + ":2: --report: found " + same);
  for (const char* option : {"--report", "--save", "--write-spec", "--sensitivity"}) {
    const std::string report = std::string(" ") + option + " " + (folder / "r");
    refused(good.substr(0, good.size() - 1) + report + "\n" + out + report + "\n", 2,
            list + ":2: " + option + ": found " + (folder / "r"));
  }
  fs::copy_file(sine, folder / "new.tflite");
  const std::string source = folder / "new.tflite";
  refused(sine + " " + source + sine_data + "\n" + source + " " + (folder / "b") + sine_data + "\n", 2,
          list + ":1: OUT: found " + source + ", required: another file than IN of " + list + ":2");
  refused(good + sine + " " + (folder / "b") + " --data " + (folder / "new") + "\n", 2,
          "required: another file than --data of " + list + ":2");
  refused(good + sine + " " + list + sine_data + "\n", 2,
          list + ":2: OUT: found " + list + ", required: another file than the list");
  EXPECT_TRUE(host::ReadAll(source) == host::ReadAll(sine));
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

// With a goal of bytes, auto keeps as many right answers as they allow: more with more runs, the same with
// other threads, and no fewer when it continues a log.
TEST(Auto, SpendsBytesOnAnswers) {
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
  // The bytes are those of the written file, also if it is stripped.
  const json stripped = RunJson("auto models/kws.tflite " + (folder / "out.tflite") +
                                " --data models/kws.validation.inputs.npy --first 40 --spare 0 --max-bytes "
                                "15500 --evaluations 1");
  EXPECT_TRUE(stripped["reaches_goal"]);
  EXPECT_LE(stripped["bytes_after"], 15500);
  EXPECT_GE(stripped["bytes_after"], 14500);
}

}  // namespace
}  // namespace lutra::compressor
