// SPDX-License-Identifier: Apache-2.0
// Counts the tests one by one, and compares the counts with the suite's.

#include "bench/ctest_junit.h"

#include <fmt/format.h>

#include <charconv>
#include <pugixml.hpp>
#include <string_view>

#include "host/failures.h"
#include "host/printable.h"

namespace lutra::bench {
namespace {

[[noreturn]] void Refuse(const std::string& path, const std::string& found) {
  throw host::BadInput(
      fmt::format("{}: tests: {}, required: what `ctest --output-junit` writes", path, found));
}

// Quotes a text for a message: on one line, and not too long.
std::string Quoted(const char* text) { return fmt::format("\"{}\"", host::Printable(text, 40)); }

// Returns a count that the suite's element has.
int64_t Told(const pugi::xml_node& suite, const char* name, const std::string& path) {
  const std::string_view value = suite.attribute(name).value();
  int64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc() || end != value.data() + value.size() || count < 0 || count > host::kMostFigure) {
    Refuse(path, fmt::format("found {}={}", name, Quoted(value.data())));
  }
  return count;
}

// Returns why CTest did not run a test.
std::string ReasonOf(const pugi::xml_node& test) {
  const std::string output = test.child("system-out").text().get();
  for (const std::string_view mark : {"test skipped: ", "Skipped\n"}) {
    const size_t found = output.find(mark);
    if (found == std::string::npos) continue;
    const size_t begin = found + mark.size();
    return output.substr(begin, output.find('\n', begin) - begin);
  }
  if (std::string_view(test.attribute("status").value()) == "disabled") return "disabled";
  const std::string message = test.child("skipped").attribute("message").value();
  return message.empty() ? "no reason given" : message;
}

// Counts tests by their outcome.
struct Counts {
  int64_t tests = 0, failures = 0, disabled = 0, skipped = 0;
};

void Count(const pugi::xml_node& test, const std::string& path, Counts* counts, host::TestsResult* result) {
  const std::string_view status = test.attribute("status").value();
  const bool has_failure = test.child("failure") || test.child("error");
  const bool is_skipped = status == "notrun" || (status.empty() && test.child("skipped"));
  ++counts->tests;
  if (has_failure || status == "fail") {
    if (status != "fail" && !status.empty()) {
      Refuse(path, fmt::format("found a failure of test {}, whose status is {}",
                               Quoted(test.attribute("name").value()), Quoted(status.data())));
    }
    ++counts->failures;
  } else if (is_skipped || status == "disabled") {
    ++(is_skipped ? counts->skipped : counts->disabled);
    const std::string name = test.attribute("name").as_string("?");
    result->why_skipped.push_back(fmt::format("{}: {}", name, ReasonOf(test)));
  } else if (status != "run" && !status.empty()) {
    Refuse(path, fmt::format("found status={} of test {}", Quoted(status.data()),
                             Quoted(test.attribute("name").value())));
  }
}

}  // namespace

host::TestsResult ParseTests(const std::string& text, const std::string& path) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    Refuse(path, fmt::format("found no XML at byte {} ({})", parsed.offset, parsed.description()));
  }
  const pugi::xml_node suite = document.child("testsuite");
  if (!suite) Refuse(path, "found no <testsuite>");
  const std::pair<const char*, int64_t Counts::*> attributes[] = {{"tests", &Counts::tests},
                                                                  {"failures", &Counts::failures},
                                                                  {"disabled", &Counts::disabled},
                                                                  {"skipped", &Counts::skipped}};
  host::TestsResult result;
  Counts counts;
  for (const pugi::xml_node& test : suite.children("testcase")) Count(test, path, &counts, &result);
  for (const auto& [name, count] : attributes) {
    if (const int64_t told = Told(suite, name, path); told != counts.*count) {
      Refuse(path, fmt::format("found {}=\"{}\" above {} of them", name, told, counts.*count));
    }
  }
  if (counts.tests == 0) Refuse(path, "found no test");
  result.skipped = counts.skipped + counts.disabled;
  result.run = counts.tests - result.skipped;
  result.failed = counts.failures;
  result.passed = result.run - result.failed;
  return result;
}

}  // namespace lutra::bench
