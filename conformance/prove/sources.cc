// SPDX-License-Identifier: Apache-2.0
// Collects a kernel's files, and hashes their code.

#include "conformance/prove/sources.h"

#include <fmt/format.h>

#include <cctype>
#include <map>

#include "host/failures.h"
#include "host/model_file.h"
#include "host/sha256.h"
#include "lutra/cpu.h"

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

// Returns the instruction set that ends the name of a variant or of a file; 0 if none does.
CpuFeatures FeaturesOf(std::string_view name) {
  for (const InstructionSet& set : kInstructionSets) {
    if (name == set.name || name.ends_with(std::string("_") + set.name)) return set.features;
  }
  return kCpuAny;
}

// Returns the folder of kernels/ with which the table's name begins; sums and products of two inputs share a
// folder.
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

bool IsPartOfAName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the end of the string or character literal that begins at `begin`.
size_t EndOfLiteral(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && text[end] != text[begin] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return end < text.size() ? end + 1 : text.size();
}

}  // namespace

std::string CodeOf(std::string_view text) {
  std::string code;
  bool space = false;      // Whether something was left out since the last character.
  bool directive = false;  // Whether this is a preprocessor directive, which ends with its line.
  const auto add = [&](std::string_view part) {
    if (part[0] == '#') directive = true;
    if (space && !code.empty() && IsPartOfAName(code.back()) && IsPartOfAName(part[0])) code += ' ';
    code += part;
    space = false;
  };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    size_t end = at;
    if (text.substr(at, 2) == "//") {
      end = text.find('\n', at);
    } else if (text.substr(at, 2) == "/*") {
      end = text.find("*/", at + 2);
      if (end != std::string_view::npos) end += 2;
    } else if (directive && c == '\n') {
      if (code.back() != '\\') directive = false;
      add("\n");
      ++end;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++end;
    }
    if (end != at) {
      space = true;
      at = end == std::string_view::npos ? text.size() : end;
      continue;
    }
    // A quote within a number separates its digits.
    const bool quotes = c == '"' || (c == '\'' && (at == 0 || !IsPartOfAName(text[at - 1])));
    end = quotes ? EndOfLiteral(text, at) : at + 1;
    add(text.substr(at, end - at));
    at = end;
  }
  return code;
}

std::string HashOfSources(const std::string& table, const std::string& variant, const fs::path& tree) {
  const fs::path kernels = tree / "runtime" / "kernels";
  const std::string folder = FolderOf(table, kernels);
  if (folder.empty()) {
    throw host::BadInput(fmt::format("{}: found no folder for the table {}, required: Lutra's source tree",
                                     kernels.string(), table));
  }
  const CpuFeatures implied = FeaturesOf(variant);
  std::map<std::string, fs::path> files;
  for (const fs::path& from :
       {kernels / folder, kernels, tree / "runtime" / "fixed_point", tree / "platforms" / "proofs"}) {
    for (const auto& entry : fs::directory_iterator(from)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      if ((FeaturesOf(entry.path().stem().string()) & ~implied) != 0) continue;
      files.emplace(fs::relative(entry.path(), tree).generic_string(), entry.path());
    }
  }
  std::string all;
  for (const auto& [name, path] : files) {
    const std::string code = CodeOf(host::ReadInputText(path.string()));
    all += fmt::format("{} {}\n", name, code.size()) + code;
  }
  return host::Sha256(all.data(), all.size());
}

}  // namespace lutra::conformance
