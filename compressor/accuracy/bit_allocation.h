// SPDX-License-Identifier: Apache-2.0
// Gives each tensor the option whose bytes and penalty have the least sum.
//
//   BitAllocation allocation(choices, Target::kTflm, {});
//   const std::vector<int> chosen =
//       allocation.Best([&](size_t t, size_t o) { return bytes_per_error * errors[t][o]; });
//
// If the errors of tensors add up, any exchange rate between errors and bytes leads to a choice whose sum of
// errors is the least for its bytes (Everett 1963, generalised Lagrange multipliers). Options are stored in
// the chosen codecs. The time of decoding may be limited; it then has a price, too.

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

  // Begins with all codecs of the target. `decode_us` limits the time of decoding, by Choices::DecodeUsOf;
  // empty: there is no limit. `choices` must outlive it.
  BitAllocation(const Choices& choices, Target target, std::optional<double> decode_us);

  const CodecChoice& codecs() const { return codecs_; }
  void Take(const CodecSet& codecs) { codecs_ = {.taken = codecs, .left_out = {}}; }
  // Chooses the codecs that are worth their time for these options. Returns whether this changes them.
  bool ChooseCodecsFor(const std::vector<int>& chosen);

  // Returns the least bytes and penalties among choices whose decoding is fast enough.
  std::vector<int> Best(const Penalty& penalty) const;
  // Returns the options that have these values (Choices::ValuesOf) in the chosen codecs; empty if some tensor
  // has no such option.
  std::vector<int> Coded(const std::vector<int>& values) const;
  // The same, but tensors that have no such option stay as they are.
  std::vector<int> CodedNearly(const std::vector<int>& values) const;
  // Returns whether a choice keeps to `decode_us` or, without it, is stored in the chosen codecs.
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
