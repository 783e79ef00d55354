// SPDX-License-Identifier: Apache-2.0
// Gives each tensor the option that is the cheapest, its bytes and a penalty together.
//
//   BitAllocation allocation(choices, Target::kTflm, {});
//   const std::vector<int> chosen =
//       allocation.Best([&](size_t t, size_t o) { return bytes_per_error * errors[t][o]; });
//
// Where errors of tensors add up, the choice that has the least sum of them for its bytes is found for any
// exchange rate between the two (Everett 1963, generalised Lagrange multipliers). Options are stored in
// codecs that are taken, and decoding may be limited in time, which then has a price, too.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compressor/accuracy/choices.h"
#include "compressor/accuracy/codec_choice.h"

namespace lutra::compressor {

class BitAllocation {
 public:
  // Says what an option costs besides its bytes, in bytes.
  using Penalty = std::function<double(size_t tensor, size_t option)>;

  // Takes all codecs of the target. `decode_us`: decoding takes no longer, by Choices::DecodeUsOf; empty: it
  // takes as long as the codecs do. `choices` outlives it.
  BitAllocation(const Choices& choices, Target target, std::optional<double> decode_us);

  const CodecChoice& codecs() const { return codecs_; }
  void Take(const CodecSet& codecs) { codecs_ = {.taken = codecs, .left_out = {}}; }
  // Takes the codecs that are worth it for what was chosen. Returns whether others were taken before.
  bool ChooseCodecsFor(const std::vector<int>& chosen);

  // Returns the least bytes and penalties among choices whose decoding is fast enough.
  std::vector<int> Best(const Penalty& penalty) const;
  // Returns these values, by Choices::ValuesOf, in the codecs that are taken; empty: some tensor has no such
  // option.
  std::vector<int> Coded(const std::vector<int>& values) const;
  // The same, but tensors that have no such option stay as they are.
  std::vector<int> CodedNearly(const std::vector<int>& values) const;
  // Returns whether a choice keeps the time, or without one whether it is stored in codecs that are taken.
  bool IsFast(const std::vector<int>& chosen) const;

 private:
  std::vector<int> Best(const Penalty& penalty, double bytes_per_us) const;

  const Choices& choices_;
  const Target target_;
  const std::optional<double> decode_us_;
  CodecChoice codecs_;
};

// Calls is_enough(rate) for rates between 2^low and 2^40, halving in on the least for which it is true.
void HalveRates(double low, const std::function<bool(double rate)>& is_enough);

}  // namespace lutra::compressor
