// SPDX-License-Identifier: Apache-2.0
// LiteRT's classes over the table of runtime/delegate.h, so that a delegate that was written for LiteRT keeps
// its class. For hosts only: kernels are on the heap.
//
//   class Mine : public SimpleDelegateInterface { ... };
//   const SimpleDelegate mine(std::make_unique<Mine>());   // Outlives the interpreters that use it.
//   const Delegate* const delegates[] = {&mine.table()};
//   interpreter.AllocateTensors({.delegates = delegates});
//
// An exception of a class is a refusal, with its text as the reason; in Eval it ends the inference.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "lutra/delegate.h"

namespace lutra::host {

// Each partition has one.
class SimpleDelegateKernelInterface {
 public:
  virtual ~SimpleDelegateKernelInterface() = default;
  // Called once, with the nodes, and the tensors that they exchange with other nodes.
  virtual Status Init(DelegatePrepareContext& context, const DelegateParams& params) = 0;
  // Called once, after Init; here too memory may be asked for.
  virtual Status Prepare(DelegatePrepareContext& context) = 0;
  virtual Status Eval(DelegateEvalContext& context) = 0;
  virtual DelegateCounters Counters() const { return {}; }
};

class SimpleDelegateInterface {
 public:
  using Options = SimpleDelegateOptions;

  virtual ~SimpleDelegateInterface() = default;
  // Has no effects and always answers the same. `reason` may say why not.
  virtual bool IsNodeSupportedByDelegate(const DelegateNode& node, std::string* reason) const = 0;
  // Called before the other functions, for each interpreter.
  virtual Status Initialize(CpuFeatures features) = 0;
  virtual const char* Name() const = 0;
  virtual std::unique_ptr<SimpleDelegateKernelInterface> CreateDelegateKernelInterface() = 0;
  virtual Options DelegateOptions() const = 0;
  // The codecs of constants that it can take.
  virtual CodecSet CompressedConstants() const { return {}; }
};

// The table of such a delegate; owns the delegate and its kernels. It cannot be moved: the table points to
// it.
class SimpleDelegate {
 public:
  explicit SimpleDelegate(std::unique_ptr<SimpleDelegateInterface> delegate);
  SimpleDelegate(const SimpleDelegate&) = delete;
  SimpleDelegate& operator=(const SimpleDelegate&) = delete;
  ~SimpleDelegate();

  const Delegate& table() const { return table_; }
  // Returns the number of kernels that have not been freed.
  size_t kernels() const { return kernels_.size(); }

 private:
  struct Kernel;
  static SimpleDelegate& Of(const void* state) {
    return *static_cast<SimpleDelegate*>(const_cast<void*>(state));
  }
  static Status Create(void* state, DelegatePrepareContext& context, DelegateKernel* kernel);

  std::unique_ptr<SimpleDelegateInterface> delegate_;
  std::map<const void*, std::unique_ptr<Kernel>> kernels_;
  std::string reason_;  // Of the last refusal; the runtime reads it at once.
  Delegate table_;
};

}  // namespace lutra::host
