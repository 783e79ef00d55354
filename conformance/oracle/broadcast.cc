// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/broadcast.h"

namespace lutra::conformance::oracle {

Broadcast::Broadcast(const Shape& output, const Shape& input) {
  if (input.size() > output.size()) throw Unspecified("an operand has more dimensions than the output");
  const auto count = static_cast<size_t>(ElementCount(output));
  indices_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    // From the last dimension to the first.
    size_t rest = i, index = 0, stride = 1;
    for (size_t k = 1; k <= input.size(); ++k) {
      const auto out_dim = static_cast<size_t>(output[output.size() - k]);
      const auto in_dim = static_cast<size_t>(input[input.size() - k]);
      if (in_dim != 1 && in_dim != out_dim) throw Unspecified("shapes that do not broadcast");
      index += (in_dim == 1 ? 0 : rest % out_dim) * stride;
      rest /= out_dim;
      stride *= in_dim;
    }
    indices_[i] = index;
  }
}

}  // namespace lutra::conformance::oracle
