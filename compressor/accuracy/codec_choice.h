// SPDX-License-Identifier: Apache-2.0
// Chooses the codecs that are worth the time that they take to decode.
//
//   const CodecChoice codecs = ChooseCodecs(choices, target, [&](const CodecSet& c) { return CostIn(c);
//   });
//
// A codec with which decoding takes more than a tenth of an inference's time, as decoding_cost.h estimates
// both, must save more than a twentieth of the model's bytes. Codecs that are decoded as fast as lookup
// tables count as one; the others are tried in the order of their cost, each beside those that were chosen
// before it.

#pragma once

#include <functional>
#include <vector>

#include "compressor/accuracy/choices.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {

struct CodecChoice {
  struct LeftOut {
    DecodeType codec = DecodeType::kLut;
    int64_t saved_bytes = 0;  // The bytes that it would save for the same values,
    double decode_us = 0;     // and the time that decoding could take with it.
  };

  CodecSet taken;
  double free_us = 0;  // The time that decoding may take whatever the codec saves.
  std::vector<LeftOut> left_out;
};

// The costs of a choice that the rule compares.
struct CodecCost {
  int64_t bytes = 0;
  double decode_us = 0;
  double most_decode_us = 0;  // The longest of all choices that a search may go on to.
};

// Every codec that the target reads, and those that are decoded as fast as lookup tables.
CodecSet AllCodecsOf(Target target);
CodecSet FastCodecsOf(Target target);

// `stored_in` returns the cost of the same values when only `codecs` are used.
CodecChoice ChooseCodecs(const Choices& choices, Target target,
                         const std::function<CodecCost(const CodecSet& codecs)>& stored_in);

}  // namespace lutra::compressor
