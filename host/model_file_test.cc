// SPDX-License-Identifier: Apache-2.0
// What cannot be read is refused for what it is.

#include "host/model_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "host/failures.h"
#include "host/testing/program.h"

namespace lutra::host {
namespace {

template <typename Read>
std::string RefusalOf(const Read& read, const std::string& path) {
  try {
    (void)read(path);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(ReadFileBytes, SaysWhatIsNoFile) {
  const ScratchFolder folder;
  const std::string name = folder / "";
  EXPECT_EQ(RefusalOf(ReadFileBytes, name), name + ": this is a folder; name a file");
  EXPECT_EQ(
      RefusalOf(ReadFileBytes, "/dev/null"),
      "/dev/null: this is a device or a pipe, required: a regular file; write what it gives to a file first");
  const std::string missing = folder / "missing";
  EXPECT_EQ(RefusalOf(ReadFileBytes, missing),
            missing + ": cannot open the file; check the path and its permissions");
}

TEST(ReadInputText, RefusesEmptyFiles) {
  const ScratchFolder folder;
  const std::string path = folder / "empty.json";
  std::ofstream{path};
  EXPECT_EQ(ReadFileText(path), "");
  EXPECT_EQ(RefusalOf(ReadInputText, path), path + ": the file is empty; check what wrote it");
  std::ofstream(path) << "{}";
  EXPECT_EQ(ReadInputText(path), "{}");
}

}  // namespace
}  // namespace lutra::host
