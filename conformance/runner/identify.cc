// SPDX-License-Identifier: Apache-2.0
// Weighs every rule of an operator against what a runtime gave.

#include "conformance/runner/identify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "conformance/generator/separate.h"
#include "conformance/runner/case_run.h"
#include "conformance/runner/verdict.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;
using oracle::Bytes;

constexpr size_t kMostAgainst = 5;

// Outputs one after the other, cut into the sizes of `like`.
std::vector<Bytes> Cut(const Bytes& all, const std::vector<Bytes>& like) {
  std::vector<Bytes> outputs;
  size_t at = 0;
  for (const Bytes& output : like) {
    outputs.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at + output.size()));
    at += output.size();
  }
  return outputs;
}

// Compares what the runtime gave with each rule.
void Weigh(const Case& test, const oracle::Operator& op, const std::vector<Bytes>& actual, OperatorFit* fit) {
  size_t bytes = 0;
  for (const Bytes& output : actual) bytes += output.size();
  for (size_t i = 0; i < op.rules.size(); ++i) {
    const Bytes all = OutputsUnder(test, op, op.rules[i]);
    RuleFit& rule = fit->fits[i];
    if (all.size() != bytes || bytes == 0) {
      // The oracle has no answer, or the runtime's has another size.
      if (rule.against.size() < kMostAgainst) rule.against.push_back(test.id);
      continue;
    }
    const auto mismatch = CompareOutputs(test, Cut(all, actual), actual);
    if (!mismatch) {
      ++rule.equal;
      continue;
    }
    rule.different += mismatch->different;
    rule.largest = std::max(rule.largest, mismatch->largest);
    if (rule.against.size() < kMostAgainst) rule.against.push_back(test.id);
  }
  ++fit->cases;
}

std::vector<ProfileFit> WeighProfiles(const std::vector<OperatorFit>& operators) {
  std::vector<ProfileFit> profiles;
  for (const oracle::Profile& profile : oracle::Profiles()) {
    ProfileFit fit = {.profile = profile.name};
    for (const OperatorFit& op : operators) {
      if (op.cases == 0) continue;
      ++fit.operators;
      const std::string rule = oracle::RuleOf(profile, *oracle::FindOperator(op.op)).name;
      const std::vector<std::string> exact = op.Exact();
      if (std::find(exact.begin(), exact.end(), rule) == exact.end()) fit.against.push_back(op.op);
    }
    profiles.push_back(std::move(fit));
  }
  std::stable_sort(profiles.begin(), profiles.end(), [](const ProfileFit& a, const ProfileFit& b) {
    return a.against.size() < b.against.size();
  });
  return profiles;
}

}  // namespace

std::vector<std::string> OperatorFit::Exact() const {
  std::vector<std::string> names;
  for (const RuleFit& fit : fits) {
    if (cases > 0 && fit.equal == cases) names.push_back(fit.rule);
  }
  return names;
}

Fingerprint Identify(const std::vector<Case>& cases, const std::string& adapter,
                     std::chrono::milliseconds timeout, int jobs) {
  std::map<std::string, OperatorFit> by_op;
  std::mutex mutex;
  Fingerprint fingerprint;
  for (const oracle::Operator* op : oracle::AllOperators()) {
    OperatorFit& fit = by_op[op->name()];
    fit.op = op->name();
    for (const oracle::ArithmeticRule& rule : op->rules) fit.fits.push_back({.rule = rule.name});
  }
  fingerprint.backend =
      ForEachCase(cases, adapter, timeout, jobs,
                  [&](const Case& test, AdapterProcess* process, const std::filesystem::path& folder) {
                    const oracle::Operator* op = oracle::FindOperator(test.op);
                    if (op == nullptr || !test.must_refuse.empty()) return;
                    const CaseRun run = RunCase(test, std::nullopt, process, folder);
                    if (run.answer.kind == AdapterAnswer::kInterrupted) return;
                    const std::lock_guard lock(mutex);
                    OperatorFit& fit = by_op.at(test.op);
                    switch (run.answer.kind) {
                      case AdapterAnswer::kOk:
                        Weigh(test, *op, run.outputs, &fit);
                        break;
                      case AdapterAnswer::kCrash:
                      case AdapterAnswer::kTimeout:
                        ++fit.crashed;
                        break;
                      default:
                        ++fit.unsupported;
                    }
                  });
  for (auto& [name, fit] : by_op) {
    if (fit.cases + fit.unsupported + fit.crashed == 0) continue;
    for (RuleFit& rule : fit.fits) std::sort(rule.against.begin(), rule.against.end());
    std::stable_sort(fit.fits.begin(), fit.fits.end(), [](const RuleFit& a, const RuleFit& b) {
      return a.equal != b.equal ? a.equal > b.equal : a.different < b.different;
    });
    fingerprint.operators.push_back(std::move(fit));
  }
  fingerprint.profiles = WeighProfiles(fingerprint.operators);
  return fingerprint;
}

std::string FingerprintTable(const Fingerprint& fingerprint) {
  std::string text = fmt::format("{}\n\n{:<26}{:>7}  {}\n", fingerprint.backend, "operator", "cases", "rule");
  for (const OperatorFit& op : fingerprint.operators) {
    const std::vector<std::string> exact = op.Exact();
    std::string rule = fmt::format("{}", fmt::join(exact, " or "));
    if (op.cases == 0) {
      rule = op.crashed > 0 ? "crashes" : "unsupported";
    } else if (exact.empty()) {
      const RuleFit& best = op.fits[0];
      rule = fmt::format("unknown; nearest {}: {} of {} cases equal, {} elements differ, by at most {}; {}",
                         best.rule, best.equal, op.cases, best.different, best.largest,
                         fmt::join(best.against, " "));
    }
    std::string aside;
    if (op.unsupported > 0 && op.cases > 0) aside += fmt::format("; {} unsupported", op.unsupported);
    if (op.crashed > 0 && op.cases > 0) aside += fmt::format("; {} crashed", op.crashed);
    text += fmt::format("{:<26}{:>7}  {}{}\n", host::Printable(op.op), op.cases, rule, aside);
  }
  text += "\nprofile           operators explained\n";
  for (const ProfileFit& profile : fingerprint.profiles) {
    text += fmt::format("{:<18}{:>3} of {}{}{}\n", profile.profile,
                        profile.operators - static_cast<int>(profile.against.size()), profile.operators,
                        profile.against.empty() ? "" : "; not ", fmt::join(profile.against, ", "));
  }
  const ProfileFit& best = fingerprint.profiles[0];
  text += best.operators == 0    ? "no operator ran\n"
          : best.against.empty() ? fmt::format("{}: every operator follows this profile\n", best.profile)
                                 : fmt::format("no profile explains all; the nearest is {}\n", best.profile);
  return text;
}

std::string FingerprintJson(const Fingerprint& fingerprint) {
  Json operators = Json::array();
  for (const OperatorFit& op : fingerprint.operators) {
    Json fits = Json::array();
    for (const RuleFit& fit : op.fits) {
      fits.push_back({{"rule", fit.rule},
                      {"equal", fit.equal},
                      {"different", fit.different},
                      {"largest", fit.largest},
                      {"against", fit.against}});
    }
    operators.push_back({{"op", op.op},
                         {"cases", op.cases},
                         {"unsupported", op.unsupported},
                         {"crashed", op.crashed},
                         {"rules", op.Exact()},
                         {"fits", fits}});
  }
  Json profiles = Json::array();
  for (const ProfileFit& profile : fingerprint.profiles) {
    profiles.push_back(
        {{"profile", profile.profile}, {"operators", profile.operators}, {"against", profile.against}});
  }
  return Json{{"schema_version", 1},
              {"backend", fingerprint.backend},
              {"operators", operators},
              {"profiles", profiles}}
             .dump(1) +
         "\n";
}

}  // namespace lutra::conformance
