// SPDX-License-Identifier: Apache-2.0
// A program as a script sees it: RunProgram("models/kws.tflite --runs 1") starts LUTRA_PROGRAM in a shell.

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace lutra::host {

struct Outcome {
  int code = -1;  // -1 if it did not exit.
  std::string out;
  std::string err;
};

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder for this process, empty, whose name holds no space; removed at the end.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path() / ("lutra_test_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& file) const { return (path_ / file).string(); }

 private:
  std::filesystem::path path_;
};

// The source folder, whose name may hold spaces, is the current one.
inline Outcome RunProgram(const std::string& arguments, const std::string& program = LUTRA_PROGRAM) {
  const std::string base = testing::TempDir() + "lutra_run_" + std::to_string(getpid());
  const std::string command = std::string("cd '") + LUTRA_SOURCE_DIR + "' && '" + program + "' " + arguments +
                              +" >'" + base + ".out' 2>'" + base + ".err'";
  const int status = std::system(command.c_str());
  Outcome outcome = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(base + ".out"),
                     ReadAll(base + ".err")};
  std::filesystem::remove(base + ".out");
  std::filesystem::remove(base + ".err");
  return outcome;
}

}  // namespace lutra::host
