// SPDX-License-Identifier: Apache-2.0
// Mean squares of activations by channel, spread over the weights that meet them.

#include "compressor/accuracy/importance.h"

#include <algorithm>

namespace lutra::compressor {
namespace {

constexpr int64_t kSamples = 64;
// What meets only zeros in these samples need not do so in others.
constexpr double kLeastShare = 1e-3;

// A filter, and the activation that it is multiplied by.
struct Reader {
  BuiltinOperator code;
  TensorId filter;
  int input = 0;
};

std::vector<Reader> FindReaders(const host::ModelFile& file) {
  std::vector<Reader> readers;
  for (int n = 0; n < file.model.node_count(0); ++n) {
    const NodeInfo node = file.model.node(0, n);
    const bool known = node.code == BuiltinOperator::kConv2D ||
                       node.code == BuiltinOperator::kDepthwiseConv2D ||
                       node.code == BuiltinOperator::kFullyConnected;
    if (!known || node.inputs.size() < 2 || node.inputs[0] < 0 || node.inputs[1] < 0) continue;
    const TensorInfo filter = file.model.tensor(0, node.inputs[1]);
    const TensorInfo input = file.model.tensor(0, node.inputs[0]);
    if (!filter.is_constant() || input.is_constant() || filter.shape.rank < 2) continue;
    if (filter.shape.Count() == 0 || input.shape.Count() == 0) continue;
    readers.push_back({node.code, {0, node.inputs[1]}, node.inputs[0]});
  }
  return readers;
}

// Of each element the channel of the input that it meets.
std::vector<int64_t> ChannelsMet(const Reader& reader, const TensorInfo& filter, int64_t channels) {
  std::vector<int64_t> met(static_cast<size_t>(filter.shape.Count()));
  const int64_t last = filter.shape[filter.shape.rank - 1];
  for (size_t i = 0; i < met.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) % last;
    if (reader.code == BuiltinOperator::kDepthwiseConv2D) {
      met[i] = at / std::max<int64_t>(1, last / channels) % channels;
    } else if (reader.code == BuiltinOperator::kConv2D && last < channels) {
      const int64_t filters_of_group = std::max<int64_t>(1, filter.shape[0] / (channels / last));
      const int64_t output = static_cast<int64_t>(i) / (filter.shape.Count() / filter.shape[0]);
      met[i] = (output / filters_of_group * last + at) % channels;
    } else {
      met[i] = at % channels;
    }
  }
  return met;
}

double ScaleOf(const TensorInfo& filter, size_t element) {
  if (filter.scales.size() == 0) return 1;
  if (filter.scales.size() == 1) return filter.scales[0];
  const int64_t inner = filter.shape.Count(filter.quantized_dimension + 1, filter.shape.rank);
  return filter.scales[static_cast<int32_t>(static_cast<int64_t>(element) / inner % filter.scales.size())];
}

}  // namespace

std::map<TensorId, std::vector<double>> Importance(const host::ModelFile& file, const Evaluator& evaluator) {
  const std::vector<Reader> readers = FindReaders(file);
  std::map<TensorId, std::vector<double>> importance;
  if (readers.empty()) return importance;
  std::vector<int> tensors;
  for (const Reader& reader : readers) tensors.push_back(reader.input);
  // A filter of FULLY_CONNECTED meets its input flat; other inputs have channels last.
  std::vector<int64_t> channels;
  for (const Reader& reader : readers) {
    const Shape shape = file.model.tensor(0, reader.input).shape;
    const TensorInfo filter = file.model.tensor(0, reader.filter.tensor);
    const bool flat = reader.code == BuiltinOperator::kFullyConnected || shape.rank == 0;
    channels.push_back(flat ? filter.shape[filter.shape.rank - 1] : shape[shape.rank - 1]);
  }
  const std::vector<std::vector<double>> squares = evaluator.MeanSquares(file, tensors, channels, kSamples);
  for (size_t r = 0; r < readers.size(); ++r) {
    const TensorInfo filter = file.model.tensor(0, readers[r].filter.tensor);
    const std::vector<int64_t> met = ChannelsMet(readers[r], filter, channels[r]);
    double mean = 0;
    for (const double square : squares[r]) mean += square / static_cast<double>(squares[r].size());
    std::vector<double>& elements = importance[readers[r].filter];
    elements.resize(met.size());
    for (size_t i = 0; i < met.size(); ++i) {
      const double scale = ScaleOf(filter, i);
      // A filter that several operators read counts for all of them.
      elements[i] += scale * scale * std::max(squares[r][static_cast<size_t>(met[i])], kLeastShare * mean);
    }
  }
  return importance;
}

}  // namespace lutra::compressor
