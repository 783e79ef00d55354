// SPDX-License-Identifier: Apache-2.0
// Readers: conformance/runner/adapter_lines.cc conformance/adapters/protocol.h
// Fuzz target: the adapter protocol from both sides. The input is first what a runner sends to an adapter,
// whose answers the runner must understand; and then what an adapter sends to the runner.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "conformance/adapters/protocol.h"
#include "conformance/runner/adapter_lines.h"
#include "host/printable.h"

namespace {

// Restores a stream's own buffer when its scope ends.
class Redirected {
 public:
  Redirected(std::ios& stream, std::stringstream& to) : stream_(stream), own_(stream.rdbuf(to.rdbuf())) {
    stream_.clear();
  }
  ~Redirected() { stream_.rdbuf(own_); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  std::ios& stream_;
  std::streambuf* own_;
};

// Returns the answers of protocol.h's adapter; `answered` counts the lines that need an answer.
std::string Serve(const std::string& sent, int* answered) {
  std::stringstream input(sent), output, errors;
  const Redirected in(std::cin, input), out(std::cout, output), err(std::cerr, errors);
  lutra::conformance::ServeCasesById(
      "fuzz", "1", [&](const std::string& id, const std::filesystem::path& folder) {
        ++*answered;
        if (id.size() % 5 == 4) throw std::runtime_error(folder.string());
        return lutra::conformance::CaseAnswer{
            static_cast<lutra::conformance::CaseAnswer::Kind>(id.size() % 4), folder.string()};
      });
  return output.str();
}

// Splits the text into lines, in chunks as a pipe might deliver it. No byte may be lost.
std::vector<std::string> LinesOf(const std::string& text, size_t chunk) {
  lutra::conformance::ReceivedLines received;
  std::vector<std::string> lines;
  std::string again;
  for (size_t at = 0; at < text.size() && !received.TooLong(); at += chunk) {
    received.Append(text.data() + at, std::min(chunk, text.size() - at));
    for (std::string line; received.Take(&line);) {
      again += line + '\n';
      lines.push_back(line);
    }
  }
  if (text.compare(0, again.size(), again) != 0) abort();
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t chunk = size % 7 + 1;

  int cases = 0, answers = 0;
  for (const std::string& line : LinesOf(Serve(text, &cases), chunk)) {
    if (lutra::conformance::ParseAnswer(line)) {
      ++answers;
    } else if (!lutra::conformance::ParseGreeting(line)) {
      abort();
    }
  }
  if (answers != cases) abort();

  const char* const words[] = {"ok", "unsupported", "refused", "error"};
  for (const std::string& line : LinesOf(text, chunk)) {
    const std::optional<lutra::conformance::AdapterAnswer> answer = lutra::conformance::ParseAnswer(line);
    if (answer && line.find(words[answer->kind]) != 0) abort();
    if (answer && !lutra::host::Printable(line).ends_with(answer->why)) abort();
    lutra::conformance::ParseGreeting(line);
  }
  return 0;
}
