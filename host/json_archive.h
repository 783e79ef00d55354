// SPDX-License-Identifier: Apache-2.0
// The archives that visit a record's Fields: one writes it as JSON, the other reads it.
//
//   template <typename Archive, Is<Point> Record>
//   void Fields(Archive& archive, Record& point) {
//     archive("x", point.x);
//     archive.Derived("is_left", point.x < 0);   // Written, and not read.
//   }
//   const std::string text = JsonText(ToJson(point));
//   const Point again = FromJson<Point>(ParseJson(text, path));
//
// archive(key, value) writes null for an empty figure, and for a number that is not finite; NullIfEmpty
// writes null for an empty text; IfAny writes nothing for an empty figure or text, IfNot nothing for the
// usual value. Reading does not change members whose keys are missing or null, unless they are Required. It
// throws BadInput for a number outside the range of figures, nlohmann's exceptions for another type.

#pragma once

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "host/failures.h"
#include "host/result_json.h"

namespace lutra::host {

using OutJson = nlohmann::ordered_json;  // Keys stay in the order of Fields.
using InJson = nlohmann::json;

// Fields are found by their record. `Is` matches a record, constant or not.
template <typename Record, typename Wanted>
concept Is = std::is_same_v<std::remove_const_t<Record>, Wanted>;

template <typename Archive, Is<Interval> Record>
void Fields(Archive& archive, Record& interval) {
  archive("low", interval.low);
  archive("high", interval.high);
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

class JsonWriter {
 public:
  static constexpr bool kReads = false;

  // `is_known`: else every key is null.
  explicit JsonWriter(OutJson* json, bool is_known = true) : json_(*json), is_known_(is_known) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    json_[key] = is_known_ ? Convert(value) : OutJson(nullptr);
  }
  template <typename T>
  void Required(const char* key, const T& value) {
    (*this)(key, value);
  }
  // Writes what follows from other figures.
  template <typename T>
  void Derived(const char* key, const T& value) {
    (*this)(key, value);
  }
  void NullIfEmpty(const char* key, const std::string& text) {
    json_[key] = is_known_ && !text.empty() ? OutJson(text) : OutJson(nullptr);
  }
  void IfAny(const char* key, const std::string& text) {
    if (!text.empty()) (*this)(key, text);
  }
  template <typename T>
  void IfAny(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <typename T>
  void IfAny(const char* key, const std::vector<T>& list) {
    if (!list.empty()) (*this)(key, list);
  }
  template <typename T>
  void IfNot(const char* key, const T& usual, const T& value) {
    if (value != usual) (*this)(key, value);
  }

 private:
  template <typename T>
  static OutJson Convert(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return OutJson(value);
    } else if constexpr (std::is_same_v<T, EmbeddedJson>) {
      return value.text.empty() ? OutJson(nullptr) : OutJson::parse(value.text);
    } else if constexpr (std::is_same_v<T, Verdict>) {
      return OutJson(ToString(value));
    } else if constexpr (IsOptional<T>::value) {
      return value ? Convert(*value) : OutJson(nullptr);
    } else {
      return ConvertParts(value);
    }
  }
  template <typename T>
  static OutJson ConvertParts(const T& record) {
    OutJson json = OutJson::object();
    JsonWriter writer(&json);
    Fields(writer, record);
    return json;
  }
  template <typename T>
  static OutJson ConvertParts(const std::vector<T>& list) {
    OutJson json = OutJson::array();
    for (const T& element : list) json.push_back(Convert(element));
    return json;
  }
  template <typename T>
  static OutJson ConvertParts(const std::map<std::string, T>& named) {
    OutJson json = OutJson::object();
    for (const auto& [name, value] : named) json[name] = Convert(value);
    return json;
  }

  OutJson& json_;
  bool is_known_;
};

// Returns the whole number. Throws BadInput for a fraction or a number out of this range: sums of figures
// must not overflow.
inline int64_t WholeNumber(const InJson& json, int64_t least, int64_t most) {
  const bool is_whole = json.is_number_integer();
  const bool fits = json.is_number_unsigned() ? json.get<uint64_t>() <= static_cast<uint64_t>(most)
                                              : is_whole && json.get<int64_t>() >= least;
  if (is_whole && fits) return json.get<int64_t>();
  throw BadInput(fmt::format("found {}, required: a whole number from {} to {}",
                             json.dump(-1, ' ', true, InJson::error_handler_t::replace), least, most));
}

// Runs `read`; the message of what it throws names this key.
template <typename Read>
void Under(const char* key, const Read& read) {
  try {
    read();
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", key, error.what()));
  }
}

class JsonReader {
 public:
  static constexpr bool kReads = true;

  // Throws if the JSON is no object.
  explicit JsonReader(const InJson& json) : json_(json) {
    static_cast<void>(json.get_ref<const InJson::object_t&>());
  }

  template <typename T>
  void operator()(const char* key, T& value) {
    const auto place = json_.find(key);
    if (place != json_.end() && !place->is_null()) Under(key, [&] { Convert(*place, &value); });
  }
  template <typename T>
  void Required(const char* key, T& value) {
    Under(key, [&] { Convert(json_.at(key), &value); });
  }
  // JSON has no number for what is not finite.
  void Required(const char* key, double& value) {
    const InJson& json = json_.at(key);
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
  }
  template <typename T>
  void Derived(const char*, const T&) {}
  void NullIfEmpty(const char* key, std::string& text) { (*this)(key, text); }
  template <typename T>
  void IfAny(const char* key, T& value) {
    (*this)(key, value);
  }
  template <typename T>
  void IfNot(const char* key, const T&, T& value) {
    (*this)(key, value);
  }

 private:
  template <typename T>
  static void Convert(const InJson& json, T* value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr int64_t kMost = sizeof(T) < sizeof(int64_t) ? INT32_MAX : kMostFigure;
      *value = static_cast<T>(WholeNumber(json, -kMost, kMost));
    } else if constexpr (std::is_same_v<T, Figure>) {
      *value = WholeNumber(json, 0, kMostFigure);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      *value = json.get<T>();
    } else if constexpr (std::is_same_v<T, EmbeddedJson>) {
      value->text = json.dump(1, ' ', false, InJson::error_handler_t::replace);
    } else if constexpr (std::is_same_v<T, Verdict>) {
      *value = VerdictOf(json.get<std::string>());
    } else if constexpr (IsOptional<T>::value) {
      Convert(json, &value->emplace());
    } else {
      ConvertParts(json, value);
    }
  }
  template <typename T>
  static void ConvertParts(const InJson& json, T* record) {
    JsonReader reader(json);
    Fields(reader, *record);
  }
  template <typename T>
  static void ConvertParts(const InJson& json, std::vector<T>* list) {
    for (const InJson& element : json.get_ref<const InJson::array_t&>()) {
      Convert(element, &list->emplace_back());
    }
  }
  template <typename T>
  static void ConvertParts(const InJson& json, std::map<std::string, T>* named) {
    for (const auto& member : json.get_ref<const InJson::object_t&>()) {
      Under(member.first.c_str(), [&] { Convert(member.second, &(*named)[member.first]); });
    }
  }

  const InJson& json_;
};

template <typename Record>
OutJson ToJson(const Record& record) {
  OutJson json = OutJson::object();
  JsonWriter writer(&json);
  Fields(writer, record);
  return json;
}

template <typename Record>
Record FromJson(const InJson& json) {
  Record record;
  JsonReader reader(json);
  Fields(reader, record);
  return record;
}

}  // namespace lutra::host
