// SPDX-License-Identifier: Apache-2.0
// Copies a FlatBuffer from its leaves to its root, and writes each distinct part once.

#include "compressor/shared_parts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "flatbuffers/minireflect.h"

namespace lutra::compressor {
namespace {

namespace fb = flatbuffers;

// The alignment of Buffer.data (force_align in tflite.fbs, which type tables leave out), and of streams.
constexpr size_t kBufferDataAlignment = 16;
constexpr size_t kStreamAlignment = 4;

// A field of a table, or the place of its value in the copy.
struct Field {
  fb::voffset_t slot;
  size_t width;
  bool is_offset;
  uint64_t value;  // The bytes of a number, or an offset.
  auto operator<=>(const Field&) const = default;
};

class Copier {
 public:
  // `bytes`: the model's size, which its copy hardly exceeds.
  Copier(const std::set<uint32_t>& streams, size_t bytes) : streams_(streams), builder_(bytes) {}

  Bytes Copy(std::span<const uint8_t> model) {
    const fb::uoffset_t root = CopyTable(Target(model.data()), *edit::ModelTypeTable());
    builder_.Finish(fb::Offset<edit::Model>(root), edit::ModelIdentifier());
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

 private:
  struct ListKey {
    size_t width;
    size_t alignment;
    bool is_text;
    Bytes bytes;
    friend bool operator<(const ListKey& a, const ListKey& b) {
      const auto form = [](const ListKey& key) { return std::tuple(key.width, key.alignment, key.is_text); };
      return form(a) != form(b) ? form(a) < form(b) : BytesLess()(a.bytes, b.bytes);
    }
  };

  static const uint8_t* Target(const uint8_t* offset) {
    return offset + fb::ReadScalar<fb::uoffset_t>(offset);
  }

  fb::uoffset_t CopyList(const uint8_t* list, size_t width, size_t alignment, bool is_text) {
    const size_t count = fb::ReadScalar<fb::uoffset_t>(list);
    const uint8_t* elements = list + sizeof(fb::uoffset_t);
    return AddList({width, alignment, is_text, Bytes(elements, elements + count * width)});
  }

  fb::uoffset_t AddList(ListKey key) {
    const auto [at, is_new] = lists_.try_emplace(std::move(key), 0);
    if (!is_new) return at->second;
    const auto& [width, alignment, is_text, bytes] = at->first;
    const size_t count = bytes.size() / width;
    if (is_text) {
      at->second = builder_.CreateString(reinterpret_cast<const char*>(bytes.data()), bytes.size()).o;
      return at->second;
    }
    builder_.ForceVectorAlignment(count, width, alignment);
    builder_.StartVector(count, width);
    builder_.PushBytes(bytes.data(), bytes.size());
    at->second = builder_.EndVector(count);
    return at->second;
  }

  // Copies a list of tables or strings.
  fb::uoffset_t CopyOffsets(const uint8_t* list, const fb::TypeTable* type) {
    const auto count = fb::ReadScalar<fb::uoffset_t>(list);
    std::vector<fb::Offset<void>> parts;
    for (fb::uoffset_t i = 0; i < count; ++i) {
      const uint8_t* element = Target(list + sizeof(fb::uoffset_t) * (1 + size_t{i}));
      if (type == edit::BufferTypeTable()) {
        buffer_alignment_ = streams_.count(i) != 0 ? kStreamAlignment : kBufferDataAlignment;
      }
      parts.emplace_back(type != nullptr ? CopyTable(element, *type) : CopyList(element, 1, 1, true));
    }
    std::vector<fb::uoffset_t> key;
    for (const fb::Offset<void> part : parts) key.push_back(part.o);
    const auto [at, is_new] = offsets_.try_emplace(std::move(key), 0);
    if (is_new) at->second = builder_.CreateVector(parts).o;
    return at->second;
  }

  fb::uoffset_t CopyPart(const uint8_t* target, fb::TypeCode code, const fb::TypeTable& type,
                         const fb::TypeTable* member) {
    const auto base = static_cast<fb::ElementaryType>(code.base_type);
    if (base == fb::ET_STRING)
      return code.is_repeating ? CopyOffsets(target, nullptr) : CopyList(target, 1, 1, true);
    if (base != fb::ET_SEQUENCE) {
      const size_t width = fb::InlineSize(base, nullptr);
      const bool is_buffer = &type == edit::BufferTypeTable();
      return CopyList(target, width, is_buffer ? buffer_alignment_ : width, false);
    }
    return code.is_repeating ? CopyOffsets(target, member) : CopyTable(target, *member);
  }

  fb::uoffset_t CopyTable(const uint8_t* table, const fb::TypeTable& type) {
    const uint8_t* vtable = table - fb::ReadScalar<fb::soffset_t>(table);
    const size_t slots = fb::ReadScalar<fb::voffset_t>(vtable) / sizeof(fb::voffset_t);
    std::vector<Field> fields;
    uint8_t last_number = 0;  // Names the member of the union that comes next.
    for (size_t i = 0; i < type.num_elems && i + 2 < slots; ++i) {
      const auto slot = fb::ReadScalar<fb::voffset_t>(vtable + (i + 2) * sizeof(fb::voffset_t));
      if (slot == 0) {
        last_number = 0;
        continue;
      }
      const fb::TypeCode code = type.type_codes[i];
      const auto base = static_cast<fb::ElementaryType>(code.base_type);
      const uint8_t* at = table + slot;
      Field field = {fb::FieldIndexToOffset(static_cast<fb::voffset_t>(i)), sizeof(fb::uoffset_t), true, 0};
      if (base != fb::ET_SEQUENCE && base != fb::ET_STRING && !code.is_repeating) {
        field.width = fb::InlineSize(base, nullptr);
        field.is_offset = false;
        std::memcpy(&field.value, at, field.width);
        last_number = *at;
      } else {
        const fb::TypeTable* member = base == fb::ET_SEQUENCE ? type.type_refs[code.sequence_ref]() : nullptr;
        if (member != nullptr && member->st == fb::ST_UNION) {
          const fb::TypeCode chosen = member->type_codes[last_number];
          if (chosen.sequence_ref < 0) continue;
          member = member->type_refs[chosen.sequence_ref]();
        }
        field.value = CopyPart(Target(at), code, type, member);
      }
      fields.push_back(field);
    }
    return AddTable(type, std::move(fields));
  }

  fb::uoffset_t AddTable(const fb::TypeTable& type, std::vector<Field> fields) {
    const auto [at, is_new] = tables_.try_emplace({&type, fields}, 0);
    if (!is_new) return at->second;
    // Wide fields come first, as this needs the least padding.
    std::stable_sort(fields.begin(), fields.end(),
                     [](const Field& a, const Field& b) { return a.width > b.width; });
    const fb::uoffset_t start = builder_.StartTable();
    for (const Field& field : fields) {
      if (field.is_offset) {
        builder_.AddOffset(field.slot, fb::Offset<void>(static_cast<fb::uoffset_t>(field.value)));
      } else if (field.width == 8) {
        AddNumber<uint64_t>(field);
      } else if (field.width == 4) {
        AddNumber<uint32_t>(field);
      } else if (field.width == 2) {
        AddNumber<uint16_t>(field);
      } else {
        AddNumber<uint8_t>(field);
      }
    }
    at->second = builder_.EndTable(start);
    return at->second;
  }

  // Writes a field that is in the file even if it has the default value.
  template <typename T>
  void AddNumber(const Field& field) {
    T number;
    std::memcpy(&number, &field.value, sizeof number);
    builder_.AddElement(field.slot, number);
  }

  const std::set<uint32_t>& streams_;
  size_t buffer_alignment_ = kBufferDataAlignment;  // The alignment of the buffer that is being copied.
  fb::FlatBufferBuilder builder_;
  std::map<ListKey, fb::uoffset_t> lists_;
  std::map<std::vector<fb::uoffset_t>, fb::uoffset_t> offsets_;
  std::map<std::pair<const fb::TypeTable*, std::vector<Field>>, fb::uoffset_t> tables_;
};

}  // namespace

Bytes ShareEqualParts(std::span<const uint8_t> model, const std::set<uint32_t>& streams) {
  return Copier(streams, model.size()).Copy(model);
}

}  // namespace lutra::compressor
