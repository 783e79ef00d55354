// SPDX-License-Identifier: Apache-2.0
// Collects the files and hashes them.

#include "conformance/prove/sources.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/sha256.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

bool IsSource(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view end : {"_test.cc", "_bench.cc", "_cases.h"}) {
    if (name.ends_with(end)) return false;
  }
  for (const std::string_view end : {".h", ".cc", ".S", ".inc"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

// The folder of kernels/ that the table's name begins with; sums and products of two inputs share one.
std::string FolderOf(const std::string& table, const fs::path& kernels) {
  for (const std::string_view begin : {"add_", "sub_", "mul_", "squared_difference_"}) {
    if (table.starts_with(begin)) return "binary";
  }
  std::string found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kernels, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && table.starts_with(name) && name.size() > found.size()) found = name;
  }
  return found;
}

}  // namespace

std::string HashOfSources(const std::string& table, const fs::path& tree) {
  const fs::path kernels = tree / "runtime" / "kernels";
  const std::string folder = FolderOf(table, kernels);
  if (folder.empty()) {
    throw host::BadInput(fmt::format("{}: found no folder for the table {}, required: Lutra's source tree",
                                     kernels.string(), table));
  }
  std::map<std::string, fs::path> files;
  for (const fs::path& from :
       {kernels / folder, kernels, tree / "runtime" / "fixed_point", tree / "platforms" / "proofs"}) {
    for (const auto& entry : fs::directory_iterator(from)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      files.emplace(fs::relative(entry.path(), tree).generic_string(), entry.path());
    }
  }
  std::string all;
  for (const auto& [name, path] : files) {
    const std::string text = host::ReadInputText(path.string());
    all += fmt::format("{} {}\n", name, text.size()) + text;
  }
  return host::Sha256(all.data(), all.size());
}

}  // namespace lutra::conformance
