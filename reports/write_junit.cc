// SPDX-License-Identifier: Apache-2.0
// JUnit's XML: models and cases as tests.

#include <fmt/format.h>

#include "host/markup.h"
#include "reports/views.h"
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
    cases +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}\"", host::Markup(kind), host::Markup(name));
    if (element == nullptr) {
      cases += "/>\n";
      return;
    }
    ++(element == std::string("failure") ? failures : element == std::string("error") ? errors : skipped);
    cases += fmt::format("><{} message=\"{}\"/></testcase>\n", element, host::Markup(message));
  }

  std::string Text(const std::string& name) const {
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
        "</testsuite>\n",
        host::Markup(name), tests, failures, errors, skipped, cases);
  }
};

}  // namespace

std::string WriteJunit(const std::vector<ResultFile>& files) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ResultFile& file : files) {
    if (!file.models().empty()) {
      Suite suite;
      for (const host::ModelResult& run : file.models()) {
        suite.Add("models", run.kernels.empty() ? NameOf(run) : NameOf(run) + " " + run.kernels,
                  run.refused() ? "error" : nullptr, run.error);
      }
      text += suite.Text(file.platform + " models");
    }
    if (!file.results.conformance) continue;
    Suite suite;
    for (const host::CaseResult& c : file.results.conformance->cases) {
      const char* const element = c.verdict == host::Verdict::kPass   ? nullptr
                                  : !host::IsBad(c.verdict)           ? "skipped"
                                  : c.verdict == host::Verdict::kFail ? "failure"
                                                                      : "error";
      suite.Add(c.op, c.id, element, Said(c));
    }
    text += suite.Text(fmt::format("{} conformance {} {}", file.platform, file.results.conformance->profile,
                                   file.results.conformance->backend));
  }
  return text + "</testsuites>\n";
}

}  // namespace lutra::reports
