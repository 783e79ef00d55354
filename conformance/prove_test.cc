// SPDX-License-Identifier: Apache-2.0
// Tests how `conformance prove` judges programs whose lines are true, false or incomplete.

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "conformance/prove/sources.h"
#include "host/testing/program.h"
#include "host/testing/scratch_folder.h"

namespace lutra::conformance {
namespace {

using host::Outcome;
using host::ReadAll;
using host::RunShell;

constexpr char kBuild[] = "lutra1 build board double GCC 13";
constexpr char kValues[] = " values 1 0 0 0 0 0 0 80000000";

class Prove : public ::testing::Test {
 protected:
  Outcome Run(const std::string& arguments) { return host::RunProgram("prove " + arguments); }
  // Returns a program that prints these lines for every part, and ends with this code.
  std::string Program(const std::string& lines, int code) {
    const std::string path = File("program");
    std::ofstream(path) << "#!/bin/sh\necho \"$@\" >> '" << File("calls") << "'\ncat <<'END'\n"
                        << lines << "\nEND\nexit " << code << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return " --program '" + path + "' ";
  }
  std::string ProofLine(const std::string& counts) {
    return std::string(kBuild) + "\nlutra1 proof lookup ref " + counts;
  }
  std::string File(const std::string& name) { return folder_ / name; }

  const host::ScratchFolder folder_;
};

TEST_F(Prove, HoldsForEveryVariantHere) {
  const Outcome outcome = Run("lookup --sources . -o " + File("proof.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(ReadAll(File("proof.json")));
  ASSERT_GE(json["proofs"].size(), 1u);
  for (const auto& proof : json["proofs"]) {
    EXPECT_EQ(proof["table"], "lookup");
    EXPECT_EQ(proof["cases"], 1024 * 277);
    EXPECT_EQ(proof["blocks"], proof["of"]);
    EXPECT_EQ(proof["distinct"], 256);
    EXPECT_EQ(proof["wrong"], 0);
    EXPECT_EQ(proof["sources_sha256"].get<std::string>().size(), 64u);
  }
  EXPECT_EQ(json["proofs"].back()["variant"], "ref");
}

TEST_F(Prove, ThreePartsInAnyOrderAreTheWhole) {
  ASSERT_EQ(Run("lookup ref -o " + File("one.json")).code, 0);
  for (const std::string part : {"1", "2", "3"}) {
    const Outcome outcome = Run("lookup ref --shard " + part + "/3 --jobs 2 -o " + File(part + ".json"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.ends_with(", shard " + part + "/3\n")) << outcome.out;
  }
  const std::string merge = "cd " + File("") + "; '" LUTRA_PROGRAM "' merge ";
  ASSERT_EQ(RunShell(merge + "3.json 1.json --partial -o some.json").code, 0);
  ASSERT_EQ(RunShell(merge + "2.json some.json 3.json -o whole.json").code, 0);
  auto one = nlohmann::json::parse(ReadAll(File("one.json"))),
       whole = nlohmann::json::parse(ReadAll(File("whole.json")));
  one.erase("context");
  whole.erase("context");
  EXPECT_EQ(one, whole);

  const Outcome missing = RunShell(merge + "3.json 1.json -o none.json");
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("missing: 2"), std::string::npos) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(File("none.json")));
  RunShell("sed -i 's/\"cases\": [0-9]*/\"cases\": 94000/' " + File("3.json"));
  const Outcome two = RunShell(merge + "some.json 3.json --partial -o none.json");
  EXPECT_EQ(two.code, 3);
  EXPECT_NE(two.err.find("3.json: found shard 3/3 with other results"), std::string::npos) << two.err;
}

TEST_F(Prove, PartsOfJobsAndShardsCoverAllBlocksOnce) {
  const std::string program =
      Program(ProofLine("blocks 1 of 6 cases 10 reference 0" + std::string(kValues) + " wrong 0"), 0);
  ASSERT_EQ(Run(program + "lookup --shard 2/3 --jobs 2").code, 0);
  const std::string calls = ReadAll(File("calls"));
  EXPECT_NE(calls.find("lookup all part 3 6\n"), std::string::npos) << calls;
  EXPECT_NE(calls.find("lookup all part 4 6\n"), std::string::npos) << calls;
  EXPECT_EQ(std::count(calls.begin(), calls.end(), '\n'), 2);
}

TEST_F(Prove, FailsWhereAVariantIsWrong) {
  const std::string lines =
      std::string(kBuild) + "\nlutra1 counterexample lookup ref block 3 found 4 required 5\n" +
      "lutra1 proof lookup ref blocks 6 of 6 cases 60 reference 0" + kValues + " wrong 1";
  const Outcome outcome = Run(Program(lines, 1) + "--jobs 1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("wrong: lookup ref block 3 found 4 required 5"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("60 cases, 1 wrong"), std::string::npos) << outcome.out;
}

TEST_F(Prove, TellsThatAProcessorCannotRunAVariant) {
  const Outcome outcome =
      Run(Program(std::string(kBuild) + "\nlutra1 skipped lookup mve", 3) + "lookup mve --jobs 1");
  EXPECT_EQ(outcome.code, 77);
  EXPECT_NE(outcome.out.find("cannot run them: lookup mve"), std::string::npos) << outcome.out;
}

TEST_F(Prove, BelievesNoProgram) {
  const std::string counts = std::string(kValues) + " wrong 0";
  struct Lie {
    std::string lines;
    int code;
    std::string says;
  };
  const Lie lies[] = {
      {"lutra1 skipped lookup mve", 3, "no line \"lutra1 build\""},
      {"", 0, "no line \"lutra1 build\""},
      {"Segmentation fault", 139, "no line \"lutra1 build\""},
      {kBuild, 0, "exit code 0"},
      {ProofLine("blocks 6 of 6 cases 60 reference 0" + counts), 1, "exit code 1"},
      {ProofLine("blocks 6 of 6 cases 60 reference 0" + counts), 134, "exit code 134"},
      {ProofLine("blocks 6 of 6 cases 60 reference 0" + std::string(kValues) + " wrong 2"), 0, "exit code 0"},
      {ProofLine("blocks 7 of 6 cases 60 reference 0" + counts), 0, "at most all blocks"},
      {ProofLine("blocks 6 of 6 cases 0 reference 0" + counts), 0, "cases in each block"},
      {ProofLine("blocks 6 of 6 cases 60 reference 61" + counts), 0, "at most all cases"},
      {ProofLine("blocks -6 of 6 cases 60 reference 0" + counts), 0, "a count"},
      {ProofLine("blocks 6 of 6 cases 99999999999999999999 reference 0" + counts), 0, "a count"},
      {ProofLine("blocks 6 of 6 cases 60 reference 0" + counts + " more"), 0, "the end of the line"},
      {ProofLine("blocks 6 of 6 cases"), 0, "a word"},
      {std::string(kBuild) + "\nlutra1 fault too little memory", 1, "lines of prove_kernels"},
  };
  for (const Lie& lie : lies) {
    const Outcome outcome = Run(Program(lie.lines, lie.code) + "--jobs 1 -o " + File("none.json"));
    EXPECT_EQ(outcome.code, 3) << lie.lines;
    EXPECT_NE(outcome.err.find(lie.says), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(File("none.json")));
  }
}

// Neither a program that is silent nor one that closed its output outlives a signal, which it does not get
// itself.
TEST_F(Prove, EndsWithASignal) {
  for (const std::string silent : {"sleep 300", "exec >&-; sleep 300"}) {
    const std::string path = File("silent");
    std::ofstream(path) << "#!/bin/sh\necho $$ >>'" << File("pids") << "'\n" << silent << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const Outcome outcome =
        RunShell(std::string("timeout --foreground --preserve-status --kill-after 20 2 '") + LUTRA_PROGRAM +
                 "' prove lookup --jobs 2 --program 'exec " + path + "'");
    EXPECT_EQ(outcome.code, 128 + SIGTERM) << silent << outcome.out << outcome.err;
  }
  std::ifstream pids(File("pids"));
  int started = 0;
  for (pid_t pid; pids >> pid; ++started) EXPECT_NE(kill(pid, 0), 0) << pid;
  EXPECT_EQ(started, 4);
}

TEST_F(Prove, RefusesBadUsage) {
  for (const std::string bad : {"'lookup;reboot'", "lookup 'ref ref'", "--sample 1", "--jobs 0", "--fresh",
                                "--sample 10 --shard 1/2", "--against x.json"}) {
    EXPECT_EQ(Run(bad).code, 2) << bad;
  }
  // The advice is a line that works.
  EXPECT_NE(Run("Lookup").err.find("a name, as generic_benchmark --kernels=list prints"), std::string::npos);
  EXPECT_EQ(Run("--shard 3/2").code, 3);
  EXPECT_EQ(Run("no_table").code, 3);
  EXPECT_EQ(Run("lookup no_variant").code, 3);
}

// A thousandth at random, with the sources' hashes.
TEST_F(Prove, NamesWhatIsStale) {
  // The shell's folder is the source tree.
  RunShell("mkdir -p " + File("tree") + "/runtime " + File("tree") +
           "/platforms; cp -r runtime/kernels runtime/fixed_point " + File("tree") +
           "/runtime; cp -r platforms/proofs " + File("tree") + "/platforms");
  const std::string tree = " --sources " + File("tree");
  ASSERT_EQ(Run("lookup ref -o " + File("proof.json") + tree).code, 0);
  const std::string again = "lookup ref --sample 1000 --seed 5 --against " + File("proof.json") + tree;
  const Outcome fresh = Run(again + " --fresh");
  EXPECT_EQ(fresh.code, 0) << fresh.out << fresh.err;
  EXPECT_NE(fresh.out.find("one block of 1000, seed 5"), std::string::npos) << fresh.out;
  const auto change = [&](const std::string& source, const std::string& line) {
    const std::string path = File("tree") + "/" + source;
    RunShell("cp " + path + " " + File("kept") + "; echo '" + line + "' >> " + path);
    const Outcome outcome = Run(again + " --fresh");
    RunShell("cp " + File("kept") + " " + path);
    return outcome;
  };
  // Other files do not count: of tests, of other kernels, of other instruction sets.
  for (const std::string source :
       {"runtime/kernels/lookup/lookup_test.cc", "runtime/kernels/pool/pool.h",
        "runtime/kernels/lookup/lookup_avx2.cc", "runtime/kernels/row_products_loops_armdsp.S"}) {
    EXPECT_EQ(change(source, "int change;").code, 0) << source;
  }
  for (const std::string source :
       {"runtime/kernels/lookup/lookup_ref.cc", "runtime/fixed_point/fixed_point.h", "runtime/kernels/rows.h",
        "platforms/proofs/codes.h"}) {
    EXPECT_EQ(change(source, "  // A comment.").code, 0) << source;
    const Outcome stale = change(source, "int change;");
    EXPECT_EQ(stale.code, 1) << source;
    EXPECT_NE(stale.out.find("stale: lookup ref: its sources have changed since"), std::string::npos)
        << stale.out;
  }
  // The last line counts the variants that the other machine could not run.
  std::string skipped = ReadAll(File("proof.json"));
  const std::string none = "\"skipped\": []";
  ASSERT_NE(skipped.find(none), std::string::npos);
  skipped.replace(skipped.find(none), none.size(),
                  "\"skipped\": [{\"table\": \"lookup\", \"variant\": \"mve\"}]");
  std::ofstream(File("skipped.json")) << skipped;
  EXPECT_NE(Run("lookup ref --sample 1000 --against " + File("skipped.json") + tree)
                .out.find("0 of 1 proofs are stale; variants that its machine could not run: 1"),
            std::string::npos);
  // A sample is no proof.
  ASSERT_EQ(Run("lookup ref --sample 1000 -o " + File("sample.json") + tree).code, 0);
  EXPECT_EQ(Run("lookup ref --sample 9 --fresh --against " + File("sample.json") + tree).code, 1);
}

// Of no proof none is stale, which says nothing of the kernels.
TEST_F(Prove, RefusesAFileWithoutProofs) {
  ASSERT_EQ(Run("lookup ref -o " + File("proof.json")).code, 0);
  auto json = nlohmann::json::parse(ReadAll(File("proof.json")));
  json["proofs"] = nlohmann::json::array();
  std::ofstream(File("none.json")) << json;
  const Outcome none = Run("lookup ref --sample 9 --fresh --sources . --against " + File("none.json"));
  EXPECT_EQ(none.code, 3);
  EXPECT_EQ(none.err.find(File("none.json") + ": found no proof, required: one or more"), 0u) << none.err;
}

TEST(CodeOf, LeavesOutCommentsAndWhiteSpaceAlone) {
  EXPECT_EQ(CodeOf("// a\n  #define B 1  // c\n\n  /* d\n e */ x += 1'000; "), "#define B 1\nx+=1'000;");
  EXPECT_EQ(CodeOf("#define B \\\n  1\nint  x(\n    int y);"), "#define B\\\n1\nint x(int y);");
  EXPECT_EQ(CodeOf("f(\"// a  b\", '\"', \"\\\"/*\"); // c"), "f(\"// a  b\",'\"',\"\\\"/*\");");
  EXPECT_EQ(CodeOf("g('\\'', '/'); /* open"), "g('\\'','/');");
  EXPECT_EQ(CodeOf("a / b // c\n/ d"), "a/b/d");
  EXPECT_EQ(CodeOf(" mov r0, #0\n  mov r1, r0"), "mov r0,#0\nmov r1,r0");
}

TEST_F(Prove, RefusesFilesOfOthers) {
  ASSERT_EQ(Run("lookup ref -o " + File("proof.json")).code, 0);
  const std::string text = ReadAll(File("proof.json"));
  const std::pair<std::string, std::string> edits[] = {
      {"\"blocks\": 1024", "\"blocks\": 1025"},
      {"\"wrong\": 0", "\"wrong\": -1"},
      {"\"cases\": 283648", "\"cases\": 9223372036854775807"},
      {"\"values\": \"ff", "\"values\": \"fz"},
      {"\"table\": ", "\"tables\": "},
      {"\"schema_version\": 1", "\"schema_version\": 2"},
      {"\"shard\": \"1/1\"", "\"shard\": \"2/1\""}};
  for (const auto& [from, to] : edits) {
    std::string edited = text;
    const size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    edited.replace(at, from.size(), to);
    std::ofstream(File("edited.json")) << edited;
    const Outcome against = Run("lookup ref --sample 9 --sources . --against " + File("edited.json"));
    EXPECT_EQ(against.code, 3) << to << against.out;
    EXPECT_NE(against.err.find("edited.json"), std::string::npos) << against.err;
    EXPECT_EQ(host::RunProgram("merge " + File("edited.json") + " -o " + File("none.json")).code, 3) << to;
  }
}

}  // namespace
}  // namespace lutra::conformance
