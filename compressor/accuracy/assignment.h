// SPDX-License-Identifier: Apache-2.0
// Assigns one of a table's few values to each weight, so that the errors of one output's weights make up for
// each other.
//
//   const Assigner assigner(filter, inputs, true);
//   const Assignment assignment = assigner.Assign(BinTensor(filter, {.bits = 3}), false, false);
//   // assignment.bytes: at most 8 distinct values, not always the nearest;
//   assigner.ErrorOf(assignment.bytes)
//
// The error of an output is the sum of each weight's error times its input; its power is e' H e, e the
// errors, H the means of the products of two inputs on data. Inputs of neighbouring pixels and channels are
// alike, so that an error of one weight can be paid back by the next: weights are rounded one after the
// other, each with what is owed to it by those before (Frantar et al. 2023, "GPTQ"; with the factors of H as
// in Chee et al. 2023, "QuIP", section 3). Then single weights move to another value as long as that gains
// (coordinate descent; Behdin et al. 2023, "QuantEase"), and the values to where the error is least for the
// weights that have them. Nothing of it costs a byte or any time of an inference.

#pragma once

#include <map>
#include <vector>

#include "compressor/accuracy/filter_inputs.h"
#include "compressor/binning.h"
#include "compressor/model_editor.h"

namespace lutra::compressor {

struct Assignment {
  Bytes bytes;                              // The filter's new elements.
  std::vector<std::vector<double>> values;  // Those of each table that elements have, ascending.
};

class Assigner {
 public:
  // `filter`: int8 or uint8, the one that `inputs` are of, with InputProducts. Where biases take up means, H
  // is the covariance. The filter outlives it.
  Assigner(const TensorInfo& filter, const FilterInputs& inputs, bool biases_are_corrected);

  // Returns the error in real units of the output, squared, summed over outputs.
  double ErrorOf(const Bytes& elements) const;
  // From the tables of `binned`, one for all outputs or one for each. `zeros_stay`: elements that it has made
  // zero stay so, and zero stays a value.
  Assignment Assign(const BinnedTensor& binned, bool zeros_stay) const;

 private:
  // Outputs that read the same inputs share this.
  struct Group {
    std::vector<double> products;  // H, with what makes it definite.
    std::vector<size_t> order;     // Of rounding: the weights that cost most first.
    std::vector<double> factors;   // H in that order is L D L', L of unit diagonal; this is L', by rows.
  };
  class Rounding;

  const Group& group_of(size_t output) const { return groups_[output * groups_.size() / elements_.size()]; }
  double ErrorOfRow(size_t output, const std::vector<double>& errors) const;

  TensorInfo filter_;
  std::vector<Group> groups_;
  std::vector<std::vector<size_t>> elements_;  // Of each output, in the order of the products.
  std::vector<double> scales_;                 // Of each output.
};

// One for each filter that one operator reads, where both are of 8 bits. `file` outlives them.
std::map<TensorId, Assigner> Assigners(const host::ModelFile& file, const std::vector<FilterInputs>& inputs,
                                       bool biases_are_corrected);

}  // namespace lutra::compressor
