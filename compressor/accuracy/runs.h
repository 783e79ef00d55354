// SPDX-License-Identifier: Apache-2.0
// Keeps the runs of a search, and a log of them from which a later search goes on.
//
//   Runs runs("search.log");
//   runs.Open(what);   // Names the model, the data and the goal.
//   if (!runs.verdicts().contains(values)) runs.Add(values, verdict);
//
// Runs are distinguished by the values of each tensor (Choices::ValuesOf), whatever codec stores them.
// Searches with one model, data and goal share them, also for several targets. A log that cannot be written
// is refused with BadInput.

#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lutra::compressor {

class Runs {
 public:
  using Values = std::vector<int>;
  struct Verdict {
    int64_t wrong = 0;  // Of the samples that were run.
    int64_t lost = 0;
    bool whole = true;  // False: it was clear before all were run.
    // With answers, the sum of what the margins of wrong ones lack; else MetricFacts::Loss, with the spare.
    double shortfall = 0;
  };
  // Describes a model with these values of one tensor alone.
  struct Sensitivity {
    double error = 0;             // Error of the deciding tensor, relative to the margins; less is better.
    int64_t answers_changed = 0;  // With answers.
  };

  // `log`: a file of lines of JSON, which is read and extended. Empty: none.
  explicit Runs(std::string log = "") : path_(std::move(log)) {}
  // Reads the log. Throws BadInput if it is that of another search than `what`.
  void Open(const std::string& what);

  const std::map<Values, Verdict>& verdicts() const { return verdicts_; }
  void Add(const Values& values, const Verdict& verdict);
  // Returns what was measured; empty: nothing was.
  std::optional<Sensitivity> SensitivityOf(size_t tensor, int values) const;
  void Add(size_t tensor, int values, const Sensitivity& sensitivity);

 private:
  void Write(const std::string& line);
  void TakeLine(const std::string& line);
  [[noreturn]] void CannotBeWritten() const;

  const std::string path_;
  std::string what_;
  std::ofstream file_;
  std::map<Values, Verdict> verdicts_;
  std::map<std::pair<size_t, int>, Sensitivity> sensitivities_;
};

}  // namespace lutra::compressor
