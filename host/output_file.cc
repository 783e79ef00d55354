// SPDX-License-Identifier: Apache-2.0
// Output files: probed, written beside their target, renamed.

#include "host/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "host/failures.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;

// Linux follows 40 links.
constexpr int kMostLinks = 40;

// A file's device and number on it; both 0: none.
using FileId = std::pair<dev_t, ino_t>;
FileId IdOf(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// Of each OutputFile its target, and the file there that nobody may read any more.
std::mutex targets_mutex;
std::map<std::string, FileId>& Targets() {
  static std::map<std::string, FileId> targets;
  return targets;
}

[[noreturn]] void Refuse(const std::string& path, int error) {
  throw BadInput(fmt::format("{}: cannot write the file: {}; check the folder, its permissions and its space",
                             path, std::strerror(error)));
}

// Where the links lead, also to a file that is not there yet. Descriptors (/dev/stdout is a link to
// /proc/self/fd/1) stay what they are: the file behind one may be open elsewhere.
fs::path FollowLinks(const std::string& path) {
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const fs::path folder =
        fs::weakly_canonical(target.has_parent_path() ? target.parent_path() : ".", error);
    if (error) Refuse(path, error.value());
    target = folder / target.filename();
    if (folder.string().starts_with("/proc/")) return target;
    const fs::path link = fs::read_symlink(target, error);
    if (error) return target;
    target = link.is_absolute() ? link : folder / link;
  }
  Refuse(path, ELOOP);
}

// No signal ends the program between the birth of a temporary file and its end.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

// A temporary file beside `target`, which is gone with the object unless it took the target's name.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) : target_(target) {
    name_ = (target.parent_path() / ("." + target.filename().string().substr(0, 200) + ".XXXXXX")).string();
    descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) {
      error_ = errno;
      name_.clear();
    }
  }
  ~Temporary() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return descriptor_; }
  // Why there is none; 0: there is.
  int error() const { return error_; }

  // The mode and the owner that the target has or would have. 0 or errno.
  int TakeMode() {
    struct stat old = {};
    if (stat(target_.c_str(), &old) != 0) {
      const mode_t mask = umask(0);
      umask(mask);
      return fchmod(descriptor_, 0666 & ~mask) == 0 ? 0 : errno;
    }
    // Another's file stays another's if we may say so; if not, the one who writes owns it.
    if (fchown(descriptor_, old.st_uid, old.st_gid) != 0) errno = 0;
    return fchmod(descriptor_, old.st_mode & 07777) == 0 ? 0 : errno;
  }

  // 0 or errno.
  int Close() { return close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno; }
  int Rename() {
    if (rename(name_.c_str(), target_.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  fs::path target_;
  std::string name_;
  int descriptor_ = -1, error_ = 0;
};

// 0 or errno.
int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

int WriteInPlace(const fs::path& target, std::string_view bytes) {
  const int descriptor = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return errno;
  const int error = WriteAll(descriptor, bytes);
  return close(descriptor) == 0 || error != 0 ? error : errno;
}

int Replace(const fs::path& target, std::string_view bytes) {
  const SignalsWait wait;
  Temporary temporary(target);
  int error = temporary.error();
  if (error == 0) error = WriteAll(temporary.descriptor(), bytes);
  if (error == 0) error = temporary.TakeMode();
  if (error == 0) error = temporary.Close();
  return error != 0 ? error : temporary.Rename();
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const std::string& may_replace) : path_(path) {
  if (path.empty()) return;
  target_ = FollowLinks(path);
  struct stat status = {};
  const bool exists = stat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) Refuse(path, errno);
  if (exists && S_ISDIR(status.st_mode)) {
    throw BadInput(fmt::format("{}: cannot write the file: this is a folder; name a file", path));
  }
  in_place_ = exists && (!S_ISREG(status.st_mode) || target_.string().starts_with("/proc/"));
  if (in_place_) {
    if (access(target_.c_str(), W_OK) != 0) Refuse(path, errno);
    return;  // Two outputs may go to one terminal.
  }
  // A file that may not be written is not replaced, though its folder would allow it.
  if (exists && access(target_.c_str(), W_OK) != 0) Refuse(path, errno);
  {
    const SignalsWait wait;
    if (const int error = Temporary(target_).error(); error != 0) Refuse(path, error);
  }
  FileId id = exists ? IdOf(status) : FileId();
  if (!may_replace.empty() && stat(may_replace.c_str(), &status) == 0 && IdOf(status) == id) id = FileId();
  const std::lock_guard lock(targets_mutex);
  if (!Targets().emplace(target_.string(), id).second) {
    path_.clear();
    throw BadUsage(fmt::format("{}: two outputs have this name", path));
  }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::exchange(other.path_, "")), target_(std::move(other.target_)), in_place_(other.in_place_) {}

OutputFile::~OutputFile() {
  if (path_.empty() || in_place_) return;
  const std::lock_guard lock(targets_mutex);
  Targets().erase(target_.string());
}

void OutputFile::Write(std::string_view bytes) const {
  if (path_.empty()) return;
  const int error = in_place_ ? WriteInPlace(target_, bytes) : Replace(target_, bytes);
  if (error != 0) Refuse(path_, error);
}

void RefuseToReadOutput(const fs::path& path) {
  const std::lock_guard lock(targets_mutex);
  struct stat status = {};
  if (Targets().empty() || stat(path.c_str(), &status) != 0) return;
  for (const auto& [target, id] : Targets()) {
    if (id != IdOf(status)) continue;
    throw BadUsage(
        fmt::format("{}: is read, and an output has this name; name another file for it", path.string()));
  }
}

void WriteFileBytes(const fs::path& path, const void* bytes, size_t count) {
  OutputFile(path.string()).Write({static_cast<const char*>(bytes), count});
}

}  // namespace lutra::host
