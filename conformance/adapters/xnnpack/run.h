// SPDX-License-Identifier: Apache-2.0
// A model on XNNPACK, node by node.
//
//   std::vector<oracle::Bytes> outputs;
//   CaseAnswer answer = RunOnXnnpack(model_bytes, inputs, &outputs);

#pragma once

#include "conformance/adapters/protocol.h"
#include "conformance/oracle/node.h"

namespace lutra::conformance::xnnpack {

CaseAnswer RunOnXnnpack(const oracle::Bytes& model, const std::vector<oracle::Bytes>& inputs,
                        std::vector<oracle::Bytes>* outputs);

}  // namespace lutra::conformance::xnnpack
