// SPDX-License-Identifier: Apache-2.0
// Has the tables, statements and transactions of the database.

#include "reports/results_db.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "host/failures.h"
#include "host/glob.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/sha256.h"
#include "reports/read_results.h"

namespace lutra::reports {
namespace {

// "Lutr", which is in the file's header; and the version of the tables.
constexpr int kApplication = 0x4c757472;
constexpr int kVersion = 1;
constexpr int kWaitMilliseconds = 60'000;

constexpr char kTables[] =
    "CREATE TABLE files(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " platform TEXT NOT NULL, commit_id TEXT NOT NULL, date TEXT NOT NULL, text BLOB NOT NULL);"
    "CREATE TABLE figures(file INTEGER NOT NULL REFERENCES files(id), platform TEXT NOT NULL, model TEXT NOT "
    "NULL,"
    " setting TEXT NOT NULL, figure TEXT NOT NULL, value REAL NOT NULL, is_time INTEGER NOT NULL);"
    "CREATE INDEX figures_of_files ON figures(file);";

constexpr char kMagic[] = "SQLite format 3";

}  // namespace

// A statement, whose parameters are bound, and whose columns are read, in order.
class ResultsDb::Statement {
 public:
  Statement(const ResultsDb& db, const char* sql) : db_(db) {
    if (sqlite3_prepare_v2(db.database_.get(), sql, -1, &statement_, nullptr) != SQLITE_OK) db.Fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& Bind(int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  Statement& Bind(double number) {
    sqlite3_bind_double(statement_, ++bound_, number);
    return *this;
  }
  // Returns whether there is a row.
  bool Step() {
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_ROW) {
      column_ = 0;
      return true;
    }
    if (status != SQLITE_DONE) db_.Fail();
    return false;
  }
  // Runs the statement, whose parameters may then be bound again.
  void Done() {
    Step();
    sqlite3_reset(statement_);
    bound_ = 0;
  }
  std::string Text() {
    const int column = column_++;
    const void* const bytes = sqlite3_column_blob(statement_, column);
    const int count = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), static_cast<size_t>(count));
  }
  int64_t Integer() { return sqlite3_column_int64(statement_, column_++); }
  double Real() { return sqlite3_column_double(statement_, column_++); }

 private:
  const ResultsDb& db_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0, column_ = 0;
};

void ResultsDb::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

void ResultsDb::Fail() const {
  const int code = sqlite3_errcode(database_.get());
  const char* const next =
      code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? "import the files into another one"
      : (code & 0xFF) == SQLITE_BUSY                  ? "another program has held it for a minute; try again"
                                                      : "check the folder, its permissions and its space";
  throw host::BadInput(
      fmt::format("{}: {}; {}", path_, host::Printable(sqlite3_errmsg(database_.get())), next));
}

// Runs a statement, and repeats it while the database is busy. SQLite itself waits for others, unless it
// suspects a deadlock: while one process changes to the write-ahead log, or recovers a log that a killed
// process left. A statement that fails so has changed nothing.
void ResultsDb::Run(const char* sql, int64_t* number) const {
  const auto take = [](void* user, int columns, char** values, char**) {
    auto* const to = static_cast<int64_t*>(user);
    if (to != nullptr && columns > 0 && values[0] != nullptr) *to = std::strtoll(values[0], nullptr, 10);
    return 0;
  };
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(kWaitMilliseconds);
  for (;;) {
    constexpr int kPrimaryCode = 0xFF;
    const int status = sqlite3_exec(database_.get(), sql, take, number, nullptr);
    if (status == SQLITE_OK) return;
    if ((status & kPrimaryCode) != SQLITE_BUSY || Clock::now() >= end) Fail();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

ResultsDb::ResultsDb(const std::string& path, Access access) : path_(path) {
  for (const char* const end : {"", "-wal", "-shm"}) host::RefuseToReadOutput(path + end);
  sqlite3* database = nullptr;
  const int flags =
      access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(path.c_str(), &database, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  database_.reset(database);
  if (status != SQLITE_OK) Fail();
  sqlite3_busy_timeout(database, kWaitMilliseconds);
  // The schema of a file from others must not run code here.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  Prepare(access);
}

void ResultsDb::RefuseOther() const {
  throw host::BadInput(
      fmt::format("{}: found a database of another program, required: one of lutra-results", path_));
}

void ResultsDb::Prepare(Access access) {
  const auto number = [this](const char* sql) {
    Statement statement(*this, sql);
    return statement.Step() ? statement.Integer() : 0;
  };
  if (access == Access::kWrite) {
    // Before anything is written: even another journal changes the bytes of a database of others.
    int64_t tables = 0, application = 0;
    Run("SELECT count(*) FROM sqlite_master", &tables);
    Run("PRAGMA application_id", &application);
    if ((tables > 0 || application != 0) && application != kApplication) RefuseOther();
    Run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN IMMEDIATE;");
    const bool is_new = number("SELECT count(*) FROM sqlite_master") == 0;
    if (is_new) {
      Run(kTables);
      Run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", kApplication, kVersion).c_str());
    }
    Run("COMMIT");
  } else if (number("SELECT count(*) FROM sqlite_master") == 0) {
    throw host::BadInput(
        fmt::format("{}: found an empty database, required: one that results were imported into", path_));
  }
  if (number("PRAGMA application_id") != kApplication) RefuseOther();
  if (const int64_t version = number("PRAGMA user_version"); version != kVersion) {
    throw host::BadInput(
        fmt::format("{}: found version {} of lutra-results' tables, required: {}; import the files into "
                    "another one",
                    path_, version, kVersion));
  }
}

int64_t ResultsDb::Import(const std::vector<FileText>& files, std::vector<std::string>* refusals) {
  // Files are parsed before the transaction, in which others have to wait.
  struct Parsed {
    std::string sha256;
    const FileText* file;
    ResultFile results;
    Figures figures;
  };
  std::vector<Parsed> parsed;
  for (const FileText& file : files) {
    try {
      Parsed one = {
          host::Sha256(file.text.data(), file.text.size()), &file, ParseResultFile(file.text, file.path), {}};
      one.figures = FiguresOf(one.results);
      parsed.push_back(std::move(one));
    } catch (const host::BadInput& error) {
      refusals->emplace_back(error.what());
    }
  }
  int64_t added = 0;
  Run("BEGIN IMMEDIATE");
  try {
    Statement add_file(*this,
                       "INSERT OR IGNORE INTO files(sha256, name, platform, commit_id, date, text) VALUES(?, "
                       "?, ?, ?, ?, ?)");
    Statement add_figure(*this, "INSERT INTO figures VALUES(?, ?, ?, ?, ?, ?, ?)");
    for (const Parsed& one : parsed) {
      const std::string name = std::filesystem::path(one.file->path).filename().string();
      add_file.Bind(one.sha256)
          .Bind(name)
          .Bind(one.results.platform)
          .Bind(one.figures.commit)
          .Bind(one.figures.date);
      add_file.Bind(one.file->text).Done();
      if (sqlite3_changes(database_.get()) == 0) continue;
      ++added;
      const int64_t id = sqlite3_last_insert_rowid(database_.get());
      for (const OneFigure& figure : one.figures.figures) {
        add_figure.Bind(id).Bind(figure.platform).Bind(figure.model).Bind(figure.setting).Bind(figure.figure);
        add_figure.Bind(figure.value).Bind(int64_t{figure.is_time}).Done();
      }
    }
    Run("COMMIT");
  } catch (...) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  return added;
}

std::vector<StoredFile> ResultsDb::Files() const {
  Statement statement(
      *this, "SELECT id, sha256, name, platform, commit_id, date, length(text) FROM files ORDER BY date, id");
  std::vector<StoredFile> files;
  while (statement.Step()) {
    StoredFile file;
    file.id = statement.Integer();
    file.sha256 = statement.Text();
    file.name = statement.Text();
    file.platform = statement.Text();
    file.commit = statement.Text();
    file.date = statement.Text();
    file.bytes = statement.Integer();
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<ResultFile> ResultsDb::Load(const std::string& selector) const {
  std::vector<ResultFile> files;
  for (const StoredFile& stored : Select(selector)) {
    Statement statement(*this, "SELECT text FROM files WHERE id = ?");
    statement.Bind(stored.id);
    if (!statement.Step()) Fail();
    ResultFile file = ParseResultFile(statement.Text(), stored.name);
    file.platform = stored.platform;
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<StoredFile> ResultsDb::Select(const std::string& selector) const {
  const std::vector<StoredFile> all = Files();
  const auto that = [&all](const auto& is_wanted) {
    std::vector<StoredFile> wanted;
    std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), is_wanted);
    return wanted;
  };
  const auto refuse = [&](const std::string& found, const char* required) {
    throw host::BadInput(
        fmt::format("{}: {}: found {}, required: {}", path_, host::Printable(selector, 80), found, required));
  };
  std::vector<StoredFile> wanted =
      that([&](const StoredFile& file) { return std::to_string(file.id) == selector; });
  if (!wanted.empty()) return wanted;
  wanted = that([&](const StoredFile& file) { return file.name == selector; });
  if (wanted.size() > 1) {
    refuse(fmt::format("{} files of this name", wanted.size()), "one; say its number, which list has");
  }
  if (!wanted.empty()) return wanted;
  wanted = that([&](const StoredFile& file) { return file.commit == selector; });
  if (wanted.empty())
    wanted = that([&](const StoredFile& file) { return file.commit.starts_with(selector); });
  std::set<std::string> commits;
  for (const StoredFile& file : wanted) commits.insert(file.commit);
  if (commits.size() > 1) {
    refuse(fmt::format("{} commits that begin so", commits.size()), "one; say more of its digits");
  }
  if (wanted.empty()) refuse("no such commit, file or number", "one that lutra-results list has");
  return wanted;
}

std::vector<Figures> ResultsDb::AllFigures(const std::string& model, const std::string& figure) const {
  Statement statement(
      *this,
      "SELECT files.id, commit_id, date, figures.platform, model, setting, figure, value, is_time"
      " FROM figures JOIN files ON figures.file = files.id ORDER BY files.id, figures.rowid");
  std::map<int64_t, Figures> files;
  while (statement.Step()) {
    Figures& file = files[statement.Integer()];
    file.commit = statement.Text();
    file.date = statement.Text();
    OneFigure one;
    one.platform = statement.Text();
    one.model = statement.Text();
    one.setting = statement.Text();
    one.figure = statement.Text();
    one.value = statement.Real();
    one.is_time = statement.Integer() != 0;
    const bool is_wanted = (model.empty() || host::Matches(model, one.model)) &&
                           (figure.empty() || host::Matches(figure, one.figure));
    if (is_wanted) file.figures.push_back(std::move(one));
  }
  std::vector<Figures> all;
  for (auto& [id, file] : files) {
    if (!file.figures.empty()) all.push_back(std::move(file));
  }
  return all;
}

bool IsResultsDb(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char begin[sizeof kMagic] = {};
  file.read(begin, sizeof begin);
  return file.gcount() == sizeof begin &&
         std::string_view(begin, sizeof begin) == std::string_view(kMagic, sizeof kMagic);
}

}  // namespace lutra::reports
