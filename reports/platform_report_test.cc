// SPDX-License-Identifier: Apache-2.0
// Tests reports of several platforms, and of compression.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/testing/program.h"
#include "reports/read_results.h"
#include "reports/schema.h"

namespace lutra::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kLog[] =
    "lutra1 model sine.tflite bytes 2488\n"
    "lutra1 arena given 1048576 used 292 persistent 260 activation 32 scratch 0 compression 0\n"
    "lutra1 memory small\n"
    "lutra1 input 0 crc32 3e611dab\n"
    "lutra1 output 0 crc32 12b88320\n"
    "lutra1 stack given 16384 used 2236\n"
    "lutra1 kernel 0 mve\n"
    "lutra1 kernel 1 ref\n"
    "lutra1 count invoke instructions 4567890 loads 1258 stores 631 vector 1141972\n"
    "lutra1 count operator 0 FULLY_CONNECTED instructions 1399 loads 345 stores 218 vector 0\n"
    "lutra1 flash text 24596 rodata 668 data 4 bss 548\n";

constexpr char kKernels[] =
    "lutra1 count kernel mul_int8 ref instructions 90000 loads 80 stores 70\n"
    "lutra1 count kernel mul_int8 mve instructions 9000 loads 8 stores 7 vector 60\n";

constexpr char kTests[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<testsuite name=\"(empty)\"\n\ttests=\"3\"\n\tfailures=\"0\"\n\tdisabled=\"0\"\n\tskipped=\"1\"\n\t>\n"
    "\t<testcase name=\"platform.sine\" status=\"run\">\n\t</testcase>\n"
    "\t<testcase name=\"platform.variants\" status=\"run\">\n\t</testcase>\n"
    "\t<testcase name=\"platform.counts\" status=\"notrun\">\n"
    "\t\t<skipped message=\"\"/><system-out>test skipped: there is no emulator\n</system-out>\n"
    "\t</testcase>\n</testsuite>\n";

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class PlatformReport : public testing::Test {
 protected:
  // One program ran on two platforms.
  void SetUp() override {
    WriteText(folder_ / "sine.log", kLog);
    WriteText(folder_ / "kernels.lines", kKernels);
    WriteText(folder_ / "tests.xml", kTests);
    fs::create_directories(folder_ / "results");
    for (const std::string platform : {"cortex-m4", "cortex-m55"}) {
      const host::Outcome outcome =
          host::RunProgram(folder_ / "sine.log" + " --models models --platform " + platform +
                               " --compiler 'GNU 12.2.1' --build-type MinSizeRel --tests " +
                               (folder_ / "tests.xml") + " --kernels " + (folder_ / "kernels.lines") +
                               " --command './dev platforms " + platform + "' -o " + File(platform),
                           LUTRA_DEVICE_RESULTS);
      ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
  }

  std::string File(const std::string& platform) { return folder_ / ("results/" + platform + ".json"); }
  Json Read(const std::string& platform) { return Json::parse(host::ReadAll(File(platform))); }
  std::string Report(const std::string& options) {
    const host::Outcome outcome = host::RunProgram(folder_ / "results" + " " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }

  host::ScratchFolder folder_;
};

TEST_F(PlatformReport, ResultsAreAsTheSchemaSays) {
  const Json schema = Json::parse(ResultSchemaText());
  for (const std::string& error : SchemaErrors(schema, Read("cortex-m4"), UnknownKeys::kReported)) {
    ADD_FAILURE() << error;
  }
}

TEST_F(PlatformReport, HasALineAndTheFiguresOfEachPlatform) {
  std::vector<std::string> pages = {Report("")};
  if (std::system("command -v chromium >/dev/null 2>&1") == 0) {
    WriteText(folder_ / "page.html", pages[0]);
    pages.push_back(
        host::RunProgram("--headless --no-sandbox --disable-gpu --user-data-dir=" + (folder_ / "browser") +
                             " --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 "
                             "--dump-dom file://" +
                             (folder_ / "page.html"),
                         "chromium")
            .out);
  }
  for (const std::string& page : pages) {
    for (const char* text :
         {"Outputs equal on all platforms that ran a model, byte for byte: 1 model on 2 platforms",
          "2 of 2 pass; 1 skipped", "<li>platform.counts: there is no emulator</li>",
          "<td class=\"good\">pass</td>",
          "data-exact=\"4567890\" title=\"4567890 instructions\">4.568 M<br>25.0 % vector",
          "data-exact=\"25264\" title=\"25264 bytes\"", "data-exact=\"2236\"", "data-exact=\"292\"",
          "best: mve, ref", "title=\"90000 instructions\">90,000<br>mve 0.100", "GNU 12.2.1, MinSizeRel",
          "./dev platforms cortex-m55"}) {
      EXPECT_TRUE(Contains(page, text)) << text;
    }
    EXPECT_FALSE(Contains(page, "DIFFER:"));
  }
}

// A command of a host's program cannot be run on a device.
TEST_F(PlatformReport, TellsNoCommandOfAHostsForADevice) {
  Json results = Read("cortex-m4");
  results["context"]["command"] = nullptr;
  WriteText(File("cortex-m4"), results.dump());
  const std::string report = Report("--format md");
  EXPECT_FALSE(Contains(report, "generic_benchmark")) << report;
  EXPECT_TRUE(Contains(report, "| cortex-m4 | not told |")) << report;
}

TEST_F(PlatformReport, TimesAreThoseOfTheDevice) {
  WriteText(folder_ / "timed.log",
            kLog + std::string("lutra1 time invoke runs 9 min 4 median 54321 mad 2 p95 60000\n"));
  const host::Outcome outcome =
      host::RunProgram(folder_ / "timed.log" + " --models models --platform wasm", LUTRA_DEVICE_RESULTS);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out)["results"][0];
  EXPECT_EQ(result["inference"]["median_ns"], 54321);
  EXPECT_TRUE(result["init_ns"].is_null());
  EXPECT_TRUE(result["prepare_ns"].is_null());
}

TEST_F(PlatformReport, SaysWhatDiffersAndWhatFailed) {
  Json changed = Read("cortex-m55");
  changed["results"][0]["outputs"][0]["crc32"] = "ffffffff";
  changed["tests"]["passed"] = 1;
  changed["tests"]["failed"] = 1;
  WriteText(File("cortex-m55"), changed.dump());
  const std::string text = Report("--format md");
  EXPECT_TRUE(Contains(text, "Outputs DIFFER: sine on cortex-m55"));
  EXPECT_TRUE(Contains(text, "**1 of 2 pass, 1 failed; 1 skipped**"));
  EXPECT_TRUE(Contains(text, "2 platforms, 1 failing")) << text;
}

TEST_F(PlatformReport, ComparesTestsAndFigures) {
  Json changed = Read("cortex-m4");
  changed["tests"]["passed"] = 1;
  changed["tests"]["failed"] = 1;
  changed["results"][0]["inference"]["instructions"] = 4567891;
  changed["results"][0]["flash"]["text_bytes"] = 24595;
  WriteText(folder_ / "cortex-m4.json", changed.dump());
  const host::Outcome outcome =
      host::RunProgram("--compare " + File("cortex-m4") + " " + (folder_ / "cortex-m4.json"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Contains(outcome.out, "1 lost, 1 worse, 1 better")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "| 4,567,890 | 4,567,891 |")) << outcome.out;
}

TEST_F(PlatformReport, TestsMayHaveAFileOfTheirOwn) {
  const host::Outcome outcome = host::RunProgram(
      "--platform x86_64 --tests " + (folder_ / "tests.xml") + " -o " + folder_ / "results/x86_64.tests.json",
      LUTRA_DEVICE_RESULTS);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(Report("--format md"), "| x86\\_64 | pass | 2 of 2 pass; 1 skipped | not run |"));
  EXPECT_EQ(host::RunProgram("--platform x86_64", LUTRA_DEVICE_RESULTS).code, 2);
}

TEST_F(PlatformReport, ShowsReportsOfCompress) {
  const std::string out = folder_ / "out.tflite", packed = folder_ / "results/packed.json";
  ASSERT_EQ(
      host::RunProgram("pack models/kws_clustered.tflite " + out + " --report " + packed, LUTRA_COMPRESS)
          .code,
      0);
  const host::Outcome binned =
      host::RunProgram("bin models/sine.tflite " + out + " --bits 2 --json", LUTRA_COMPRESS);
  ASSERT_EQ(binned.code, 0) << binned.err;
  WriteText(folder_ / "results/binned.json", binned.out);
  const Json schema = Json::parse(CompressionSchemaText());
  for (const std::string& text : {host::ReadAll(packed), binned.out}) {
    for (const std::string& error : SchemaErrors(schema, Json::parse(text), UnknownKeys::kReported)) {
      ADD_FAILURE() << error;
    }
  }
  const std::string page = Report("--format md");
  EXPECT_TRUE(
      Contains(page, "| kws\\_clustered.tflite | the file | 46,016 | 26,912 | 58.5 % | lossless | 10 |"))
      << page;
  bool any = false;
  const Json report = Json::parse(binned.out);
  for (const Json& tensor : report["tensors"]) {
    if (!tensor["applied"] || tensor["qsnr_db"].is_null()) continue;
    any = true;
    char text[32];
    std::snprintf(text, sizeof text, "%.2f dB", tensor["qsnr_db"].get<double>());
    EXPECT_TRUE(Contains(page, text)) << text;
  }
  EXPECT_TRUE(any) << binned.out;
  // The distance by which a bias was moved is no quality.
  EXPECT_FALSE(Contains(page, "moved"));
  Json moved = report;
  for (Json& tensor : moved["tensors"]) {
    tensor["moved"] = true;
    tensor["qsnr_db"] = -13;
  }
  WriteText(folder_ / "results/binned.json", moved.dump());
  const std::string moved_page = Report("--format md");
  EXPECT_TRUE(Contains(moved_page, "| moved |")) << moved_page;
  EXPECT_FALSE(Contains(moved_page, "-13")) << moved_page;
  EXPECT_TRUE(Contains(page, "2 platforms, 0 failing"));
}

TEST_F(PlatformReport, ShowsTraffic) {
  EXPECT_FALSE(Contains(Report("--format md"), "## Traffic"));
  Json results = Read("cortex-m4");
  const Json layer = {
      {"index", 0},           {"type", "CONV_2D"},         {"name", "out"},       {"l3_l2_plain_bytes", 1001},
      {"l3_l2_bytes", 502},   {"l2_l1_plain_bytes", 2003}, {"l2_l1_bytes", 1504}, {"l1_l2_bytes", 705},
      {"lut_bytes", 36},      {"offset_bytes", 8},         {"tiles", 2},          {"commands", 3},
      {"unaligned_starts", 1}};
  results["results"][0]["traffic"] = {{"engine", "gap9"}, {"total", layer}, {"layers", {layer}}};
  results["results"][0]["traffic"]["unread"] = {{{"index", 3}, {"name", "conv"}, {"codec", "huffman"}}};
  WriteText(File("cortex-m4"), results.dump());
  const std::string text = Report("--format md");
  EXPECT_TRUE(Contains(text, "| sine | 1,001 | 502 | 2,003 | 1,504 | 705 | 36 | 8 | 2 | 3 | 1 |")) << text;
  EXPECT_TRUE(Contains(text, "| 0 CONV\\_2D | 1,001 | 502 |")) << text;
  EXPECT_TRUE(Contains(text, "| sine | conv | huffman |")) << text;
}

// Reports the present output of vta for a model, and one that differs.
TEST_F(PlatformReport, ShowsAnAccelerator) {
  EXPECT_FALSE(Contains(Report("--format md"), "## Accelerator"));
  const host::Outcome outcome = host::RunProgram("run models/kws.tflite --gains --json", LUTRA_VTA);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json run = Json::parse(outcome.out);
  for (const std::string& error :
       SchemaErrors(Json::parse(AcceleratorSchemaText()), run, UnknownKeys::kReported)) {
    ADD_FAILURE() << error;
  }
  run["cycles"] = 12345, run["bytes"] = 67890, run["copied_bytes"] = 4321, run["utilisation"] = 0.125;
  run["layers"][0]["gemm_cycles"] = 100, run["layers"][0]["alu_cycles"] = run["layers"][0]["bus_cycles"] = 50;
  run["layers"][0]["cycles"] = 1234, run["layers"][0]["bytes"] = 5678, run["layers"][0]["utilisation"] = 0.25;
  run["cycles_with_copies"] = 20000;
  const auto cost = [](int64_t cycles, int64_t copied, int64_t with) {
    return Json{{"cycles", cycles}, {"bytes", 1}, {"copied_bytes", copied}, {"cycles_with_copies", with}};
  };
  run["gains"] = {{"one_thread", cost(20001, 0, 0)},
                  {"two_threads", cost(10001, 0, 0)},
                  {"nodes_apart", cost(0, 8765, 30000)}};
  const std::string path = folder_ / "results/kws.vta.json";
  WriteText(path, run.dump());
  const std::string text = Report("--format md"),
                    name = "kws, 1x16\\_i8w8a32\\_15\\_15\\_18\\_17, exact, 2 threads";
  EXPECT_TRUE(Contains(text, "| " + name + " | 11 of 12 | 1 | 12,345 | 12.5 % | 67,890 | 4,321 | equal |"))
      << text;
  EXPECT_TRUE(
      Contains(text, "| " + name + " | 20,001 | 10,001 | 2.000 | 30,000 | 20,000 | 1.500 | 8,765 | 4,321 |"))
      << text;
  EXPECT_TRUE(Contains(text, "| 0 CONV\\_2D | vta | 1,234 | 10.0 % | 25.0 % | 0.081 | 5,678 |")) << text;
  EXPECT_TRUE(Contains(text, "| 11 SOFTMAX | processor: VTA has no such operator | - | - | - | - | - |"))
      << text;
  EXPECT_TRUE(Contains(text, "2 platforms, 0 failing")) << "it is no platform";
  run["differences"] = 3;
  WriteText(path, run.dump());
  EXPECT_TRUE(Contains(Report("--format md"), "differ in 3 bytes"));
  run.erase("layers");
  WriteText(path, run.dump());
  const host::Outcome refused = host::RunProgram(path);
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(Contains(refused.err, "layers")) << refused.err;
}

TEST_F(PlatformReport, ShowsWhatCompressAutoChose) {
  const std::string report = R"({"schema_version": 1, "model": "models/net.tflite", "reaches_goal": true,
    "bytes_before": 2000, "bytes_after": 1000, "value_before": 0.75, "value_after": 0.5, "lost": 3, "count": 12,
    "confidence_interval_before": {"low": 0.468, "high": 0.911}, "confidence_interval_after": {"low": 0.254, "high": 0.746},
    "evaluations": 7, "held_out": {"count": 13, "value_before": 0.8, "value_after": 0.7, "lost": 1,
      "confidence_interval_before": {"low": 0.529, "high": 0.934}, "confidence_interval_after": {"low": 0.431, "high": 0.878}},
    "tensors": [{"index": 3, "name": "conv", "bits": 4, "codec": "lut", "original_bytes": 900, "bytes": 460,
                 "qsnr_db": 21.5}],
    "steps": [], "pareto": [{"bytes": 900, "value": 0.4, "held_out": 0.6, "result": false},
                            {"bytes": 1000, "value": 0.5, "held_out": 0.7, "result": true},
                            {"bytes": 2000, "value": 0.75, "held_out": 0.8, "result": false}],
    "sensitivity": [{"subgraph": 0, "index": 3, "name": "<conv>", "original_bytes": 900, "widths": [
      {"bits": 8, "codec": "plain", "error": 0, "answers_changed": 0, "bytes": 912, "decode_us": 0},
      {"bits": 4, "codec": "lut", "error": 0.001, "answers_changed": 1, "bytes": 472, "decode_us": 0.1},
      {"bits": 4, "codec": "huffman", "error": 0.01, "answers_changed": 2, "bytes": 460, "decode_us": 3}]}],
    "settings": {"version": 1, "tensors": {"0:3": {"name": "<conv>", "bits": 4}}}})";
  for (const std::string& error :
       SchemaErrors(Json::parse(CompressionSchemaText()), Json::parse(report), UnknownKeys::kReported)) {
    ADD_FAILURE() << error;
  }
  WriteText(folder_ / "results/auto.json", report);
  const std::string text = Report("--format md");
  EXPECT_TRUE(Contains(text, "| net.tflite | the file | 2,000 | 1,000 | 50.0 % | 21.50 dB | 1 |")) << text;
  EXPECT_TRUE(Contains(text,
                       "| net.tflite | fitted on | 12 | accuracy | 75.0 % (46.8 % to 91.1 %) | 50.0 % (25.4 "
                       "% to 74.6 %) | 3 |"))
      << text;
  EXPECT_TRUE(Contains(text,
                       "| net.tflite | held out | 13 | accuracy | 80.0 % (52.9 % to 93.4 %) | 70.0 % (43.1 % "
                       "to 87.8 %) | 1 |"))
      << text;
  EXPECT_TRUE(Contains(text, "| conv | lut | 4 | 900 | 460 | 51.1 % | 21.50 dB |")) << text;
  const std::string page = Report("--format html");
  EXPECT_TRUE(Contains(page, "<svg viewBox")) << "the picture";
  // There are the points of three samples, two lines, and the result as the larger dot, at the left of the
  // drawing.
  EXPECT_TRUE(Contains(page, "points=\"64.0,276.0 114.2,")) << page.substr(page.find("<svg"), 3000);
  EXPECT_TRUE(Contains(page, "stroke-dasharray"));
  EXPECT_TRUE(Contains(page, "r=\"6\""));
  EXPECT_TRUE(Contains(page, "&lt;conv&gt;")) << "the settings";
  // The fifth column shows the better of two options with four bits, half as dark as a changed answer.
  EXPECT_TRUE(Contains(page,
                       "<rect x=\"408\" y=\"40\" width=\"48\" height=\"16\" stroke=\"var(--link)\" "
                       "fill=\"var(--link)\" fill-opacity=\"0.50\"><title>4 bits, lut: error 0.001, 1 "
                       "answers change, 472 bytes"))
      << page.substr(page.rfind("<svg"), 3000);
  // The values of another metric are no shares, and it has no answers to lose.
  Json rmse = Json::parse(report);
  rmse["metric"] = "rmse";
  rmse["value_before"] = 12.5;
  rmse["lost"] = nullptr;
  WriteText(folder_ / "results/auto.json", rmse.dump());
  EXPECT_TRUE(Contains(Report("--format md"),
                       "| fitted on | 12 | rmse | 12.5 (0.468 to 0.911) | 0.5 (0.254 to 0.746) | - |"))
      << Report("--format md");
  const std::string of_rmse = Report("--format html");
  EXPECT_TRUE(Contains(of_rmse, ">rmse: on the samples")) << of_rmse.substr(of_rmse.find("<svg"), 500);
}

}  // namespace
}  // namespace lutra::reports
