// SPDX-License-Identifier: Apache-2.0
// Span: a pointer and a count. Bare-metal toolchains without a C++ library have no std::span.

#pragma once

#include <stddef.h>

namespace lutra {

template <typename T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
  // Span<T> converts to Span<const T>.
  template <typename U>
  requires requires(U (*from)[]) { static_cast<T(*)[]>(from); }
  constexpr Span(const Span<U>& other) : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  // The caller keeps offset + count within size().
  constexpr Span Subspan(size_t offset, size_t count) const { return {data_ + offset, count}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace lutra
