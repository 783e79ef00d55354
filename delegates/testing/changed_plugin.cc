// SPDX-License-Identifier: Apache-2.0
// A copy of the example that was changed to another delegate with the same name.

#include "lutra/delegate_plugin.h"
#include "lutra/delegates/example/example_delegate.h"

namespace lutra {

const Delegate kExampleDelegate = {
    .Name = [](const void*) { return "changed"; },
    .IsNodeSupportedByDelegate =
        [](const void*, const DelegateNode&, const char** reason) {
          *reason = "nothing is taken";
          return false;
        },
    .CreateDelegateKernelInterface = [](void*, DelegatePrepareContext&,
                                        DelegateKernel*) { return Status::kOk; }};

}  // namespace lutra

LUTRA_DELEGATE_PLUGIN(lutra::kExampleDelegate)
