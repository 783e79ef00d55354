// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share: which cases, which runtime.

#pragma once

#include <string>
#include <vector>

#include "conformance/runner/run.h"
#include "host/install_paths.h"

namespace CLI {
class App;
}

namespace lutra::conformance {

struct CaseOptions {
  std::string filter = "*";
  std::string corpus;  // A folder in the exported layout; empty: the generator.
  std::string shard;   // Empty: the whole.
  std::string golden = host::GoldenFolder();
  bool smoke = false;
};
void DeclareCaseOptions(CLI::App& verb, CaseOptions* options);

struct SelectedCases {
  std::vector<Case> cases;
  host::Selection selection;
  Manifest manifest;  // Of the frozen cases; empty for a corpus of the user's own.
};
// Throws BadInput if no case is selected, if the folder `golden` is missing, or if the generator no longer
// makes a frozen case.
SelectedCases SelectCases(const CaseOptions& options);
// The manifest in the folder `golden`, if it is the one that the cases were selected from; else an empty one.
Manifest ManifestOf(const host::Selection& selection, const std::string& golden);
// Says on stderr how many of the cases are not frozen.
void TellNotFrozen(const SelectedCases& selected);

struct AdapterOptions {
  std::string runner;  // Command; empty: our own runtime.
  std::string kernels = "best";
  std::string delegate;
  std::string delegate_options;
  int timeout_ms = 10000;
  int jobs = 0;  // 0: as many as there are processors.

  // True of our own runtime, unless a delegate or a library of kernels is judged: these have some operators.
  bool HasAllOperators() const;
};
void DeclareAdapterOptions(CLI::App& verb, AdapterOptions* options);
std::string AdapterCommand(const AdapterOptions& options);
int JobsOf(const AdapterOptions& options);

}  // namespace lutra::conformance
