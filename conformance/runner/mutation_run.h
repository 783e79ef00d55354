// SPDX-License-Identifier: Apache-2.0
// Tries faults: each in a copy of the sources, whose adapter is built and runs cases until one finds it.

#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/runner/mutations.h"

namespace lutra::conformance {

// The cases that are run with a fault, one set after the other.
struct MutationCases {
  std::vector<Case> smoke;   // Small, in full.
  std::vector<Case> corpus;  // All cases, with or without those of `smoke`.
  std::vector<Case> models;  // Whole models: a fault that changes one is valid, whatever the cases say.
};

struct MutationOptions {
  std::filesystem::path sources;
  std::filesystem::path
      work;  // Copies, their builds and the results stay here, so that a second run goes on.
  std::string kernels = "ref";
  int jobs = 1;  // Copies of the sources at a time, each with a fault of its own.
  std::chrono::milliseconds timeout{10000};
};

struct MutationResult {
  std::string id, file, why;
  std::string edit;  // A hash of edit and source.
  bool builds = true;
  std::string smoke, corpus, model;  // The first case that found it; empty: none.
  std::string found_by;              // A hash of that case.
  std::string cases;                 // A hash of all cases.
  double seconds = 0;
};

// The results of an earlier run in the folder; of two of one mutation the later.
std::vector<MutationResult> ReadMutationResults(const std::filesystem::path& work);
// Returns results in the order of the mutations; after an interruption (host/interrupt.h), those of the ones
// that were tried. Throws BadInput at the start if an edit does not apply, or if the sources without it do
// not build or fail a case.
std::vector<MutationResult> TryMutations(const std::vector<Mutation>& mutations, const MutationCases& cases,
                                         const MutationOptions& options);

std::string MutationTable(const std::vector<MutationResult>& results);
std::string MutationJson(const std::vector<MutationResult>& results);

}  // namespace lutra::conformance
