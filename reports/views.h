// SPDX-License-Identifier: Apache-2.0
// Views of results across files: the runs of all models, and results that belong together.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/printable.h"
#include "reports/report.h"

namespace lutra::reports {

// A model's run in one setting on one platform, from one file.
struct PlacedRun {
  const ResultFile* file;
  const host::ModelResult* run;
};

// Returns all runs except those that were refused.
std::vector<PlacedRun> AllRuns(const std::vector<ResultFile>& files);

// Returns each platform once, in the order of the files; reports of compress and vta have none.
std::vector<std::string> Platforms(const std::vector<ResultFile>& files);

// Returns a run of the model of which `compressed` is the compressed form: it has the same work, the same
// outputs for the same inputs, and the longest name with which the compressed model's name begins; if no name
// fits, it must be the only such model. Null if there is none.
const host::ModelResult* PlainFormOf(const host::ModelResult& compressed, const std::vector<PlacedRun>& runs);

// Returns the name of the model's file, without its folder and .tflite.
std::string NameOf(const host::ModelResult& run);

// Returns the CRCs of inputs or outputs, separated by spaces.
std::string CrcsOf(const std::vector<host::TensorResult>& tensors);

// Returns when compressed weights are decoded; empty if none are.
std::string PolicyOf(const host::ModelResult& run);

// Returns how a model was run: "ref", "best, small", "best, decoded per-use".
std::string SettingOf(const host::ModelResult& run);

// Returns the same in words for readers: "fast", "small arena, reference kernels", "fast, decoded per-use".
std::vector<std::string> WordsOf(const host::ModelResult& run);

// Returns the kernels that operators used, each once: "mve, ref"; empty if they are not known.
std::string KernelsOf(const host::ModelResult& run);

// Returns whether a model of this name is in models/.
bool IsBundled(const std::string& model);

// Returns the instructions of an inference, or else their sum over operators if all have them.
Figure Instructions(const host::ModelResult& run);

// The cases of one backend, from one file or several shards.
struct Backend {
  std::string platform, profile, name, kernels, command;
  bool smoke = false;
  std::map<std::string, std::vector<const host::CaseResult*>> by_operator;
  int Count(host::Verdict verdict) const;
  int cases() const;
};
std::vector<Backend> Backends(const std::vector<ResultFile>& files);

// Returns "fail: output 0 has another size", or the verdict alone if there is no reason.
std::string Said(const host::CaseResult& result);

// Return "47,672", "368.2 µs" and "14.8 %".
using host::Grouped;
std::string Duration(int64_t ns);
std::string Percent(double share);

Cell TextCell(std::string text, Tone tone = Tone::kPlain);
// Both show "-" if there is no value.
Cell NumberCell(Figure value, const std::string& unit = "bytes");
Cell DurationCell(Figure ns);
// Returns "46.34 M" for a million and more.
Cell ShortCell(Figure value, const std::string& unit);
// Removes columns that are empty in all rows.
Table WithoutEmptyColumns(const Table& table);
// Returns a count with its noun: "1 case", "2 cases".
std::string Counted(int64_t count, const std::string& noun);

}  // namespace lutra::reports
