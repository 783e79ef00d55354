// SPDX-License-Identifier: Apache-2.0
// Writes models and cases as tests in JUnit's XML.

#include <fmt/format.h>

#include "host/markup.h"
#include "reports/junit_suite.h"
#include "reports/views.h"
#include "reports/writers.h"

namespace lutra::reports {
void JunitSuite::Add(const std::string& kind, const std::string& name, const char* element,
                     const std::string& message) {
  ++tests_;
  cases_ += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", host::Markup(kind), host::Markup(name));
  if (element == nullptr) {
    cases_ += "/>\n";
    return;
  }
  ++(element == std::string("failure") ? failures_ : element == std::string("error") ? errors_ : skipped_);
  cases_ += fmt::format("><{} message=\"{}\"/></testcase>\n", element, host::Markup(message));
}

std::string JunitSuite::Text(const std::string& name) const {
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
      "</testsuite>\n",
      host::Markup(name), tests_, failures_, errors_, skipped_, cases_);
}

std::string JunitText(const std::vector<std::pair<std::string, JunitSuite>>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [name, suite] : suites) text += suite.Text(name);
  return text + "</testsuites>\n";
}

std::string WriteJunit(const std::vector<ResultFile>& files) {
  std::vector<std::pair<std::string, JunitSuite>> suites;
  for (const ResultFile& file : files) {
    if (!file.models().empty()) {
      JunitSuite suite;
      for (const host::ModelResult& run : file.models()) {
        suite.Add("models", run.kernels.empty() ? NameOf(run) : NameOf(run) + " " + run.kernels,
                  run.refused() ? "error" : nullptr, run.error);
      }
      suites.emplace_back(file.platform + " models", std::move(suite));
    }
    if (!file.results.conformance) continue;
    JunitSuite suite;
    for (const host::CaseResult& c : file.results.conformance->cases) {
      const char* const element = c.verdict == host::Verdict::kPass   ? nullptr
                                  : !host::IsBad(c.verdict)           ? "skipped"
                                  : c.verdict == host::Verdict::kFail ? "failure"
                                                                      : "error";
      suite.Add(c.op, c.id, element, Said(c));
    }
    suites.emplace_back(fmt::format("{} conformance {} {}", file.platform, file.results.conformance->profile,
                                    file.results.conformance->backend),
                        std::move(suite));
  }
  return JunitText(suites);
}

}  // namespace lutra::reports
