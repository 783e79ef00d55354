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

#include "host/testing/scratch_folder.h"

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

// Copies the file, with `name` replaced everywhere by a text of the same length that would clear a terminal
// and is no UTF-8.
inline void CopyWithHostileName(const std::filesystem::path& from, const std::filesystem::path& to,
                                const std::string& name) {
  std::string bytes = ReadAll(from);
  std::string hostile = "\x1b[2J\xff";
  hostile.resize(name.size(), 'x');
  size_t count = 0;
  for (size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at)) {
    bytes.replace(at, name.size(), hostile);
    ++count;
  }
  EXPECT_GT(count, 0u) << from << " names nothing " << name;
  std::ofstream(to, std::ios::binary) << bytes;
}

// Runs a line in a shell, in the source folder, whose name may hold spaces. Removes the variables by which
// googletest runs this test in parts, which the started programs would obey, too.
inline Outcome RunShell(const std::string& line) {
  const std::string base = testing::TempDir() + "lutra_run_" + std::to_string(getpid());
  const std::string command = std::string("unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX; cd '") +
                              LUTRA_SOURCE_DIR + "' && ( " + line + " ) >'" + base + ".out' 2>'" + base +
                              ".err'";
  const int status = std::system(command.c_str());
  Outcome outcome = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(base + ".out"),
                     ReadAll(base + ".err")};
  std::filesystem::remove(base + ".out");
  std::filesystem::remove(base + ".err");
  return outcome;
}

inline Outcome RunProgram(const std::string& arguments, const std::string& program = LUTRA_PROGRAM) {
  return RunShell("'" + program + "' " + arguments);
}

}  // namespace lutra::host
