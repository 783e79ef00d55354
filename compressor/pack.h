// SPDX-License-Identifier: Apache-2.0
// Pack: a smaller model that computes the same.
//
//   const PackResult packed = Pack(ReadModelFile("binned.tflite"), {});
//   WriteFileBytes("compressed.tflite", packed.file.data(), packed.file.size());
//   fmt::print("{}", PackTable(packed));
//
// It is lossless: before it returns the result, it decodes every tensor and compares it. Without a spec the
// file is never larger than the one that was read: if compression gains nothing, it is that file, byte for
// byte.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compressor/candidates.h"
#include "compressor/encode_tensor.h"
#include "compressor/strip.h"
#include "host/compression_result.h"
#include "lutra/delegate.h"

namespace lutra::compressor {

enum class Target : uint8_t {
  kTflm,   // Only what TensorFlow Lite Micro reads.
  kLutra,  // Every codec.
};

// Streams are packed (kPackedStreams) in models that only our runtime reads.
constexpr Placement PlacementFor(Target target) {
  return target == Target::kTflm ? Placement::kAligned : Placement::kPackedStreams;
}

struct PackOptions {
  Form form = Form::kDecode;
  Target target = Target::kTflm;
  Placement placement = Placement::kAligned;
  Parts parts = Parts::kShared;
  std::optional<DecodeType> codec;             // Empty: for each tensor the smallest.
  std::vector<std::string> only;               // Selectors; empty: all that can be compressed.
  std::vector<std::string> exclude;            // Wins over `only`.
  int64_t min_saving = 1;                      // Bytes of the file that each tensor must save.
  std::optional<std::vector<SpecEntry>> spec;  // Compresses exactly these.
  bool strip = false;                          // As Strip does, before anything is chosen,
  StripOptions stripping;                      // with these.
  // The tensors that a delegate's nodes read, and the codecs that it accepts for them.
  struct TakenBy {
    std::string delegate;
    CodecSet codecs;
  };
  std::map<TensorId, TakenBy> delegated;
  // Returns whether decoding a tensor with this codec is fast enough. Empty: any codec is.
  std::function<bool(TensorId id, DecodeType codec)> may_take_time;
};

struct PackedTensor {
  Constant constant;
  std::optional<CodedTensor> coded;
  Obstacle obstacle;  // Why it is not compressed, where `coded` is empty.

  // Estimated, of an inference: decoding_cost.h. It is decoded before each operator that reads it.
  double decode_us() const;
};

struct PackResult {
  std::string path;
  Bytes file;
  int64_t bytes_before = 0;   // The file's.
  int64_t aligned_bytes = 0;  // The uncompressed (and stripped) model's, written as ours are.
  double inference_us = 0;    // Estimated, without decoding: decoding_cost.h.
  std::vector<PackedTensor> tensors;
  std::vector<std::string> warnings;
  std::vector<std::string> stripped;  // A line for each removed part.
};

// Throws BadInput for a model that is compressed already, for a spec or an `only` that cannot be met.
PackResult Pack(const host::ModelFile& file, const PackOptions& options);

// Encodes one tensor with the codec that makes it smallest, among those that the options allow; empty if none
// can hold it. Does not change the model.
std::optional<CodedTensor> SmallestCoding(const ModelEditor& editor, TensorId id, const PackOptions& options);

// The time of decoding, by codec, as one line: "decoding: about 345 us beside 215 us of the inference's:
// ...".
std::string DecodingText(const host::DecodingSummary& summary);
host::DecodingSummary SummarizeDecoding(const PackResult& result);

// The tensors that were compressed, and why the rest was not.
std::string PackTable(const PackResult& result);
std::string PackJson(const PackResult& result);
// The spec that makes the same model again.
std::string PackSpec(const PackResult& result);

}  // namespace lutra::compressor
