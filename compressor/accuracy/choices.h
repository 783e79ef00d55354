// SPDX-License-Identifier: Apache-2.0
// The options of each weight tensor of a model, and the model with one of them chosen for each.
//
//   const Choices choices(file, Target::kTflm);
//   std::vector<int> chosen(choices.tensors().size());   // Everything as it is.
//   chosen[3] = 2;
//   const host::ModelFile changed = choices.Apply(chosen);   // Binned, not packed: it computes what packing
//   gives.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compressor/accuracy/assignment.h"
#include "compressor/accuracy/bias_correction.h"
#include "compressor/bin_model.h"
#include "compressor/pack.h"

namespace lutra::compressor {

// A way to store a tensor.
struct Coding {
  std::optional<SpecEntry> entry;  // For pack; empty: not compressed.
  std::string codec = "plain";
  int64_t stored_bytes = 0;  // With the operators and tensors that a codec needs.
  double decode_us = 0;      // In an inference: by decoding_cost.h, or measured.
  int bits = 0;              // Of a value's index; plain: of a value.
};

struct TensorOption : Coding {
  int values = 0;  // Options of one number have the same elements, also of Choices for another target.
  std::optional<BinSettings> settings;  // Empty: the tensor as it is.
  Bytes bytes;                          // The tensor's new constant.
  int64_t lut_bytes = 0;                // Of indices and tables alone (LutSize); plain: of the tensor.
  double qsnr_db = 0;
  bool is_sparse = false;
  double error = 0;  // The sum of the elements' squared errors, weighted by scales or by importance.
  std::vector<BiasShift> shifts;  // The corrections of the biases beside it.
  std::vector<Coding> codings;    // With Widths::kUniform: all ways to store it, the smallest first.
};

struct TensorChoice {
  BinCandidate candidate;
  std::vector<TensorId> ids;  // The tensors that share the constant, and so change together.
  int64_t original_bytes = 0;
  // The first is the tensor as it is, and not compressed; each after it takes no more bytes than the one
  // before it, and none is larger, worse and slower than another.
  std::vector<TensorOption> options;
};

enum class Widths : uint8_t {
  kUseful,   // With a table for each tensor or channel, of 2 to 256 values; as TensorChoice says.
  kUniform,  // One table for each tensor, of 2 to 256 values: eight options behind the first, the widest
             // first.
  kEngine,   // What GAP9's engine reads: one table for each tensor, of 2 to 256 values, also in its sparse
             // form behind several thresholds. Bytes are those of indices and tables, and no file's.
};

// Measurements of the weights on data; each part may be empty.
struct Calibration {
  std::map<TensorId, std::vector<double>> importance;  // The importance of elements (importance.h).
  BiasCorrection correction;                           // Corrects biases for binned weights.
  std::map<TensorId, Assigner> assigners;              // Choose values for the weights of a filter together.
};

// Says how many microseconds a tensor takes to decode.
using DecodeTimer = std::function<double(const CodedTensor& coded, const TensorInfo& tensor)>;
// Measures the time by this machine's clock.
double MeasuredDecodeUs(const CodedTensor& coded, const TensorInfo& tensor);

class Choices {
 public:
  // Without `timer`, times are those of decoding_cost.h. Throws BadInput for a model that is compressed
  // already.
  Choices(const host::ModelFile& file, Target target, Widths widths = Widths::kUseful,
          const Calibration& calibration = {}, const DecodeTimer& timer = {});

  const std::vector<TensorChoice>& tensors() const { return tensors_; }
  // With Widths::kUniform: each option is stored in the smallest way that needs none but these codecs.
  void StoreIn(const CodecSet& codecs);
  // A hash of all values that tensors may have, whatever the target.
  const std::string& fingerprint() const { return fingerprint_; }
  const host::ModelFile& base() const { return base_; }
  // The bytes of all tensors and, nearly, of the rest of the file.
  int64_t BytesOf(const std::vector<int>& chosen) const;
  host::ModelFile Apply(const std::vector<int>& chosen) const { return ApplyTo(base_, chosen); }
  // Another model with the same constants, as WithAllOutputs makes them.
  host::ModelFile ApplyTo(const host::ModelFile& other, const std::vector<int>& chosen) const;
  BinPlan PlanOf(const std::vector<int>& chosen) const;
  double DecodeUsOf(const std::vector<int>& chosen) const;
  // Returns the longest time that decoding any choice in these codecs takes.
  double MostDecodeUs(const CodecSet& codecs) const;
  // Returns whether all of these options are stored in `codecs`.
  bool AreOf(const CodecSet& codecs, const std::vector<int>& chosen) const;
  // TensorOption::values of each tensor.
  std::vector<int> ValuesOf(const std::vector<int>& chosen) const;
  // Says how pack stores what was chosen.
  std::vector<SpecEntry> SpecOf(const std::vector<int>& chosen) const;

 private:
  // The numbers that are added to the elements of each bias.
  std::map<TensorId, std::vector<int64_t>> ShiftsOf(const std::vector<int>& chosen) const;

  host::ModelFile base_;
  std::vector<TensorChoice> tensors_;
  int64_t other_bytes_ = 0;
  std::string fingerprint_;
};

}  // namespace lutra::compressor
