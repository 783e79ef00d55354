// SPDX-License-Identifier: Apache-2.0
// Reads FlexBuffers maps of numbers, which custom operators have as options. A map's values are in a vector,
// its keys in another one; every reference is a distance backwards. Reading ends if anything leads outside
// the bytes: the file may be hostile.

#include <float.h>
#include <string.h>

#include "lutra/node_info.h"

namespace lutra {
namespace {

// The numbers of FlexBuffers' types.
enum class FlexType : uint8_t { kInt = 1, kUInt = 2, kFloat = 3, kMap = 9, kBool = 26 };

constexpr bool IsWidth(size_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

class FlexReader {
 public:
  explicit FlexReader(Span<const uint8_t> bytes) : bytes_(bytes) {}

  // Reads an unsigned integer of `width` bytes, little-endian.
  bool Read(size_t at, size_t width, uint64_t* value) const {
    if (!IsWidth(width) || at > bytes_.size() || width > bytes_.size() - at) return false;
    *value = 0;
    for (size_t i = 0; i < width; ++i) *value |= uint64_t{bytes_[at + i]} << (8 * i);
    return true;
  }
  // Finds the target of the reference of `width` bytes at `at`.
  bool Follow(size_t at, size_t width, size_t* target) const {
    uint64_t back = 0;
    if (!Read(at, width, &back) || back > at) return false;
    *target = at - static_cast<size_t>(back);
    return true;
  }
  bool IsText(size_t at, const char* text) const {
    const size_t size = strlen(text) + 1;
    return at <= bytes_.size() && size <= bytes_.size() - at && memcmp(bytes_.data() + at, text, size) == 0;
  }
  size_t size() const { return bytes_.size(); }

 private:
  Span<const uint8_t> bytes_;
};

struct FlexMap {
  size_t values = 0;
  size_t value_width = 0;
  size_t keys = 0;
  size_t key_width = 0;
  size_t count = 0;
};

bool FindMap(const FlexReader& reader, FlexMap* map) {
  // The root's value, its type and its width are at the end.
  if (reader.size() < 3) return false;
  uint64_t root_width = 0;
  uint64_t type = 0;
  if (!reader.Read(reader.size() - 1, 1, &root_width) || !reader.Read(reader.size() - 2, 1, &type))
    return false;
  if (static_cast<FlexType>(type >> 2) != FlexType::kMap || root_width > reader.size() - 2) return false;
  const size_t width = size_t{1} << (type & 3);
  const auto root = static_cast<size_t>(reader.size() - 2 - root_width);
  if (!reader.Follow(root, static_cast<size_t>(root_width), &map->values)) return false;
  // Before the values are the place of the keys, their width, and the number of values.
  uint64_t count = 0;
  uint64_t key_width = 0;
  if (map->values < 3 * width || !reader.Follow(map->values - 3 * width, width, &map->keys) ||
      !reader.Read(map->values - 2 * width, width, &key_width) ||
      !reader.Read(map->values - width, width, &count) || count > reader.size()) {
    return false;
  }
  map->value_width = width;
  map->key_width = static_cast<size_t>(key_width);
  map->count = static_cast<size_t>(count);
  return IsWidth(map->key_width);
}

// A number that is stored in the map itself.
struct FlexValue {
  FlexType type = FlexType::kMap;
  uint64_t bits = 0;
  size_t width = 0;
};

bool ReadInteger(const FlexValue& value, int64_t* integer) {
  switch (value.type) {
    case FlexType::kInt: {
      const auto unused = static_cast<int>(64 - 8 * value.width);
      *integer = static_cast<int64_t>(value.bits << unused) >> unused;
      return true;
    }
    case FlexType::kUInt:
    case FlexType::kBool:
      *integer = static_cast<int64_t>(value.bits);
      return true;
    default:
      return false;
  }
}

bool ReadReal(const FlexValue& value, float* real) {
  int64_t integer = 0;
  if (ReadInteger(value, &integer)) {
    *real = static_cast<float>(integer);
    return true;
  }
  if (value.type != FlexType::kFloat) return false;
  if (value.width == sizeof(float)) {
    const auto bits = static_cast<uint32_t>(value.bits);
    memcpy(real, &bits, sizeof bits);
    return true;
  }
  double wide = 0;
  if (value.width != sizeof wide) return false;
  memcpy(&wide, &value.bits, sizeof wide);
  // Beyond float's range a conversion is undefined.
  constexpr double kLargest = FLT_MAX;
  if (!(wide >= -kLargest && wide <= kLargest)) return false;
  *real = static_cast<float>(wide);
  return true;
}

bool StoreValue(const FlexValue& value, const CustomOption& option) {
  if (option.real != nullptr) return ReadReal(value, option.real);
  int64_t integer = 0;
  if (!ReadInteger(value, &integer) || integer < INT32_MIN || integer > INT32_MAX) return false;
  *option.integer = static_cast<int32_t>(integer);
  return true;
}

bool ReadOption(const FlexReader& reader, const FlexMap& map, const CustomOption& option) {
  for (size_t i = 0; i < map.count; ++i) {
    size_t key = 0;
    if (!reader.Follow(map.keys + i * map.key_width, map.key_width, &key)) return false;
    if (!reader.IsText(key, option.name)) continue;
    FlexValue value = {.width = map.value_width};
    uint64_t type = 0;
    if (!reader.Read(map.values + i * map.value_width, map.value_width, &value.bits) ||
        !reader.Read(map.values + map.count * map.value_width + i, 1, &type)) {
      return false;
    }
    value.type = static_cast<FlexType>(type >> 2);
    return StoreValue(value, option);
  }
  return false;
}

}  // namespace

bool ReadCustomOptions(const NodeInfo& node, Span<const CustomOption> options) {
  const FlexReader reader(CustomOptionBytes(node));
  FlexMap map;
  if (!FindMap(reader, &map)) return false;
  for (const CustomOption& option : options) {
    if (!ReadOption(reader, map, option)) return false;
  }
  return true;
}

}  // namespace lutra
