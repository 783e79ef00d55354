// SPDX-License-Identifier: Apache-2.0
// Options that `compress bin` and `compress curve` share: which tensors, and how they are binned.

#pragma once

#include <string>
#include <vector>

#include "compressor/bin_model.h"

namespace CLI {
class App;
}

namespace lutra::compressor {

struct BinOptions {
  std::vector<std::string> tensors, steps;
  std::string per, sparse;
  double threshold = 0;
  bool pin_zero = false;

  bool names_tensors() const { return !tensors.empty() || !steps.empty(); }
};

// `options` must outlive `verb`.
void AddBinOptions(CLI::App& verb, BinOptions* options);

// Returns whether any of them, but --tensor and --step, was given.
bool AnyGiven(const CLI::App& verb);

// Changes what was given. Throws CLI::ParseError for --sparse=force with a table for each channel.
void ApplyTo(const CLI::App& verb, const BinOptions& options, BinSettings* settings);

// Returns the tensors that --tensor and --step name; without both, all that are binned by default. A tensor
// that is named by its index or full name is returned even if it is not binned by default. Throws BadInput if
// none is left.
std::vector<BinCandidate> ChooseTensors(const ModelEditor& editor,
                                        const std::vector<BinCandidate>& candidates,
                                        const BinOptions& options);

}  // namespace lutra::compressor
