// SPDX-License-Identifier: Apache-2.0
// The options of custom operators, for tests.
//
//   const std::vector<uint8_t> options = FlexMap({{"shift", 12}});

#pragma once

#include <flatbuffers/flexbuffers.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lutra {

// A FlexBuffers map of integers.
inline std::vector<uint8_t> FlexMap(const std::vector<std::pair<std::string, int64_t>>& values) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [name, value] : values) builder.Int(name.c_str(), value);
  });
  builder.Finish();
  return builder.GetBuffer();
}

// Makes the same with whole numbers as integers and others as float64.
inline std::vector<uint8_t> FlexMapOfReals(const std::vector<std::pair<std::string, double>>& values) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [name, value] : values) {
      const auto whole = static_cast<int64_t>(value);
      if (static_cast<double>(whole) == value) {
        builder.Int(name.c_str(), whole);
      } else {
        builder.Double(name.c_str(), value);
      }
    }
  });
  builder.Finish();
  return builder.GetBuffer();
}

}  // namespace lutra
