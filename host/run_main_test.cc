// SPDX-License-Identifier: Apache-2.0
// Tests that each kind of failure has its exit code and one line on stderr.

#include "host/run_main.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "host/failures.h"
#include "host/model_file.h"

namespace lutra::host {
namespace {

struct Ending {
  int code = -1;
  std::string line;
};

Ending EndOf(int (*program)(int, char**)) {
  testing::internal::CaptureStderr();
  const int code = RunMain("program", program, 0, nullptr);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(RunMain, ReturnsWhatTheProgramReturns) {
  const Ending ending = EndOf([](int, char**) { return 77; });
  EXPECT_EQ(ending.code, 77);
  EXPECT_EQ(ending.line, "");
}

TEST(RunMain, PassesTheCommandLine) {
  char name[] = "a";
  char* arguments[] = {name, nullptr};
  EXPECT_EQ(RunMain(
                "program", [](int argc, char** argv) { return argc + argv[0][0]; }, 1, arguments),
            1 + 'a');
}

TEST(RunMain, KnowsItsOwnFailures) {
  const Ending usage = EndOf([](int, char**) -> int { throw BadUsage("--a needs --b"); });
  EXPECT_EQ(usage.code, 2);
  EXPECT_EQ(usage.line, "program: --a needs --b; try --help\n");
  const Ending input = EndOf([](int, char**) -> int { throw BadInput("f.npy: npy: cut short"); });
  EXPECT_EQ(input.code, 3);
  EXPECT_EQ(input.line, "f.npy: npy: cut short\n");
  const Ending wrong = EndOf([](int, char**) -> int { throw WrongResult("m.tflite: wrote past its arena"); });
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.line, "m.tflite: wrote past its arena\n");
}

TEST(RunMain, SaysHowMuchMemoryIsMissing) {
#if defined(LUTRA_SANITIZED)
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  const Ending plain = EndOf([](int, char**) -> int { throw std::bad_alloc(); });
  EXPECT_EQ(plain.code, 3);
  EXPECT_EQ(plain.line.find("program: memory: found less than was asked for; "), 0u) << plain.line;
  // No address space has so much.
  constexpr size_t kBytes = SIZE_MAX / 4 * 3;
  const Ending known = EndOf([](int, char**) { return static_cast<int>(AlignedBytes(kBytes).size()); });
  EXPECT_EQ(known.code, 3);
  EXPECT_NE(known.line.find(std::to_string(kBytes) + " bytes"), std::string::npos) << known.line;
  EXPECT_EQ(std::count(known.line.begin(), known.line.end(), '\n'), 1);
}

TEST(RunMain, NamesThePathOfTheFileSystemsErrors) {
  const Ending ending = EndOf([](int, char**) {
    std::filesystem::create_directories("/dev/null/x");
    return 0;
  });
  EXPECT_EQ(ending.code, 3);
  EXPECT_EQ(ending.line, "/dev/null/x: file: Not a directory; check the path and its permissions\n");
}

TEST(RunMain, TakesBrokenJsonForBadInput) {
  const Ending ending =
      EndOf([](int, char**) { return static_cast<int>(nlohmann::json::parse("[1,").size()); });
  EXPECT_EQ(ending.code, 3);
  EXPECT_EQ(ending.line.find("program: json: [json.exception.parse_error.101]"), 0u) << ending.line;
}

// Uses more stack than a small limit allows to the program or to a thread.
int UseAMegabyte() {
  volatile char bytes[1 << 20];
  for (size_t i = 0; i < sizeof bytes; i += 1024) bytes[i] = 1;
  return bytes[1024];
}

TEST(RunMain, HasRoomWhereTheStackIsLimited) {
#if defined(LUTRA_SANITIZED)
  GTEST_SKIP() << "the sanitizer knows one stack of a thread";
#endif
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &before), 0);
  const rlimit small = {64 << 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_STACK, &small), 0);
  const Ending ending = EndOf([](int, char**) -> int {
    int of_thread = 0;
    std::thread([&] { of_thread = UseAMegabyte(); }).join();
    throw BadInput("used " + std::to_string(UseAMegabyte() + of_thread));
  });
  EXPECT_EQ(setrlimit(RLIMIT_STACK, &before), 0);
  EXPECT_EQ(ending.code, 3);
  EXPECT_EQ(ending.line, "used 2\n");
}

TEST(RunMain, SurvivesWhatNobodyExpects) {
  const Ending named = EndOf([](int, char**) -> int { throw std::out_of_range("vector::at"); });
  EXPECT_EQ(named.code, 3);
  EXPECT_EQ(named.line,
            "program: unexpected: vector::at; this is a fault of the program, please report it\n");
  const Ending nameless = EndOf([](int, char**) -> int { throw 42; });
  EXPECT_EQ(nameless.code, 3);
  EXPECT_EQ(nameless.line.find("program: unexpected: an unknown exception; "), 0u) << nameless.line;
}

}  // namespace
}  // namespace lutra::host
