// SPDX-License-Identifier: Apache-2.0
// RunMain turns exceptions into exit codes. Nothing here allocates, because memory may be missing.

#include "host/run_main.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/exit_watch.h"
#include "host/failures.h"
#include "host/interrupt.h"
#include "host/roomy_stack.h"

namespace lutra::host {
namespace {

std::terminate_handler terminate_before = nullptr;

// If there is no memory for the exception itself, throwing terminates the program with no exception in
// flight. A destructor that needs memory, as JSON's may, terminates it with one.
void EndWithoutMemory() noexcept {
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::bad_alloc&) {
  } catch (...) {
    terminate_before();
  }
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, MemoryText(std::bad_alloc()));
  _exit(kExitBadInput);
}

void WatchForMemory() noexcept { terminate_before = std::set_terminate(EndWithoutMemory); }

// Runs earlier than main, as shared libraries allocate when they are loaded.
[[gnu::section(".preinit_array"), gnu::used]] void (*const kWatchForMemory)() = WatchForMemory;

int ReportFileSystem(const char* name, const std::filesystem::filesystem_error& error) noexcept {
  const char* const path = error.path1().empty() ? name : error.path1().c_str();
  const bool is_errno =
      error.code().category() == std::generic_category() || error.code().category() == std::system_category();
  std::fprintf(stderr, "%s: file: %s; check the path and its permissions\n", path,
               is_errno ? std::strerror(error.code().value()) : error.what());
  return kExitBadInput;
}

// Without open standard streams, the program's own files would get their numbers, and be printed into. Here
// reading gets an empty file, and printing is an error.
void OccupyStandardStreams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDONLY);
  }
}

// Reports on stderr if output to stdout was lost, and returns whether it was.
bool IsOutputLost(const char* name) noexcept {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return false;
  std::fprintf(stderr, "%s: standard output: %s; what was printed is not complete\n", name,
               errno != 0 ? std::strerror(errno) : "not all of it could be written");
  return true;
}

// Returns the exit code for the exception that is being handled.
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
  } catch (const std::system_error& error) {
    // fmt::print throws this if standard output fails, which RunMain reports.
    if (std::ferror(stdout) == 0) {
      std::fprintf(stderr, "%s: system: %s; allow the process more (ulimit), or give it less to do\n", name,
                   error.what());
    }
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

// A program's call and its result.
struct Call {
  const char* name;
  int (*program)(int argc, char** argv);
  int argc;
  char** argv;
  int code = kExitBadInput;
};

void RunCall(void* context) {
  Call& call = *static_cast<Call*>(context);
  try {
    call.code = call.program(call.argc, call.argv);
  } catch (...) {
    call.code = ReportException(call.name);
  }
}

}  // namespace

int RunMain(const char* name, int (*program)(int argc, char** argv), int argc, char** argv) noexcept {
  OccupyStandardStreams();
  // Writing beyond the limit of a file's size (ulimit -f) then fails like a full disk, and does not end the
  // program.
  signal(SIGXFSZ, SIG_IGN);
  Call call = {name, program, argc, argv};
  if (!CallWithRoom(RunCall, &call)) {
    std::fprintf(stderr,
                 "%s: memory: found no room for a stack; allow the process more (ulimit -s, ulimit -v)\n",
                 name);
  }
  EndWatchForExit();
  int code = call.code;
  if (IsOutputLost(name) && code == kExitOk) code = kExitBadInput;
  // All results are kept: now the program ends by the signal, as it would have when that came.
  if (const int signal = InterruptSignal(); signal != 0) {
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  return code;
}

}  // namespace lutra::host
