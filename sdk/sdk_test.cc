// SPDX-License-Identifier: Apache-2.0
// --kernels with a library: the example, faults that must be found, and files that are no such library.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/testing/program.h"

namespace lutra::sdk {
namespace {

std::string Library(const std::string& name) { return "'" LUTRA_LIBRARIES + name + ".so'"; }

host::Outcome Judge(const std::string& verb, const std::string& library, const std::string& filter) {
  return host::RunProgram(verb + " --filter '" + filter + "' --kernels " + Library(library));
}

const std::string kKws = "models/kws.tflite --runs 1 --warmup 0 --no-arena-search ";

nlohmann::json Measure(const std::string& arguments) {
  const host::Outcome outcome = host::RunProgram(kKws + "--format json " + arguments, LUTRA_BENCHMARK);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out)["results"][0];
}

TEST(Sdk, TheExampleFollowsTheRule) {
  const host::Outcome run = Judge("run --reproducers ''", "my_kernels", "int8.conv_2d.*");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find(" 0 failed, 0 unsupported, 0 crashed"), std::string::npos) << run.out;
  const host::Outcome identify = Judge("identify --json", "my_kernels", "int8.conv_2d.*");
  EXPECT_EQ(identify.code, 0) << identify.out << identify.err;
  const nlohmann::json found = nlohmann::json::parse(identify.out);
  EXPECT_EQ(found["operators"][0]["explained_by"], "DR") << identify.out;
}

// Operators that a library lacks do not make it fail.
TEST(Sdk, OtherOperatorsAreNotRequired) {
  const host::Outcome run = Judge("run --smoke --reproducers ''", "my_kernels", "*");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("operators never ran: ABS, ADD"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("required"), std::string::npos) << run.out;
  const host::Outcome required =
      Judge("run --smoke --reproducers '' --require 'CONV_2D,ADD'", "my_kernels", "*");
  EXPECT_EQ(required.code, 1) << required.out;
  EXPECT_NE(required.out.find("required, and unsupported: ADD ("), std::string::npos) << required.out;
  const host::Outcome fuzz =
      host::RunProgram("fuzz --cases 200 --seed 1 --reproducers '' --kernels " + Library("my_kernels"));
  EXPECT_EQ(fuzz.code, 0) << fuzz.out << fuzz.err;
}

// Nor do they count for it.
TEST(Sdk, OtherOperatorsAreUnsupported) {
  const host::Outcome run = Judge("run --reproducers ''", "my_kernels", "int8.add.*");
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_NE(run.out.find("unsupported"), std::string::npos) << run.out;
  const host::Outcome declined = Judge("run --reproducers ''", "hostile_kernels_5", "int8.conv_2d.*");
  EXPECT_EQ(declined.code, 1) << declined.out;
}

TEST(Sdk, FindsFaults) {
  for (int fault = 1; fault <= 8; ++fault) {
    const host::Outcome run =
        Judge("run --smoke --reproducers ''", "faulty_kernels_" + std::to_string(fault), "int8.conv_2d.*");
    const host::Outcome all =
        run.code == 1
            ? run
            : Judge("run --reproducers ''", "faulty_kernels_" + std::to_string(fault), "int8.conv_2d.*");
    EXPECT_EQ(all.code, 1) << fault;
    EXPECT_NE(all.out.find(": fail: "), std::string::npos) << fault << all.out << all.err;
  }
}

TEST(Sdk, NamesTheRuleOfAFault) {
  EXPECT_EQ(Judge("run --reproducers ''", "faulty_kernels_9", "int8.fully_connected.*").code, 1);
  const host::Outcome single =
      Judge("run --profile single-rounding --reproducers ''", "faulty_kernels_9", "int8.fully_connected.*");
  EXPECT_EQ(single.code, 0) << single.out << single.err;
  const host::Outcome identify = Judge("identify --json", "faulty_kernels_9", "int8.fully_connected.*");
  EXPECT_EQ(nlohmann::json::parse(identify.out)["operators"][0]["explained_by"], "SR") << identify.out;
}

TEST(Sdk, TimesALibraryAgainstTheReference) {
  const nlohmann::json plain = Measure(""),
                       with = Measure("--against-ref --kernels " + Library("my_kernels"));
  EXPECT_EQ(with["outputs"], plain["outputs"]);
  for (const nlohmann::json& op : with["operators"]) {
    EXPECT_EQ(op["kernel"] == "user", op["type"] == "CONV_2D") << op;
    EXPECT_TRUE(op["ref_median_ns"].is_number()) << op;
  }
  EXPECT_NE(Measure("--kernels " + Library("faulty_kernels_5"))["outputs"], plain["outputs"]);
  const host::Outcome declined =
      host::RunProgram(kKws + "--kernels " + Library("hostile_kernels_5"), LUTRA_BENCHMARK);
  EXPECT_EQ(declined.code, 0);
  EXPECT_NE(declined.err.find("calls were declined"), std::string::npos) << declined.err;
}

// A kernel needs nothing but what was exported: compiled with the example it gives the case's outputs.
TEST(Sdk, ExportedArgumentsGiveTheOutputs) {
  const host::ScratchFolder folder("sdk_test");
  const std::string path = folder / "";
  const host::Outcome exported =
      host::RunProgram("export --arguments --smoke --filter 'int8.conv_2d.*' '" + path + "'");
  ASSERT_EQ(exported.code, 0) << exported.err;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cases")) {
    if (!std::filesystem::exists(entry.path() / "arguments.h")) continue;
    const std::string at = entry.path().string();
    const nlohmann::json json = nlohmann::json::parse(host::ReadAll(entry.path() / "arguments.json"));
    EXPECT_EQ(json["calls"][0]["kernel"], "conv_2d_s8");
    const auto bytes = std::filesystem::file_size(entry.path() / "tflm.out0.bin");
    std::ofstream(entry.path() / "main.c")
        << "#include \"" LUTRA_SOURCE_DIR "/sdk/example/my_kernels.c\"\n#include \"arguments.h\"\n"
        << "#include <stdio.h>\nstatic int8_t in[1 << 20], out[" << bytes << "];\nint main(void) {\n"
        << "  FILE* f = fopen(\"in0.bin\", \"rb\");\n  if (!f || fread(in, 1, sizeof in, f) == 0) return 1;\n"
        << "  lutra_kernel_table table;\n  lutra_kernels(1, &table);\n"
        << "  if (table.conv_2d_s8(&case_arguments_0, in, out) != 0) return 2;\n"
        << "  f = fopen(\"mine.bin\", \"wb\");\n  return fwrite(out, 1, sizeof out, f) != sizeof out || "
           "fclose(f);\n}\n";
    const host::Outcome run = host::RunShell("cd '" + at +
                                             "' && cc -O1 -I '" LUTRA_SOURCE_DIR
                                             "/sdk' main.c -o main && ./main && cmp mine.bin tflm.out0.bin");
    EXPECT_EQ(run.code, 0) << at << run.out << run.err;
    if (++count == 12) break;
  }
  EXPECT_GE(count, 5);
}

// The header of every kernel that the SDK has is C and says what the JSON says.
TEST(Sdk, ExportsArgumentsOfEveryKernel) {
  const std::pair<const char*, const char*> kernels[] = {{"conv_2d", "conv_2d_s8"},
                                                         {"depthwise_conv_2d", "depthwise_conv_2d_s8"},
                                                         {"fully_connected", "fully_connected_s8"},
                                                         {"average_pool_2d", "average_pool_2d_s8"},
                                                         {"max_pool_2d", "max_pool_2d_s8"},
                                                         {"add", "add_s8"},
                                                         {"sub", "sub_s8"},
                                                         {"mul", "mul_s8"},
                                                         {"softmax", "softmax_s8"}};
  for (const auto& [op, kernel] : kernels) {
    const host::ScratchFolder folder("sdk_test");
    const std::string path = folder / "";
    const host::Outcome exported = host::RunProgram(
        std::string("export --arguments --smoke --filter 'int8.") + op + ".*' '" + path + "'");
    ASSERT_EQ(exported.code, 0) << op << exported.err;
    int count = 0;
    std::string sources;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "cases")) {
      if (!std::filesystem::exists(entry.path() / "arguments.json")) continue;
      ++count;
      const nlohmann::json json = nlohmann::json::parse(host::ReadAll(entry.path() / "arguments.json"));
      const std::string header = host::ReadAll(entry.path() / "arguments.h");
      EXPECT_EQ(json["calls"][0]["kernel"], kernel) << entry.path();
      for (const auto& [name, value] : json["calls"][0]["arguments"].items()) {
        const std::string text =
            value.is_number() ? "." + name + " = " + value.dump() + "," : "." + name + " = ";
        EXPECT_NE(header.find(text), std::string::npos) << text << header;
      }
      sources += " '" + (entry.path() / "arguments.h").string() + "'";
    }
    EXPECT_GE(count, 1) << op;
    const host::Outcome compiled =
        host::RunShell("for f in " + sources +
                       "; do cc -std=c99 -pedantic -Wall -Werror -Wno-unused-variable "
                       "-Wno-unused-const-variable -fsyntax-only -I sdk -x c \"$f\" || exit 1; done");
    EXPECT_EQ(compiled.code, 0) << op << compiled.err;
  }
}

TEST(Sdk, RefusesWhatIsNoLibrary) {
  const std::vector<std::pair<std::string, const char*>> libraries = {
      {Library("hostile_kernels_1"), "a library for another version (answer 1)"},
      {Library("hostile_kernels_2"), "a table of null functions alone"},
      {Library("hostile_kernels_3"), "lutra_kernels that throws"},
      {Library("hostile_kernels_4"), "a kernel that throws"},
      {Library("hostile_kernels_6"), "a library that ends the program"},
      {Library("hostile_kernels_7"), "a library that ends the program"},
      {"./README.md", "required: a shared library"},
      {"/no/such.so", "required: a shared library"},
      {"'" LUTRA_LIBRARIES "../delegates/example_plugin.so'", ""}};
  for (const auto& [library, text] : libraries) {
    const host::Outcome outcome = host::RunProgram(kKws + "--kernels " + library, LUTRA_BENCHMARK);
    EXPECT_EQ(outcome.code, 3) << library;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    // A crash inside a kernel is a crash of the case.
    const bool in_kernel = library == Library("hostile_kernels_4") || library == Library("hostile_kernels_7");
    EXPECT_EQ(host::RunProgram("run --smoke --filter 'int8.conv_2d.*' --kernels " + library).code,
              in_kernel ? 1 : 3)
        << library;
  }
  const host::Outcome unknown = host::RunProgram(kKws + "--kernels bogus", LUTRA_BENCHMARK);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("bogus not in {best,ref,"), std::string::npos) << unknown.err;
}

// Without guards a neighbouring tensor would get these bytes, and the case might pass.
TEST(Sdk, KernelsThatWriteOutsideTheirOutputsAreCrashes) {
  for (const char* const library : {"hostile_kernels_8", "hostile_kernels_9"}) {
    const host::Outcome run = Judge("run --smoke --reproducers ''", library, "int8.conv_2d.*");
    EXPECT_EQ(run.code, 1) << library << run.out;
    EXPECT_NE(run.out.find("a kernel that writes outside its output of "), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(" 0 passed, 0 failed, 0 unsupported"), std::string::npos) << run.out;
  }
}

// A library's kernels get values: compressed tensors are decoded for each call.
TEST(Sdk, RefusesOtherTimesOfDecompression) {
  const std::string kernels = "--kernels " + Library("my_kernels") + " --decompression ";
  for (const char* const policy : {"at-init", "streamed"}) {
    const host::Outcome outcome = host::RunProgram(kKws + kernels + policy, LUTRA_BENCHMARK);
    EXPECT_EQ(outcome.code, 2) << policy;
    EXPECT_NE(outcome.err.find("--decompression"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(host::RunProgram(kKws + kernels + "per-use", LUTRA_BENCHMARK).code, 0);
}

}  // namespace
}  // namespace lutra::sdk
