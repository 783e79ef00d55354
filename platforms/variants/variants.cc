// SPDX-License-Identifier: Apache-2.0
// The memory of problems, and the comparison of variants' outputs.

#include "platforms/variants/variants.h"

#include <string.h>

#include "host/core/byte_order.h"
#include "host/core/crc32.h"
#include "lutra/options.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/counter/marks.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/test_data.h"

namespace lutra::platforms {
namespace {

constexpr size_t kAlignment = 16;
// Packed weights of several instruction sets take more than the microcontrollers' emulators have.
alignas(kAlignment) uint8_t memory[(LUTRA_HOSTED ? 4 : 2) * 1024 * 1024];

// Processors differ in converting numbers beyond the range of int32.
int32_t Saturated(float real) {
  constexpr float kLimit = 2147483648.0f;
  if (real >= kLimit) return INT32_MAX;
  if (real < -kLimit) return INT32_MIN;
  return real == real ? static_cast<int32_t>(real) : 0;
}

// Rounds in place, to int32. The memory has any alignment.
void RoundReals(int32_t count, uint8_t* values) {
  for (int32_t i = 0; i < count; ++i) {
    float real = 0;
    memcpy(&real, values + 4 * i, sizeof(real));
    const int32_t rounded = Saturated(real * 64 + (real < 0 ? -0.5f : 0.5f));
    memcpy(values + 4 * i, &rounded, sizeof(rounded));
  }
}

// Returns a type of numbers of this size; float32 has the same byte order.
TensorType NumberOf(int32_t bytes) {
  return bytes == 8   ? TensorType::kInt64
         : bytes == 4 ? TensorType::kInt32
         : bytes == 2 ? TensorType::kInt16
                      : TensorType::kInt8;
}

}  // namespace

void VariantChecker::Fail(const char* what) {
  ReportLine("fault").Text(what);
  semihosting::Exit(1);
}

const char* VariantChecker::NoteTable(const void* table) {
  const char* found = nullptr;
  int at = 0;
  VisitTables([&](const char* name, const auto& listed) {
    if (static_cast<const void*>(listed) == table) {
      found = name;
      checked_[at] = true;
    }
    ++at;
  });
  if (at > kMaxTables) Fail("too many tables");
  if (found == nullptr) Fail("a table that is not in kernels/tables.h");
  return found;
}

int VariantChecker::CountUnchecked() const {
  int unchecked = 0;
  int at = 0;
  VisitTables([&](const char* name, const auto&) {
    if (checked_[at++]) return;
    ReportLine("unchecked").Text(name);
    ++unchecked;
  });
  return unchecked;
}

void VariantChecker::Skip(const char* table, const char* variant) {
  ReportLine("skipped").Text(table).Text(variant);
}

void VariantChecker::Clear() {
  area_count_ = 0;
  problem_count_ = 0;
  used_ = 0;
}

uint8_t* VariantChecker::Take(int32_t count, int32_t element_bytes) {
  const auto element = static_cast<size_t>(element_bytes);
  const size_t begin =
      (used_ + kAlignment - 1) / kAlignment * kAlignment + static_cast<size_t>(takes_++ % 3) * element;
  const size_t bytes = static_cast<size_t>(count) * element;
  if (bytes > sizeof memory || begin > sizeof memory - bytes) Fail("too little memory for the problems");
  used_ = begin + bytes;
  return memory + begin;
}

uint8_t* VariantChecker::TakeFilled(uint32_t seed, int32_t count, int32_t element_bytes) {
  uint8_t* const bytes = Take(count, element_bytes);
  FillBytes(seed, count * element_bytes, bytes);
  host::SwapToOrFromLittleEndian(NumberOf(element_bytes), bytes, static_cast<size_t>(count * element_bytes));
  return bytes;
}

float* VariantChecker::TakeFilledReals(uint32_t seed, int32_t count) {
  auto* const values = Data<float>(*this, count);
  FillFloat(seed, count, values);
  return values;
}

uint8_t* VariantChecker::TakeAligned(int32_t bytes) {
  used_ = (used_ + kAlignment - 1) / kAlignment * kAlignment;
  takes_ = 0;  // The next problem's memory is aligned.
  return Take(bytes, 1);
}

uint8_t* VariantChecker::TakeOutput(int32_t count, int32_t element_bytes) {
  return AddArea(count, element_bytes, false);
}

float* VariantChecker::TakeOutputReals(int32_t count) {
  return reinterpret_cast<float*>(AddArea(count, sizeof(float), true));
}

uint8_t* VariantChecker::AddArea(int32_t count, int32_t element_bytes, bool is_real) {
  if (area_count_ == kMaxAreas) Fail("too many outputs");
  const int32_t guards = kGuardBytes / element_bytes;
  const int32_t elements = count + 2 * guards;
  const auto bytes = static_cast<size_t>(element_bytes);
  uint8_t* const area = Take(elements, element_bytes);
  memset(area, kGuard, static_cast<size_t>(elements) * bytes);
  areas_[area_count_++] = {area,
                           Take(elements, element_bytes),
                           Take(elements, element_bytes),
                           guards * element_bytes,
                           count * element_bytes,
                           element_bytes,
                           problem_count_,
                           is_real};
  return area + guards * element_bytes;
}

void VariantChecker::Begin(const char* table, const char* variant, bool is_reference) {
  for (int32_t i = 0; i < area_count_; ++i) {
    const Area& area = areas_[i];
    const auto bytes = static_cast<size_t>(2 * area.output_at + area.output_bytes);
    if (is_reference) {
      memcpy(area.before, area.memory, bytes);
    } else {
      memcpy(area.memory, area.before, bytes);
    }
  }
  ReportLine("region").Text("kernel").Text(table).Text(variant);
  lutra_count_begin();
}

void VariantChecker::End(const char* table, const char* variant, bool is_reference, int32_t wrong_in_place) {
  int32_t different = 0;
  if (is_reference) {
    for (int32_t i = 0; i < area_count_; ++i) {
      const Area& area = areas_[i];
      memcpy(area.reference, area.memory, static_cast<size_t>(2 * area.output_at + area.output_bytes));
    }
    different = CountProblems([this](const Area& area) { return ChangedOutside(area); });
    ReportLine("reference")
        .Text(table)
        .Text("problems")
        .Number(problem_count_)
        .Text("crc32")
        .Hex(OutputsCrc());
  } else {
    different = CountProblems([this](const Area& area) {
      if (area.is_real) return ChangedOutside(area) || !SameReals(area);
      return memcmp(area.memory, area.reference,
                    static_cast<size_t>(2 * area.output_at + area.output_bytes)) != 0;
    });
  }
  different += wrong_in_place;
  if (different > 0) ++failures_;
  if (is_reference && different == 0) return;
  ReportLine("variant")
      .Text(table)
      .Text(variant)
      .Text("problems")
      .Number(problem_count_)
      .Text("different")
      .Number(different);
}

bool VariantChecker::ChangedOutside(const Area& area) const {
  const auto front = static_cast<size_t>(area.output_at);
  const size_t behind = front + static_cast<size_t>(area.output_bytes);
  return memcmp(area.memory, area.before, front) != 0 ||
         memcmp(area.memory + behind, area.before + behind, front) != 0;
}

bool VariantChecker::SameReals(const Area& area) {
  const auto* const actual = reinterpret_cast<const float*>(area.memory + area.output_at);
  const auto* const expected = reinterpret_cast<const float*>(area.reference + area.output_at);
  for (int32_t i = 0; i < area.output_bytes / area.element_bytes; ++i) {
    const float magnitude = expected[i] < 0 ? -expected[i] : expected[i];
    const float difference = actual[i] < expected[i] ? expected[i] - actual[i] : actual[i] - expected[i];
    // NaN fails this comparison.
    if (!(difference <= 1e-5f * (magnitude < 1 ? 1 : magnitude))) return false;
  }
  return true;
}

template <typename IsWrong>
int32_t VariantChecker::CountProblems(const IsWrong& is_wrong) const {
  int32_t count = 0;
  int32_t last = -1;
  for (int32_t i = 0; i < area_count_; ++i) {
    if (areas_[i].problem == last || !is_wrong(areas_[i])) continue;
    last = areas_[i].problem;
    ++count;
  }
  return count;
}

// Returns the CRC of all outputs in order, with numbers in little-endian order. Real numbers count in 1/64:
// the C libraries' functions differ in their last bits.
uint32_t VariantChecker::OutputsCrc() {
  uint32_t crc = 0;
  for (int32_t i = 0; i < area_count_; ++i) {
    const Area& area = areas_[i];
    const auto output_bytes = static_cast<size_t>(area.output_bytes);
    const size_t used = used_;
    uint8_t* const output = Take(output_bytes, 1);
    memcpy(output, area.memory + area.output_at, output_bytes);
    if (area.is_real) RoundReals(area.output_bytes / area.element_bytes, output);
    host::SwapToOrFromLittleEndian(NumberOf(area.element_bytes), output, output_bytes);
    crc = host::Crc32(output, output_bytes, crc);
    used_ = used;
  }
  return crc;
}

}  // namespace lutra::platforms
