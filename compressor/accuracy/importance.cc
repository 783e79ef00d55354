// SPDX-License-Identifier: Apache-2.0
// A weight's importance is the mean square of its inputs, times its squared scale.

#include "compressor/accuracy/importance.h"

#include <algorithm>
#include <numeric>

#include "compressor/channels.h"

namespace lutra::compressor {
namespace {

double ScaleOf(const TensorInfo& filter, size_t element) {
  return filter.scales.size() == 0 ? 1 : filter.scales[ScaleChannels(filter).Of(element)];
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
      // The importance of a filter that several operators read is the sum over them.
      elements[i] += scale * scale * std::max(powers[i], kLeastShare * mean);
    }
  }
  return importance;
}

}  // namespace lutra::compressor
