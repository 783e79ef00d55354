// SPDX-License-Identifier: Apache-2.0
// The lines of standard input, for programs without a C++ library.

#pragma once

#include <stddef.h>
#include <string.h>

#include "platforms/common/semihosting.h"

namespace lutra::platforms {

class LineReader {
 public:
  // Returns the next line without its end, zero-terminated, valid until the next call. Null at the end of
  // input, or if the line is too long.
  char* Next() {
    memmove(text_, text_ + next_, end_ - next_);
    end_ -= next_;
    next_ = 0;
    for (size_t at = 0;; ++at) {
      if (at == end_) {
        const size_t read = semihosting::Read(input_, text_ + end_, sizeof text_ - end_);
        if (read == 0) return nullptr;
        end_ += read;
      }
      if (text_[at] == '\n') {
        text_[at] = '\0';
        next_ = at + 1;
        return text_;
      }
    }
  }

 private:
  semihosting::File input_ = semihosting::OpenStandardInput();
  char text_[1024];
  size_t next_ = 0;  // The begin of the next line.
  size_t end_ = 0;
};

}  // namespace lutra::platforms
