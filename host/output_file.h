// SPDX-License-Identifier: Apache-2.0
// Output files that are written completely or not at all.
//
//   OutputFile report(path);       // Before the work: throws BadInput if it could not be written afterwards.
//   ...
//   report.Write(text);            // After it.
//
// The bytes of a new or a regular file are written to a temporary file beside it, which is then renamed: a
// reader finds the old bytes or all of the new ones, and a failure, SIGKILL included, leaves no other file.
// Write returns when the disk has the bytes and the name, so that a power cut loses nothing. A link stays a
// link: the file that it leads to is replaced. Mode and owner of a replaced file stay as they are. Into
// anything else (a device, a pipe with a reader, /dev/stdout) the bytes are written directly.
//
// Reading a file that an OutputFile would replace is refused: `compress pack IN OUT --report IN` does not
// change IN. An output that may replace an input names it (`may_replace`).

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::host {

class OutputFile {
 public:
  // An empty path: no output is wanted, and Write does nothing.
  // Throws BadInput if nothing can be written there, and BadUsage if it is a pipe that nobody reads, a
  // socket, or the path of another OutputFile that exists. `may_replace`: the input that may be the same
  // file.
  explicit OutputFile(const std::string& path, const std::string& may_replace = "");
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  bool wanted() const { return !path_.empty(); }
  // Throws BadInput, and leaves what was there, if not all of it can be written.
  void Write(std::string_view bytes) const;
  void Write(const std::vector<uint8_t>& bytes) const {
    Write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  // Writes it, or prints it on stdout if no output is wanted.
  void WriteOrPrint(std::string_view text) const;

 private:
  std::string path_;              // As the user says it.
  std::filesystem::path target_;  // The path after following links.
  bool in_place_ = false;
  int pipe_ = -1;  // Open, if it is one.
};

// Readers of `path` call this. Throws BadUsage if an OutputFile that has not been written yet would replace
// that file, and does not name it as `may_replace`.
void RefuseToReadOutput(const std::filesystem::path& path);

// OutputFile(path).Write(bytes), for outputs whose path is not known before the work.
void WriteFileBytes(const std::filesystem::path& path, const void* bytes, size_t count);

}  // namespace lutra::host
