// SPDX-License-Identifier: Apache-2.0
// Makes the files of golden/, compares them with the existing ones, and replaces them all at once.

#include "conformance/runner/freeze.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/generator/primitives.h"
#include "conformance/runner/explain.h"
#include "conformance/runner/manifest.h"
#include "host/glob.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/progress.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr char kManifest[] = "manifest.jsonl";
constexpr char kPrimitives[] = "primitives.csv";

std::string Joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines ReadLines(const fs::path& path) {
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  Lines lines;
  std::string line;
  for (const uint8_t c : bytes.span()) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    lines.push_back(std::move(line));
    line.clear();
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

// A case that the runtimes of a profile were measured to fail or refuse, which the linter cannot predict.
struct Lack {
  const char *profile, *id;  // Patterns; the profile is "*" for all.
};
constexpr Lack kLacks[] = {
    // No runtime runs these.
    {"*", "int8.dequantize.corner.int32.*"},
    // TFLM compares names of containers, which are absent here, and pads with memory that nothing set.
    {"tflm*", "int8.variable.names.*"},
    {"tflm*", "int8.space_to_batch_nd.*"},
    // LiteRT's kernels lack the type; they refuse variables that were not assigned, or give uninitialised
    // memory.
    {"litert-*", "int8.quantize.int8_to_int32.*"},
    {"xnnpack", "int8.quantize.int8_to_int32.*"},
    {"litert-*", "int8.variable.*"},
    {"xnnpack", "int8.variable.*"},
    // LiteRT's WHILE overwrites an input that is also another output of the body.
    {"litert-*", "int8.control_flow.exchange.*"},
    {"xnnpack", "int8.control_flow.exchange.*"},
    // The delegate takes reductions of more than six dimensions, and fails.
    {"xnnpack", "int8.*.real.rank7.*"},
    {"xnnpack", "int8.*.real.rank8.*"},
    {"xnnpack", "int8.reduce_max.real.smoke.0005"},
    {"xnnpack", "int8.reduce_min.real.smoke.0005"},
};

bool Lacks(const std::string& profile, const std::string& id) {
  return std::any_of(std::begin(kLacks), std::end(kLacks), [&](const Lack& lack) {
    return host::Matches(lack.profile, profile) && host::Matches(lack.id, id);
  });
}

// Returns whether a runtime may claim a profile without this case: if the model is compressed, if the
// specification does not cover it, or if some runtime refuses it or ends.
bool IsOptional(const Case& test) {
  return test.optional || !test.must_refuse.empty() || !test.plain_model.empty() ||
         !ReasonToSetApart(test.model).empty();
}

// Makes files of lines, by their paths in the folder.
std::map<std::string, Lines> MakeLists(const std::vector<Case>& cases) {
  std::map<std::string, Lines> files;
  host::Progress progress("freezing");
  for (size_t i = 0; i < cases.size(); ++i) {
    progress.Update(static_cast<int64_t>(i), static_cast<int64_t>(cases.size()));
    const std::string line = ManifestLine(cases[i]);
    files[kManifest].push_back(line);
    const auto expected = nlohmann::json::parse(line)["expected"];
    const bool must_refuse = !cases[i].must_refuse.empty();
    const bool optional = IsOptional(cases[i]);
    // Here the present TFLM differs from the specification.
    const bool is_defect = expected.contains("tflm-as-is");
    for (const oracle::Profile& profile : oracle::Profiles()) {
      if (!profile.is_frozen) continue;
      const std::string name = profile.name;
      Lines& must = files[fmt::format("must_pass/{}.txt", name)];
      Lines& may = files[fmt::format("optional/{}.txt", name)];
      const auto& mine = expected.contains(name) ? expected[name] : expected["tflm"];
      if (mine.is_null() && !must_refuse) continue;
      const bool is_optional = optional || (is_defect && name == "tflm") || Lacks(name, cases[i].id);
      (is_optional ? may : must).push_back(cases[i].id);
    }
  }
  return files;
}

// ---- The smoke set.

// Returns the group in which a case is counted, which is its operator.
std::string GroupOf(const Case& test) { return test.must_refuse.empty() ? test.op : "to be refused"; }

// Chooses small cases, about 240 of all groups together, evenly by group. Groups keep their cases of
// `chosen`, and get none of `frozen`. Adds all cases that the generator wants in the smoke set.
std::vector<const Case*> ChooseSmoke(const std::vector<Case>& cases, const std::set<std::string>& chosen,
                                     const std::set<std::string>& frozen) {
  constexpr size_t kWanted = 240, kMostBytes = 8000;
  struct Group {
    size_t small = 0, chosen = 0;
    std::vector<const Case*> candidates;
  };
  std::map<std::string, Group> groups;
  std::vector<const Case*> smoke;
  for (const Case& test : cases) {
    if (test.smoke == Smoke::kAlways && chosen.count(test.id) == 0) smoke.push_back(&test);
    if (test.smoke != Smoke::kMaybe) continue;
    if (test.model.size() + (test.inputs.empty() ? 0 : test.inputs[0].size()) >= kMostBytes) continue;
    Group& group = groups[GroupOf(test)];
    ++group.small;
    if (chosen.count(test.id) != 0) {
      ++group.chosen;
    } else if (frozen.count(test.id) == 0) {
      group.candidates.push_back(&test);
    }
  }
  for (const auto& [name, group] : groups) {
    const size_t wanted = std::min(group.small, std::max<size_t>(2, kWanted / groups.size()));
    if (wanted <= group.chosen) continue;
    const size_t count = std::min(group.candidates.size(), wanted - group.chosen);
    for (size_t i = 0; i < count; ++i) {
      smoke.push_back(group.candidates[i * group.candidates.size() / count]);
    }
  }
  return smoke;
}

std::set<std::string> SmokeIds(const fs::path& folder) {
  std::set<std::string> ids;
  for (const auto& entry : fs::directory_iterator(folder / "smoke" / "cases")) {
    ids.insert(entry.path().filename());
  }
  return ids;
}

// ---- Comparison with the existing files.

// Says why `now` is not `before` with lines added. `id_of`: returns the text by which lines are
// distinguished.
template <typename IdOf>
void CompareLines(const std::string& prefix, const Lines& before, const Lines& now, const IdOf& id_of,
                  Lines* refused) {
  std::map<std::string, const std::string*> lines;
  for (const std::string& line : now) lines[id_of(line)] = &line;
  size_t at = 0;
  for (const std::string& line : before) {
    const std::string id = id_of(line);
    const auto found = lines.find(id);
    if (found == lines.end()) {
      refused->push_back(prefix + id + ": would vanish");
      continue;
    }
    if (*found->second != line) {
      refused->push_back(prefix + id + ": would change");
      continue;
    }
    const size_t start = at;
    while (at < now.size() && now[at] != line) ++at;
    if (at == now.size()) {
      refused->push_back(prefix + id + ": would move");
      at = start;
    }
  }
}

// ---- Writing.

// New files are written to a folder beside the old ones, and moved when all are written.
class Staging {
 public:
  explicit Staging(const fs::path& folder) : folder_(folder), staged_(folder / ".freezing") {
    fs::remove_all(staged_);
    for (const char* part : {"must_pass", "optional", "smoke/cases"}) {
      fs::create_directories(folder_ / part);
      fs::create_directories(staged_ / part);
    }
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(staged_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void AddFile(const std::string& path, const std::string& text) {
    host::WriteFileBytes(staged_ / path, text.data(), text.size());
    // The manifest is moved last, when all files that it names exist.
    files_.insert(path == kManifest ? files_.end() : files_.begin(), path);
  }
  void AddSmoke(const Case& test) {
    WriteCase(staged_ / "smoke" / "cases" / test.id, test);
    smoke_.push_back(test.id);
  }
  // `anew`: replaces the existing smoke set.
  void Commit(bool anew) {
    const fs::path smoke = fs::path("smoke") / "cases";
    if (anew) {
      fs::rename(folder_ / smoke, staged_ / "old_smoke");
      fs::rename(staged_ / smoke, folder_ / smoke);
    } else {
      for (const std::string& id : smoke_) fs::rename(staged_ / smoke / id, folder_ / smoke / id);
    }
    for (const std::string& path : files_) fs::rename(staged_ / path, folder_ / path);
  }

 private:
  fs::path folder_, staged_;
  Lines files_, smoke_;
};

void Write(const std::map<std::string, Lines>& lists, const std::vector<const Case*>& smoke,
           const fs::path& folder, bool anew) {
  try {
    Staging staging(folder);
    staging.AddFile(kPrimitives, PrimitivesCsv(GeneratePrimitives()));
    for (const auto& [path, lines] : lists) staging.AddFile(path, Joined(lines));
    for (const Case* test : smoke) staging.AddSmoke(*test);
    staging.Commit(anew);
  } catch (const fs::filesystem_error& error) {
    throw host::BadInput(fmt::format("{}: cannot write: {}", folder.string(), error.code().message()));
  }
}

}  // namespace

FreezeResult FreezeAnew(const std::vector<Case>& cases, const fs::path& folder, Existing existing) {
  FreezeResult result = {.cases = cases.size(), .added = cases.size()};
  const std::map<std::string, Lines> lists = MakeLists(cases);
  if (existing == Existing::kKeepLines && fs::exists(folder / kManifest)) {
    const Lines frozen = ReadLines(folder / kManifest);
    CompareLines("", frozen, lists.at(kManifest), IdOfLine, &result.refused);
    if (!result.refused.empty()) return result;
    result.added -= frozen.size();
  }
  const std::vector<const Case*> smoke = ChooseSmoke(cases, {}, {});
  result.smoke_added = smoke.size();
  Write(lists, smoke, folder, true);
  return result;
}

FreezeResult AddToFrozen(const std::vector<Case>& cases, const fs::path& folder) {
  FreezeResult result = {.cases = cases.size()};
  const Lines frozen = ReadLines(folder / kManifest);
  const std::map<std::string, Lines> lists = MakeLists(cases);
  CompareLines("", frozen, lists.at(kManifest), IdOfLine, &result.refused);
  for (const auto& [path, lines] : lists) {
    if (path == kManifest || !fs::exists(folder / path)) continue;
    CompareLines(
        path + ": ", ReadLines(folder / path), lines, [](const std::string& id) { return id; },
        &result.refused);
  }
  if (Joined(ReadLines(folder / kPrimitives)) != PrimitivesCsv(GeneratePrimitives())) {
    result.refused.push_back(fmt::format("{}: would change", kPrimitives));
  }
  if (!result.refused.empty()) return result;
  std::set<std::string> frozen_ids;
  for (const std::string& line : frozen) frozen_ids.insert(IdOfLine(line));
  const std::vector<const Case*> smoke = ChooseSmoke(cases, SmokeIds(folder), frozen_ids);
  result.added = cases.size() - frozen.size();
  result.smoke_added = smoke.size();
  Write(lists, smoke, folder, false);
  return result;
}

}  // namespace lutra::conformance
