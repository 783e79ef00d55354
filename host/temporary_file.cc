// SPDX-License-Identifier: Apache-2.0
// Opens files and removes their names at once.

#include "host/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "host/failures.h"

namespace lutra::host {

std::filesystem::path TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error) return folder;
  const char* const variable = std::getenv("TMPDIR");
  throw BadInput(fmt::format("{}: folder for temporary files: {}, required: one that is there; set TMPDIR",
                             variable == nullptr ? "/tmp" : variable, error.message()));
}

Descriptor OpenTemporaryFile() {
  std::string path = (TemporaryFolder() / "lutra_XXXXXX").string();
  Descriptor file(mkostemp(path.data(), O_CLOEXEC | O_APPEND));
  if (file.get() < 0) {
    throw BadInput(fmt::format(
        "{}: {}, required: a temporary file; set TMPDIR, or allow the process more files (ulimit)", path,
        std::strerror(errno)));
  }
  unlink(path.c_str());
  return file;
}

}  // namespace lutra::host
