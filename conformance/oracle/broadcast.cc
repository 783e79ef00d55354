// SPDX-License-Identifier: Apache-2.0
// Finds the element of an operand for each element of the output.

#include "conformance/oracle/broadcast.h"

namespace lutra::conformance::oracle {

Broadcast::Broadcast(const Shape& output, const Shape& input) : indices_{0} {
  if (input.size() > output.size()) throw Unspecified("an operand has more dimensions than the output");
  const size_t missing = output.size() - input.size();
  size_t stride = static_cast<size_t>(ElementCount(input));
  // Goes from the first dimension to the last: each index so far becomes those along the next dimension.
  for (size_t k = 0; k < output.size(); ++k) {
    const auto out_dim = static_cast<size_t>(output[k]);
    const auto in_dim = k < missing ? size_t{1} : static_cast<size_t>(input[k - missing]);
    if (in_dim != 1 && in_dim != out_dim) throw Unspecified("shapes that do not broadcast");
    if (in_dim != 0) stride /= in_dim;
    const size_t step = in_dim == 1 ? 0 : stride;
    std::vector<size_t> next;
    next.reserve(indices_.size() * out_dim);
    for (const size_t index : indices_) {
      for (size_t i = 0; i < out_dim; ++i) next.push_back(index + i * step);
    }
    indices_ = std::move(next);
  }
}

}  // namespace lutra::conformance::oracle
