// SPDX-License-Identifier: Apache-2.0
// Memory that ends, or begins, at pages that must not be touched: reading or writing beyond it ends the
// program, with vector instructions, too.
//
//   PageEdge input(bytes.size(), PageEdge::kEnd);
//   std::copy(bytes.begin(), bytes.end(), input.data());
//
//   const FilledEdge codes(seed, count, PageEdge::kBegin);   // with FillBytes

#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/kernels/test_data.h"

namespace lutra {

class PageEdge {
 public:
  enum Side { kBegin, kEnd };

  PageEdge(size_t bytes, Side side) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inside = (bytes + page - 1) / page * page;
    mapped_bytes_ = inside + 2 * page;
    mapped_ = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) return;
    uint8_t* const first = static_cast<uint8_t*>(mapped_) + page;
    if (mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) return;
    data_ = side == kEnd ? first + inside - bytes : first;
  }
  PageEdge(const PageEdge&) = delete;
  PageEdge& operator=(const PageEdge&) = delete;
  ~PageEdge() {
    if (mapped_ != MAP_FAILED) munmap(mapped_, mapped_bytes_);
  }

  // Returns null if the system provides no such memory.
  uint8_t* data() const { return data_; }

 private:
  void* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
  uint8_t* data_ = nullptr;
};

inline constexpr PageEdge::Side kPageEdges[] = {PageEdge::kBegin, PageEdge::kEnd};

// Returns the address of element 0 if `elements` begin with element `first`. In a row group only these have
// memory.
template <typename T>
T* BeforeElement(T* elements, int32_t first, int32_t step = 1) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(elements) -
                              static_cast<uintptr_t>(first * step) * sizeof(T));
}

struct FilledEdge : PageEdge {
  FilledEdge(uint32_t seed, int32_t bytes, Side side) : PageEdge(static_cast<size_t>(bytes), side) {
    FillBytes(seed, bytes, data());
  }
  std::vector<uint8_t> Bytes(int32_t count) const { return {data(), data() + count}; }
};

}  // namespace lutra
