// SPDX-License-Identifier: Apache-2.0
// Runs make_report as a script does, on results that the programs write now.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <tuple>

#include "host/testing/program.h"
#include "reports/read_results.h"
#include "reports/schema.h"

namespace lutra::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Changes the verdict of one case, and the counts that depend on it.
void SetVerdict(Json* file, size_t index, const std::string& verdict) {
  Json& conformance = (*file)["conformance"];
  Json& old = conformance["cases"][index]["verdict"];
  Json& summary = conformance["summary"];
  summary[old.get<std::string>()] = summary[old.get<std::string>()].get<int>() - 1;
  summary[verdict] = summary[verdict].get<int>() + 1;
  old = verdict;
}

class MakeReport : public testing::Test {
 protected:
  // Makes results of uncompressed and compressed models, a refused one, a run of passing cases and one with
  // failures. It runs once, but not in SetUpTestSuite, whose failure would skip the tests.
  void SetUp() override {
    if (folder_ != nullptr) return;
    folder_ = new host::ScratchFolder;
    fs::create_directories(*folder_ / "results");
    const std::string packed = *folder_ / "kws_clustered.packed.tflite";
    ASSERT_EQ(host::RunProgram("pack models/kws_clustered.tflite " + packed, LUTRA_COMPRESS).code, 0);
    const host::Outcome models = host::RunProgram("models/sine.tflite models/kws_clustered.tflite " + packed +
                                                      " models/README.md --runs 3 --format json",
                                                  LUTRA_BENCHMARK);
    ASSERT_EQ(models.code, 3) << models.err;
    WriteText(File("models.json"), models.out);
    const std::string run = "run --smoke --jobs 2 --reproducers '' --results ";
    ASSERT_EQ(host::RunProgram(run + File("passing.json"), LUTRA_CONFORMANCE).code, 0);
    ASSERT_EQ(
        host::RunProgram(run + File("failing.json") +
                             " --runner \"'" LUTRA_MOCK_ADAPTER "' --fault wrong-zero-point --every 7\"",
                         LUTRA_CONFORMANCE)
            .code,
        1);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string File(const std::string& name) { return *folder_ / ("results/" + name); }
  static std::string Scratch(const std::string& name) { return *folder_ / name; }
  static Json Read(const std::string& name) { return Json::parse(host::ReadAll(File(name))); }

  // Returns the page of all the results.
  static std::string Page() {
    const host::Outcome outcome = host::RunProgram(*folder_ / "results -o " + Scratch("report.html"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return host::ReadAll(Scratch("report.html"));
  }

  static host::ScratchFolder* folder_;
};
host::ScratchFolder* MakeReport::folder_ = nullptr;

// Returns the page as chromium has it after its scripts have run, in a window of that width.
std::string Dom(const std::string& page, const std::string& profile, int width) {
  const host::Outcome outcome = host::RunProgram(
      "--headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=" + std::to_string(width) +
          ",900 --user-data-dir=" + profile +
          " --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 --dump-dom file://" + page,
      "chromium");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "How to read this page")) << outcome.err;
  return outcome.out;
}

// Expects every figure of the results that the page should show.
void ExpectFigures(const std::string& page, const Json& models, const Json& failing) {
  const auto exact = [&](const Json& value, const char* what) {
    if (value.is_null()) return;
    EXPECT_TRUE(Contains(page, "data-exact=\"" + value.dump() + "\"")) << what << " " << value;
  };
  for (const Json& result : models["results"]) {
    if (result["status"] != "ok") {
      EXPECT_TRUE(Contains(page, result["error"].get<std::string>()));
      continue;
    }
    exact(result["model"]["bytes"], "bytes");
    exact(result["inference"]["median_ns"], "median");
    for (const char* key : {"used_bytes", "activation_bytes", "persistent_bytes", "smallest_working_bytes"}) {
      exact(result["arena"][key], key);
    }
    EXPECT_TRUE(Contains(page, result["outputs"][0]["crc32"].get<std::string>()));
    if (!result["decompression"].is_null()) exact(result["decompression"]["total_ns"], "decompression");
  }
  const Json& run = failing["conformance"];
  EXPECT_TRUE(Contains(page, run["summary"]["pass"].dump() + " of " + run["summary"]["cases"].dump() +
                                 " pass, " + run["summary"]["fail"].dump() + " fail"));
  for (const Json& c : run["cases"]) {
    if (c["verdict"] == "fail") {
      EXPECT_TRUE(Contains(page, c["id"].get<std::string>() + ": fail"));
    }
  }
}

TEST_F(MakeReport, HoldsTheFiguresOfTheResults) {
  const std::string page = Page();
  ExpectFigures(page, Read("models.json"), Read("failing.json"));
  // The section on compression finds the uncompressed model, and shows the time.
  const size_t compression = page.find("<section id=\"compression\">");
  ASSERT_NE(compression, std::string::npos);
  const std::string section = page.substr(compression, page.find("</section>", compression) - compression);
  EXPECT_TRUE(Contains(section, "kws_<wbr>clustered.<wbr>packed"));
  EXPECT_TRUE(Contains(section, "data-exact=\"46016\"")) << section;
  EXPECT_TRUE(Contains(page, "How to read this page"));
  EXPECT_TRUE(Contains(page, "--profile tflm --smoke"));
}

TEST_F(MakeReport, RefersToNothingOutsideThePage) {
  const std::string page = Page();
  const std::regex reference(
      "(src|href|action|data)\\s*=\\s*[\"']?\\s*(https?:|//|file:)|url\\(|@import|<link[^>]*stylesheet");
  // The library's own text is one long line, and is searched, too.
  EXPECT_FALSE(Contains(page, "src=\"")) << "no element loads anything";
  // The policy keeps anything that a result file smuggled into the page from loading.
  EXPECT_TRUE(std::regex_search(
      page.substr(0, 2000),
      std::regex(
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
          "'sha256-[A-Za-z0-9+/]{43}=' 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-[A-Za-z0-9+/]{43}='; "
          "img-src data:; base-uri 'none'; form-action 'none'\">")))
      << page.substr(0, 1000);
  size_t begin = 0;
  while (begin < page.size()) {
    const size_t end = std::min(page.find('\n', begin), page.size());
    for (size_t at = begin; at < end; at += 4000) {
      const std::string part = page.substr(at, std::min<size_t>(4100, end - at));
      EXPECT_FALSE(std::regex_search(part, reference)) << part.substr(0, 200);
    }
    begin = end + 1;
  }
}

TEST_F(MakeReport, TheBrowserShowsTheSame) {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed";
  Page();
  const std::string dom = Dom(Scratch("report.html"), Scratch("browser"), 1400);
  ExpectFigures(dom, Read("models.json"), Read("failing.json"));
  EXPECT_TRUE(Contains(dom, "<html lang=\"en\" class=\"script\"")) << "the script runs";
  // The policy does not allow a script that is not the page's.
  std::string smuggled = host::ReadAll(Scratch("report.html"));
  smuggled.insert(smuggled.find("</body>"), "<script>document.title = 'smuggled';</script>");
  WriteText(Scratch("smuggled.html"), smuggled);
  EXPECT_FALSE(Contains(Dom(Scratch("smuggled.html"), Scratch("browser"), 1400), "<title>smuggled</title>"));
  const std::string narrow = Dom(Scratch("report.html"), Scratch("browser"), 400);
  EXPECT_TRUE(Contains(narrow, "<p class=\"hint shown\">")) << "a table that is wider than the page";
  // Only elements that scroll by themselves are wider than a phone.
  for (const std::string theme : {"", "#dark", "#light"}) {
    const std::string phone = Dom(Scratch("report.html") + theme, Scratch("browser"), 360);
    std::smatch widths;
    ASSERT_TRUE(std::regex_search(phone, widths, std::regex("data-widths=\"([0-9]+) of ([0-9]+)\"")));
    EXPECT_LE(std::stoi(widths[1]), std::stoi(widths[2])) << theme;
    EXPECT_LE(std::stoi(widths[2]), 500) << "the window is narrow";
  }
  if (!Contains(dom, "<canvas")) return;
  // Chart.js gives a canvas a size when it has drawn it.
  const std::string canvas = dom.substr(dom.find("<canvas"), 300);
  EXPECT_TRUE(std::regex_search(canvas, std::regex("style=\"[^\"]*display: block"))) << canvas;
  for (const std::string& page : {dom, narrow}) {
    EXPECT_TRUE(std::regex_search(
        page, std::regex("Time of an inference; axis: ms, logarithmic: [0-9.,]+ [0-9.,]+[0-9., ]*\"")))
        << "the axis of times has a unit and values";
  }
}

TEST_F(MakeReport, FoldsTheOperatorsThatPass) {
  const host::Outcome passing = host::RunProgram(File("passing.json") + " --format md");
  const std::string all = "### All ";
  const size_t place = passing.out.find(all);
  ASSERT_NE(place, std::string::npos) << passing.out;
  const int operators = std::stoi(passing.out.substr(place + all.size()));
  EXPECT_GT(operators, 60);
  EXPECT_TRUE(Contains(passing.out, " operators: every case passes everywhere"));
  // One case fails.
  Json failing = Read("passing.json");
  SetVerdict(&failing, 0, "fail");
  WriteText(Scratch("one.json"), failing.dump());
  const std::string page = host::RunProgram(Scratch("one.json")).out;
  const size_t at = page.find("<details class=\"folded\"><summary>" + std::to_string(operators - 1) +
                              " operators more: every case passes everywhere</summary>");
  ASSERT_NE(at, std::string::npos);
  const auto rows = [](const std::string& text) {
    int count = 0;
    for (size_t row = 0; (row = text.find("scope=\"row\"", row)) != std::string::npos; ++row) ++count;
    return count;
  };
  const size_t section = page.find("<section id=\"conformance\">");
  EXPECT_EQ(rows(page.substr(section, at - section)), 1);
  EXPECT_EQ(rows(page.substr(at, page.find("</table>", at) - at)), operators - 1);
}

// Table and chart have a row for each platform, kernels, memory policy and decompression, with its own
// figures.
TEST_F(MakeReport, HasARowForEachSetting) {
  std::string files;
  for (const auto& [name, memory, policy, time_ns] :
       {std::tuple("fast", "fast", "per-use", 14921), std::tuple("small", "small", "per-use", 284801),
        std::tuple("streamed", "fast", "streamed", 33331)}) {
    Json file = Read("models.json");
    for (Json& result : file["results"]) {
      if (result["status"] != "ok") continue;
      result["memory"] = memory;
      result["inference"]["median_ns"] = time_ns;
      if (!result["decompression"].is_null()) result["decompression"]["policy"] = policy;
    }
    // A plain model is measured once for each memory policy.
    if (std::string(policy) == "streamed") file["results"] = Json::array({file["results"][2]});
    WriteText(Scratch(std::string(name) + ".json"), file.dump());
    files += Scratch(std::string(name) + ".json") + " ";
  }
  const host::Outcome outcome = host::RunProgram(files + "--format md");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string table = outcome.out.substr(outcome.out.find("### One inference"), 1200);
  for (const char* row :
       {"| x86\\_64, fast | 14.92 µs | - | 14.92 µs |", "| x86\\_64, small arena | 284.8 µs | - | 284.8 µs |",
        "x86\\_64, fast, decoded per-use |", "x86\\_64, fast, decoded streamed |"}) {
    EXPECT_TRUE(Contains(table, row)) << row << "\n" << table;
  }
  const std::string page = host::RunProgram(files).out;
  EXPECT_TRUE(Contains(page, "data-exact=\"14921\"") && Contains(page, "data-exact=\"284801\""));
  const size_t at = page.find("id=\"chart-data\">");
  const Json charts = Json::parse(page.substr(at + 16, page.find("</script>", at) - at - 16));
  if (charts.empty()) GTEST_SKIP() << "built without chart.js";
  std::set<std::string> series;
  for (const Json& chart : charts) {
    if (chart["title"] != "Time of an inference") continue;
    for (const Json& s : chart["series"]) series.insert(s["name"].get<std::string>());
  }
  EXPECT_TRUE(series.contains("x86_64, small arena") && series.contains("x86_64, fast"));
}

// A report on results without tests does not mention tests.
TEST_F(MakeReport, ClaimsNoTestsThatItWasNotTold) {
  const host::Outcome outcome = host::RunProgram(File("passing.json") + " --format md");
  EXPECT_TRUE(Contains(outcome.out, "| cases pass, tests not told | not told |"))
      << outcome.out.substr(0, 1500);
}

TEST_F(MakeReport, WritesMarkdownAndJunit) {
  const host::Outcome markdown = host::RunProgram(*folder_ / "results --format md");
  EXPECT_EQ(markdown.code, 0) << markdown.err;
  EXPECT_TRUE(Contains(markdown.out, "\n## Conformance\n"));
  EXPECT_TRUE(Contains(markdown.out, "| 46,016 |"));
  const host::Outcome junit = host::RunProgram(*folder_ / "results --format junit");
  EXPECT_EQ(junit.code, 0) << junit.err;
  int cases = 0, failures = 0;
  for (size_t at = 0; (at = junit.out.find("<testcase ", at)) != std::string::npos; ++at) ++cases;
  for (size_t at = 0; (at = junit.out.find("<failure ", at)) != std::string::npos; ++at) ++failures;
  const Json summary = Read("failing.json")["conformance"]["summary"];
  EXPECT_EQ(cases, 4 + 2 * summary["cases"].get<int>());
  EXPECT_EQ(failures, summary["fail"].get<int>());
}

TEST_F(MakeReport, ResultsAreAsTheSchemaSays) {
  const Json schema = Json::parse(ResultSchemaText());
  for (const char* name : {"models.json", "passing.json", "failing.json"}) {
    for (const std::string& error : SchemaErrors(schema, Read(name), UnknownKeys::kReported)) {
      ADD_FAILURE() << name << ": " << error;
    }
  }
  // The validator ignores keywords that it does not know, so their rules would never be checked.
  const std::set<std::string> known = {"$schema",    "title", "description", "$ref",    "$defs",
                                       "type",       "const", "enum",        "minimum", "required",
                                       "properties", "items", "anyOf",       "if",      "then"};
  const std::function<void(const Json&)> check = [&](const Json& part) {
    for (const auto& [key, value] : part.items()) {
      EXPECT_TRUE(known.contains(key)) << key;
      if (key == "properties" || key == "$defs") {
        for (const auto& [name, member] : value.items()) check(member);
      } else if (key == "items" || key == "if" || key == "then") {
        check(value);
      } else if (key == "anyOf") {
        for (const Json& member : value) check(member);
      }
    }
  };
  check(schema);
}

TEST_F(MakeReport, ComparesAndFindsWhatIsLost) {
  const std::string passing = File("passing.json"), models = File("models.json");
  EXPECT_EQ(host::RunProgram("--compare " + passing + " " + passing).code, 0);

  Json lost = Read("passing.json");
  SetVerdict(&lost, lost["conformance"]["cases"].size() - 1, "fail");
  lost["conformance"]["cases"].back()["why"] = "seeded";
  WriteText(Scratch("lost.json"), lost.dump());
  host::Outcome outcome = host::RunProgram("--compare " + passing + " " + Scratch("lost.json"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Contains(outcome.out, "1 lost, 0 worse"));
  EXPECT_TRUE(Contains(outcome.out, "fail: seeded"));
  outcome = host::RunProgram("--compare " + Scratch("lost.json") + " " + passing);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome.out, "0 lost, 0 worse, 1 better"));

  Json gone = Read("passing.json");
  gone["conformance"]["cases"].erase(0);
  const size_t left = gone["conformance"]["cases"].size();
  gone["conformance"]["summary"]["cases"] = left;
  gone["conformance"]["summary"]["pass"] = left;
  WriteText(Scratch("gone.json"), gone.dump());
  EXPECT_EQ(host::RunProgram("--compare " + passing + " " + Scratch("gone.json")).code, 3)
      << "not those asked for";
  gone["conformance"]["selection"]["cases"] = left;
  gone["conformance"]["selection"]["all_cases"] = left;
  WriteText(Scratch("gone.json"), gone.dump());
  EXPECT_EQ(host::RunProgram("--compare " + passing + " " + Scratch("gone.json")).code, 1);
  EXPECT_EQ(host::RunProgram("--compare " + passing + " " + models).code, 1) << "no cases at all";

  // The times are steady, though the machine may have been busy.
  Json steady = Read("models.json");
  Json& times = steady["results"][1]["inference"];
  times["mad_ns"] = 1;
  times["min_ns"] = times["median_ns"];
  WriteText(Scratch("steady.json"), steady.dump());
  Json larger = steady;
  larger["results"][0]["arena"]["used_bytes"] = 100000;
  for (const char* const time : {"min_ns", "median_ns"}) {
    larger["results"][1]["inference"][time] = times[time].get<int64_t>() * 3;
  }
  WriteText(Scratch("larger.json"), larger.dump());
  outcome = host::RunProgram("--compare " + Scratch("steady.json") + " " + Scratch("larger.json"));
  EXPECT_EQ(outcome.code, 0) << "worse is not lost";
  EXPECT_TRUE(Contains(outcome.out, "0 lost, 2 worse")) << outcome.out;

  Json changed = Read("models.json");
  changed["results"][1]["outputs"][0]["crc32"] = "00000000";
  WriteText(Scratch("changed.json"), changed.dump());
  EXPECT_EQ(host::RunProgram("--compare " + models + " " + Scratch("changed.json")).code, 1);
  outcome = host::RunProgram(models + " " + Scratch("changed.json") + " --format md");
  EXPECT_EQ(outcome.code, 3) << "which of them counts?";
  EXPECT_TRUE(Contains(outcome.err, " in both, required: once")) << outcome.err;
}

// Everything that was there and is not now is lost, and nothing else is.
TEST_F(MakeReport, WhatIsGoneIsLost) {
  Json other = Read("models.json");
  other["context"]["platform"] = "other";
  other["tests"] = {
      {"run", 500}, {"passed", 500}, {"failed", 0}, {"skipped", 0}, {"why_skipped", Json::array()}};
  other["kernels"] = {
      {{"table", "lookup"}, {"variant", "ref"}, {"instructions", 5}, {"loads", 1}, {"stores", 1}}};
  other["results"][0]["evaluation"] = {{"metric", "auc"}, {"value", 0.5}, {"count", 7}};
  const std::string before = Scratch("before"), after = Scratch("after");
  fs::create_directories(before);
  WriteText(before + "/models.json", Read("models.json").dump());
  WriteText(before + "/other.json", other.dump());
  // `change` edits the second file; null: that file is missing.
  const auto compare = [&](const std::function<void(Json*)>& change) {
    fs::remove_all(after);
    fs::copy(before, after);
    Json changed = other;
    if (change) {
      change(&changed);
      WriteText(after + "/other.json", changed.dump());
    } else {
      fs::remove(after + "/other.json");
    }
    return host::RunProgram("--compare " + before + " " + after);
  };
  const host::Outcome same = compare([](Json*) {});
  EXPECT_EQ(same.code, 0) << same.out;
  EXPECT_TRUE(Contains(same.out, "0 lost, 0 worse, 0 better, 0 otherwise changed"));
  const struct {
    const char* says;
    std::function<void(Json*)> change;
  } kLosses[] = {
      {"| other | platform | has results | **has none** |", nullptr},
      {"other, sine, best | model | ran | **not run** |", [](Json* file) { (*file)["results"].erase(0); }},
      {"500 of 500 pass, 0 skipped | **3 of 3 pass, 497 skipped**",
       [](Json* file) {
         (*file)["tests"] = {{"run", 3}, {"passed", 3}, {"failed", 0}, {"skipped", 497}};
       }},
      {"500 of 500 pass, 0 skipped | **not told**", [](Json* file) { file->erase("tests"); }},
      {"499 of 500 pass",
       [](Json* file) { (*file)["tests"]["passed"] = 499, (*file)["tests"]["failed"] = 1; }},
      {"kernel lookup ref | kernel | counted | **not counted**", [](Json* file) { file->erase("kernels"); }},
      {"sine, best | evaluation | auc | **not evaluated**",
       [](Json* file) { (*file)["results"][0]["evaluation"] = nullptr; }},
      {"sine, best | outputs", [](Json* file) { (*file)["results"][0]["outputs"][0]["crc32"] = "00000000"; }},
      {"sine, best | outputs",  // Of another file of the model.
       [](Json* file) {
         (*file)["results"][0]["outputs"][0]["crc32"] = "00000000";
         (*file)["results"][0]["model"]["sha256"] = std::string(64, 'a');
       }},
  };
  for (const auto& [says, change] : kLosses) {
    const host::Outcome outcome = compare(change);
    EXPECT_EQ(outcome.code, 1) << says << outcome.err;
    EXPECT_TRUE(Contains(outcome.out, says)) << says << "\n" << outcome.out;
  }
  // Other inputs give other outputs.
  const host::Outcome inputs = compare([](Json* file) {
    (*file)["results"][0]["inputs"][0]["crc32"] = (*file)["results"][0]["outputs"][0]["crc32"] = "00000000";
  });
  EXPECT_EQ(inputs.code, 0);
  EXPECT_TRUE(Contains(inputs.out, "inputs (CRC-32)")) << inputs.out;
}

TEST_F(MakeReport, LosesReportsOfCompress) {
  const std::string before = Scratch("packed_before"), after = Scratch("packed_after");
  for (const std::string& folder : {before, after}) fs::create_directories(folder);
  WriteText(before + "/models.json", Read("models.json").dump());
  fs::copy(before, after);
  ASSERT_EQ(host::RunProgram("pack models/kws_clustered.tflite " + Scratch("x.tflite") + " --report " +
                                 before + "/pack.json",
                             LUTRA_COMPRESS)
                .code,
            0);
  const host::Outcome outcome = host::RunProgram("--compare " + before + " " + after);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "kws\\_clustered.tflite | compression | reported | **not reported**"))
      << outcome.out;
}

TEST_F(MakeReport, InstructionsWithoutAClock) {
  Json counted = Read("models.json");
  counted["context"]["platform"] = "cortex-m4";
  counted["context"]["clock"] = nullptr;
  for (Json& result : counted["results"]) {
    if (result["status"] != "ok") continue;
    for (const char* key : {"min_ns", "median_ns", "mad_ns", "p95_ns"}) result["inference"][key] = nullptr;
    for (Json& op : result["operators"]) {
      op["median_ns"] = nullptr;
      op["instructions"] = 1234;
    }
    result["inference"]["instructions"] = 7654321;
    result["flash"] = {
        {"text_bytes", 31001}, {"rodata_bytes", 2002}, {"data_bytes", 13}, {"bss_bytes", 4004}};
    result["stack"] = {{"given_bytes", 16384}, {"used_bytes", 1717}};
  }
  WriteText(Scratch("counted.json"), counted.dump());
  const host::Outcome outcome = host::RunProgram(Scratch("counted.json") + " --format md");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text : {"7,654,321", "1,234", "31,001", "1,717"}) {
    EXPECT_TRUE(Contains(outcome.out, text)) << text;
  }
}

TEST_F(MakeReport, RefusesWhatItDoesNotKnow) {
  Json models = Read("models.json");
  const auto refused = [&](const Json& json, const std::string& what) {
    WriteText(Scratch("bad.json"), json.dump());
    const host::Outcome outcome = host::RunProgram(Scratch("bad.json"));
    EXPECT_EQ(outcome.code, 3) << what;
    EXPECT_TRUE(outcome.err.starts_with(Scratch("bad.json") + ": ") && Contains(outcome.err, what))
        << outcome.err;
  };
  Json bad = models;
  bad.erase("schema_version");
  refused(bad, "schema-version: found none, required: 1");
  bad["schema_version"] = 2;
  refused(bad, "schema-version: found 2, required: 1");
  bad = models;
  bad["results"][0]["model"]["bytes"] = "many";
  refused(bad, "/results/0/model/bytes: found \"many\", required: \"integer\"");
  bad = models;
  bad.erase("results");
  refused(bad, "required");
  refused("text", "schema-version");
  WriteText(Scratch("bad.json"), "{\"schema_version\": 1,");
  EXPECT_EQ(host::RunProgram(Scratch("bad.json")).code, 3);
  EXPECT_EQ(host::RunProgram(Scratch("absent.json")).code, 3);
  EXPECT_EQ(host::RunProgram("").code, 2);
  EXPECT_EQ(host::RunProgram("--format pdf " + File("models.json")).code, 2);
  EXPECT_EQ(host::RunProgram("--compare " + File("models.json")).code, 2);
  EXPECT_EQ(host::RunProgram("--help").code, 0);
  // A newer program may write more keys.
  models["context"]["temperature"] = 30;
  WriteText(Scratch("more.json"), models.dump());
  EXPECT_EQ(host::RunProgram(Scratch("more.json") + " -o " + Scratch("more.html")).code, 0);
}

// A glob may match files that are no results: they are named, the others are reported, and the exit code
// differs.
TEST_F(MakeReport, GoesOnBehindAFileOfOthers) {
  WriteText(Scratch("foreign.json"), "{\"name\": \"package\"}");
  host::Outcome outcome =
      host::RunProgram(Scratch("foreign.json") + " " + File("models.json") + " -o " + Scratch("rest.html"));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(outcome.err.starts_with(Scratch("foreign.json") + ": schema-version: found none"))
      << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "1 result file; 1 file left out")) << outcome.out;
  EXPECT_TRUE(Contains(host::ReadAll(Scratch("rest.html")), "1 file left out"));
  fs::create_directories(Scratch("mixed"));
  for (const char* name : {"/a.json", "/b.json"}) {
    fs::copy_file(std::string(name) == "/a.json" ? Scratch("foreign.json") : File("models.json"),
                  Scratch("mixed") + name, fs::copy_options::overwrite_existing);
  }
  outcome = host::RunProgram("--compare " + File("models.json") + " " + Scratch("mixed"));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.out, "0 lost, 0 worse, 0 better, 0 otherwise changed; 1 file left out"))
      << outcome.out;
}

TEST_F(MakeReport, TextOfResultsIsNotMarkup) {
  Json failing = Read("failing.json");
  failing["conformance"]["backend"] = "<script>x</script> \"1\"";
  SetVerdict(&failing, 0, "crash");
  failing["conformance"]["cases"][0]["why"] = "</script><img src=http://a/> {{body}}";
  WriteText(Scratch("markup.json"), failing.dump());
  const host::Outcome outcome = host::RunProgram(Scratch("markup.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(Contains(outcome.out, "<script>x"));
  EXPECT_FALSE(Contains(outcome.out, "<img"));
  EXPECT_TRUE(Contains(outcome.out, "&lt;img src=http://a/&gt; {{body}}"));
}

// The data of charts are inside a script element, which names must not end.
TEST_F(MakeReport, NamesDoNotEndTheDataOfCharts) {
  Json models = Read("models.json");
  models["context"]["platform"] = "x<!--<script>";
  models["results"][0]["model"]["path"] = "a<!--<script>.tflite";
  WriteText(Scratch("hostile.json"), models.dump());
  const host::Outcome outcome = host::RunProgram(Scratch("hostile.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string begin = "<script type=\"application/json\" id=\"chart-data\">";
  const size_t at = outcome.out.find(begin) + begin.size();
  ASSERT_GT(at, begin.size());
  const std::string data = outcome.out.substr(at, outcome.out.find('<', at) - at);
  EXPECT_EQ(outcome.out.compare(at + data.size(), 9, "</script>"), 0)
      << "nothing in the data looks like markup";
  const Json charts = Json::parse(data);
  if (charts.empty()) GTEST_SKIP() << "built without chart.js";
  EXPECT_TRUE(Contains(charts.dump(), "x<!--<script>"));
  EXPECT_TRUE(Contains(charts.dump(), "a<!--<script>"));
}

// The page is for others, so it must not tell where this machine's files lie.
TEST_F(MakeReport, ShowsNoAbsolutePath) {
  Json models = Read("models.json");
  models["results"][0]["model"]["path"] = "/home/user/lutra/models/sine.tflite";
  models["results"][3]["error"] = "/home/user/README.md: model: found no model";
  models["results"][3]["model"]["path"] = "/home/user/README.md";
  WriteText(Scratch("absolute.json"), models.dump());
  Json failing = Read("failing.json");
  failing["conformance"]["command"] =
      "/usr/bin/conformance run --results=/home/user/r.json --runner '/opt/a b/c -x'";
  WriteText(Scratch("absolute_run.json"), failing.dump());
  for (const char* format : {"md", "html"}) {
    const host::Outcome outcome = host::RunProgram(Scratch("absolute.json") + " " +
                                                   Scratch("absolute_run.json") + " --format " + format);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* part : {"/home", "/opt", "/usr"}) {
      EXPECT_FALSE(Contains(outcome.out, part)) << outcome.out.substr(outcome.out.find(part), 100);
    }
    EXPECT_TRUE(Contains(outcome.out, "benchmark models/sine.tflite "));
    EXPECT_TRUE(Contains(outcome.out, "conformance run --results=r.json"));
  }
}

TEST_F(MakeReport, TakesAFigureThatDoesNotExist) {
  Json models = Read("models.json");
  models["results"][0]["evaluation"] = {{"metric", "auc"}, {"value", nullptr}, {"count", 7}};
  WriteText(Scratch("no_value.json"), models.dump());
  const host::Outcome outcome = host::RunProgram(Scratch("no_value.json") + " --format md");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "auc - (7 samples)")) << outcome.out;
}

// Models' names come from files, and may hold control characters.
TEST_F(MakeReport, PrintsNoByteOfANameThatATerminalObeys) {
  Json models = Read("models.json");
  models["results"][0]["model"]["path"] = "a\x1b[2J\nb\x7f.tflite";
  WriteText(Scratch("escape.json"), models.dump());
  const std::pair<std::string, int> lines[] = {
      {Scratch("escape.json") + " --format md", 0},
      {"--compare " + File("models.json") + " " + Scratch("escape.json"),
       1}};  // The model of the old name is missing.
  for (const auto& [arguments, code] : lines) {
    const host::Outcome outcome = host::RunProgram(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_FALSE(Contains(outcome.out, "\x1b")) << outcome.out;
    EXPECT_TRUE(Contains(outcome.out, "a\\\\x1b\\[2J")) << outcome.out;
  }
  const std::string junit = host::RunProgram(Scratch("escape.json") + " --format junit").out;
  EXPECT_FALSE(Contains(junit, "\x7f")) << junit;
  EXPECT_TRUE(Contains(junit, "name=\"a\\x1b[2J b\\x7f ")) << junit;
}

TEST_F(MakeReport, EqualRunsAreNoChange) {
  Json before = Read("models.json");
  Json& inference = before["results"][0]["inference"];
  inference.erase("runs_per_time");
  // The quickest inference of a busy machine would be another bound.
  inference["min_ns"] = inference["median_ns"] = 170;
  inference["mad_ns"] = 0;
  Json after = before;
  const auto summary = [&](int64_t median_ns) {
    Json& changed = after["results"][0]["inference"];
    changed["min_ns"] = changed["median_ns"] = median_ns;
    WriteText(Scratch("before.json"), before.dump());
    WriteText(Scratch("after.json"), after.dump());
    return host::RunProgram("--compare " + Scratch("before.json") + " " + Scratch("after.json")).out;
  };
  before["context"]["clock_resolution_ns"] = after["context"]["clock_resolution_ns"] = 20;
  EXPECT_TRUE(Contains(summary(190), "0 lost, 0 worse, 0 better")) << "a step of the clock";
  EXPECT_TRUE(Contains(summary(191), "0 lost, 1 worse, 0 better"));
  EXPECT_TRUE(Contains(summary(149), "0 lost, 0 worse, 1 better"));
  // A file may lack its clock's step.
  before["context"].erase("clock_resolution_ns");
  after["context"].erase("clock_resolution_ns");
  EXPECT_TRUE(Contains(summary(180), "0 lost, 0 worse, 0 better"));
  EXPECT_TRUE(Contains(summary(181), "0 lost, 1 worse, 0 better"));
  // Means have no steps, but deviations.
  before["results"][0]["inference"]["runs_per_time"] = after["results"][0]["inference"]["runs_per_time"] =
      100;
  EXPECT_TRUE(Contains(summary(179), "0 lost, 1 worse, 0 better"));
  before["results"][0]["inference"]["mad_ns"] = 4;
  EXPECT_TRUE(Contains(summary(182), "0 lost, 0 worse, 0 better"));
  EXPECT_TRUE(Contains(summary(183), "0 lost, 1 worse, 0 better"));
}

TEST(PlatformOf, IsTheFilesNameWhereThatIsAPlatform) {
  EXPECT_EQ(PlatformOf("a/cortex-m4.json", "x86_64"), "cortex-m4");
  EXPECT_EQ(PlatformOf("a/cortex-m4.conformance.json", "x86_64"), "cortex-m4");
  EXPECT_EQ(PlatformOf("x86_64-avx2.json", "x86_64"), "x86_64-avx2");
  EXPECT_EQ(PlatformOf("results.json", "x86_64"), "x86_64");
}

}  // namespace
}  // namespace lutra::reports
