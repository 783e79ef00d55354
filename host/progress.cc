// SPDX-License-Identifier: Apache-2.0
// Writes the progress line, and clears it.

#include "host/progress.h"

#include <unistd.h>

#include <cstdio>

#include "host/printable.h"

namespace lutra::host {
namespace {

// Moves to the line's start, and clears the line.
constexpr char kErase[] = "\r\x1b[K";

}  // namespace

Progress::Progress(const std::string& what) : what_(Printable(what)), shown_(isatty(STDERR_FILENO) != 0) {
  if (shown_) std::fprintf(stderr, "%s%s...", kErase, what_.c_str());
}

Progress::~Progress() {
  if (shown_) std::fputs(kErase, stderr);
}

void Progress::Update(int64_t done, int64_t total) {
  if (shown_) {
    std::fprintf(stderr, "%s%s... %lld of %lld", kErase, what_.c_str(), static_cast<long long>(done),
                 static_cast<long long>(total));
  }
}

}  // namespace lutra::host
