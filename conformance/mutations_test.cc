// SPDX-License-Identifier: Apache-2.0
// Tests lists of faults: reading, applying, refusals; and that each fault of the project's own lists still
// applies.

#include "conformance/runner/mutations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/failures.h"
#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

constexpr char kList[] = R"(# Two faults of one file.
file kernels/a.cc
cases int8.a.*
mutation a.first
why the end is missed
- i < count
+ i + 1 < count

mutation a.second
why both lines go
- one();
-   two();
+ three();
)";

// Returns the message that `work` throws.
template <typename Work>
std::string Refusal(const Work& work) {
  try {
    work();
  } catch (const host::BadInput& error) {
    return error.what();
  }
  return "none";
}
std::string RefusalOf(const std::string& list) {
  return Refusal([&] { ParseMutations(list, "list"); });
}

TEST(Mutations, AreReadAndApplied) {
  const std::vector<Mutation> mutations = ParseMutations(kList, "list");
  ASSERT_EQ(mutations.size(), 2u);
  EXPECT_EQ(mutations[0].id, "a.first");
  EXPECT_EQ(mutations[1].file, "kernels/a.cc");
  EXPECT_EQ(mutations[1].cases, "int8.a.*");
  EXPECT_EQ(mutations[1].why, "both lines go");
  EXPECT_EQ(mutations[1].where, "list:9");
  EXPECT_EQ(Mutated("for (; i < count; ++i) f();\n", mutations[0]), "for (; i + 1 < count; ++i) f();\n");
  EXPECT_EQ(Mutated("  one();\n  two();\n", mutations[1]), "  three();\n");
}

TEST(Mutations, KernelsAndDelegatesHoldUntilTheNextFile) {
  const std::vector<Mutation> mutations = ParseMutations(
      "file a.cc\nkernels avx2\ndelegate d k=v\nmutation x\nwhy so\n- y\n+ z\nfile b.cc\nmutation u\nwhy "
      "so\n- y\n+ z\n",
      "list");
  ASSERT_EQ(mutations.size(), 2u);
  EXPECT_EQ(mutations[0].kernels, "avx2");
  EXPECT_EQ(mutations[1].kernels, "");
  EXPECT_EQ(mutations[0].delegate, "d k=v");
  EXPECT_EQ(mutations[1].delegate, "");
}

TEST(Mutations, AnEditThatNoLongerAppliesIsRefused) {
  const Mutation mutation = ParseMutations(kList, "list")[0];
  EXPECT_EQ(Refusal([&] { Mutated("while (true) {}\n", mutation); }),
            "list:4: a.first: found its text in kernels/a.cc nowhere, required: once; write the edit anew");
  EXPECT_EQ(
      Refusal([&] { Mutated("i < count; i < count", mutation); }),
      "list:4: a.first: found its text in kernels/a.cc more than once, required: once; write the edit anew");
}

TEST(Mutations, WhatIsNoListIsRefused) {
  EXPECT_EQ(RefusalOf("why so\n"), "list:1: found a line before the first mutation, required: mutation ID");
  EXPECT_EQ(RefusalOf("file a.cc\nmutation x\nwhy so\n+ y\n"),
            "list:2: found no line \"-\", required: one in each mutation");
  EXPECT_EQ(RefusalOf("mutation x\nwhy so\n- y\n"),
            "list:1: found no line \"file\", required: one in each mutation");
  EXPECT_EQ(RefusalOf("file a.cc\nmutation x\nwhy so\n- y\n+ y\n"),
            "list:2: found an edit that changes nothing, required: a fault");
  EXPECT_EQ(RefusalOf("file ../a.cc\nmutation x\nwhy so\n- y\n+ z\n"),
            "list:2: found the file \"../a.cc\", required: a path inside the sources");
  EXPECT_EQ(RefusalOf("file a.cc\nmutation x\nbecause\n"),
            "list:3: found \"because\", required: mutation, file, cases, kernels, delegate, why, - or +");
}

TEST(Mutations, AnIdStandsOnce) {
  const host::ScratchFolder folder;
  std::ofstream(folder / "a.txt") << kList;
  std::ofstream(folder / "b.txt") << kList;
  const std::string refusal = Refusal([&] { MutationsIn(folder / ""); });
  EXPECT_NE(refusal.find("b.txt:4: found a.first again, required: each once; it stands in "),
            std::string::npos)
      << refusal;
}

TEST(Mutations, OursApply) {
  const fs::path sources = LUTRA_SOURCE_DIR;
  const std::vector<Mutation> mutations = MutationsIn(sources / "conformance" / "mutations");
  EXPECT_GE(mutations.size(), 150u);
  for (const Mutation& mutation : mutations) {
    EXPECT_EQ(Refusal([&] { Mutated(host::ReadAll(sources / mutation.file), mutation); }), "none");
  }
}

// ---- The program, on sources whose "adapter" is the mock: fault.txt has the fault's options.

class Mutate : public testing::Test {
 protected:
  Mutate() {
    fs::create_directories(sources_);
    Write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.25)\nproject(mock NONE)\n"
          "add_custom_target(lutra_adapter COMMAND ${CMAKE_COMMAND} -DSOURCES=${CMAKE_SOURCE_DIR} "
          "-DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/make.cmake)\n");
    Write("make.cmake",
          "file(READ ${SOURCES}/fault.txt fault)\nstring(STRIP \"${fault}\" fault)\n"
          "if(fault MATCHES broken)\n  message(FATAL_ERROR \"broken\")\nendif()\n"
          "set(adapter ${BUILD}/conformance/adapters/lutra_adapter)\n"
          "file(WRITE ${adapter} \"#!/bin/sh\\nexec '" LUTRA_MOCK_ADAPTER
          "' ${fault}\\n\")\n"
          "if(fault MATCHES lacking)\n  file(WRITE ${adapter} \"#!/bin/sh\\nread hello\\necho 'hello 1 "
          "lacking 1'\\n"
          "while read line\\ndo echo 'unsupported it'\\ndone\\n\")\nendif()\n"
          "file(CHMOD ${adapter} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)\n");
    Write("fault.txt", "--every 1\n");
    Write("list",
          "file fault.txt\n"
          "mutation found\nwhy a zero point is off\n- --every 1\n+ --every 1 --fault wrong-zero-point\n"
          "mutation late\nwhy only the 40th case shows it\n- --every 1\n+ --every 40 --fault extra-output\n"
          "mutation lacking\nwhy the runtime lacks what it had\n- --every 1\n+ lacking\n"
          "mutation same\nwhy it is none\n- --every 1\n+ --every 2\n");
  }
  void Write(const std::string& name, const std::string& text) { std::ofstream(sources_ / name) << text; }
  host::Outcome Run(const std::string& more = "") {
    return host::RunProgram("mutate '" + (sources_ / "list").string() + "' --sources '" + sources_.string() +
                            "' --work '" + scratch_ / "work" + "' --cases 'int8.abs.*' " + more);
  }

  host::ScratchFolder scratch_;
  fs::path sources_ = scratch_ / "sources";
};

TEST_F(Mutate, SaysWhichFaultsAreFound) {
  const host::Outcome outcome = Run("--jobs 2 --json '" + scratch_ / "results.json" + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("faults   valid  corpus   smoke\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("       4       3       3       2\nchanges nothing seen: same: it is none\n"),
            std::string::npos)
      << outcome.out;
  const std::string json = host::ReadAll(scratch_ / "results.json");
  EXPECT_NE(json.find("\"smoke\": \"int8.abs."), std::string::npos) << json;
  // The sources are unchanged.
  EXPECT_EQ(host::ReadAll(sources_ / "fault.txt"), "--every 1\n");
  EXPECT_FALSE(fs::exists(sources_ / "build"));
}

TEST_F(Mutate, GoesOnWhereItWas) {
  Run("--filter found");
  const std::string before = host::ReadAll(scratch_ / "work" + "/results.jsonl");
  EXPECT_EQ(Run().code, 0);
  const std::string after = host::ReadAll(scratch_ / "work" + "/results.jsonl");
  // Three more faults were tried, and the first was not tried again.
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 4);
}

// The adapter fails with these variants alone: sources are refused only if a fault names one of them.
TEST_F(Mutate, RunsTheVariantsThatAFaultNames) {
  Write("make.cmake",
        "set(adapter ${BUILD}/conformance/adapters/lutra_adapter)\n"
        "file(WRITE ${adapter} \"#!/bin/sh\\ncase \\\"$*\\\" in *odd*) exec '" LUTRA_MOCK_ADAPTER
        "' --every 1 --fault wrong-zero-point;; esac\\nexec '" LUTRA_MOCK_ADAPTER
        "' --every 1\\n\")\n"
        "file(CHMOD ${adapter} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)\n");
  Write("list", "file fault.txt\nkernels odd\nmutation x\nwhy so\n- --every 1\n+ --every 2\n");
  const host::Outcome outcome = Run("--kernels even");
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_NE(outcome.err.find(" with --kernels 'odd'"), std::string::npos) << outcome.err;
  Write("list", "file fault.txt\nmutation x\nwhy so\n- --every 1\n+ --every 2\n");
  EXPECT_EQ(Run("--kernels even").code, 0);
}

// The adapter fails with this delegate alone.
TEST_F(Mutate, RunsTheDelegateThatAFaultNames) {
  Write("make.cmake",
        "set(adapter ${BUILD}/conformance/adapters/lutra_adapter)\n"
        "file(WRITE ${adapter} \"#!/bin/sh\\ncase \\\"$*\\\" in *'--delegate odd --delegate-options "
        "a=1,b=2') exec '" LUTRA_MOCK_ADAPTER
        "' --every 1 --fault wrong-zero-point;; esac\\nexec '" LUTRA_MOCK_ADAPTER
        "' --every 1\\n\")\n"
        "file(CHMOD ${adapter} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)\n");
  for (const char* const delegate : {"even a=1,b=2", "odd", "odd a=1,b=2"}) {
    Write("list", std::string("file fault.txt\ndelegate ") + delegate +
                      "\nmutation x\nwhy so\n- --every 1\n+ --every 2\n");
    EXPECT_EQ(Run().code, std::string(delegate) == "odd a=1,b=2" ? 3 : 0) << delegate;
  }
}

TEST_F(Mutate, WhatDoesNotBuildIsSaid) {
  Write("list", "file fault.txt\nmutation bad\nwhy it cannot be\n- --every 1\n+ broken\n");
  const host::Outcome outcome = Run();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("does not build: bad: it cannot be\n"), std::string::npos) << outcome.out;
}

TEST_F(Mutate, SourcesThatFailWithoutAFaultAreRefused) {
  Write("fault.txt", "--fault wrong-zero-point --every 1\n");
  const host::Outcome outcome = Run();
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("fail int8.abs."), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace lutra::conformance
