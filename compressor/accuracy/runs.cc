// SPDX-License-Identifier: Apache-2.0
// A log has lines of JSON: first the search, then its runs.

#include "compressor/accuracy/runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/model_file.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

void Runs::Open(const std::string& what) {
  if (path_.empty() || what_ == what) return;
  what_ = what;
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) CannotBeWritten();  // A device may be endless.
  const std::string before = fs::exists(status) ? host::ReadFileText(path_) : "";
  std::istringstream lines(before);
  bool is_first = true;
  for (std::string line; std::getline(lines, line);) {
    if (is_first && line != Json{{"search", what}}.dump()) {
      const Json other = Json::parse(line, nullptr, false);
      throw host::BadInput(fmt::format(
          "{}: log: found {}, required: the log of this model, data and goal; give another --log", path_,
          other.is_object() && other.contains("search") ? "the log of another search"
                                                        : "a file that is no log"));
    }
    if (!is_first) TakeLine(line);
    is_first = false;
  }
  file_.open(path_, std::ios::app);
  if (is_first) {
    Write(Json{{"search", what}}.dump());
  } else if (before.back() != '\n') {
    file_ << "\n";
  }
  if (!file_) CannotBeWritten();
}

void Runs::Add(const Values& values, const Verdict& verdict) {
  verdicts_[values] = verdict;
  Write(Json{{"values", values},
             {"wrong", verdict.wrong},
             {"lost", verdict.lost},
             {"whole", verdict.whole},
             {"shortfall", verdict.shortfall}}
            .dump());
}

std::optional<Runs::Sensitivity> Runs::SensitivityOf(size_t tensor, int values) const {
  if (values == 0) return Sensitivity();  // The tensor is as it was.
  const auto found = sensitivities_.find({tensor, values});
  return found == sensitivities_.end() ? std::nullopt : std::optional<Sensitivity>(found->second);
}

void Runs::Add(size_t tensor, int values, const Sensitivity& sensitivity) {
  sensitivities_[{tensor, values}] = sensitivity;
  Write(Json{{"tensor", tensor},
             {"values", values},
             {"error", sensitivity.error},
             {"changed", sensitivity.answers_changed}}
            .dump());
}

// Lines that were written before stay: a search with the same log continues it.
void Runs::Write(const std::string& line) {
  if (path_.empty()) return;
  file_ << line << "\n" << std::flush;
  if (!file_) CannotBeWritten();
}

void Runs::CannotBeWritten() const {
  throw host::BadInput(
      fmt::format("{}: log: cannot be written; give a file on a disk with space as --log", path_));
}

// A line that is foreign or was cut short is ignored, so its run is made again.
void Runs::TakeLine(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("error")) {
      sensitivities_[{json.at("tensor").get<size_t>(), json.at("values").get<int>()}] = {json.at("error"),
                                                                                         json.at("changed")};
      return;
    }
    verdicts_[json.at("values").get<Values>()] = {json.at("wrong"), json.at("lost"), json.at("whole"),
                                                  json.at("shortfall")};
  } catch (const Json::exception&) {
  }
}

}  // namespace lutra::compressor
