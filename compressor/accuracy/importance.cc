// SPDX-License-Identifier: Apache-2.0
// Mean squares of what weights meet, times their scales.

#include "compressor/accuracy/importance.h"

#include <algorithm>
#include <numeric>

namespace lutra::compressor {
namespace {

double ScaleOf(const TensorInfo& filter, size_t element) {
  if (filter.scales.size() == 0) return 1;
  if (filter.scales.size() == 1) return filter.scales[0];
  const int64_t inner = filter.shape.Count(filter.quantized_dimension + 1, filter.shape.rank);
  return filter.scales[static_cast<int32_t>(static_cast<int64_t>(element) / inner % filter.scales.size())];
}

}  // namespace

std::map<TensorId, std::vector<double>> Importance(const host::ModelFile& file,
                                                   const std::vector<FilterInputs>& inputs,
                                                   bool biases_are_corrected) {
  std::map<TensorId, std::vector<double>> importance;
  for (const FilterInputs& of : inputs) {
    const TensorInfo filter = file.model.tensor(of.filter.subgraph, of.filter.tensor);
    std::vector<double> powers = of.squares;
    if (biases_are_corrected && of.bias) {
      for (size_t i = 0; i < powers.size(); ++i) powers[i] -= of.means[i] * of.means[i];
    }
    const double mean =
        std::accumulate(powers.begin(), powers.end(), 0.0) / static_cast<double>(powers.size());
    std::vector<double>& elements = importance[of.filter];
    elements.resize(powers.size());
    for (size_t i = 0; i < powers.size(); ++i) {
      const double scale = ScaleOf(filter, i);
      // A filter that several operators read counts for all of them.
      elements[i] += scale * scale * std::max(powers[i], kLeastShare * mean);
    }
  }
  return importance;
}

}  // namespace lutra::compressor
