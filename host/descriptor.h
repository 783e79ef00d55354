// SPDX-License-Identifier: Apache-2.0
// A file descriptor that is closed with its object.
//
//   const Descriptor file(open(path, O_RDONLY | O_CLOEXEC));
//   if (file.get() < 0) throw BadInput(...);

#pragma once

#include <unistd.h>

#include <utility>

namespace lutra::host {

class Descriptor {
 public:
  Descriptor() = default;
  // A negative number is none, as failed calls return it.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return number_; }
  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace lutra::host
