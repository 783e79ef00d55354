// SPDX-License-Identifier: Apache-2.0
// The example as a library: its own file, and one line.

#include "delegates/example/example_delegate.cc"
#include "lutra/delegate_plugin.h"

LUTRA_DELEGATE_PLUGIN(lutra::kExampleDelegate)
