// SPDX-License-Identifier: Apache-2.0
// Selection: finds the largest set of channels that can be removed from a model.
//
//   const Selection selection(trace);
//   if (selection.goes(channel)) ...
//
// It begins with all channels. Then it keeps those that a layer needs, because they change, because windows
// over an edge see another value there, or because a bias would exceed int32, and with them the channels that
// they are linked with and those that their own layers need, until no more have to be kept. Each tensor keeps
// one channel.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compressor/trim/trace.h"

namespace lutra::compressor {

class Selection {
 public:
  explicit Selection(const Trace& trace);

  bool goes(int32_t channel) const { return !stays_[static_cast<size_t>(ClassOf(channel))]; }
  bool any() const { return any_; }
  // Why a channel stays.
  const std::string& why(int32_t channel) const {
    return reasons_[static_cast<size_t>(why_[static_cast<size_t>(ClassOf(channel))])];
  }
  // Returns the bias of a layer's output that replaces the removed channels of the input.
  int32_t BiasOf(const Layer& layer, int32_t output) const;

 private:
  int32_t ClassOf(int32_t channel) const;
  void Keep(int32_t channel, const std::string& why);
  void KeepWhatOutputsNeed();
  void KeepInputsOf(const Layer& layer, int32_t output);
  bool KeepBiasesWithinRange();
  bool KeepOneOfEach();
  int64_t WideBiasOf(const Layer& layer, int32_t output) const;

  const Trace& trace_;
  mutable std::vector<int32_t> parents_;  // Of each channel; its class is the root.
  std::vector<bool> stays_;               // Of each class.
  std::vector<int32_t> why_;
  std::vector<std::string> reasons_;
  std::vector<std::vector<bool>> is_done_;  // Of each layer's outputs: its inputs are kept.
  bool changed_ = false;
  bool any_ = false;
};

}  // namespace lutra::compressor
