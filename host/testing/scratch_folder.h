// SPDX-License-Identifier: Apache-2.0
// An empty folder that belongs to one process, so that tests which run at once never share a file:
//
//   const ScratchFolder folder;
//   WriteFileBytes(folder / "model.tflite", bytes.data(), bytes.size());
//
// Its name holds no space. The folder is removed with the object, and also when the test is killed.

#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "host/guardian.h"

namespace lutra::host {

class ScratchFolder {
 public:
  // `name` distinguishes the folders of one process.
  explicit ScratchFolder(const std::string& name = "")
      : path_(std::filesystem::temp_directory_path() / ("lutra_test_" + std::to_string(getpid()) + name)),
        guarded_(Guarded::kFolder, path_.string()) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }

  std::string operator/(const std::string& file) const { return (path_ / file).string(); }

 private:
  std::filesystem::path path_;
  Guarded guarded_;
};

}  // namespace lutra::host
