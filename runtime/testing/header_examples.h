// SPDX-License-Identifier: Apache-2.0
// The names that an example in a public header's opening comment may use without declaring them: they are
// declared here, and examples_test.cmake compiles each example behind this file. Nothing is defined or run.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/delegate.h"
#include "lutra/delegates/example/example_delegate.h"
#include "lutra/lutra.h"
#include "lutra/micro_context.h"
#include "runtime/kernels/lookup/lookup.h"

namespace given {

// A file, and a model loaded from it.
extern const lutra::Span<const uint8_t> bytes;
extern lutra::Model model;
extern const lutra::Diagnosis diagnosis;
extern uint8_t arena[1024];
constexpr lutra::Op kOps[] = {lutra::kConv2D};
extern lutra::MicroInterpreter interpreter;

// An application's own data, and its use of them.
extern const void* samples;
void Use(const void* output);
void Print(const char* line);
lutra::Status Report(const lutra::Diagnosis& diagnosis);

// A profiler's hooks.
extern int timer;
void BeginNode(void* user, int node);
void EndNode(void* user, int node);

// An application's own operator.
lutra::Status PrepareMine(lutra::PrepareContext& context);
lutra::Status EvalMine(lutra::EvalContext& context);

// An application's own delegate.
const char* NameOfMine(const void* state);
bool MineSupports(const void* state, const lutra::DelegateNode& node, const char** reason);
lutra::Status MakeKernelOfMine(void* state, lutra::DelegatePrepareContext& context,
                               lutra::DelegateKernel* kernel);

// A compressed tensor.
extern const lutra::TensorInfo encoded, ancillary, output_info;
extern uint8_t values[1024], output[1024];
lutra::Status Refuse(const lutra::Fault& fault);

}  // namespace given

using namespace given;  // NOLINT: examples are written as in an application's file.
using namespace lutra;  // NOLINT
