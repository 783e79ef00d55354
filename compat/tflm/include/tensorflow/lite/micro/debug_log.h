// SPDX-License-Identifier: Apache-2.0
// Functions that print texts. A program may define its own; lutra::tflm's write to stderr, if the toolchain
// has stdio.

#pragma once

#include <stdarg.h>
#include <stddef.h>

extern "C" {
void DebugLog(const char* format, va_list arguments);
int DebugVsnprintf(char* buffer, size_t bytes, const char* format, va_list arguments);
}
