// SPDX-License-Identifier: Apache-2.0
// RunMain: exceptions become exit codes. Nothing here allocates, because memory may be what is missing.

#include "host/run_main.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/failures.h"

namespace lutra::host {
namespace {

int ReportFileSystem(const char* name, const std::filesystem::filesystem_error& error) noexcept {
  const char* const path = error.path1().empty() ? name : error.path1().c_str();
  const bool is_errno =
      error.code().category() == std::generic_category() || error.code().category() == std::system_category();
  std::fprintf(stderr, "%s: file: %s; check the path and its permissions\n", path,
               is_errno ? std::strerror(error.code().value()) : error.what());
  return kExitBadInput;
}

// For the exception that is being handled.
int ReportException(const char* name) noexcept {
  try {
    throw;
  } catch (const BadUsage& error) {
    std::fprintf(stderr, "%s: %s; try --help\n", name, error.what());
    return kExitUsage;
  } catch (const BadInput& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const WrongResult& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kExitWrong;
  } catch (const std::bad_alloc& error) {
    std::fprintf(stderr, "%s: %s\n", name, MemoryText(error));
  } catch (const std::filesystem::filesystem_error& error) {
    return ReportFileSystem(name, error);
  } catch (const nlohmann::json::exception& error) {
    std::fprintf(stderr, "%s: json: %s; make the file again\n", name, error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: unexpected: %s; this is a fault of the program, please report it\n", name,
                 error.what());
  } catch (...) {
    std::fprintf(stderr,
                 "%s: unexpected: an unknown exception; this is a fault of the program, please report it\n",
                 name);
  }
  return kExitBadInput;
}

}  // namespace

int RunMain(const char* name, int (*program)(int argc, char** argv), int argc, char** argv) noexcept {
  int code = kExitBadInput;
  try {
    code = program(argc, argv);
  } catch (...) {
    code = ReportException(name);
  }
  if (std::fflush(stdout) != 0 && code == kExitOk) {
    std::fprintf(stderr, "%s: standard output: %s; what was printed is not complete\n", name,
                 std::strerror(errno));
    code = kExitBadInput;
  }
  return code;
}

}  // namespace lutra::host
