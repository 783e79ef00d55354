// SPDX-License-Identifier: Apache-2.0
// Runs cases on an adapter, several at a time.

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/adapter_process.h"
#include "conformance/runner/manifest.h"
#include "host/conformance_result.h"

namespace lutra::conformance {

struct RunOptions {
  std::string adapter;  // Command.
  std::chrono::milliseconds timeout{10000};
  int jobs = 1;
  const oracle::Profile* profile = nullptr;
  std::string profile_name;  // As asked for: "bounded" stands on the profile tflm.
  int bound = 0;
  // A case that the manifest lacks is an error: the smoke set. Otherwise it is live.
  bool only_frozen = false;
  // Folder for reproducers of failures; empty: none.
  std::filesystem::path reproducers;
  int most_reproducers = 100;
};

// A folder for the files of cases, in memory where the system has such a place; gone with the object.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What is done with each case: called by several threads at once, each with an adapter of its own.
using CaseWork =
    std::function<void(const Case& test, AdapterProcess* adapter, const std::filesystem::path& folder)>;
// Returns the adapter's greeting. Progress on a terminal. Throws BadInput if the adapter does not greet.
std::string ForEachCase(const std::vector<Case>& cases, const std::string& adapter,
                        std::chrono::milliseconds timeout, int jobs, const CaseWork& work);

// Throws BadInput if a frozen case is not as it was. An empty manifest: nothing is compared.
host::ConformanceResult RunCases(const std::vector<Case>& cases, const Manifest& manifest,
                                 const RunOptions& options);

// The command of our own adapter, beside this program: `options` are its own.
std::string OwnAdapter(const std::string& options);

// Cases by every `shards`-th, from `shard` (0 is the first); "2/4" is the second of four.
std::vector<Case> TakeShard(std::vector<Case> cases, const std::string& shard);

}  // namespace lutra::conformance
