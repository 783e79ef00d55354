// SPDX-License-Identifier: Apache-2.0
// Loads a library, and checks its functions' calls and results for the runtime.

#include "delegates/plugin.h"

#include <dlfcn.h>

#include <exception>

#include "host/exit_watch.h"
#include "host/failures.h"
#include "host/printable.h"
#include "lutra/delegate_plugin.h"

namespace lutra::delegates {
namespace {

host::BadInput Refusal(const std::string& path, const std::string& found, const std::string& required) {
  return host::BadInput(host::Printable(path) + ": delegate: found " + found + ", required: " + required +
                        "; delegates/README.md tells how to make a library");
}

// A kernel of the library, and the delegate that it belongs to.
struct GuardedKernel {
  DelegateKernel kernel;
  const std::string* path;
};

[[noreturn]] void End(const std::string& path, const std::string& what) {
  host::EndRefusing(Refusal(path, what, "functions that neither are null nor throw"));
}

// Calls a function of the library.
template <typename Fn, typename... Arguments>
auto Call(const std::string& path, const char* name, Fn function, Arguments&&... arguments) {
  try {
    return function(std::forward<Arguments>(arguments)...);
  } catch (const std::exception& error) {
    End(path, std::string(name) + " that throws: " + host::Printable(error.what()));
  } catch (...) {
    End(path, std::string(name) + " that throws");
  }
}

const GuardedKernel& KernelOf(const void* state) { return *static_cast<const GuardedKernel*>(state); }

Status InitKernel(void* state, DelegatePrepareContext& context, const DelegateParams& params) {
  const auto& [kernel, path] = KernelOf(state);
  return kernel.Init == nullptr ? Status::kOk
                                : Call(*path, "Init", kernel.Init, kernel.state, context, params);
}
Status PrepareKernel(void* state, DelegatePrepareContext& context) {
  const auto& [kernel, path] = KernelOf(state);
  return kernel.Prepare == nullptr ? Status::kOk
                                   : Call(*path, "Prepare", kernel.Prepare, kernel.state, context);
}
Status EvalKernel(void* state, DelegateEvalContext& context) {
  const auto& [kernel, path] = KernelOf(state);
  return Call(*path, "Eval", kernel.Eval, kernel.state, context);
}
void FreeKernel(void* state) {
  const std::unique_ptr<GuardedKernel> guarded(static_cast<GuardedKernel*>(state));
  const DelegateKernel& kernel = guarded->kernel;
  if (kernel.Free != nullptr) Call(*guarded->path, "Free", kernel.Free, kernel.state);
}
DelegateCounters Count(const void* state) {
  const auto& [kernel, path] = KernelOf(state);
  return kernel.Counters == nullptr ? DelegateCounters()
                                    : Call(*path, "Counters", kernel.Counters, kernel.state);
}

class Plugin : public OwnedDelegate {
 public:
  explicit Plugin(const std::string& path) : path_(path) {
    host::WatchForExit(path);
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Refusal(path, host::Printable(dlerror()), "a shared library");
    const auto fill = reinterpret_cast<DelegatePluginFn>(dlsym(library, kDelegatePluginName));
    if (fill == nullptr)
      throw Refusal(path, std::string("no function ") + kDelegatePluginName, "LUTRA_DELEGATE_PLUGIN in it");
    const uint32_t other = Fill(fill);
    if (other != 0)
      throw Refusal(
          path, "a library of version " + std::to_string(other) + ", or of another layout",
          "version " + std::to_string(kDelegateLayout.version) + " and the headers of this program");
    const char* null = inner_.Name == nullptr                            ? "Name"
                       : inner_.IsNodeSupportedByDelegate == nullptr     ? "IsNodeSupportedByDelegate"
                       : inner_.CreateDelegateKernelInterface == nullptr ? "CreateDelegateKernelInterface"
                                                                         : nullptr;
    if (null != nullptr) throw Refusal(path, std::string(null) + " that is null", "a function");
    const char* const name = Call(path_, "Name", inner_.Name, inner_.state);
    if (name == nullptr) throw Refusal(path, "a name that is null", "a text");
    table_ = {.state = this,
              .Name = Name,
              .Initialize = inner_.Initialize == nullptr ? nullptr : Initialize,
              .IsNodeSupportedByDelegate = IsSupported,
              .CreateDelegateKernelInterface = Create,
              .DelegateOptions = inner_.DelegateOptions == nullptr ? nullptr : Options,
              .compressed = inner_.compressed};
  }
  const Delegate& table() const override { return table_; }

 private:
  uint32_t Fill(DelegatePluginFn fill) {
    try {
      return fill(&kDelegateLayout, &inner_);
    } catch (...) {
      throw Refusal(path_, std::string(kDelegatePluginName) + " that throws", "that it returns");
    }
  }

  static const Plugin& Of(const void* state) { return *static_cast<const Plugin*>(state); }
  static const char* Name(const void* state) {
    const char* const name = Call(Of(state).path_, "Name", Of(state).inner_.Name, Of(state).inner_.state);
    if (name == nullptr) End(Of(state).path_, "a name that is null");
    return name;
  }
  static Status Initialize(void* state, CpuFeatures features) {
    return Call(Of(state).path_, "Initialize", Of(state).inner_.Initialize, Of(state).inner_.state, features);
  }
  static bool IsSupported(const void* state, const DelegateNode& node, const char** reason) {
    return Call(Of(state).path_, "IsNodeSupportedByDelegate", Of(state).inner_.IsNodeSupportedByDelegate,
                Of(state).inner_.state, node, reason);
  }
  static Status Create(void* state, DelegatePrepareContext& context, DelegateKernel* kernel) {
    const Plugin& plugin = Of(state);
    DelegateKernel made;
    const Status status =
        Call(plugin.path_, "CreateDelegateKernelInterface", plugin.inner_.CreateDelegateKernelInterface,
             plugin.inner_.state, context, &made);
    if (status != Status::kOk) return status;
    if (made.Eval == nullptr) End(plugin.path_, "a kernel whose Eval is null");
    *kernel = {.state = new GuardedKernel{made, &plugin.path_},
               .Init = InitKernel,
               .Prepare = PrepareKernel,
               .Eval = EvalKernel,
               .Free = FreeKernel,
               .Counters = Count};
    return Status::kOk;
  }
  static SimpleDelegateOptions Options(const void* state) {
    return Call(Of(state).path_, "DelegateOptions", Of(state).inner_.DelegateOptions, Of(state).inner_.state);
  }

  std::string path_;
  Delegate inner_, table_;
};

}  // namespace

bool IsPlugin(const std::string& name) { return name.find('/') != std::string::npos; }

std::unique_ptr<OwnedDelegate> LoadPlugin(const std::string& path) { return std::make_unique<Plugin>(path); }

}  // namespace lutra::delegates
