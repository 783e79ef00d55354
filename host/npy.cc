// SPDX-License-Identifier: Apache-2.0

#include "host/npy.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <regex>
#include <string>

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

[[noreturn]] void Refuse(const std::filesystem::path& path, const std::string& why) {
  throw BadInput(fmt::format("{}: npy: {}; save the array again with numpy.save", path.string(), why));
}

template <typename T>
double Number(const uint8_t* bytes) {
  return static_cast<double>(PackedList<T>{bytes, 1}[0]);
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

NpyArray ReadNpy(const std::filesystem::path& path) {
  NpyArray array;
  array.file = ReadFileBytes(path);
  const uint8_t* bytes = array.file.data();
  const size_t size = array.file.size();
  if (size < 12 || std::memcmp(bytes, "\x93NUMPY", 6) != 0) Refuse(path, "the file is not an .npy file");
  const int version = bytes[6];
  if (version < 1 || version > 3) Refuse(path, fmt::format("format version {}, known are 1 to 3", version));
  // Version 1 has a length of two bytes, later ones of four.
  const size_t start = version == 1 ? 10 : 12;
  size_t length = bytes[8] | static_cast<size_t>(bytes[9]) << 8;
  if (version > 1) length |= static_cast<size_t>(bytes[10]) << 16 | static_cast<size_t>(bytes[11]) << 24;
  if (length > size - start) Refuse(path, "the header is cut short");
  const std::string header(reinterpret_cast<const char*>(bytes) + start, length);

  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'descr'\\s*:\\s*'([^']*)'"))) Refuse(path, "no 'descr'");
  const std::string description = match[1];
  bool known = false;
  for (const Kind& kind : kKinds) {
    if (description != kind.name) continue;
    array.type = kind.type;
    known = true;
  }
  if (!known)
    Refuse(path,
           fmt::format("element type {}, known are little-endian integers, floats and bool", description));
  if (!std::regex_search(header, std::regex("'fortran_order'\\s*:\\s*False"))) Refuse(path, "not in C order");
  if (!std::regex_search(header, match, std::regex("'shape'\\s*:\\s*\\(([0-9, ]*)\\)")))
    Refuse(path, "no 'shape'");
  const std::string dims = match[1];
  int64_t elements = 1;
  const std::regex number("[0-9]{1,18}");
  for (auto it = std::sregex_iterator(dims.begin(), dims.end(), number); it != std::sregex_iterator(); ++it) {
    array.shape.push_back(std::stoll(it->str()));
    if (__builtin_mul_overflow(elements, array.shape.back(), &elements))
      Refuse(path, "the shape is too large");
  }
  const size_t available = size - start - length;
  const auto element = static_cast<size_t>(ElementBytes(array.type));
  if (static_cast<uint64_t>(elements) > available / element) {
    Refuse(path, fmt::format("{} elements of {} bytes are promised, {} bytes are there", elements, element,
                             available));
  }
  array.data = bytes + start + length;
  array.bytes = static_cast<size_t>(elements) * element;
  return array;
}

}  // namespace lutra::host
