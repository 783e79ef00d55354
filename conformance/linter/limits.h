// SPDX-License-Identifier: Apache-2.0
// Operators that no rule of the specification covers.

#pragma once

#include <string>

#include "conformance/oracle/model.h"

namespace lutra::conformance::linter {

// TILE; "operator 171" for codes that are not listed; a custom operator's own name.
std::string NameOutsideSpecification(const oracle::ModelObjects& model, const edit::OperatorT& op);

}  // namespace lutra::conformance::linter
