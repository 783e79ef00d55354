// SPDX-License-Identifier: Apache-2.0
// Calls the classes from the functions of the table, and turns their exceptions into refusals.

#include "host/simple_delegate.h"

#include <exception>

namespace lutra::host {

struct SimpleDelegate::Kernel {
  SimpleDelegate* owner;
  std::unique_ptr<SimpleDelegateKernelInterface> kernel;
};

namespace {

// Calls call(). If it throws, passes the text to refuse(), and returns the status of that.
template <typename Call, typename Refuse>
Status WithoutThrowing(const Call& call, const Refuse& refuse) {
  try {
    return call();
  } catch (const std::exception& error) {
    return refuse(error.what());
  } catch (...) {
    return refuse("threw what is no exception");
  }
}

}  // namespace

SimpleDelegate::~SimpleDelegate() = default;

Status SimpleDelegate::Create(void* state, DelegatePrepareContext& context, DelegateKernel* kernel) {
  SimpleDelegate& owner = Of(state);
  const auto refuse = [&](const char* text) {
    owner.reason_ = text;
    return context.Decline(owner.reason_.c_str());
  };
  return WithoutThrowing(
      [&] {
        auto made = std::make_unique<Kernel>();
        made->owner = &owner;
        made->kernel = owner.delegate_->CreateDelegateKernelInterface();
        if (made->kernel == nullptr) return refuse("CreateDelegateKernelInterface has made none");
        *kernel = {
            .state = made.get(),
            .Init =
                [](void* k, DelegatePrepareContext& c, const DelegateParams& params) {
                  Kernel& own = *static_cast<Kernel*>(k);
                  return WithoutThrowing([&] { return own.kernel->Init(c, params); },
                                         [&](const char* text) {
                                           own.owner->reason_ = text;
                                           return c.Decline(own.owner->reason_.c_str());
                                         });
                },
            .Prepare =
                [](void* k, DelegatePrepareContext& c) {
                  Kernel& own = *static_cast<Kernel*>(k);
                  return WithoutThrowing([&] { return own.kernel->Prepare(c); },
                                         [&](const char* text) {
                                           own.owner->reason_ = text;
                                           return c.Decline(own.owner->reason_.c_str());
                                         });
                },
            .Eval =
                [](void* k, DelegateEvalContext& c) {
                  return WithoutThrowing([&] { return static_cast<Kernel*>(k)->kernel->Eval(c); },
                                         [](const char*) { return Status::kUnsupported; });
                },
            .Free = [](void* k) { static_cast<Kernel*>(k)->owner->kernels_.erase(k); },
            .Counters = [](const void* k) { return static_cast<const Kernel*>(k)->kernel->Counters(); }};
        const void* const key = made.get();
        owner.kernels_[key] = std::move(made);
        return Status::kOk;
      },
      refuse);
}

SimpleDelegate::SimpleDelegate(std::unique_ptr<SimpleDelegateInterface> delegate)
    : delegate_(std::move(delegate)) {
  table_ = {.state = this,
            .Name = [](const void* state) { return Of(state).delegate_->Name(); },
            .Initialize =
                [](void* state, CpuFeatures features) {
                  return WithoutThrowing([&] { return Of(state).delegate_->Initialize(features); },
                                         [](const char*) { return Status::kUnsupported; });
                },
            .IsNodeSupportedByDelegate =
                [](const void* state, const DelegateNode& node, const char** reason) {
                  SimpleDelegate& own = Of(state);
                  own.reason_.clear();
                  const auto ask = [&] {
                    return own.delegate_->IsNodeSupportedByDelegate(node, &own.reason_)
                               ? Status::kOk
                               : Status::kUnsupported;
                  };
                  const auto refuse = [&](const char* text) {
                    own.reason_ = text;
                    return Status::kUnsupported;
                  };
                  const bool supported = WithoutThrowing(ask, refuse) == Status::kOk;
                  if (!supported && !own.reason_.empty()) *reason = own.reason_.c_str();
                  return supported;
                },
            .CreateDelegateKernelInterface = Create,
            .DelegateOptions = [](const void* state) { return Of(state).delegate_->DelegateOptions(); },
            .compressed = delegate_->CompressedConstants()};
}

}  // namespace lutra::host
