// SPDX-License-Identifier: Apache-2.0
// Results looked at across files: the runs of all models, and what belongs together.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/report.h"

namespace lutra::reports {

// One model in one setting on one platform, out of one file.
struct PlacedRun {
  const ResultFile* file;
  const ModelRun* run;
};

// All runs, those that were refused left out.
std::vector<PlacedRun> AllRuns(const std::vector<ResultFile>& files);

// In the order of the files, each once; reports of compress have none.
std::vector<std::string> Platforms(const std::vector<ResultFile>& files);

// The uncompressed model of which this one is the compressed form: the same work and the same outputs of the
// same inputs, and the longest name that this one's begins with; or, without such a name, the only one. Null
// if there is none.
const ModelRun* PlainFormOf(const ModelRun& compressed, const std::vector<PlacedRun>& runs);

// How a model was run: "ref", "best, small", "best, decoded per-use".
std::string SettingOf(const ModelRun& run);

// The kernels that operators took, each once: "mve, ref". Empty where that is not known.
std::string KernelsOf(const ModelRun& run);

// Whether a model of this name is in models/.
bool IsBundled(const std::string& model);

// Instructions of an inference: of the whole, or else of its operators if all have them.
Figure Instructions(const ModelRun& run);

// The cases of one backend, out of one file or of several shards.
struct Backend {
  std::string platform, profile, name, kernels, command;
  bool smoke = false;
  std::map<std::string, std::vector<const CaseRun*>> by_operator;
  int Count(const std::string& verdict) const;
  int cases() const;
};
std::vector<Backend> Backends(const std::vector<ResultFile>& files);

// "47,672"; "368.2 µs"; "14.8 %".
std::string Grouped(int64_t value);
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
// How many, and of what: "1 case", "2 cases".
std::string Counted(int64_t count, const std::string& noun);

}  // namespace lutra::reports
