// SPDX-License-Identifier: Apache-2.0
// Rounding with feedback, coordinate descent, and least squares for the values.

#include "compressor/accuracy/assignment.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compressor/accuracy/codes.h"
#include "compressor/channels.h"

namespace lutra::compressor {
namespace {

// Products of two different inputs are estimated from some thousand places and are less certain than squares
// of one input: this share of each product is left out.
constexpr double kDisbelief = 0.1;
constexpr double kLeastVariance = 1e-9;  // Of the mean square.
constexpr int kSweeps = 8;
constexpr int kFits = 3;

// Returns the upper triangle of L', row by row, of a positive definite matrix that is L D L'. Overwrites
// `matrix`, whose diagonal is then D.
std::vector<double> Factors(std::vector<double>* matrix, size_t size) {
  std::vector<double>& m = *matrix;
  std::vector<double> factors(size * size);
  for (size_t k = 0; k < size; ++k) {
    const double* const pivot = &m[k * size];
    for (size_t i = k + 1; i < size; ++i) {
      const double factor = pivot[i] / pivot[k];
      factors[k * size + i] = factor;
      double* const row = &m[i * size];
      for (size_t j = i; j < size; ++j) row[j] -= factor * pivot[j];
    }
  }
  return factors;
}

// Returns x of A x = b. A must be positive definite, and is overwritten.
std::vector<double> Solve(std::vector<double>* matrix, std::vector<double> b) {
  const size_t size = b.size();
  const std::vector<double> factors = Factors(matrix, size);
  for (size_t k = 0; k < size; ++k) {
    for (size_t i = k + 1; i < size; ++i) b[i] -= factors[k * size + i] * b[k];
  }
  for (size_t k = size; k-- > 0;) {
    b[k] /= (*matrix)[k * size + k];
    for (size_t i = k + 1; i < size; ++i) b[k] -= factors[k * size + i] * b[i];
  }
  return b;
}

bool HasScaleOfEachOutput(const TensorInfo& filter, const FilterInputs& inputs) {
  const Channels channels = ScaleChannels(filter);
  for (size_t i = 0; i < inputs.outputs.size(); ++i) {
    if (channels.Of(i) != inputs.outputs[i]) return false;
  }
  return true;
}

}  // namespace

Assigner::Assigner(const TensorInfo& filter, const FilterInputs& inputs, bool biases_are_corrected)
    : filter_(filter) {
  const size_t outputs =
      1 + static_cast<size_t>(*std::max_element(inputs.outputs.begin(), inputs.outputs.end()));
  elements_.resize(outputs);
  for (size_t i = 0; i < inputs.outputs.size(); ++i) {
    elements_[static_cast<size_t>(inputs.outputs[i])].push_back(i);
  }
  for (size_t o = 0; o < outputs; ++o) {
    const int32_t scales = filter.scales.size();
    scales_.push_back(scales == 0 ? 1.0 : double{filter.scales[scales == 1 ? 0 : static_cast<int32_t>(o)]});
  }
  const size_t size = elements_[0].size();
  const bool is_centred = biases_are_corrected && inputs.bias.has_value();
  for (const InputProducts& of : inputs.products) {
    Group group;
    group.products = of.products;
    double mean = 0, mean_square = 0;
    for (size_t i = 0; i < size; ++i) {
      mean_square += of.products[i * size + i] / static_cast<double>(size);
      for (size_t j = 0; is_centred && j < size; ++j) {
        group.products[i * size + j] -= of.means[i] * of.means[j];
      }
      mean += group.products[i * size + i] / static_cast<double>(size);
    }
    // Products of inputs that never change are rounding errors alone: any definite matrix will do.
    const bool is_constant = !(mean > kLeastVariance * mean_square);
    if (is_constant) std::fill(group.products.begin(), group.products.end(), 0.0);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        if (i != j) group.products[i * size + j] *= 1 - kDisbelief;
      }
      group.products[i * size + i] += is_constant ? 1 : kLeastShare * mean;
    }
    group.order.resize(size);
    std::iota(group.order.begin(), group.order.end(), 0);
    // Feed() rounds from the last to the first, so weights of the largest squares are rounded first.
    std::stable_sort(group.order.begin(), group.order.end(), [&](size_t a, size_t b) {
      return group.products[a * size + a] < group.products[b * size + b];
    });
    std::vector<double> ordered(size * size);
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        ordered[i * size + j] = group.products[group.order[i] * size + group.order[j]];
      }
    }
    group.factors = Factors(&ordered, size);
    groups_.push_back(std::move(group));
  }
}

double Assigner::ErrorOfRow(size_t output, const std::vector<double>& errors) const {
  const size_t size = errors.size();
  const double* row = group_of(output).products.data();
  double sum = 0;
  for (size_t i = 0; i < size; ++i, row += size) {
    if (errors[i] == 0) continue;
    sum += errors[i] * std::inner_product(errors.begin(), errors.end(), row, 0.0);
  }
  return sum * scales_[output] * scales_[output];
}

double Assigner::ErrorOf(const Bytes& elements) const {
  double sum = 0;
  std::vector<double> errors;
  for (size_t o = 0; o < elements_.size(); ++o) {
    errors.clear();
    for (const size_t e : elements_[o]) {
      errors.push_back(CodeOf(filter_, elements.data(), e) - CodeOf(filter_, filter_.data.data(), e));
    }
    sum += ErrorOfRow(o, errors);
  }
  return sum;
}

// Rounds weights to the values of one table, for the outputs that take their weights from it.
class Assigner::Rounding {
 public:
  Rounding(const Assigner& assigner, std::vector<double> values, std::vector<size_t> outputs)
      : assigner_(assigner), values_(std::move(values)) {
    for (const size_t output : outputs) {
      Row& row = rows_.emplace_back(Row{.output = output, .wanted = {}, .index = {}, .stays = {}});
      for (const size_t e : assigner.elements_[output]) {
        row.wanted.push_back(CodeOf(assigner.filter_, assigner.filter_.data.data(), e));
      }
      row.index.resize(row.wanted.size());
      row.stays.resize(row.wanted.size());
    }
  }

  // Weights whose element is `zero` keep that value.
  void Pin(const Bytes& elements, double zero) {
    zero_ = zero;
    for (Row& row : rows_) {
      for (size_t i = 0; i < row.stays.size(); ++i) {
        const size_t e = assigner_.elements_[row.output][i];
        row.stays[i] = CodeOf(assigner_.filter_, elements.data(), e) == zero ? 1 : 0;
      }
    }
  }

  void Run() {
    for (Row& row : rows_) {
      Feed(&row);
      Descend(&row);
      // A search from each weight's best value in turn may end worse than one from the nearest values.
      Row nearest = row;
      for (size_t i = 0; i < row.index.size(); ++i) nearest.index[i] = IndexOf(row, i, row.wanted[i]);
      Descend(&nearest);
      if (ErrorOf(nearest) < ErrorOf(row)) row = std::move(nearest);
    }
    double error = Error();
    for (int fit = 0; fit < kFits && error > 0; ++fit) {
      const std::vector<double> values = values_;
      const std::vector<Row> rows = rows_;
      Fit();
      for (Row& row : rows_) Descend(&row);
      const double now = Error();
      if (!(now < error)) {
        values_ = values;
        rows_ = rows;
        break;
      }
      error = now;
    }
  }

  void Put(Bytes* elements, std::vector<double>* used) const {
    std::vector<char> is_used(values_.size());
    for (const Row& row : rows_) {
      for (size_t i = 0; i < row.index.size(); ++i) {
        (*elements)[assigner_.elements_[row.output][i]] =
            static_cast<uint8_t>(static_cast<int>(values_[row.index[i]]));
        is_used[row.index[i]] = 1;
      }
    }
    for (size_t v = 0; v < values_.size(); ++v) {
      if (is_used[v] != 0) used->push_back(values_[v]);
    }
  }

 private:
  struct Row {
    size_t output;
    std::vector<double> wanted;  // The codes of the model.
    std::vector<size_t> index;   // Each weight's value in the table.
    std::vector<char> stays;     // Whether the weight is pinned to zero.
  };

  size_t Nearest(double wanted) const {
    const auto above = std::lower_bound(values_.begin(), values_.end(), wanted);
    const auto at = static_cast<size_t>(above - values_.begin());
    if (at == 0) return 0;
    if (at == values_.size()) return at - 1;
    return *above - wanted < wanted - values_[at - 1] ? at : at - 1;
  }
  size_t IndexOf(const Row& row, size_t i, double wanted) const {
    return Nearest(row.stays[i] != 0 ? *zero_ : wanted);
  }

  std::vector<double> ErrorsOf(const Row& row) const {
    std::vector<double> errors(row.wanted.size());
    for (size_t i = 0; i < errors.size(); ++i) errors[i] = values_[row.index[i]] - row.wanted[i];
    return errors;
  }
  double ErrorOf(const Row& row) const { return assigner_.ErrorOfRow(row.output, ErrorsOf(row)); }
  double Error() const {
    double sum = 0;
    for (const Row& row : rows_) sum += ErrorOf(row);
    return sum;
  }

  // Gives each weight the value nearest to its code, less what the errors of the weights before it ask for.
  void Feed(Row* row) const {
    const Group& group = assigner_.group_of(row->output);
    const size_t size = row->wanted.size();
    std::vector<double> errors(size);
    for (size_t k = size; k-- > 0;) {
      const double owed = std::inner_product(errors.begin() + static_cast<ptrdiff_t>(k) + 1, errors.end(),
                                             &group.factors[k * size] + k + 1, 0.0);
      const size_t i = group.order[k];
      row->index[i] = IndexOf(*row, i, row->wanted[i] - owed);
      errors[k] = values_[row->index[i]] - row->wanted[i];
    }
  }

  // Gives single weights the value that is best while all others stay.
  void Descend(Row* row) const {
    const std::vector<double>& products = assigner_.group_of(row->output).products;
    const std::vector<double> errors = ErrorsOf(*row);
    const size_t size = errors.size();
    std::vector<double> slope(size);  // Half of the error's slope.
    for (size_t i = 0; i < size; ++i) {
      if (errors[i] == 0) continue;
      for (size_t j = 0; j < size; ++j) slope[j] += errors[i] * products[i * size + j];
    }
    bool any = true;
    for (int sweep = 0; any && sweep < kSweeps; ++sweep) {
      any = false;
      for (size_t i = 0; i < size; ++i) {
        const double* const with = &products[i * size];
        const double value = values_[row->index[i]];
        const size_t best = IndexOf(*row, i, value - slope[i] / with[i]);
        const double change = values_[best] - value;
        if (change == 0) continue;
        row->index[i] = best;
        any = true;
        for (size_t j = 0; j < size; ++j) slope[j] += change * with[j];
      }
    }
  }

  // Sets each value to the integer of the type at which the error of the weights that have it is least.
  void Fit() {
    const size_t count = values_.size();
    std::vector<double> matrix(count * count), target(count);
    for (const Row& row : rows_) {
      const std::vector<double>& products = assigner_.group_of(row.output).products;
      const std::vector<double> errors = ErrorsOf(row);
      const size_t size = errors.size();
      const double counts = assigner_.scales_[row.output] * assigner_.scales_[row.output];
      for (size_t i = 0; i < size; ++i) {
        double slope = 0;
        double* const sums = &matrix[row.index[i] * count];
        for (size_t j = 0; j < size; ++j) {
          const double product = products[i * size + j];
          slope += product * errors[j];
          sums[row.index[j]] += counts * product;
        }
        target[row.index[i]] -= counts * slope;
      }
    }
    double most = 0;
    for (size_t v = 0; v < count; ++v) most = std::max(most, matrix[v * count + v]);
    if (!(most > 0)) return;  // All outputs have scale 0.
    for (size_t v = 0; v < count; ++v) matrix[v * count + v] += 1e-6 * most;
    const std::vector<double> by = Solve(&matrix, target);
    const bool is_signed = assigner_.filter_.type == TensorType::kInt8;
    std::vector<double> moved(count);
    for (size_t v = 0; v < count; ++v) {
      moved[v] = zero_ && values_[v] == *zero_
                     ? values_[v]
                     : std::clamp(std::nearbyint(values_[v] + by[v]), is_signed ? -127.0 : 0.0,
                                  is_signed ? 127.0 : 255.0);
    }
    std::vector<double> sorted = moved;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    values_ = std::move(sorted);
    for (Row& row : rows_) {
      for (size_t& index : row.index) index = Nearest(moved[index]);
    }
  }

  const Assigner& assigner_;
  std::vector<double> values_;
  std::vector<Row> rows_;
  std::optional<double> zero_;
};

Assignment Assigner::Assign(const BinnedTensor& binned, bool zeros_stay) const {
  Assignment assignment = {.bytes = binned.bytes, .values = {}};
  std::vector<size_t> all(elements_.size());
  std::iota(all.begin(), all.end(), 0);
  for (size_t t = 0; t < binned.values.size(); ++t) {
    Rounding rounding(*this, binned.values[t], binned.values.size() == 1 ? all : std::vector<size_t>{t});
    if (zeros_stay) rounding.Pin(binned.bytes, filter_.zero_point);
    rounding.Run();
    rounding.Put(&assignment.bytes, &assignment.values.emplace_back());
  }
  return assignment;
}

std::map<TensorId, Assigner> Assigners(const host::ModelFile& file, const std::vector<FilterInputs>& inputs,
                                       bool biases_are_corrected) {
  std::map<TensorId, int> readers;
  for (const FilterInputs& of : inputs) ++readers[of.filter];
  std::map<TensorId, Assigner> assigners;
  for (const FilterInputs& of : inputs) {
    if (of.products.empty() || readers[of.filter] > 1) continue;
    const TensorInfo filter = file.model.tensor(of.filter.subgraph, of.filter.tensor);
    // Takes filters of several scales only if each output has one, so that outputs have tables of their own.
    if (filter.scales.size() > 1 && !HasScaleOfEachOutput(filter, of)) continue;
    assigners.emplace(of.filter, Assigner(filter, of, biases_are_corrected));
  }
  return assigners;
}

}  // namespace lutra::compressor
