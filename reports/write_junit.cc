// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "reports/markup.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

struct Suite {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;

  // `element`: failure, error or skipped; null for a pass.
  void Add(const std::string& kind, const std::string& name, const char* element,
           const std::string& message) {
    ++tests;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", Markup(kind), Markup(name));
    if (element == nullptr) {
      cases += "/>\n";
      return;
    }
    ++(element == std::string("failure") ? failures : element == std::string("error") ? errors : skipped);
    cases += fmt::format("><{} message=\"{}\"/></testcase>\n", element, Markup(message));
  }

  std::string Text(const std::string& name) const {
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
        "</testsuite>\n",
        Markup(name), tests, failures, errors, skipped, cases);
  }
};

}  // namespace

std::string WriteJunit(const std::vector<ResultFile>& files) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ResultFile& file : files) {
    if (!file.models.empty()) {
      Suite suite;
      for (const ModelRun& run : file.models) {
        suite.Add("models", run.kernels.empty() ? run.name : run.name + " " + run.kernels,
                  run.refused() ? "error" : nullptr, run.error);
      }
      text += suite.Text(file.platform + " models");
    }
    if (!file.conformance) continue;
    Suite suite;
    for (const CaseRun& c : file.conformance->cases) {
      const char* const element = c.passed()            ? nullptr
                                  : !c.bad()            ? "skipped"
                                  : c.verdict == "fail" ? "failure"
                                                        : "error";
      suite.Add(c.op, c.id, element, c.why.empty() ? c.verdict : c.verdict + ": " + c.why);
    }
    text += suite.Text(fmt::format("{} conformance {} {}", file.platform, file.conformance->profile,
                                   file.conformance->backend));
  }
  return text + "</testsuites>\n";
}

}  // namespace lutra::reports
