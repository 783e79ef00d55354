// SPDX-License-Identifier: Apache-2.0
// A model on XNNPACK, node by node.
//
//   std::vector<oracle::Bytes> outputs;
//   CaseAnswer answer = RunOnXnnpack(model_bytes, inputs, &outputs);

#pragma once

#include <memory>

#include "conformance/adapters/protocol.h"
#include "conformance/oracle/node.h"

namespace lutra::conformance::xnnpack {

CaseAnswer RunOnXnnpack(const oracle::Bytes& model, const std::vector<oracle::Bytes>& inputs,
                        std::vector<oracle::Bytes>* outputs);

// The same, to be run again and again on one thread.
class XnnpackModel {
 public:
  // Runs once. `stand_ins`: nodes that XNNPACK lacks may run as others that take a similar time. Throws
  // std::runtime_error, what() in one line, if XNNPACK cannot run the model.
  XnnpackModel(const oracle::Bytes& model, const std::vector<oracle::Bytes>& inputs, bool stand_ins = false);
  ~XnnpackModel();
  int stand_in_count() const;
  // One for each input, of the size that the first had. Throws std::runtime_error otherwise.
  void Fill(const std::vector<oracle::Bytes>& inputs);
  void Run();
  std::vector<oracle::Bytes> Outputs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lutra::conformance::xnnpack
