// SPDX-License-Identifier: Apache-2.0
// Faults of an adapter that have nothing to do with arithmetic: it ends, hangs, floods, answers a question
// that was not asked, or leaves anything but its outputs.

#include "conformance/adapters/mock/lies.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "conformance/adapters/protocol.h"

namespace lutra::conformance::mock {
namespace {

namespace fs = std::filesystem;

void Say(const std::string& text) { std::cout << text << std::flush; }

[[noreturn]] void Sleep() {
  for (;;) pause();
}

[[noreturn]] void Flood(const std::string& text) {
  for (;;) Say(text);
}

fs::path Output(const fs::path& folder) { return folder / "out0.bin"; }

// Moves the right output to another place.
fs::path MoveAway(const fs::path& folder) {
  const fs::path aside = folder / "aside";
  fs::rename(Output(folder), aside);
  return aside;
}

void LinkTo(const fs::path& target, const fs::path& folder) {
  fs::remove(Output(folder));
  fs::create_symlink(target, Output(folder));
}

// Leaves a process that keeps the pipes open.
void LeaveChild() {
  if (fork() == 0) Sleep();
}

void BindSocket(const fs::path& folder) {
  fs::remove(Output(folder));
  // The path may be longer than a socket's address allows, so it is made relative.
  if (chdir(folder.c_str()) != 0) std::abort();
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "out0.bin");
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
}

// Nests folders so deep that code which removes them recursively may fail.
void NestFolders(const fs::path& folder) {
  constexpr int kLevels = 300;
  if (chdir(folder.c_str()) != 0) std::abort();
  for (int i = 0; i < kLevels; ++i) {
    if (mkdir("d", 0700) != 0 || chdir("d") != 0) std::abort();
  }
  if (chdir("/") != 0) std::abort();
}

void KeepOutputs(const fs::path& folder) {
  static std::string first;
  if (first.empty()) {
    const std::vector<char> bytes = ReadCaseFile(Output(folder));
    first.assign(bytes.begin(), bytes.end());
  }
  WriteCaseOutput(folder, 0, first.data(), first.size());
}

void SwapFolder(const fs::path& folder) {
  const fs::path other = folder.string() + ".other";
  fs::rename(folder, other);
  fs::create_symlink(other, folder);
  // The file behind the link is right; the folder that the runner has open has none.
  fs::rename(Output(other), other / "aside");
  fs::create_directory(other / "real");
}

constexpr char kNotText[] = "\xff\xfe\x1b[2J\x1b]0;title\x07";

// The adapter ends, or does not answer.
std::vector<Fault> Deaths() {
  return {
      {"exit-0", "the process ends without an answer", [](const fs::path&) { std::_Exit(0); }},
      {"exit-7", "the process ends with exit code 7", [](const fs::path&) { std::_Exit(7); }},
      {"signal", "the process dies by a signal", [](const fs::path&) { raise(SIGUSR1); }},
      {"killed", "somebody kills it", [](const fs::path&) { raise(SIGKILL); }},
      {"stopped", "somebody stops it", [](const fs::path&) { raise(SIGSTOP); }},
      {"closes", "it closes its output and lives on",
       [](const fs::path&) {
         close(STDOUT_FILENO);
         Sleep();
       }},
      {"late", "the answer comes after the timeout",
       [](const fs::path&) { std::this_thread::sleep_for(std::chrono::seconds(5)); }},
      {"half-answer", "half of an answer, then nothing",
       [](const fs::path&) {
         Say("o");
         Sleep();
       }},
      {"child", "a child that keeps the pipes, and no answer",
       [](const fs::path&) {
         LeaveChild();
         std::_Exit(0);
       }},
      {"stderr-flood", "32 MB on stderr, then its end",
       [](const fs::path&) {
         for (int i = 0; i < 32; ++i) std::cerr << std::string(1 << 20, 'z');
         std::_Exit(7);
       }},
      {"stderr-not-text", "last words that are no UTF-8",
       [](const fs::path&) {
         std::cerr << kNotText << std::endl;
         std::_Exit(7);
       }},
  };
}

// The adapter answers a question that was not asked.
std::vector<Fault> Answers() {
  return {
      {"empty-line", "an empty line", [](const fs::path&) { Say("\n"); }},
      {"capitals", "OK", [](const fs::path&) { Say("OK\n"); }},
      {"zero-bytes", "an answer with a zero byte", [](const fs::path&) { Say(std::string("ok\0\n", 4)); }},
      {"not-text", "a line that is no UTF-8 and clears the screen",
       [](const fs::path&) { Say(std::string(kNotText) + "\n"); }},
      {"not-text-why", "an error whose reason is no UTF-8",
       [](const fs::path&) { throw std::runtime_error(kNotText); }},
      {"long-why", "an error with a reason of 60,000 characters",
       [](const fs::path&) { throw std::runtime_error(std::string(60000, 'y')); }},
      {"no-end", "a line that never ends", [](const fs::path&) { Flood(std::string(4096, 'x')); }},
      {"flood", "ok without end", [](const fs::path&) { Flood("ok\nok\nok\nok\n"); }},
      {"twice", "the answer comes twice", [](const fs::path&) { Say("ok\n"); }},
      {"greets-again", "a greeting instead of an answer", [](const fs::path&) { Say("hello 1 mock 2\n"); }},
      {"two-answers", "ok and error at once", [](const fs::path&) { Say("ok\nerror no\n"); }},
  };
}

// The adapter leaves something else than its outputs.
std::vector<Fault> Outputs() {
  return {
      {"empty-output", "an output without bytes",
       [](const fs::path& folder) { fs::resize_file(Output(folder), 0); }},
      {"short-output", "an output a byte too short",
       [](const fs::path& folder) { fs::resize_file(Output(folder), fs::file_size(Output(folder)) - 1); }},
      {"sparse-output", "an output of 5 GB",
       [](const fs::path& folder) { fs::resize_file(Output(folder), 5LL << 30); }},
      {"link", "a link to the right output",
       [](const fs::path& folder) { LinkTo(MoveAway(folder), folder); }},
      {"link-zero", "a link to /dev/zero", [](const fs::path& folder) { LinkTo("/dev/zero", folder); }},
      {"link-self", "a link to itself", [](const fs::path& folder) { LinkTo("out0.bin", folder); }},
      {"link-nowhere", "a link to nothing", [](const fs::path& folder) { LinkTo("/nosuch", folder); }},
      {"fifo", "a pipe without a writer",
       [](const fs::path& folder) {
         fs::remove(Output(folder));
         if (mkfifo(Output(folder).c_str(), 0600) != 0) std::abort();
       }},
      {"folder", "a folder for an output",
       [](const fs::path& folder) {
         fs::remove(Output(folder));
         fs::create_directory(Output(folder));
       }},
      {"socket", "a socket for an output", BindSocket},
      {"output-before", "the output of the case before", KeepOutputs},
      {"extra-link", "one output more, a link to nothing",
       [](const fs::path& folder) { fs::create_symlink("/nosuch", folder / "out1.bin"); }},
      {"extra-folder", "one output more, a folder",
       [](const fs::path& folder) { fs::create_directory(folder / "out1.bin"); }},
      {"no-folder", "the case's folder is removed", [](const fs::path& folder) { fs::remove_all(folder); }},
      {"swapped-folder", "a link in place of the case's folder", SwapFolder},
      {"locked-folder", "the case's folder may not be read, and its output is gone",
       [](const fs::path& folder) {
         fs::remove(Output(folder));
         fs::permissions(folder, fs::perms::none);
       }},
      {"deep-folders", "300 folders in one another, and no output",
       [](const fs::path& folder) {
         fs::remove(Output(folder));
         NestFolders(folder);
       }},
  };
}

}  // namespace

const std::vector<Fault>& Greetings() {
  static const std::vector<Fault> faults = {
      {"greet-exit", "ends before it greets", [](const fs::path&) { std::_Exit(0); }},
      {"greet-exit-7", "ends with exit code 7 before it greets", [](const fs::path&) { std::_Exit(7); }},
      {"greet-signal", "dies before it greets", [](const fs::path&) { raise(SIGUSR1); }},
      {"greet-never", "does not greet", [](const fs::path&) { Sleep(); }},
      {"greet-garbage", "greets with another word", [](const fs::path&) { Say("good morning\n"); }},
      {"greet-version-2", "speaks another protocol", [](const fs::path&) { Say("hello 2 mock 1\n"); }},
      {"greet-empty-line", "greets with an empty line", [](const fs::path&) { Say("\n"); }},
      {"greet-cut-off", "ends in the middle of its greeting",
       [](const fs::path&) {
         Say("hello 1 mo");
         std::_Exit(0);
       }},
      {"greet-no-end", "its greeting never ends", [](const fs::path&) { Flood(std::string(4096, 'x')); }},
      {"greet-closes", "closes its output",
       [](const fs::path&) {
         close(STDOUT_FILENO);
         Sleep();
       }},
  };
  return faults;
}

const std::vector<Fault>& Lies() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> all;
    for (const auto& group : {Deaths(), Answers(), Outputs()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return faults;
}

}  // namespace lutra::conformance::mock
