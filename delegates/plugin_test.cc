// SPDX-License-Identifier: Apache-2.0
// --delegate with the path of a library: a valid one, and libraries that break the rules.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/testing/program.h"

namespace lutra::delegates {
namespace {

const std::string kRun = "models/kws.tflite --runs 1 --warmup 0 --no-arena-search ";

TEST(Plugin, RunsWhatTheSameDelegateInTheProgramRuns) {
  const auto run = [](const std::string& delegate) {
    const host::Outcome outcome = host::RunProgram(kRun + "--format json --delegate " + delegate);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["results"][0];
  };
  const nlohmann::json built_in = run("example"), loaded = run(std::string("'") + LUTRA_EXAMPLE_PLUGIN + "'");
  EXPECT_EQ(loaded["outputs"], built_in["outputs"]);
  ASSERT_EQ(loaded["delegates"].size(), 1u);
  EXPECT_EQ(loaded["delegates"][0]["name"], "example");
  EXPECT_EQ(loaded["delegates"][0]["declined"], built_in["delegates"][0]["declined"]);
  EXPECT_FALSE(loaded["delegates"][0]["partitions"].empty());
  EXPECT_EQ(host::RunProgram(kRun + "--delegate '" LUTRA_EXAMPLE_PLUGIN "' --delegate-options a=b").code, 2);
}

// The program has a delegate of the same name, but the library's was asked for.
TEST(Plugin, MeansItsOwnDelegate) {
  const host::Outcome outcome =
      host::RunProgram(kRun + "--format json --delegate '" LUTRA_CHANGED_PLUGIN "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json delegates = nlohmann::json::parse(outcome.out)["results"][0]["delegates"];
  ASSERT_EQ(delegates.size(), 1u);
  EXPECT_EQ(delegates[0]["name"], "changed");
  EXPECT_TRUE(delegates[0]["partitions"].empty());
}

TEST(Plugin, ItsKernelsAreJudged) {
  const host::Outcome outcome = host::RunProgram(
      "run --filter 'int8.fully_connected.*' --reproducers '' --delegate '" LUTRA_EXAMPLE_PLUGIN "'",
      LUTRA_CONFORMANCE);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find(" passed, 0 failed, "), std::string::npos) << outcome.out;
}

// The test would pass wrongly if nodes that the delegate declines, which the CPU runs, were judged.
TEST(Plugin, IsNotJudgedByWhatItDoesNotTake) {
  const host::Outcome outcome =
      host::RunProgram("run --filter 'int8.relu6.*' --reproducers '' --delegate '" LUTRA_EXAMPLE_PLUGIN "'",
                       LUTRA_CONFORMANCE);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find(" 0 passed, 0 failed, "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 operator never ran: RELU6"), std::string::npos) << outcome.out;
  const host::Outcome required = host::RunProgram(
      "run --filter 'int8.fully_connected.*' --require FULLY_CONNECTED --reproducers '' "
      "--delegate '" LUTRA_CHANGED_PLUGIN "'",
      LUTRA_CONFORMANCE);
  EXPECT_EQ(required.code, 1);
  EXPECT_NE(required.out.find("required, and unsupported: FULLY_CONNECTED"), std::string::npos)
      << required.out;
}

TEST(Plugin, RefusesHostileLibraries) {
  const char* const says[] = {"Name that is null",
                              "IsNodeSupportedByDelegate that is null",
                              "CreateDelegateKernelInterface that is null",
                              "a kernel whose Eval is null",
                              "a name that is null",
                              "version 2, or of another layout",
                              "lutra_delegate_plugin that throws",
                              "Name that throws: on purpose",
                              "IsNodeSupportedByDelegate that throws: on purpose",
                              "CreateDelegateKernelInterface that throws: on purpose",
                              "Prepare that throws: on purpose",
                              "Eval that throws: on purpose",
                              "IsNodeSupportedByDelegate that throws,",
                              "a library that ends the program",
                              "a library that ends the program"};
  int number = 0;
  for (const char* text : says) {
    const std::string library = LUTRA_HOSTILE_PLUGINS + std::to_string(++number) + ".so";
    const host::Outcome outcome = host::RunProgram(kRun + "--delegate '" + library + "'");
    EXPECT_EQ(outcome.code, 3) << number;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find(library + ": "), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << number << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  for (const char* other : {"/no/such.so", "./README.md"}) {
    const host::Outcome outcome = host::RunProgram(kRun + "--delegate " + other);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("required: a shared library"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace lutra::delegates
