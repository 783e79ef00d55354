// SPDX-License-Identifier: Apache-2.0
// Keeps result files in an SQLite database, each file once.
//
//   ResultsDb db("results.db", ResultsDb::Access::kWrite);       // made, if it is not there
//   db.Import({{"a.json", text}}, &refusals);                    // all of them or none
//   for (const Figures& file : db.AllFigures()) ...
//
// Several processes may write at once: each waits for the others. When Import returns, its files are on the
// disk. A database with any other content ends in BadInput, which names the file and what to do.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reports/history.h"

struct sqlite3;

namespace lutra::reports {

struct StoredFile {
  int64_t id = 0;
  std::string sha256, name, platform, commit, date;
  int64_t bytes = 0;
};

struct FileText {
  std::string path, text;
};

class ResultsDb {
 public:
  enum class Access { kRead, kWrite };

  // Throws BadInput if the file is no such database, or if there is none to read.
  ResultsDb(const std::string& path, Access access);

  // Adds files that are not there, by the hash of their bytes, in one transaction. Returns how many were new.
  // A text that is no result file is left out, and `refusals` gets a line that says why.
  int64_t Import(const std::vector<FileText>& files, std::vector<std::string>* refusals);

  // Returns the files in the order of their dates.
  std::vector<StoredFile> Files() const;
  // Returns the file with this number, or else this name, or else the files of the commit that begins so.
  // Throws BadInput if there is none, and if several files or commits fit.
  std::vector<ResultFile> Load(const std::string& selector) const;
  // Returns the figures that match a pattern of models and a figure; empty ones match all.
  std::vector<Figures> AllFigures(const std::string& model = "", const std::string& figure = "") const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  class Statement;

  // `number`, if any, gets the first column of the last row.
  void Run(const char* sql, int64_t* number = nullptr) const;
  void Prepare(Access access);
  [[noreturn]] void Fail() const;
  [[noreturn]] void RefuseOther() const;
  std::vector<StoredFile> Select(const std::string& selector) const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// Returns whether a path is a database rather than a result file, by the first bytes of SQLite's files.
bool IsResultsDb(const std::string& path);

}  // namespace lutra::reports
