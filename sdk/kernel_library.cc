// SPDX-License-Identifier: Apache-2.0
// Loads a library of kernels, and refuses other files.

#include "sdk/kernel_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "host/environment.h"
#include "host/exit_watch.h"
#include "host/failures.h"
#include "host/printable.h"
#include "sdk/user_kernels.h"

namespace lutra::sdk {
namespace {

constexpr char kEntry[] = "lutra_kernels";

std::string g_library;

host::BadInput Refusal(const std::string& path, const std::string& found, const std::string& required) {
  return host::BadInput(
      fmt::format("{}: kernels: found {}, required: {}; sdk/README.md tells how to make a library",
                  host::Printable(path), found, required));
}

lutra_kernel_table Load(const std::string& path) {
  host::WatchForExit(path);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Refusal(path, host::Printable(dlerror()), "a shared library");
  const auto fill = reinterpret_cast<decltype(&lutra_kernels)>(dlsym(library, kEntry));
  if (fill == nullptr) throw Refusal(path, fmt::format("no function {}", kEntry), "that it exports one");
  lutra_kernel_table table = {};
  int answer = 0;
  try {
    answer = fill(LUTRA_KERNELS_VERSION, &table);
  } catch (...) {
    throw Refusal(path, fmt::format("{} that throws", kEntry), "that it returns");
  }
  if (answer != 0)
    throw Refusal(path, fmt::format("a library for another version (answer {})", answer),
                  fmt::format("version {} of lutra_kernels.h", LUTRA_KERNELS_VERSION));
  using Function = void (*)();
  Function functions[sizeof(table) / sizeof(Function)];
  std::memcpy(functions, &table, sizeof table);
  if (std::all_of(std::begin(functions), std::end(functions), [](Function each) { return each == nullptr; }))
    throw Refusal(path, "a table of null functions alone", "one kernel at least");
  return table;
}

// This many of these bytes surround a guarded output.
constexpr int32_t kGuardBytes = 256;
constexpr uint8_t kGuard = 0xA5;
std::vector<uint8_t> g_guarded;

int8_t* BeginOutput(int32_t bytes) {
  g_guarded.assign(static_cast<size_t>(bytes) + 2 * kGuardBytes, kGuard);
  return reinterpret_cast<int8_t*>(g_guarded.data() + kGuardBytes);
}

void EndOutput(const int8_t* memory, int32_t bytes, int8_t* output) {
  const auto is_whole = [](auto first) {
    return std::all_of(first, first + kGuardBytes, [](uint8_t byte) { return byte == kGuard; });
  };
  if (!is_whole(g_guarded.begin()) || !is_whole(g_guarded.end() - kGuardBytes)) {
    host::EndRefusing(Refusal(g_library,
                              fmt::format("a kernel that writes outside its output of {} bytes", bytes),
                              "that it writes nothing else"));
  }
  if (output != nullptr) std::memcpy(output, memory, static_cast<size_t>(bytes));
}

}  // namespace

bool IsLibrary(const std::string& kernels) { return kernels.find('/') != std::string::npos; }

std::string NamesOfKernels() { return fmt::format("{{{}}}", fmt::join(host::KernelChoices(), ",")); }

std::string CheckKernels(const std::string& kernels) {
  const std::vector<std::string> choices = host::KernelChoices();
  if (IsLibrary(kernels) || std::find(choices.begin(), choices.end(), kernels) != choices.end()) return "";
  return fmt::format("{} not in {}, and no file of a library, which has a / in it", kernels,
                     NamesOfKernels());
}

std::string CheckDecompression(const std::string& kernels, const std::string& decompression) {
  if (!IsLibrary(kernels) || decompression == "per-use") return "";
  return fmt::format(
      "--kernels {}: kernels of a library get values that are decoded for each call; "
      "--decompression {} does not go with it",
      host::Printable(kernels), decompression);
}

void UseKernels(const std::string& kernels, InterpreterOptions* options) {
  if (!IsLibrary(kernels)) {
    options->cpu_features = host::KernelFeatures(kernels);
    return;
  }
  g_library = kernels;
  UseKernels(Load(kernels), options);
}

void GuardOutputs() {
  static constexpr OutputGuard kOutputGuard = {BeginOutput, EndOutput};
  SetOutputGuard(&kOutputGuard);
}

void TellDeclined(const std::string& kernels) {
  if (!IsLibrary(kernels)) return;
  const KernelCalls calls = TakeCalls();
  if (calls.declined > 0)
    fmt::print(stderr, "{}: {} of {} calls were declined, and made by references\n", host::Printable(kernels),
               calls.declined, calls.declined + calls.made);
}

void EndAfterThrow() { host::EndRefusing(Refusal(g_library, "a kernel that throws", "kernels that return")); }

}  // namespace lutra::sdk
