// SPDX-License-Identifier: Apache-2.0
// A line on stderr that says which work is in progress, only on a terminal; removed with the object.

#pragma once

#include <cstdint>
#include <string>

namespace lutra::host {

class Progress {
 public:
  explicit Progress(const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Update(int64_t done, int64_t total);

 private:
  std::string what_;
  bool shown_;
};

}  // namespace lutra::host
