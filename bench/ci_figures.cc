// SPDX-License-Identifier: Apache-2.0
// Picks the figures that services for continuous benchmarks keep.

#include "bench/ci_figures.h"

#include <filesystem>
#include <map>

namespace lutra::bench {

std::vector<CiFigures> FiguresForCi(const host::ResultFile& file) {
  const auto stem = [](const host::ModelResult& r) { return std::filesystem::path(r.path).stem().string(); };
  std::map<std::string, int> models_of_stem;
  for (const host::ModelResult& r : *file.models) ++models_of_stem[stem(r)];
  std::vector<CiFigures> figures;
  for (const host::ModelResult& r : *file.models) {
    if (r.refused()) continue;
    figures.push_back({.name = models_of_stem[stem(r)] == 1 ? stem(r) : r.path,
                       .inference = r.inference,
                       .arena_bytes = r.arena ? host::Figure(r.arena->used_bytes) : std::nullopt,
                       .bytes = r.bytes});
  }
  return figures;
}

}  // namespace lutra::bench
