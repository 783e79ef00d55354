// SPDX-License-Identifier: Apache-2.0
// Tests figures over commits: lutra-results, its handling of bad input and of other writers, and --history.

#include "reports/history.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/testing/program.h"
#include "host/testing/scratch_folder.h"
#include "reports/results_db.h"

namespace lutra::reports {
namespace {

using host::Outcome;
using nlohmann::json;

std::string CommitOf(int i) { return std::string(1, static_cast<char>('a' + i)) + "00000000000"; }

// Returns a result of generic_benchmark for a commit, with an arena and a time.
std::string ResultText(int i, int64_t arena, int64_t time) {
  static const json result = [] {
    const Outcome outcome = host::RunShell("'" LUTRA_BENCHMARK "' models/sine.tflite --runs 3 --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }();
  json made = result;
  made["context"]["commit"] = CommitOf(i);
  made["context"]["date"] = "2026-01-" + std::to_string(10 + i) + "T00:00:00Z";
  made["results"][0]["arena"]["used_bytes"] = arena;
  made["results"][0]["inference"]["median_ns"] = time;
  return made.dump();
}

History TimesOf(const std::vector<double>& values) {
  History history = {
      .platform = "p", .model = "m", .setting = "", .figure = "median_ns", .is_time = true, .points = {}};
  for (const double value : values) history.points.push_back({"", "", value, false});
  MarkChanges(&history);
  return history;
}

std::vector<size_t> ChangesOf(const History& history) {
  std::vector<size_t> at;
  for (size_t i = 0; i < history.points.size(); ++i) {
    if (history.points[i].is_change) at.push_back(i);
  }
  return at;
}

TEST(History, ATimeChangesWhereItStays) {
  using At = std::vector<size_t>;
  EXPECT_EQ(ChangesOf(TimesOf({100, 101, 99, 100, 120, 121, 119, 120, 120})), At({4}));
  // No change is one slow run, a drift of less than 5 %, or noise as large as the step.
  EXPECT_EQ(ChangesOf(TimesOf({100, 101, 99, 180, 100, 101, 100, 99})), At());
  EXPECT_EQ(ChangesOf(TimesOf({100, 100, 100, 104, 104, 104, 104})), At());
  EXPECT_EQ(ChangesOf(TimesOf({100, 140, 80, 120, 90, 150, 100, 160, 130})), At());
  EXPECT_EQ(ChangesOf(TimesOf(
                {100, 100, 100, 100, 100, 100, 200, 200, 200, 200, 200, 200, 100, 100, 100, 100, 100})),
            At({6, 12}));
  EXPECT_EQ(ChangesOf(TimesOf({100})), At());
  EXPECT_EQ(ChangesOf(TimesOf({0, 0, 0, 0})), At());
}

TEST(History, ACommitIsAPointAndAnyByteAChange) {
  const auto figures = [](const std::string& commit, const std::string& date, double bytes) {
    return Figures{commit, date, {{"p", "kws", "", "arena_bytes", bytes, false}}};
  };
  // Commits have the order of their first results, and the median of their results.
  const auto histories = HistoriesOf({figures("b", "2026-02-01", 16), figures("a", "2026-01-01", 12),
                                      figures("a", "2026-03-01", 12), figures("c", "2026-02-02", 10),
                                      figures("c", "2026-02-03", 30), figures("c", "2026-02-03", 16)});
  ASSERT_EQ(histories.size(), 1u);
  ASSERT_EQ(histories[0].points.size(), 3u);
  EXPECT_EQ(histories[0].points[0].commit, "a");
  EXPECT_EQ(histories[0].points[2].value, 16);
  EXPECT_EQ(ChangesOf(histories[0]), std::vector<size_t>({1}));
}

class Results : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Outcome Run(const std::string& arguments) {
    return host::RunShell("cd '" + folder_ / "" + "'; '" LUTRA_PROGRAM "' " + arguments);
  }
  std::string ListOf(const std::string& db = "results.db") { return Run("list --format csv --db " + db).out; }

  const host::ScratchFolder folder_;
};

TEST_F(Results, AreStoredOnceAndTellWhatChanged) {
  host::RunShell("mkdir '" + folder_ / "in" + "'");
  for (int i = 0; i < 8; ++i)
    Put("in/" + std::to_string(i) + ".json", ResultText(i, i < 3 ? 640 : 656, i < 5 ? 1000000 : 1300000));
  const Outcome first = Run("import in");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, "results.db: 8 new, 0 known, 0 refused\n");
  Put("again.json", ResultText(3, 656, 1000000));  // The bytes of 3.json under another name.
  EXPECT_EQ(Run("import in again.json").out, "results.db: 0 new, 9 known, 0 refused\n");

  const Outcome trend = Run("trend sine arena_bytes --format json");
  ASSERT_EQ(trend.code, 0) << trend.err;
  const json rows = json::parse(trend.out)["rows"];
  ASSERT_EQ(rows.size(), 8u);
  for (int i = 0; i < 8; ++i) {
    const auto& row = rows[static_cast<size_t>(i)];
    EXPECT_EQ(row["commit"], CommitOf(i));
    EXPECT_EQ(row["value"], i < 3 ? 640 : 656);
    EXPECT_EQ(row["change"], i == 3 ? "change" : "");
  }
  const std::string times = Run("trend 's*' median_ns --format csv").out;
  EXPECT_NE(times.find(CommitOf(5) + ",1300000,change"), std::string::npos) << times;

  const Outcome compared = Run("compare " + CommitOf(0) + " " + CommitOf(7));
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("arena bytes | 640 | 656"), std::string::npos) << compared.out;

  // The page has the same figures, from the database and from the folder.
  const std::string report = "cd '" + folder_ / "" + "'; '" LUTRA_REPORT "' ";
  const Outcome page = host::RunShell(report + "--history results.db --format md");
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(host::RunShell(report + "--history in --format md").out, page.out);
  EXPECT_NE(page.out.find("arena\\_bytes | 8 | 640 | 656 | " + CommitOf(3)), std::string::npos) << page.out;
  EXPECT_NE(page.out.find("median\\_ns | 8 | 1.000 ms | 1.300 ms | " + CommitOf(5)), std::string::npos)
      << page.out;
  const std::string html = host::RunShell(report + "in/7.json --history results.db").out;
  EXPECT_NE(html.find("<title>" + CommitOf(5) + ": 1.300 ms</title>"), std::string::npos);
}

// A history that would be left out, or is empty, is no success.
TEST_F(Results, AHistoryWithoutFiguresIsRefused) {
  Put("one.json", ResultText(0, 640, 1000));
  json none = json::parse(ResultText(1, 640, 1000));
  none["results"] = json::array();
  Put("none.json", none.dump());
  ASSERT_EQ(Run("import none.json").code, 0);
  const std::string report = "cd '" + folder_ / "" + "'; '" LUTRA_REPORT "' ";
  for (const std::string history : {"none.json", "results.db"}) {
    const Outcome outcome = host::RunShell(report + "--history " + history + " -o h.md");
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_NE(outcome.err.find(history + ": found no results"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "h.md"));
  }
  EXPECT_EQ(host::RunShell(report + "--history one.json -o h.md").code, 0);
  EXPECT_EQ(host::RunShell(report + "--history one.json -o h.xml").code, 2);
  EXPECT_EQ(host::RunShell(report + "one.json --history one.json --format junit").code, 2);
}

TEST_F(Results, ADatabaseIsNotReplacedByItsReport) {
  Put("one.json", ResultText(0, 640, 1000));
  ASSERT_EQ(Run("import one.json").code, 0);
  const std::string before = ListOf();
  const std::string report =
      "cd '" + folder_ / "" + "'; '" LUTRA_REPORT "' --history results.db --format md -o ";
  std::filesystem::create_symlink("results.db", folder_ / "link");
  for (const std::string output : {"results.db", "link"}) {
    const Outcome outcome = host::RunShell(report + output);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find("results.db: is read, and an output has this name"), std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(ListOf(), before);
}

// A number is not also a commit's first digit, and what fits several commits or files is no choice of both.
TEST_F(Results, AreChosenByNumberNameOrCommit) {
  const auto put = [this](const std::string& name, const std::string& commit, int64_t arena) {
    json result = json::parse(ResultText(1, arena, 1000));
    result["context"]["commit"] = commit;
    Put(name, result.dump());
    EXPECT_EQ(Run("import " + name).code, 0);
  };
  put("a.json", "2aaaaaaaaaaa", 640);
  put("b.json", "1bbbbbbbbbbb", 656);
  put("c.json", "1bcccccccccc", 672);
  put("a.json", "dddddddddddd", 688);
  const auto arenas = [this](const std::string& line, const std::string& words) {
    const Outcome outcome = Run("compare " + line);
    EXPECT_EQ(outcome.code, 0) << line << ": " << outcome.err;
    EXPECT_NE(outcome.out.find("arena bytes | " + words), std::string::npos) << line << ": " << outcome.out;
  };
  arenas("1 2", "640 | 656");  // The numbers of a.json and b.json, not 2aaa and 1bbb.
  arenas("2a 1bb", "640 | 656");
  arenas("b.json c.json", "656 | 672");
  arenas("1bbbbbbbbbbb dd", "656 | 688");
  for (const auto& [line, words] :
       {std::pair("1b d", "1b: found 2 commits that begin so"),
        std::pair("a.json d", "a.json: found 2 files of this name"), std::pair("9 d", "9: found no such")}) {
    const Outcome outcome = Run(std::string("compare ") + line);
    EXPECT_EQ(outcome.code, 3) << line << outcome.out;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

TEST_F(Results, OfOneRunThatIsWrongAreNamedAndTheOthersStored) {
  Put("good.json", ResultText(0, 640, 1000));
  Put("cut.json", ResultText(1, 640, 1000).substr(0, 500));
  Put("types.json", json({{"schema_version", 1}, {"context", 7}, {"results", "x"}}).dump());
  Put("deep.json", std::string(200000, '['));
  const Outcome outcome = Run("import cut.json good.json types.json deep.json none.json");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "results.db: 1 new, 0 known, 4 refused\n");
  for (const std::string name : {"cut.json: ", "types.json: ", "deep.json: ", "none.json: "}) {
    EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(Run("import --db none").code, 2);
  EXPECT_EQ(Run("trend sine no_figure").code, 3);
  EXPECT_EQ(Run("compare " + CommitOf(0) + " zzz").code, 3);
}

TEST_F(Results, NoDatabaseOfOthersIsTouched) {
  Put("good.json", ResultText(0, 640, 1000));
  Put("text.db",
      "no database, but a text that is long enough for a header, and for a page of a hundred bytes.....\n");
  const auto make = [this](const std::string& name, const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / name).c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  };
  make("other.db", "CREATE TABLE mails(text); INSERT INTO mails VALUES('x');");
  ASSERT_EQ(Run("import good.json --db later.db").code, 0);
  make("later.db", "PRAGMA user_version=99");
  ASSERT_EQ(Run("import good.json --db torn.db").code, 0);
  make("torn.db", "PRAGMA wal_checkpoint(TRUNCATE)");
  std::string torn = host::ReadAll(folder_ / "torn.db");
  for (size_t i = 4096; i < torn.size(); ++i) torn[i] = static_cast<char>(i * 7);
  Put("torn.db", torn);
  ASSERT_EQ(Run("import good.json --db fewer.db").code, 0);
  make("fewer.db", "DROP TABLE figures");
  const std::string other = host::ReadAll(folder_ / "other.db");
  for (const std::string name : {"text.db", "other.db", "later.db", "torn.db", "fewer.db"}) {
    for (const std::string verb : {"trend sine arena_bytes", "import good.json"}) {
      const Outcome outcome = Run(verb + " --db " + name);
      EXPECT_EQ(outcome.code, 3) << verb << " " << name << outcome.out;
      EXPECT_NE(outcome.err.find(name + ": "), std::string::npos) << outcome.err;
    }
  }
  EXPECT_EQ(host::ReadAll(folder_ / "other.db"), other) << "not even its journal";
  EXPECT_EQ(Run("list --db none.db").code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
  EXPECT_EQ(Run("import good.json --db no/folder.db").code, 3);
}

TEST_F(Results, AFullDiskTakesNothing) {
  Put("good.json", ResultText(0, 640, 1000));
  const std::string disk = folder_ / "disk";
  const std::string inside =
      "mkdir -p " + disk + "; unshare -rm sh -c \"mount -t tmpfs -o size=SIZE none " + disk + " && ";
  if (host::RunShell("unshare -rm true").code != 0) GTEST_SKIP() << "no mount namespaces here";
  // The free space goes from nothing to enough.
  bool failed = false, stored = false;
  for (const std::string size : {"4k", "16k", "40k", "60k", "100k", "400k"}) {
    std::string line = inside + "head -c 4096 /dev/zero > " + disk + "/rest; " + LUTRA_PROGRAM + " import " +
                       folder_ / "good.json";
    line += " --db " + disk + "/r.db; echo code \\$?; rm " + disk + "/rest; " + LUTRA_PROGRAM +
            " list --db " + disk + "/r.db --format csv\"";
    line.replace(line.find("SIZE"), 4, size);
    const Outcome outcome = host::RunShell(line);
    const bool is_stored = outcome.out.find("code 0\n") != std::string::npos;
    EXPECT_EQ(outcome.out.find("good.json") != std::string::npos, is_stored)
        << size << outcome.out << outcome.err;
    if (!is_stored) {
      EXPECT_NE(outcome.out.find("code 3\n"), std::string::npos) << size << outcome.out;
      EXPECT_NE(outcome.err.find("/r.db: "), std::string::npos) << outcome.err;
    }
    failed = failed || !is_stored;
    stored = stored || is_stored;
  }
  EXPECT_TRUE(failed && stored);
}

// Two processes write at once, and one of them is killed repeatedly: all that it reported is stored, and
// nothing is stored by half.
TEST_F(Results, SurviveWritersThatAreKilled) {
  host::RunShell("mkdir '" + folder_ / "a" + "' '" + folder_ / "b" + "'");
  for (int i = 0; i < 600; ++i) {
    Put("a/" + std::to_string(i) + ".json", ResultText(i % 20, 1000 + i, 1));
    Put("b/" + std::to_string(i) + ".json", ResultText(i % 20, 2000 + i, 1));
  }
  std::thread other([this] {
    const Outcome outcome = Run("import b");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "results.db: 600 new, 0 known, 0 refused\n");
  });
  size_t most = 0;
  for (int milliseconds = 20; milliseconds < 400; milliseconds += 60) {
    // The other thread uses RunShell.
    const std::string line = "cd '" + folder_ / "" + "' && timeout -s KILL 0." +
                             std::to_string(1000 + milliseconds).substr(1) +
                             " '" LUTRA_PROGRAM "' import a > /dev/null 2> said";
    EXPECT_NE(std::system(line.c_str()), -1);
    const std::string said = host::ReadAll(folder_ / "said");
    const size_t at = said.rfind("stored ");
    if (at != std::string::npos) most = std::max(most, static_cast<size_t>(std::stoul(said.substr(at + 7))));
  }
  other.join();
  const std::string list = ListOf();
  const auto stored = static_cast<size_t>(std::count(list.begin(), list.end(), '\n')) - 1;
  EXPECT_GE(stored, 600 + most);
  EXPECT_EQ(Run("import a b").code, 0);
  const std::string all = ListOf();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1201);
  // The figures of each file are stored once.
  EXPECT_EQ(
      ResultsDb(folder_ / "results.db", ResultsDb::Access::kRead).AllFigures("sine", "arena_bytes").size(),
      1200u);
}

}  // namespace
}  // namespace lutra::reports
