// SPDX-License-Identifier: Apache-2.0
// Kernels of a user in a shared library, for the option --kernels.
//
//   app.add_option("--kernels", kernels, ...)->check(CLI::Validator(CheckKernels, NamesOfKernels()));
//   ...
//   UseKernels(kernels, &options);                  // "best", "avx2", "./my.so". Throws BadInput.

#pragma once

#include <string>

#include "lutra/options.h"

namespace lutra::sdk {

// Returns whether a value of --kernels is the file of a library: it has a slash.
bool IsLibrary(const std::string& kernels);

// Returns what the option --kernels takes besides libraries: "{best,ref,avx2}".
std::string NamesOfKernels();
// A check of that option: what is wrong, or empty.
std::string CheckKernels(const std::string& kernels);

// Returns what is wrong with a value of --kernels beside one of --decompression; empty: nothing.
std::string CheckDecompression(const std::string& kernels, const std::string& decompression);

// Sets the options for a value of --kernels. A library is loaded, and stays loaded; there is one in a
// program.
void UseKernels(const std::string& kernels, InterpreterOptions* options);

// From now on a library's kernels that write outside their outputs end the program with exit code 3. They
// write to guarded memory, from which outputs are copied.
void GuardOutputs();

// Says on stderr how many calls a library's kernels declined, if they did.
void TellDeclined(const std::string& kernels);

}  // namespace lutra::sdk
