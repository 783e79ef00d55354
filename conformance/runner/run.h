// SPDX-License-Identifier: Apache-2.0
// Runs cases on an adapter, several at a time.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/runner/adapter_process.h"
#include "conformance/runner/manifest.h"
#include "host/conformance_result.h"
#include "host/guardian.h"

namespace lutra::conformance {

struct RunOptions {
  std::string adapter;  // Command.
  std::chrono::milliseconds timeout{10000};
  int jobs = 1;
  const oracle::Profile* profile = nullptr;
  std::string profile_name;  // The name that the user gave: "bounded" means the profile tflm with bounds.
  int bound = 0;
  std::optional<host::Bounds> bounds;  // Instead of `bound`: one for each operator.
  std::string bounds_path;             // The file with `bounds`.
  // A case that the manifest lacks is an error, as in the smoke set; if false, it is live.
  bool only_frozen = false;
  // Folder for reproducers of failures; empty: none.
  std::filesystem::path reproducers;
  int most_reproducers = 100;
  // Gets the microseconds that each case took, by id; may be null.
  std::map<std::string, int64_t>* times = nullptr;
};

// A folder for the files of cases, in memory where the system has a file system there. It is removed with the
// object, and also when this program ends in any other way.
class WorkFolder {
 public:
  WorkFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  host::Guarded guarded_;
};

// The work on each case: called by several threads at once, each with an adapter of its own.
using CaseWork =
    std::function<void(const Case& test, AdapterProcess* adapter, const std::filesystem::path& folder)>;
// Returns the adapter's greeting. Shows progress on a terminal. If the program is interrupted
// (host/interrupt.h) it leaves out the remaining cases. Throws BadInput if the adapter does not greet.
std::string ForEachCase(const std::vector<Case>& cases, const std::string& adapter,
                        std::chrono::milliseconds timeout, int jobs, const CaseWork& work);

// Throws BadInput if a frozen case has changed; with an empty manifest it does not look. If it is
// interrupted, it returns the results so far.
host::ConformanceResult RunCases(const std::vector<Case>& cases, const Manifest& manifest,
                                 const RunOptions& options);

// Quotes a text so that it is one word of a shell's command line.
std::string QuotedForShell(const std::string& text);

// Writes all files that reproduce a failure: model, inputs, expected and actual outputs, and README.txt with
// `text`.
void WriteReproducer(const std::filesystem::path& folder, const Case& test,
                     const std::optional<std::vector<oracle::Bytes>>& expected,
                     const std::vector<oracle::Bytes>& actual, const std::string& text);

// The command of our own adapter, beside this program: `options` are its own.
std::string OwnAdapter(const std::string& options);

}  // namespace lutra::conformance
