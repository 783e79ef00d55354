// SPDX-License-Identifier: Apache-2.0
// Reads the header of an .npy file, and checks that the data fit it.

#include "host/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace lutra::host {
namespace {

struct Kind {
  const char* name;
  TensorType type;
};
constexpr Kind kKinds[] = {{"|i1", TensorType::kInt8},    {"|u1", TensorType::kUInt8},
                           {"|b1", TensorType::kBool},    {"<i2", TensorType::kInt16},
                           {"<i4", TensorType::kInt32},   {"<i8", TensorType::kInt64},
                           {"<f4", TensorType::kFloat32}, {"<f8", TensorType::kFloat64}};

[[noreturn]] void Refuse(const std::string& name, const std::string& why) {
  throw BadInput(fmt::format("{}: npy: {}; save the array again with numpy.save", name, why));
}

template <typename T>
double Number(const uint8_t* bytes) {
  return static_cast<double>(PackedList<T>{bytes, 1}[0]);
}

// Returns the text after `'key':` in the header, a Python dictionary; empty if there is no such key. It does
// not use std::regex, which needs stack for each matched character, since a header may be long.
std::string_view ValueOf(std::string_view header, const std::string& key) {
  constexpr std::string_view kSpace = " \t\n\r";
  const std::string quoted = "'" + key + "'";
  const size_t found = header.find(quoted);
  if (found == std::string_view::npos) return {};
  header.remove_prefix(found + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(kSpace), header.size()));
  if (!header.starts_with(':')) return {};
  header.remove_prefix(1);
  header.remove_prefix(std::min(header.find_first_not_of(kSpace), header.size()));
  return header;
}

// Returns the text between the first character of `text`, which must be `open`, and the next `close`.
std::optional<std::string_view> Between(std::string_view text, char open, char close) {
  const size_t end = text.find(close, 1);
  if (!text.starts_with(open) || end == std::string_view::npos) return std::nullopt;
  return text.substr(1, end - 1);
}

TensorType ReadType(std::string_view header, const std::string& name) {
  const std::optional<std::string_view> description = Between(ValueOf(header, "descr"), '\'', '\'');
  if (!description) Refuse(name, "no 'descr'");
  for (const Kind& kind : kKinds) {
    if (*description == kind.name) return kind.type;
  }
  Refuse(name,
         fmt::format("element type {}, known are little-endian integers, floats and bool", *description));
}

std::vector<int64_t> ReadShape(std::string_view header, const std::string& name) {
  const std::optional<std::string_view> list = Between(ValueOf(header, "shape"), '(', ')');
  if (!list || list->find_first_not_of("0123456789, ") != std::string_view::npos) Refuse(name, "no 'shape'");
  std::vector<int64_t> shape;
  const char* const end = list->data() + list->size();
  for (const char* at = list->data(); at != end;) {
    if (*at == ',' || *at == ' ') {
      ++at;
      continue;
    }
    const auto [next, error] = std::from_chars(at, end, shape.emplace_back());
    if (error != std::errc()) Refuse(name, "the shape is too large");
    at = next;
  }
  return shape;
}

}  // namespace

int64_t NpyArray::count() const {
  int64_t count = 1;
  for (const int64_t dimension : shape) count *= dimension;
  return count;
}

double NpyArray::At(int64_t index) const {
  const uint8_t* at = data + index * ElementBytes(type);
  switch (type) {
    case TensorType::kInt8:
      return Number<int8_t>(at);
    case TensorType::kInt16:
      return Number<int16_t>(at);
    case TensorType::kInt32:
      return Number<int32_t>(at);
    case TensorType::kInt64:
      return Number<int64_t>(at);
    case TensorType::kFloat32:
      return Number<float>(at);
    case TensorType::kFloat64:
      return Number<double>(at);
    default:
      return *at;
  }
}

NpyArray ParseNpy(AlignedBytes file, const std::string& name) {
  NpyArray array;
  array.file = std::move(file);
  const uint8_t* bytes = array.file.data();
  const size_t size = array.file.size();
  if (size < 12 || std::memcmp(bytes, "\x93NUMPY", 6) != 0) Refuse(name, "the file is not an .npy file");
  const int version = bytes[6];
  if (version < 1 || version > 3) Refuse(name, fmt::format("format version {}, known are 1 to 3", version));
  // Version 1 stores the header's length in two bytes, later versions in four.
  const size_t start = version == 1 ? 10 : 12;
  size_t length = bytes[8] | static_cast<size_t>(bytes[9]) << 8;
  if (version > 1) length |= static_cast<size_t>(bytes[10]) << 16 | static_cast<size_t>(bytes[11]) << 24;
  if (length > size - start) Refuse(name, "the header is cut short");
  const std::string_view header(reinterpret_cast<const char*>(bytes) + start, length);

  array.type = ReadType(header, name);
  if (!ValueOf(header, "fortran_order").starts_with("False")) Refuse(name, "not in C order");
  array.shape = ReadShape(header, name);
  int64_t elements = 1;
  for (const int64_t dimension : array.shape) {
    if (__builtin_mul_overflow(elements, dimension, &elements)) Refuse(name, "the shape is too large");
  }
  const size_t available = size - start - length;
  const auto element = static_cast<size_t>(ElementBytes(array.type));
  if (static_cast<uint64_t>(elements) > available / element) {
    Refuse(name, fmt::format("{} elements of {} bytes are promised, {} bytes are there", elements, element,
                             available));
  }
  array.data = bytes + start + length;
  array.bytes = static_cast<size_t>(elements) * element;
  return array;
}

NpyArray ReadNpy(const std::filesystem::path& path) { return ParseNpy(ReadFileBytes(path), path.string()); }

}  // namespace lutra::host
