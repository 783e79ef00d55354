// SPDX-License-Identifier: Apache-2.0
// Chooses an option for each tensor by itself, as its cost does not depend on the others.

#include "compressor/accuracy/bit_allocation.h"

#include <cmath>
#include <limits>
#include <utility>

namespace lutra::compressor {
namespace {

constexpr double kMostExponent = 40;  // Rates are powers of two.

}  // namespace

void HalveRates(double low, const std::function<bool(double rate)>& is_enough) {
  constexpr int kHalvings = 24;
  double high = kMostExponent;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (is_enough(std::exp2(middle)) ? high : low) = middle;
  }
}

BitAllocation::BitAllocation(const Choices& choices, Target target, std::optional<double> decode_us)
    : choices_(choices),
      target_(target),
      decode_us_(decode_us),
      codecs_{.taken = AllCodecsOf(target), .left_out = {}} {}

bool BitAllocation::ChooseCodecsFor(const std::vector<int>& chosen) {
  const std::vector<int> values = choices_.ValuesOf(chosen);
  const CodecSet before = codecs_.taken;
  codecs_ = ChooseCodecs(choices_, target_, [&](const CodecSet& codecs) {
    codecs_.taken = codecs;
    // Tensors that need a codec which is left out are stored as they are.
    const std::vector<int> stored = CodedNearly(values);
    return CodecCost{choices_.BytesOf(stored), choices_.DecodeUsOf(stored), choices_.MostDecodeUs(codecs)};
  });
  for (const CodecFacts& codec : AllCodecs()) {
    if (codecs_.taken.Contains(codec.type) != before.Contains(codec.type)) return true;
  }
  return false;
}

// If the time of decoding is limited, uses the least price of time at which decoding is fast enough.
std::vector<int> BitAllocation::Best(const Penalty& penalty) const {
  std::vector<int> chosen = Best(penalty, 0);
  if (!decode_us_ || IsFast(chosen)) return chosen;
  chosen = Best(penalty, std::exp2(kMostExponent));
  HalveRates(-10, [&](double bytes_per_us) {
    std::vector<int> tried = Best(penalty, bytes_per_us);
    const bool fast = IsFast(tried);
    if (fast) chosen = std::move(tried);
    return fast;
  });
  return chosen;
}

std::vector<int> BitAllocation::Best(const Penalty& penalty, double bytes_per_us) const {
  std::vector<int> chosen;
  for (size_t t = 0; t < choices_.tensors().size(); ++t) {
    const std::vector<TensorOption>& options = choices_.tensors()[t].options;
    const auto cost = [&](size_t o) {
      const TensorOption& option = options[o];
      const bool is_taken = !option.entry || codecs_.taken.Contains(option.entry->codec);
      return is_taken
                 ? static_cast<double>(option.stored_bytes) + penalty(t, o) + bytes_per_us * option.decode_us
                 : std::numeric_limits<double>::infinity();
    };
    size_t best = 0;
    for (size_t o = 1; o < options.size(); ++o) {
      if (cost(o) < cost(best)) best = o;
    }
    chosen.push_back(static_cast<int>(best));
  }
  return chosen;
}

std::vector<int> BitAllocation::CodedNearly(const std::vector<int>& values) const {
  return Best([&](size_t t, size_t o) {
    const bool is_wanted = choices_.tensors()[t].options[o].values == values[t];
    return is_wanted ? 0 : std::numeric_limits<double>::infinity();
  });
}

std::vector<int> BitAllocation::Coded(const std::vector<int>& values) const {
  if (values.size() != choices_.tensors().size()) return {};  // The values may be of an edited log.
  std::vector<int> chosen = CodedNearly(values);
  return choices_.ValuesOf(chosen) == values ? chosen : std::vector<int>();
}

bool BitAllocation::IsFast(const std::vector<int>& chosen) const {
  return decode_us_ ? choices_.DecodeUsOf(chosen) <= *decode_us_ : choices_.AreOf(codecs_.taken, chosen);
}

}  // namespace lutra::compressor
