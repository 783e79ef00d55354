// SPDX-License-Identifier: Apache-2.0
// Looks around the running program. No path of the machine that built it is in it.

#include "host/install_paths.h"

namespace lutra::host {

namespace fs = std::filesystem;

fs::path GoldenFolder() {
  const fs::path here = ProgramFolder();
  // The build's link, by the name of what it shows.
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
