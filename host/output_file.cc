// SPDX-License-Identifier: Apache-2.0
// An output file is checked, written beside its target without a name, and then given the target's name.

#include "host/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "host/failures.h"
#include "host/guardian.h"

namespace lutra::host {
namespace {

namespace fs = std::filesystem;

// Linux follows 40 links.
constexpr int kMostLinks = 40;
// The most names of temporary files that are tried before one is free.
constexpr int kMostNames = 100;

// A file's device and its number there; both are 0 if there is no file.
using FileId = std::pair<dev_t, ino_t>;
FileId IdOf(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// The targets of all OutputFiles; for each, the existing file, which is no longer a valid input.
std::mutex targets_mutex;
std::map<std::string, FileId>& Targets() {
  static std::map<std::string, FileId> targets;
  return targets;
}

[[noreturn]] void Refuse(const std::string& path, int error) {
  throw BadInput(fmt::format("{}: cannot write the file: {}; check the folder, its permissions and its space",
                             path, std::strerror(error)));
}

// Finds the target of links, even if that does not exist yet. Descriptors (/dev/stdout is a link to
// /proc/self/fd/1) are not followed: their file may be open elsewhere.
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

fs::path FolderOf(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : "."; }

// Blocks signals, so that none ends the program while a temporary file exists.
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

// A temporary file beside `target`, which is removed with the object unless it took the target's name. If the
// system supports it, the file has no name, so that nothing remains however the program ends; while it needs
// a name, the guardian would remove it.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) : target_(target) {
    descriptor_ = OpenWithoutName(FolderOf(target));
    if (descriptor_ < 0) OpenWithName();
  }
  ~Temporary() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return descriptor_; }
  // Returns the error for which there is no file; 0 if there is one.
  int error() const { return error_; }

  // Gives the file the mode and owner of the target, or those of a new file. Returns 0 or errno.
  int TakeMode() {
    struct stat old = {};
    if (stat(target_.c_str(), &old) != 0) {
      const mode_t mask = umask(0);
      umask(mask);
      return fchmod(descriptor_, 0666 & ~mask) == 0 ? 0 : errno;
    }
    // The file keeps the target's owner if that is permitted; otherwise the writer owns it.
    if (fchown(descriptor_, old.st_uid, old.st_gid) != 0) errno = 0;
    return fchmod(descriptor_, old.st_mode & 07777) == 0 ? 0 : errno;
  }

  // Gives the file the target's name, replacing an existing file. Returns 0 or errno.
  int Publish() {
    if (name_.empty()) {
      // A link cannot replace a file, so an existing target needs a rename.
      if (LinkAs(target_.string())) return 0;
      if (errno != EEXIST) return errno;
      if (const int error = GiveName(); error != 0) return error;
    }
    if (rename(name_.c_str(), target_.c_str()) != 0) return errno;
    guarded_->Release();
    return 0;
  }

 private:
  // Returns a negative number if the system or the file system has no unnamed files, or cannot link them.
  static int OpenWithoutName(const fs::path& folder) {
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    return open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  }
  bool LinkAs(const std::string& name) const {
    const std::string file = "/proc/self/fd/" + std::to_string(descriptor_);
    return linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }

  // Returns a random, probably unused, name beside the target. The guardian is told before the file exists.
  std::string NewName() {
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::string name =
        (FolderOf(target_) / ("." + target_.filename().string().substr(0, 200) + ".")).string();
    std::random_device random;
    for (int i = 0; i < 6; ++i) name += kLetters[random() % (sizeof kLetters - 1)];
    guarded_.emplace(Guarded::kFile, name);
    return name;
  }
  // Tries names until `make` succeeds with one. Returns 0 or errno.
  template <typename Make>
  int FindName(const Make& make) {
    for (int i = 0; i < kMostNames; ++i) {
      std::string name = NewName();
      if (make(name)) {
        name_ = std::move(name);
        return 0;
      }
      const int error = errno;
      guarded_->Release();  // The name is another's.
      if (error != EEXIST) return error;
    }
    return EEXIST;
  }
  int GiveName() {
    return FindName([this](const std::string& name) { return LinkAs(name); });
  }
  void OpenWithName() {
    error_ = FindName([this](const std::string& name) {
      descriptor_ = open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
      return descriptor_ >= 0;
    });
  }

  fs::path target_;
  std::string name_;  // Empty: the file has no name.
  std::optional<Guarded> guarded_;
  int descriptor_ = -1, error_ = 0;
};

// Returns 0 or errno.
int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

// Waits until a power cut cannot lose the file. Returns 0 or errno; 0 also if the file system does not
// support it.
int Sync(int descriptor) {
  while (fsync(descriptor) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
  }
  return 0;
}

// Syncs the names in a folder. One that may be written but not read cannot be opened for this, and is
// skipped.
int SyncFolder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int error = Sync(descriptor);
  close(descriptor);
  return error;
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
  if (error == 0) error = Sync(temporary.descriptor());
  if (error == 0) error = temporary.Publish();
  return error != 0 ? error : SyncFolder(FolderOf(target));
}

// Opens a pipe that has a reader, and keeps it open, since the reader would otherwise see its end. Opening a
// pipe without a reader would wait for ever, so that is refused.
int OpenPipe(const std::string& path, const fs::path& target) {
  const int descriptor = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENXIO) {
    throw BadUsage(fmt::format(
        "{}: cannot write the file: found a pipe that nobody reads, required: a regular file", path));
  }
  if (descriptor < 0) Refuse(path, errno);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
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
  if (exists && S_ISSOCK(status.st_mode)) {
    path_.clear();
    throw BadUsage(fmt::format("{}: cannot write the file: found a socket, required: a regular file", path));
  }
  in_place_ = exists && (!S_ISREG(status.st_mode) || target_.string().starts_with("/proc/"));
  if (in_place_) {
    if (access(target_.c_str(), W_OK) != 0) Refuse(path, errno);
    if (S_ISFIFO(status.st_mode)) pipe_ = OpenPipe(path, target_);
    return;  // Two outputs may go to the same terminal.
  }
  // A file without write permission is not replaced, even if its folder allows it.
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
    : path_(std::exchange(other.path_, "")),
      target_(std::move(other.target_)),
      in_place_(other.in_place_),
      pipe_(std::exchange(other.pipe_, -1)) {}

OutputFile::~OutputFile() {
  if (pipe_ >= 0) close(pipe_);
  if (path_.empty() || in_place_) return;
  const std::lock_guard lock(targets_mutex);
  Targets().erase(target_.string());
}

void OutputFile::WriteOrPrint(std::string_view text) const {
  if (wanted()) {
    Write(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

void OutputFile::Write(std::string_view bytes) const {
  if (path_.empty()) return;
  const int error = pipe_ >= 0  ? WriteAll(pipe_, bytes)
                    : in_place_ ? WriteInPlace(target_, bytes)
                                : Replace(target_, bytes);
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
