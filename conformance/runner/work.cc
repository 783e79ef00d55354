// SPDX-License-Identifier: Apache-2.0
// Reads and writes recorded times; without them counts multiply-accumulates.

#include "conformance/runner/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/printable.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/ops/facts.h"

namespace lutra::conformance {
namespace {

constexpr int64_t kMostUs = 1000000000;
// A case without a row takes a fixed time, and time for its arithmetic.
constexpr int64_t kLeastUs = 500, kMacsPerUs = 20;
// A case that takes more than this part of all time has a row of its own.
constexpr int64_t kPartOfAll = 5000;

// "int8.add" of "int8.add.same.0000".
std::string_view FamilyOf(std::string_view id) {
  const size_t first = id.find('.');
  return first == std::string_view::npos ? id : id.substr(0, id.find('.', first + 1));
}

// Returns 0 for a model that the runtime refuses.
int64_t MacsOf(const oracle::Bytes& bytes) {
  host::AlignedBytes aligned(bytes.size());
  std::copy(bytes.begin(), bytes.end(), aligned.data());
  Model model;
  Diagnosis diagnosis;
  if (Model::Load({aligned.data(), aligned.size()}, &model, &diagnosis) != Status::kOk) return 0;
  int64_t macs = 0;
  for (int i = 0; i < model.node_count(0); ++i) {
    const OperatorFacts* const facts = FactsOf(model.node(0, i).code);
    if (facts != nullptr && facts->macs != nullptr) macs += facts->macs(OperandShapes(model, 0, i));
  }
  return macs;
}

}  // namespace

Work::Work(const std::filesystem::path& file) {
  std::ifstream lines(file);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("#")) continue;
    const size_t space = line.find(' ');
    const char* const end = line.data() + line.size();
    int64_t us = 0;
    const bool has_number = space != std::string::npos && space > 0;
    const auto read = has_number ? std::from_chars(line.data() + space + 1, end, us)
                                 : std::from_chars_result{line.data(), std::errc::invalid_argument};
    if (read.ec != std::errc() || read.ptr != end || us < 1 || us > kMostUs) {
      throw host::BadInput(
          fmt::format("{}:{}: found \"{}\", required: a case or family, a space, "
                      "microseconds from 1 to {}",
                      file.string(), number, host::Printable(line, 60), kMostUs));
    }
    rows_.insert_or_assign(line.substr(0, space), us);
  }
}

int64_t Work::CostOf(const Case& test) const {
  for (const std::string_view name : {std::string_view(test.id), FamilyOf(test.id)}) {
    const auto row = rows_.find(name);
    if (row != rows_.end()) return row->second;
  }
  const oracle::Bytes& model = test.plain_model.empty() ? test.model : test.plain_model;
  return std::min(kMostUs, kLeastUs + MacsOf(model) / kMacsPerUs * std::max(1, test.invokes));
}

std::vector<int64_t> Work::CostsOf(const std::vector<Case>& cases) const {
  std::vector<int64_t> costs;
  costs.reserve(cases.size());
  for (const Case& test : cases) costs.push_back(CostOf(test));
  return costs;
}

std::string TimesText(const std::map<std::string, int64_t>& times, const std::string& where) {
  int64_t all = 0;
  for (const auto& [id, us] : times) all += us;
  std::string text = fmt::format("# Microseconds of a case, or of each other case of a family; {}\n", where);
  std::string rows;
  struct Sum {
    int64_t us = 0, cases = 0;
  };
  std::map<std::string, Sum, std::less<>> families;
  for (const auto& [id, us] : times) {
    if (us > all / kPartOfAll) {
      rows += fmt::format("{} {}\n", id, us);
      continue;
    }
    Sum& sum = families[std::string(FamilyOf(id))];
    sum.us += us;
    ++sum.cases;
  }
  for (const auto& [family, sum] : families) {
    text += fmt::format("{} {}\n", family, std::max<int64_t>(1, sum.us / sum.cases));
  }
  return text + rows;
}

}  // namespace lutra::conformance
