// SPDX-License-Identifier: Apache-2.0
// DecidingSums of the last layer, and the moves that change them.

#include "compressor/accuracy/mending.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "compressor/accuracy/codes.h"
#include "host/progress.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

// Codes of the output that a right answer exceeds the others by. Outputs are rounded one by one: sums that
// lie one code apart have codes that do.
constexpr double kMargin = 1.001;
constexpr int kMostMoves = 1024;
// Moves are found by the answers that lack the most, and those that help these the most are tried on all
// samples, as many as that makes so many margins.
constexpr size_t kFoundBy = 16, kMostTried = 1 << 20;
// Of one step: with more, weights only take values near their own.
constexpr size_t kMostFound = 1 << 16;
// Inputs of the layer, of all samples together, that are kept.
constexpr int64_t kMostKept = 1 << 28;

// One for all, or one for each.
bool HasScaleOfEachOutput(const TensorInfo& filter) {
  const int32_t scales = filter.scales.size();
  return scales == 1 || (scales == filter.shape[0] && filter.quantized_dimension == 0);
}

// Weights, inputs and sums; margins of samples, and what a move does to them, in codes of the output.
class DecidingSums {
 public:
  DecidingSums(const host::ModelFile& file, const LastLayer& layer, const Evaluator& evaluator,
               const std::vector<int64_t>& labels)
      : labels_(labels),
        filter_(file.model.tensor(0, layer.filter)),
        bytes_(filter_.data.begin(), filter_.data.end()),
        outputs_(static_cast<size_t>(file.model.tensor(0, layer.output).shape.Count())),
        inputs_(bytes_.size() / outputs_) {
    const TensorInfo input = file.model.tensor(0, layer.input);
    const double output_scale = double{file.model.tensor(0, layer.output).scale};
    for (size_t o = 0; o < outputs_; ++o) {
      const int32_t channel = filter_.scales.size() == 1 ? 0 : static_cast<int32_t>(o);
      units_.push_back(double{input.scale} * double{filter_.scales[channel]} / output_scale);
    }
    x_.resize(samples() * inputs_);
    evaluator.ForEachActivations(file, {layer.input}, [&](int64_t sample, const std::vector<Tensor>& values) {
      for (size_t i = 0; i < inputs_; ++i) {
        x_[static_cast<size_t>(sample) * inputs_ + i] = static_cast<float>(
            CodeOf(input, static_cast<const uint8_t*>(values[0].data), i) - input.zero_point);
      }
    });
    squares_.resize(inputs_);
    for (size_t i = 0; i < x_.size(); ++i) {
      squares_[i % inputs_] += double{x_[i]} * double{x_[i]} / static_cast<double>(samples());
    }
    changes_.resize(bytes_.size());
    SumUp(file, layer.bias);
    FindRivals();
  }

  size_t samples() const { return labels_.size(); }
  size_t inputs() const { return inputs_; }
  size_t outputs() const { return outputs_; }
  const TensorInfo& filter() const { return filter_; }
  const Bytes& bytes() const { return bytes_; }
  int CodeAt(size_t element) const { return CodeOf(filter_, bytes_.data(), element); }
  size_t label_of(size_t sample) const { return static_cast<size_t>(labels_[sample]); }
  size_t rival_of(size_t sample) const { return rivals_[sample].output; }

  // What the sample's answer lacks, and what it would after a move.
  double LackOf(size_t sample) const { return LackOf(sample, 0, 0); }
  double LackAfter(size_t sample, size_t element, int by) const {
    const double change = by * double{x_[sample * inputs_ + element % inputs_]} * units_[element / inputs_];
    return LackOf(sample, element / inputs_, change);
  }
  // By what the mean square of all that sums were changed by becomes more.
  double DisturbanceOf(size_t element, int by) const {
    const double change = by * units_[element / inputs_];
    return change * (2 * changes_[element] + change * squares_[element % inputs_]);
  }
  void Move(size_t element, int by) {
    bytes_[element] = static_cast<uint8_t>(CodeAt(element) + by);
    const size_t output = element / inputs_;
    for (size_t s = 0; s < samples(); ++s) {
      const float* const x = &x_[s * inputs_];
      const double change = by * double{x[element % inputs_]} * units_[output];
      sums_[s * outputs_ + output] += change;
      const double share = change / static_cast<double>(samples());
      for (size_t i = 0; i < inputs_; ++i) changes_[output * inputs_ + i] += share * double{x[i]};
    }
    FindRivals();
  }

 private:
  // The largest sum beside the label's, and the next.
  struct Rival {
    size_t output = 0;
    double sum = 0, next_sum = 0;
  };

  void SumUp(const host::ModelFile& file, int bias) {
    sums_.resize(samples() * outputs_);
    TensorInfo codes = bias < 0 ? TensorInfo() : file.model.tensor(0, bias);
    codes.scales = {};
    for (size_t at = 0; at < sums_.size(); ++at) {
      const size_t o = at % outputs_;
      const float* const x = &x_[at / outputs_ * inputs_];
      double sum = bias < 0 ? 0 : host::RealValue(codes, codes.data.data(), static_cast<int64_t>(o));
      for (size_t i = 0; i < inputs_; ++i) {
        sum += double{x[i]} * (CodeAt(o * inputs_ + i) - filter_.zero_point);
      }
      sums_[at] = sum * units_[o];
    }
  }
  void FindRivals() {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    rivals_.assign(samples(), {0, kNone, kNone});
    for (size_t s = 0; s < samples(); ++s) {
      Rival& rival = rivals_[s];
      for (size_t o = 0; o < outputs_; ++o) {
        const double sum = sums_[s * outputs_ + o];
        if (o == label_of(s)) continue;
        if (sum > rival.sum) {
          rival = {o, sum, rival.sum};
        } else {
          rival.next_sum = std::max(rival.next_sum, sum);
        }
      }
    }
  }
  double LackOf(size_t sample, size_t output, double change) const {
    const Rival& rival = rivals_[sample];
    const double own = sums_[sample * outputs_ + label_of(sample)];
    if (output == label_of(sample)) return std::max(0.0, kMargin - (own + change - rival.sum));
    const double others = output == rival.output ? rival.next_sum : rival.sum;
    const double other = std::max(others, sums_[sample * outputs_ + output] + change);
    return std::max(0.0, kMargin - (own - other));
  }

  const std::vector<int64_t>& labels_;
  const TensorInfo filter_;
  Bytes bytes_;
  const size_t outputs_, inputs_;
  std::vector<float> x_;  // Of each sample the inputs, without their zero point.
  std::vector<double> units_;
  std::vector<double> sums_;  // Of each sample each output's.
  std::vector<Rival> rivals_;
  // Means over samples: of the inputs' squares, and of each weight's input times what its sum was changed by.
  std::vector<double> squares_, changes_;
};

// The values that the elements of each table have, ascending.
std::vector<std::vector<int>> ValuesOf(const DecidingSums& sums, TableScope scope) {
  const size_t tables = scope == TableScope::kChannel && sums.filter().scales.size() > 1 ? sums.outputs() : 1;
  std::vector<std::set<int>> sets(tables);
  for (size_t e = 0; e < sums.bytes().size(); ++e) {
    sets[tables == 1 ? 0 : e / sums.inputs()].insert(sums.CodeAt(e));
  }
  std::vector<std::vector<int>> values;
  for (const std::set<int>& set : sets) values.emplace_back(set.begin(), set.end());
  return values;
}

struct WeightMove {
  size_t element = 0;
  int by = 0;
  double gain = 0;
};

// Each weight of what these samples are decided by to each other value of its table.
std::vector<WeightMove> MovesFor(const DecidingSums& sums, const std::vector<size_t>& samples,
                                 const std::vector<std::vector<int>>& values, bool zeros_stay) {
  std::set<size_t> outputs;
  for (const size_t s : samples) outputs.insert({sums.label_of(s), sums.rival_of(s)});
  const size_t weights = outputs.size() * sums.inputs();
  const auto reach = static_cast<std::ptrdiff_t>(std::max<size_t>(1, kMostFound / (2 * weights)));
  const int zero = static_cast<int>(sums.filter().zero_point);
  std::vector<WeightMove> moves;
  for (const size_t o : outputs) {
    const std::vector<int>& table = values[values.size() == 1 ? 0 : o];
    for (size_t e = o * sums.inputs(); e < (o + 1) * sums.inputs(); ++e) {
      const int now = sums.CodeAt(e);
      if (zeros_stay && now == zero) continue;
      const auto at = std::lower_bound(table.begin(), table.end(), now);
      const auto first = at - std::min(reach, at - table.begin());
      const auto end = at + std::min(reach + 1, table.end() - at);
      for (auto value = first; value != end; ++value) {
        if (value != at && !(zeros_stay && *value == zero)) moves.push_back({e, *value - now, 0});
      }
    }
  }
  return moves;
}

// The move that gains the most: what samples lack less, each as it counts, without what the move disturbs.
std::optional<WeightMove> BestMove(const DecidingSums& sums, std::vector<WeightMove> moves,
                                   const std::vector<size_t>& lacking, const std::vector<double>& counts) {
  const auto measure = [&](const std::vector<size_t>& samples, WeightMove* move) {
    move->gain = -sums.DisturbanceOf(move->element, move->by);
    for (const size_t s : samples) {
      move->gain += counts[s] * (sums.LackOf(s) - sums.LackAfter(s, move->element, move->by));
    }
  };
  const auto gains_more = [](const WeightMove& a, const WeightMove& b) { return a.gain > b.gain; };
  for (WeightMove& move : moves) measure(lacking, &move);
  std::vector<size_t> all(sums.samples());
  std::iota(all.begin(), all.end(), 0);
  const size_t tried = std::min(1 + kMostTried / all.size(), moves.size());
  std::partial_sort(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(tried), moves.end(),
                    gains_more);
  moves.resize(tried);
  for (WeightMove& move : moves) measure(all, &move);
  const auto best = std::min_element(moves.begin(), moves.end(), gains_more);
  constexpr double kLeastGain = 1e-6;  // Of a code: less may be a rounding error.
  if (best == moves.end() || !(best->gain > kLeastGain)) return {};
  return *best;
}

}  // namespace

std::optional<LastLayer> FindLastLayer(const host::ModelFile& file) {
  const ModelEditor editor(file);
  int wanted = DecidingTensor(file);
  for (int n = file.model.node_count(0); n-- > 0;) {
    const NodeInfo node = file.model.node(0, n);
    if (node.outputs.size() != 1 || node.outputs[0] != wanted || node.inputs.size() < 1) continue;
    if (node.code == BuiltinOperator::kReshape) {
      wanted = node.inputs[0];
      continue;
    }
    const auto& options = editor.subgraph(0).operators[static_cast<size_t>(n)]->builtin_options;
    const auto* const dense = options.AsFullyConnectedOptions();
    const auto* const conv = options.AsConv2DOptions();
    const int activation = dense != nullptr  ? static_cast<int>(dense->fused_activation_function)
                           : conv != nullptr ? static_cast<int>(conv->fused_activation_function)
                                             : -1;
    if (activation != 0 || node.inputs.size() < 2 || node.inputs[0] < 0 || node.inputs[1] < 0) return {};
    const TensorInfo input = file.model.tensor(0, node.inputs[0]);
    const TensorInfo filter = file.model.tensor(0, node.inputs[1]);
    const TensorInfo output = file.model.tensor(0, wanted);
    const int64_t outputs = output.shape.Count();
    if (!filter.is_constant() || input.is_constant() || !Is8Bits(input) || !Is8Bits(filter) ||
        !Is8Bits(output) || filter.shape.Count() == 0 || filter.shape.rank < 2 ||
        filter.shape[0] != outputs || filter.shape.Count() != outputs * input.shape.Count() ||
        !HasScaleOfEachOutput(filter)) {
      return {};
    }
    const int bias = node.inputs.size() > 2 ? node.inputs[2] : -1;
    if (bias >= 0 && !file.model.tensor(0, bias).is_constant()) return {};
    return LastLayer{.input = node.inputs[0], .filter = node.inputs[1], .bias = bias, .output = wanted};
  }
  return {};
}

Bytes MendFilter(const host::ModelFile& file, const LastLayer& layer, const Evaluator& evaluator,
                 const std::vector<int64_t>& labels, TableScope scope, bool zeros_stay) {
  const TensorInfo filter = file.model.tensor(0, layer.filter);
  Bytes best(filter.data.begin(), filter.data.end());
  if (evaluator.data().count() > kMostKept / file.model.tensor(0, layer.input).shape.Count()) return best;
  host::Progress progress(file.path + ": mending");
  DecidingSums sums(file, layer, evaluator, labels);
  const std::vector<std::vector<int>> values = ValuesOf(sums, scope);
  std::vector<double> counts(sums.samples(), 1);
  size_t fewest = sums.samples() + 1;
  for (int n = 0; n < kMostMoves; ++n) {
    progress.Update(n, kMostMoves);
    std::vector<size_t> lacking;
    for (size_t s = 0; s < sums.samples(); ++s) {
      if (sums.LackOf(s) > 0) lacking.push_back(s);
    }
    if (lacking.size() < fewest) {
      fewest = lacking.size();
      best = sums.bytes();
    }
    if (lacking.empty()) break;
    std::vector<size_t> most = lacking;
    std::stable_sort(most.begin(), most.end(), [&](size_t a, size_t b) {
      return counts[a] * sums.LackOf(a) > counts[b] * sums.LackOf(b);
    });
    most.resize(std::min(kFoundBy, most.size()));
    const std::optional<WeightMove> move =
        BestMove(sums, MovesFor(sums, most, values, zeros_stay), most, counts);
    if (move) {
      sums.Move(move->element, move->by);
    } else {
      for (const size_t s : lacking) counts[s] *= 2;
    }
  }
  return best;
}

}  // namespace lutra::compressor
