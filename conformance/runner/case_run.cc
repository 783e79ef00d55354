// SPDX-License-Identifier: Apache-2.0
// Runs one case on an adapter: writes its files, and reads the outputs.

#include "conformance/runner/case_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "conformance/runner/corpus.h"
#include "host/descriptor.h"
#include "host/failures.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using oracle::Bytes;

// Limits for cases whose sizes are not known: no case has more.
constexpr size_t kMostOutputs = 256, kMostBytes = 64 << 20;

// A folder for one case, which is also read by its descriptor: a folder that an adapter puts in its place is
// not read.
class CaseFolder {
 public:
  explicit CaseFolder(const fs::path& parent)
      : path_(parent / std::to_string(next_++)), descriptor_(Open(path_)) {}
  // A folder that an adapter has locked is removed at the end of the run.
  ~CaseFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  const fs::path& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  static int Open(const fs::path& path) {
    fs::create_directories(path);
    const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throw host::BadInput(fmt::format("{}: {}", path.string(), std::strerror(errno)));
    return descriptor;
  }

  static inline std::atomic<uint64_t> next_ = 0;
  fs::path path_;
  host::Descriptor descriptor_;
};

std::string NameOf(size_t index) { return fmt::format("out{}.bin", index); }

// Reads output `index` into `run`, or says what is wrong with its file. Returns false if there is no file.
bool TakeOutput(int folder, size_t index, const OutputSizes& sizes, CaseRun* run) {
  // Without O_NONBLOCK, opening a FIFO would wait for its writer.
  const host::Descriptor file(
      openat(folder, NameOf(index).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status = {};
  if (file.get() < 0 && errno == ENOENT) return false;
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    run->problem = fmt::format("{}: found {}, required: a regular file", NameOf(index),
                               file.get() >= 0  ? "a folder, a pipe or a device"
                               : errno == ELOOP ? "a link"
                                                : std::strerror(errno));
    return true;
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (sizes ? size != (*sizes)[index] : size > kMostBytes) {
    run->problem = fmt::format("output {}: found {} bytes, required: {}{}", index, size,
                               sizes ? "" : "at most ", sizes ? (*sizes)[index] : kMostBytes);
    return true;
  }
  Bytes& bytes = run->outputs.emplace_back(size);
  for (size_t at = 0; at < size;) {
    const ssize_t count = read(file.get(), bytes.data() + at, size - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      run->problem = fmt::format("output {}: found {} bytes, required: {}", index, at, size);
      return true;
    }
    at += static_cast<size_t>(count);
  }
  return true;
}

void TakeOutputs(int folder, const OutputSizes& sizes, CaseRun* run) {
  const size_t most = sizes ? sizes->size() : kMostOutputs;
  for (size_t i = 0; i < most && run->problem.empty(); ++i) {
    if (TakeOutput(folder, i, sizes, run)) continue;
    if (sizes) run->problem = fmt::format("output {}: found no {}, required: it is written", i, NameOf(i));
    break;
  }
  struct stat ignored = {};
  if (run->problem.empty() && run->outputs.size() == most &&
      fstatat(folder, NameOf(most).c_str(), &ignored, AT_SYMLINK_NOFOLLOW) == 0) {
    run->problem = fmt::format("found more than {} outputs, required: no {}", most, NameOf(most));
  }
  if (!run->problem.empty()) run->outputs.clear();
}

}  // namespace

OutputSizes SizesOf(const std::optional<std::vector<Bytes>>& outputs) {
  if (!outputs) return std::nullopt;
  std::vector<size_t> sizes;
  for (const Bytes& output : *outputs) sizes.push_back(output.size());
  return sizes;
}

CaseRun RunCase(const Case& test, const OutputSizes& sizes, AdapterProcess* adapter, const fs::path& parent) {
  const CaseFolder folder(parent);
  Case bare = test;
  bare.plain_model.clear();
  bare.must_refuse.clear();
  WriteCase(folder.path(), bare);
  CaseRun run;
  run.answer = adapter->Run(test.id, folder.path());
  if (run.answer.kind == AdapterAnswer::kOk) TakeOutputs(folder.descriptor(), sizes, &run);
  // The adapter may have answered another case, which must not affect the next one.
  if (!run.problem.empty()) adapter->Restart();
  return run;
}

}  // namespace lutra::conformance
