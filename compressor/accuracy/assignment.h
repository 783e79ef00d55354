// SPDX-License-Identifier: Apache-2.0
// Assigns one of a table's few values to each weight, so that the errors of one output's weights cancel each
// other as far as possible.
//
//   const Assigner assigner(filter, inputs, true);
//   const Assignment assignment = assigner.Assign(BinTensor(filter, {.bits = 3}), false, false);
//   // assignment.bytes: at most 8 distinct values, not always the nearest;
//   assigner.ErrorOf(assignment.bytes)
//
// The error of an output is the sum of each weight's error times its input; its power is e' H e, where e are
// the errors and H the means of the products of two inputs on data. Inputs of neighbouring pixels and
// channels are alike, so that the next weight can compensate the error of one: weights are rounded one after
// the other, each after the errors of those before it are added to it (Frantar et al. 2023, "GPTQ"; with the
// factors of H as in Chee et al. 2023, "QuIP", section 3). Then single weights take another value as long as
// the error falls (coordinate descent; Behdin et al. 2023, "QuantEase"), and each value moves to where the
// error of its weights is least. The model gets neither larger nor slower by this.

#pragma once

#include <map>
#include <vector>

#include "compressor/accuracy/filter_inputs.h"
#include "compressor/binning.h"
#include "compressor/model_editor.h"

namespace lutra::compressor {

struct Assignment {
  Bytes bytes;                              // The filter's new elements.
  std::vector<std::vector<double>> values;  // The values that elements have, by table, ascending.
};

class Assigner {
 public:
  // `filter`: the filter of int8 or uint8 that `inputs` describes, with InputProducts. If biases are
  // corrected, H is the covariance. The filter must outlive the Assigner.
  Assigner(const TensorInfo& filter, const FilterInputs& inputs, bool biases_are_corrected);

  // Returns the error in real units of the output, squared, summed over outputs.
  double ErrorOf(const Bytes& elements) const;
  // Begins with the tables of `binned`, one for all outputs or one for each. `zeros_stay`: elements that are
  // zero in `binned` stay zero, and zero stays a value.
  Assignment Assign(const BinnedTensor& binned, bool zeros_stay) const;

 private:
  // Outputs that read the same inputs share this.
  struct Group {
    std::vector<double> products;  // H, changed slightly so that it is definite.
    std::vector<size_t> order;     // The weights whose errors cost most come first.
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

// Returns an Assigner for each filter of 8 bits that a single operator with inputs of 8 bits reads. `file`
// must outlive them.
std::map<TensorId, Assigner> Assigners(const host::ModelFile& file, const std::vector<FilterInputs>& inputs,
                                       bool biases_are_corrected);

}  // namespace lutra::compressor
