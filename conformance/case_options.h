// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share: which cases, which runtime.

#pragma once

#include <string>
#include <vector>

#include "conformance/runner/run.h"

namespace CLI {
class App;
}

namespace lutra::conformance {

struct CaseOptions {
  std::string filter = "*";
  std::string corpus;  // A folder in the exported layout; empty: the generator.
  std::string shard = "1/1";
  std::string golden = LUTRA_GOLDEN_FOLDER;
  bool smoke = false;
};
void DeclareCaseOptions(CLI::App& verb, CaseOptions* options);
// Throws BadInput if there is none.
std::vector<Case> ReadCases(const CaseOptions& options);

struct AdapterOptions {
  std::string runner;  // Command; empty: our own runtime.
  std::string kernels = "best";
  std::string delegate;
  int timeout_ms = 10000;
  int jobs = 0;  // 0: as many as there are processors.
};
void DeclareAdapterOptions(CLI::App& verb, AdapterOptions* options);
std::string AdapterCommand(const AdapterOptions& options);
int JobsOf(const AdapterOptions& options);

}  // namespace lutra::conformance
