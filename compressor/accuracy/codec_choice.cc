// SPDX-License-Identifier: Apache-2.0
// Applies the rule to one codec after the other.

#include "compressor/accuracy/codec_choice.h"

#include <algorithm>

#include "compressor/decoding_cost.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
namespace {

constexpr double kFreeTime = 0.1;      // Share of an inference's time.
constexpr double kBytesToSave = 0.05;  // Share of the model's bytes.

bool IsReadBy(const CodecFacts& codec, Target target) {
  return target == Target::kLutra || codec.read_by_tflm;
}

// The first step has the codecs that are as fast as lookup tables.
std::vector<std::vector<DecodeType>> CodecSteps(Target target) {
  std::vector<DecodeType> fast, others;
  for (const CodecFacts& codec : AllCodecs()) {
    if (!IsReadBy(codec, target)) continue;
    (DecodesAsFast(codec.type, DecodeType::kLut) ? fast : others).push_back(codec.type);
  }
  std::stable_sort(others.begin(), others.end(),
                   [](DecodeType a, DecodeType b) { return !DecodesAsFast(b, a); });
  std::vector<std::vector<DecodeType>> steps = {fast};
  for (const DecodeType codec : others) steps.push_back({codec});
  return steps;
}

}  // namespace

CodecSet AllCodecsOf(Target target) {
  CodecSet all;
  for (const CodecFacts& codec : AllCodecs()) {
    if (IsReadBy(codec, target)) all.Add(codec.type);
  }
  return all;
}

CodecSet FastCodecsOf(Target target) {
  CodecSet fast;
  const std::vector<std::vector<DecodeType>> steps = CodecSteps(target);
  for (const DecodeType codec : steps[0]) fast.Add(codec);
  return fast;
}

CodecChoice ChooseCodecs(const Choices& choices, Target target,
                         const std::function<CodecCost(const CodecSet& codecs)>& stored_in) {
  CodecChoice choice;
  choice.free_us = kFreeTime * InferenceUs(choices.base().model);
  CodecCost cost = stored_in(choice.taken);
  const double least = kBytesToSave * static_cast<double>(choices.base().bytes.size());
  for (const std::vector<DecodeType>& step : CodecSteps(target)) {
    CodecSet more = choice.taken;
    for (const DecodeType codec : step) more.Add(codec);
    const CodecCost with = stored_in(more);
    const int64_t saved = cost.bytes - with.bytes;
    if (with.most_decode_us <= choice.free_us || static_cast<double>(saved) > least) {
      choice.taken = more;
      cost = with;
    } else {
      choice.left_out.push_back({step[0], saved, with.most_decode_us});
    }
  }
  return choice;
}

}  // namespace lutra::compressor
