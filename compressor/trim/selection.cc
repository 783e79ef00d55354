// SPDX-License-Identifier: Apache-2.0
// Finds the largest set of channels that may be removed.

#include "compressor/trim/selection.h"

#include <algorithm>
#include <numeric>

namespace lutra::compressor {

Selection::Selection(const Trace& trace) : trace_(trace) {
  const auto total = static_cast<size_t>(trace.total());
  parents_.resize(total);
  std::iota(parents_.begin(), parents_.end(), 0);
  for (const auto& [a, b] : trace.links()) {
    parents_[static_cast<size_t>(ClassOf(a))] = ClassOf(b);
  }
  stays_.resize(total);
  why_.resize(total);
  for (const Layer& layer : trace.layers()) is_done_.emplace_back(static_cast<size_t>(layer.outputs));
  for (const Trace::Pinned& pinned : trace.pinned()) {
    for (int32_t p = 0; p < trace.count(pinned.tensor); ++p) Keep(trace.first(pinned.tensor) + p, pinned.why);
  }
  do {
    KeepWhatOutputsNeed();
  } while (KeepBiasesWithinRange() || KeepOneOfEach());
  for (int32_t channel = 0; channel < trace.total() && !any_; ++channel) any_ = goes(channel);
}

int32_t Selection::ClassOf(int32_t channel) const {
  while (parents_[static_cast<size_t>(channel)] != channel) {
    int32_t& parent = parents_[static_cast<size_t>(channel)];
    parent = parents_[static_cast<size_t>(parent)];
    channel = parent;
  }
  return channel;
}

void Selection::Keep(int32_t channel, const std::string& why) {
  const auto of_class = static_cast<size_t>(ClassOf(channel));
  if (stays_[of_class]) return;
  stays_[of_class] = true;
  changed_ = true;
  const auto found = std::find(reasons_.begin(), reasons_.end(), why);
  why_[of_class] = static_cast<int32_t>(found - reasons_.begin());
  if (found == reasons_.end()) reasons_.push_back(why);
}

// Goes from the last layer to the first, as a layer mostly needs channels before it; repeats while anything
// is added.
void Selection::KeepWhatOutputsNeed() {
  do {
    changed_ = false;
    for (size_t i = trace_.layers().size(); i-- > 0;) {
      const Layer& layer = trace_.layers()[i];
      for (int32_t o = 0; o < layer.outputs; ++o) {
        if (is_done_[i][static_cast<size_t>(o)] || goes(trace_.first(layer.output) + o)) continue;
        is_done_[i][static_cast<size_t>(o)] = true;
        // Input and output channels of DEPTHWISE_CONV_2D are linked already.
        if (!layer.is_depthwise()) KeepInputsOf(layer, o);
      }
    }
  } while (changed_);
}

void Selection::KeepInputsOf(const Layer& layer, int32_t output) {
  for (int32_t p = 0; p < layer.positions; ++p) {
    const int32_t channel = trace_.first(layer.input) + p;
    if (!goes(channel) || !layer.Reads(output, p)) continue;
    const CodeRange& range = trace_.range(channel);
    if (!range.is_constant()) {
      Keep(channel, "its values change");
    } else if (!layer.ContributionOf(output, p, range.min)) {
      Keep(channel, "windows over the edge see another value");
    }
  }
}

int64_t Selection::WideBiasOf(const Layer& layer, int32_t output) const {
  int64_t bias = layer.biases[static_cast<size_t>(output)];
  if (layer.is_depthwise()) return bias;
  for (int32_t p = 0; p < layer.positions; ++p) {
    const int32_t channel = trace_.first(layer.input) + p;
    // A removed channel whose values change has weights of 0.
    if (goes(channel)) bias += layer.ContributionOf(output, p, trace_.range(channel).min).value_or(0);
  }
  return bias;
}

int32_t Selection::BiasOf(const Layer& layer, int32_t output) const {
  return static_cast<int32_t>(WideBiasOf(layer, output));
}

bool Selection::KeepBiasesWithinRange() {
  bool kept = false;
  for (const Layer& layer : trace_.layers()) {
    for (int32_t o = 0; o < layer.outputs; ++o) {
      if (goes(trace_.first(layer.output) + o)) continue;
      const int64_t bias = WideBiasOf(layer, o);
      if (bias >= INT32_MIN && bias <= INT32_MAX) continue;
      for (int32_t p = 0; p < layer.positions; ++p) {
        const int32_t channel = trace_.first(layer.input) + p;
        if (!goes(channel) || layer.ContributionOf(o, p, trace_.range(channel).min).value_or(0) == 0)
          continue;
        Keep(channel, "a bias would leave int32");
        kept = true;
      }
    }
  }
  return kept;
}

bool Selection::KeepOneOfEach() {
  bool kept = false;
  for (int32_t t = 0; t < trace_.tensor_count(); ++t) {
    const int32_t first = trace_.first(t), end = first + trace_.count(t);
    bool any = first == end;
    for (int32_t channel = first; channel < end && !any; ++channel) any = !goes(channel);
    if (any) continue;
    Keep(first, "one of a tensor's channels has to stay");
    kept = true;
  }
  return kept;
}

}  // namespace lutra::compressor
