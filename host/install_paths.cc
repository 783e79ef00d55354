// SPDX-License-Identifier: Apache-2.0
// Searches around the running program, which contains no path of the machine that built it.

#include "host/install_paths.h"

namespace lutra::host {

namespace fs = std::filesystem;

fs::path GoldenFolder() {
  const fs::path here = ProgramFolder();
  // In a build, `golden` is a link, of which the target is returned.
  if (const fs::path built = here / "golden"; fs::exists(built)) return fs::canonical(built);
  return (here / LUTRA_DATA_BESIDE_PROGRAMS / "golden").lexically_normal();
}

std::optional<fs::path> FindAdapter(const std::string& name) {
  const fs::path here = ProgramFolder();
  for (const fs::path& candidate : {here / name, here / "adapters" / name}) {
    if (fs::is_regular_file(candidate)) return candidate;
  }
  return std::nullopt;
}

fs::path ProgramFolder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace lutra::host
