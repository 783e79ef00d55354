// SPDX-License-Identifier: Apache-2.0
// Results looked at across files: the runs of all models, and what belongs together.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/printable.h"
#include "reports/report.h"

namespace lutra::reports {

// One model in one setting on one platform, out of one file.
struct PlacedRun {
  const ResultFile* file;
  const host::ModelResult* run;
};

// All runs, those that were refused left out.
std::vector<PlacedRun> AllRuns(const std::vector<ResultFile>& files);

// In the order of the files, each once; reports of compress and vta have none.
std::vector<std::string> Platforms(const std::vector<ResultFile>& files);

// The uncompressed model of which this one is the compressed form: the same work and the same outputs of the
// same inputs, and the longest name that this one's begins with; or, without such a name, the only one. Null
// if there is none.
const host::ModelResult* PlainFormOf(const host::ModelResult& compressed, const std::vector<PlacedRun>& runs);

// The name of the model's file, without its folder and .tflite.
std::string NameOf(const host::ModelResult& run);

// The CRCs of inputs or outputs, with a space between.
std::string CrcsOf(const std::vector<host::TensorResult>& tensors);

// When compressed weights are decoded; empty where nothing is.
std::string PolicyOf(const host::ModelResult& run);

// Says how a model was run: "ref", "best, small", "best, decoded per-use".
std::string SettingOf(const host::ModelResult& run);

// Says it in words that a reader knows: "fast", "small arena, reference kernels", "fast, decoded per-use".
std::vector<std::string> WordsOf(const host::ModelResult& run);

// The kernels that operators took, each once: "mve, ref". Empty where that is not known.
std::string KernelsOf(const host::ModelResult& run);

// Returns whether a model of this name is in models/.
bool IsBundled(const std::string& model);

// Instructions of an inference: of the whole, or else of its operators if all have them.
Figure Instructions(const host::ModelResult& run);

// The cases of one backend, out of one file or of several shards.
struct Backend {
  std::string platform, profile, name, kernels, command;
  bool smoke = false;
  std::map<std::string, std::vector<const host::CaseResult*>> by_operator;
  int Count(host::Verdict verdict) const;
  int cases() const;
};
std::vector<Backend> Backends(const std::vector<ResultFile>& files);

// "fail: output 0 has another size"; without a reason the verdict alone.
std::string Said(const host::CaseResult& result);

// "47,672"; "368.2 µs"; "14.8 %".
using host::Grouped;
std::string Duration(int64_t ns);
std::string Percent(double share);

Cell TextCell(std::string text, Tone tone = Tone::kPlain);
// "-" where there is none.
Cell NumberCell(Figure value, const std::string& unit = "bytes");
Cell DurationCell(Figure ns);
// "46.34 M" from a million on.
Cell ShortCell(Figure value, const std::string& unit);
// Columns of which no row has anything are left out.
Table WithoutEmptyColumns(const Table& table);
// Says how many, and of what: "1 case", "2 cases".
std::string Counted(int64_t count, const std::string& noun);

}  // namespace lutra::reports
