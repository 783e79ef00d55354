// SPDX-License-Identifier: Apache-2.0
// Reads the lines of adapters; see adapter_lines.h.

#include "conformance/runner/adapter_lines.h"

#include "host/printable.h"

namespace lutra::conformance {
namespace {

constexpr size_t kLongestLine = 1 << 16;
constexpr char kGreeting[] = "hello 1 ";

}  // namespace

bool ReceivedLines::Take(std::string* line) {
  const size_t end = buffered_.find('\n');
  if (end == std::string::npos) return false;
  *line = buffered_.substr(0, end);
  buffered_.erase(0, end + 1);
  return true;
}

bool ReceivedLines::TooLong() const { return buffered_.size() > kLongestLine; }

std::optional<std::string> ParseGreeting(const std::string& line) {
  if (!line.starts_with(kGreeting)) return std::nullopt;
  return host::Printable(line.substr(sizeof kGreeting - 1));
}

std::optional<AdapterAnswer> ParseAnswer(const std::string& line) {
  if (line == "ok") return AdapterAnswer();
  const std::string word = line.substr(0, line.find(' '));
  const std::string rest =
      host::Printable(std::string_view(line).substr(std::min(word.size() + 1, line.size())));
  if (word == "unsupported") return AdapterAnswer{AdapterAnswer::kUnsupported, rest};
  if (word == "refused") return AdapterAnswer{AdapterAnswer::kRefused, rest};
  if (word == "error") return AdapterAnswer{AdapterAnswer::kError, rest};
  return std::nullopt;
}

}  // namespace lutra::conformance
