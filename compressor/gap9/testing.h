// SPDX-License-Identifier: Apache-2.0
// Memories and transfers for tests of the model of GAP9's engine.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "compressor/encode/elements.h"
#include "compressor/gap9/engine.h"

namespace lutra::compressor::gap9 {

using Bytes = std::vector<uint8_t>;
using Items = std::vector<uint32_t>;

inline constexpr uint8_t kUntouched = 0xEE;
inline constexpr uint16_t kItems = 400;

inline Span<uint8_t> Memory(Bytes& bytes) { return {bytes.data(), bytes.size()}; }

inline Bytes ElementBytesOf(const Items& values, int element_bytes) {
  Bytes bytes;
  for (uint32_t value : values) Append(value, element_bytes, &bytes);
  return bytes;
}

// Returns the words of L2: the stream, with zeros up to a whole word.
inline Bytes Words(Bytes stream) {
  stream.resize((stream.size() + 3) / 4 * 4, 0);
  return stream;
}

// Returns the bytes that one decompression writes to L1. Expects that all of them were written.
inline Bytes Decompressed(const Configuration& conf, Bytes l2, Command command = {}) {
  Bytes l1(size_t{conf.items} * conf.element_bytes, kUntouched);
  Engine engine(Memory(l1), Memory(l2));
  command.conf = conf.Word();
  engine.Push(&command);
  engine.Run();
  EXPECT_TRUE(command.done);
  EXPECT_EQ(command.error, Error::kNone) << ToString(command.error);
  return l1;
}

}  // namespace lutra::compressor::gap9
