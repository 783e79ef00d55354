// SPDX-License-Identifier: Apache-2.0
// Walks through all tables of a model by the schema's type tables.

#include "compressor/field_check.h"

#include <fmt/format.h>

#include "flatbuffers/minireflect.h"
#include "tflite_edit_generated.h"

namespace lutra::compressor {
namespace {

namespace fb = flatbuffers;

bool IsUnion(const fb::TypeTable& type, size_t field) {
  const fb::TypeCode code = type.type_codes[field];
  return code.base_type == fb::ET_SEQUENCE && type.type_refs[code.sequence_ref]()->st == fb::ST_UNION;
}

constexpr char kExportAgain[] = "export the model again from its source";

std::string NameOf(const std::string& where) { return where.empty() ? "the model" : where; }

class FieldCheck {
 public:
  explicit FieldCheck(const uint8_t* bytes) : bytes_(bytes) {}

  const FieldProblems& problems() const { return problems_; }

  void CheckTable(const uint8_t* table, const fb::TypeTable& type, const std::string& where) {
    const uint8_t* vtable = table - fb::ReadScalar<fb::soffset_t>(table);
    const size_t slots = fb::ReadScalar<fb::voffset_t>(vtable) / sizeof(fb::voffset_t);
    const auto offset_of = [&](size_t field) -> fb::voffset_t {
      const size_t slot = field + 2;
      return slot < slots ? fb::ReadScalar<fb::voffset_t>(vtable + slot * sizeof(fb::voffset_t)) : 0;
    };
    for (size_t field = type.num_elems; field + 2 < slots; ++field) {
      if (offset_of(field) != 0) Unknown(where, fmt::format("field {}", field));
    }
    for (size_t field = 0; field < type.num_elems && problems_.broken.empty(); ++field) {
      const fb::TypeCode code = type.type_codes[field];
      if (code.base_type != fb::ET_SEQUENCE && !code.is_repeating) continue;  // Numbers and strings.
      const fb::voffset_t offset = offset_of(field);
      const uint8_t* const target =
          offset == 0 ? nullptr : table + offset + fb::ReadScalar<fb::uoffset_t>(table + offset);
      if (IsUnion(type, field)) {
        // The field before it names the member of the union; without it the union has none.
        const fb::voffset_t at = offset_of(field - 1);
        CheckUnion(at == 0 ? uint8_t{0} : table[at], target, type, field, where);
      } else if (offset != 0) {
        CheckField(target, type, field, where);
      }
    }
  }

 private:
  void CheckUnion(uint8_t member, const uint8_t* target, const fb::TypeTable& type, size_t field,
                  const std::string& where) {
    const fb::TypeTable& members = *type.type_refs[type.type_codes[field].sequence_ref]();
    if (member >= members.num_elems) return Unknown(where, fmt::format("union member {}", member));
    const fb::TypeCode chosen = members.type_codes[member];
    if (chosen.sequence_ref < 0) return;
    if (target == nullptr && &type == edit::OperatorTypeTable()) return;  // DropEmptyOptions mends it.
    if (target == nullptr) {
      problems_.broken = fmt::format("union: found member {} without a table in {}, required: a table; {}",
                                     member, NameOf(where), kExportAgain);
      return;
    }
    CheckTable(target, *members.type_refs[chosen.sequence_ref](), where);
  }

  // Checks a list of numbers, a list of tables or a table.
  void CheckField(const uint8_t* target, const fb::TypeTable& type, size_t field, const std::string& where) {
    const fb::TypeCode code = type.type_codes[field];
    if (code.base_type != fb::ET_SEQUENCE) {
      return CheckAlignment(target + sizeof(fb::uoffset_t), code, where);
    }
    const fb::TypeTable& next = *type.type_refs[code.sequence_ref]();
    if (!code.is_repeating) return CheckTable(target, next, where);
    const auto count = fb::ReadScalar<fb::uoffset_t>(target);
    for (fb::uoffset_t i = 0; i < count && problems_.broken.empty(); ++i) {
      const uint8_t* element = target + sizeof(fb::uoffset_t) * (1 + size_t{i});
      CheckTable(element + fb::ReadScalar<fb::uoffset_t>(element), next,
                 fmt::format("{}{} {}", where, type.names ? type.names[field] : "table", i));
    }
  }

  // FlatBuffers' verifier checks only the alignment of a list's length, which suffices for numbers of up to 4
  // bytes.
  void CheckAlignment(const uint8_t* elements, fb::TypeCode code, const std::string& where) {
    const size_t width = fb::InlineSize(static_cast<fb::ElementaryType>(code.base_type), nullptr);
    const auto at = static_cast<size_t>(elements - bytes_);
    if (at % width == 0) return;
    problems_.broken = fmt::format(
        "alignment: found a list of {}-byte numbers at byte {} in {}, required: a multiple of {}; {}", width,
        at, NameOf(where), width, kExportAgain);
  }

  void Unknown(const std::string& where, const std::string& what) {
    if (!problems_.unknown.empty()) return;
    problems_.unknown = fmt::format(
        "unknown-field: found {} in {} that this version does not know, required: the file "
        "format of runtime/schema/tflite.fbs; use a newer version, nothing was written",
        what, NameOf(where));
  }

  const uint8_t* bytes_;
  FieldProblems problems_;
};

}  // namespace

FieldProblems CheckFields(const uint8_t* model) {
  FieldCheck check(model);
  check.CheckTable(model + fb::ReadScalar<fb::uoffset_t>(model), *edit::ModelTypeTable(), "");
  return check.problems();
}

void DropEmptyOptions(edit::ModelT* model) {
  const auto drop = [](auto* options) {
    if (options->value == nullptr) options->type = {};
  };
  for (const auto& subgraph : model->subgraphs) {
    for (const auto& op : subgraph->operators) {
      drop(&op->builtin_options);
      drop(&op->builtin_options_2);
    }
  }
}

}  // namespace lutra::compressor
