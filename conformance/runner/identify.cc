// SPDX-License-Identifier: Apache-2.0
// Runs cases on a runtime, weighs every rule of their operators, and prints the rules that explain them.

#include "conformance/runner/identify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "conformance/runner/case_run.h"
#include "conformance/runner/results.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

// The results of an operator's cases, until all have run.
struct Gathered {
  std::vector<CaseFit> fits;
  std::map<std::string, const Case*> cases;  // By id.
  int unsupported = 0, crashed = 0;
};

// Returns whether a profile's rules explain all cases except those set apart.
bool Explains(size_t profile, const Gathered& gathered, const OperatorFit& fit) {
  return std::all_of(gathered.fits.begin(), gathered.fits.end(), [&](const CaseFit& one) {
    const auto is_it = [&one](const CaseFit& other) { return other.id == one.id; };
    return one.profiles[profile] || std::any_of(fit.set_apart.begin(), fit.set_apart.end(), is_it);
  });
}

std::vector<ProfileFit> WeighProfiles(const std::map<std::string, Gathered>& by_op,
                                      const std::vector<OperatorFit>& operators) {
  std::vector<ProfileFit> profiles;
  for (size_t i = 0; i < oracle::Profiles().size(); ++i) {
    ProfileFit profile = {.profile = oracle::Profiles()[i].name};
    for (const OperatorFit& fit : operators) {
      if (fit.cases == 0) continue;
      const oracle::Operator* const op = oracle::FindOperator(fit.op);
      if (op != nullptr && !oracle::HasRule(oracle::Profiles()[i], *op)) continue;
      ++profile.operators;
      if (!Explains(i, by_op.at(fit.op), fit)) profile.against.push_back(fit.op);
    }
    profiles.push_back(std::move(profile));
  }
  std::stable_sort(profiles.begin(), profiles.end(), [](const ProfileFit& a, const ProfileFit& b) {
    return a.against.size() < b.against.size();
  });
  return profiles;
}

// Returns why other bytes for this case are no evidence about rules; empty if they are.
std::string WhySetApart(const Case& test) {
  const std::string lint = ReasonToSetApart(test.model);
  if (!lint.empty() || !test.optional) return lint;
  const auto model = oracle::ReadModel(test.plain_model.empty() ? test.model : test.plain_model);
  const auto& tensors = model->subgraphs[0]->tensors;
  const bool has_int8 = std::any_of(tensors.begin(), tensors.end(),
                                    [](const auto& tensor) { return tensor->type == oracle::kInt8; });
  return has_int8 ? "" : "no tensor is int8, and a runtime may lack the type";
}

std::string Aside(const OperatorFit& fit) {
  std::string aside;
  if (fit.unsupported > 0 && fit.cases > 0) aside += fmt::format("; {} unsupported", fit.unsupported);
  if (fit.crashed > 0 && fit.cases > 0) aside += fmt::format("; {} crashed", fit.crashed);
  if (fit.set_apart.empty()) return aside;
  return aside + fmt::format("; {} set apart: {} ({})", fit.set_apart.size(), fit.set_apart[0].id,
                             host::Printable(fit.set_apart[0].lint));
}

// Names the cases that the figures leave out, whatever their results.
std::string NotWeighed(const Fingerprint& fingerprint) {
  std::string text;
  if (fingerprint.composites > 0) {
    text += fmt::format(
        "{} composite cases are not weighed: `conformance run` judges them, `conformance model` names the "
        "rule of each layer\n",
        fingerprint.composites);
  }
  if (fingerprint.to_be_refused > 0) {
    text += fmt::format("{} models that must be refused are not weighed: `conformance run` judges them\n",
                        fingerprint.to_be_refused);
  }
  return text;
}

Json IdsOf(const std::vector<CaseFit>& fits) {
  Json list = Json::array();
  for (const CaseFit& fit : fits) {
    list.push_back({{"id", fit.id}, {"lint", fit.lint.empty() ? Json(nullptr) : Json(fit.lint)}});
  }
  return list;
}

Json OperatorJson(const OperatorFit& fit) {
  Json rules = Json::array();
  for (const RuleFit& rule : fit.rules) {
    Json row = {{"rule", rule.rule},
                {"cases", rule.cases.size()},
                {"where", rule.where.empty() ? Json(nullptr) : Json(rule.where)},
                {"or", rule.alternatives}};
    // If one rule explains all cases, they need not be listed.
    if (fit.rules.size() > 1 || !fit.unknown.empty()) row["ids"] = rule.cases;
    rules.push_back(std::move(row));
  }
  return {{"op", fit.op},
          {"cases", fit.cases},
          {"rules", std::move(rules)},
          {"explained_by", DescribeRules(fit)},
          {"equivalent", fit.equivalent},
          {"unknown", fit.unknown.size()},
          {"unknown_cases", IdsOf(fit.unknown)},
          {"different", fit.different},
          {"largest", fit.largest},
          {"set_apart", IdsOf(fit.set_apart)},
          {"unsupported", fit.unsupported},
          {"crashed", fit.crashed}};
}

}  // namespace

int Fingerprint::CountUnknown() const {
  return static_cast<int>(std::count_if(operators.begin(), operators.end(),
                                        [](const OperatorFit& fit) { return !fit.unknown.empty(); }));
}

std::vector<std::string> Fingerprint::NeverRan() const {
  std::vector<std::string> names;
  for (const OperatorFit& fit : operators) {
    if (fit.cases == 0 && fit.set_apart.empty()) names.push_back(fit.op);
  }
  return names;
}

Fingerprint Identify(const std::vector<Case>& cases, const std::string& adapter,
                     std::chrono::milliseconds timeout, int jobs) {
  std::map<std::string, Gathered> by_op;
  std::mutex mutex;
  Fingerprint fingerprint;
  const auto work = [&](const Case& test, AdapterProcess* process, const std::filesystem::path& folder) {
    const oracle::Operator* op = oracle::FindOperator(test.op);
    if (op == nullptr || !test.must_refuse.empty()) {
      const std::lock_guard lock(mutex);
      ++(test.must_refuse.empty() ? fingerprint.composites : fingerprint.to_be_refused);
      return;
    }
    const CaseRun run = RunCase(test, std::nullopt, process, folder);
    if (run.answer.kind == AdapterAnswer::kInterrupted) return;
    std::optional<CaseFit> fit;
    if (run.answer.kind == AdapterAnswer::kOk) fit = WeighCase(test, *op, run.outputs);
    const bool died = run.answer.kind == AdapterAnswer::kCrash || run.answer.kind == AdapterAnswer::kTimeout;
    const std::lock_guard lock(mutex);
    Gathered& gathered = by_op[test.op];
    gathered.cases[test.id] = &test;
    if (fit) {
      gathered.fits.push_back(std::move(*fit));
    } else {
      ++(died ? gathered.crashed : gathered.unsupported);
    }
  };
  fingerprint.backend = ForEachCase(cases, adapter, timeout, jobs, work);
  for (const oracle::Operator* op : oracle::AllOperators()) {
    const auto found = by_op.find(op->name());
    if (found == by_op.end()) continue;
    const Gathered& gathered = found->second;
    OperatorFit fit = Explain(*op, gathered.fits, [&gathered](const CaseFit& one) {
      return WhySetApart(*gathered.cases.at(one.id));
    });
    fit.unsupported = gathered.unsupported;
    fit.crashed = gathered.crashed;
    fingerprint.operators.push_back(std::move(fit));
  }
  fingerprint.profiles = WeighProfiles(by_op, fingerprint.operators);
  return fingerprint;
}

std::string FingerprintTable(const Fingerprint& fingerprint) {
  std::string text = fmt::format("{}\n\n{:<26}{:>7}  {}\n", fingerprint.backend, "operator", "cases", "rule");
  for (const OperatorFit& fit : fingerprint.operators) {
    const std::string rules = fit.cases > 0            ? DescribeRules(fit)
                              : !fit.set_apart.empty() ? "outside the specification"
                              : fit.crashed > 0        ? "crashes"
                                                       : "unsupported";
    text += fmt::format("{:<26}{:>7}  {}{}\n", host::Printable(fit.op, 25), fit.cases, rules, Aside(fit));
  }
  text += "\nprofile           operators explained\n";
  for (const ProfileFit& profile : fingerprint.profiles) {
    text += fmt::format("{:<18}{:>3} of {}{}{}\n", profile.profile,
                        profile.operators - static_cast<int>(profile.against.size()), profile.operators,
                        profile.against.empty() ? "" : "; not ", fmt::join(profile.against, ", "));
  }
  text += NotWeighed(fingerprint);
  if (const std::string line = NeverRanLine(fingerprint.NeverRan()); !line.empty()) text += line + "\n";
  const ProfileFit& best = fingerprint.profiles[0];
  text += best.operators == 0    ? "no case of a single operator ran\n"
          : best.against.empty() ? fmt::format("{}: every operator follows this profile\n", best.profile)
                                 : fmt::format("no profile explains all; the nearest is {}\n", best.profile);
  return text;
}

std::string FingerprintJson(const Fingerprint& fingerprint) {
  Json operators = Json::array();
  for (const OperatorFit& fit : fingerprint.operators) operators.push_back(OperatorJson(fit));
  Json profiles = Json::array();
  for (const ProfileFit& profile : fingerprint.profiles) {
    profiles.push_back({{"name", profile.profile},
                        {"explained", profile.operators - static_cast<int>(profile.against.size())},
                        {"of", profile.operators},
                        {"against", profile.against}});
  }
  return Json{{"schema_version", 1},
              {"runtime", fingerprint.backend},
              {"operators", operators},
              {"profiles", profiles},
              {"operators_never_ran", fingerprint.NeverRan().size()},
              {"composites", fingerprint.composites},
              {"to_be_refused", fingerprint.to_be_refused}}
             .dump(1) +
         "\n";
}

}  // namespace lutra::conformance
