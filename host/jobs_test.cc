// SPDX-License-Identifier: Apache-2.0

#include "host/jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace lutra::host {
namespace {

TEST(Jobs, CountIsTheWantedOneOrThatOfProcessors) {
  EXPECT_EQ(JobCount(3), 3);
  EXPECT_GE(JobCount(0), 1);
}

TEST(Jobs, EachJobRunsOnceAndTheFirstOneHere) {
  std::vector<std::thread::id> threads(5);
  RunJobs(5, [&](int job) {
    EXPECT_EQ(threads[static_cast<size_t>(job)], std::thread::id());
    threads[static_cast<size_t>(job)] = std::this_thread::get_id();
  });
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  for (size_t i = 1; i < threads.size(); ++i) {
    EXPECT_NE(threads[i], std::thread::id());
    EXPECT_NE(threads[i], threads[0]);
  }
}

TEST(Jobs, NoneIsNoCall) {
  RunJobs(0, [](int) { FAIL() << "called"; });
}

// Every job but the failing one waits until it is told to stop.
TEST(Jobs, AFailureStopsTheOthersAndIsThrownAgain) {
  for (int failing = 0; failing < 4; ++failing) {
    std::atomic<bool> stopped = false;
    std::atomic<int> ended = 0;
    std::string caught;
    try {
      RunJobs(
          4,
          [&](int job) {
            if (job == failing) throw std::runtime_error("job " + std::to_string(job));
            while (!stopped) std::this_thread::yield();
            ++ended;
          },
          [&] { stopped = true; });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    EXPECT_EQ(caught, "job " + std::to_string(failing));
    EXPECT_EQ(ended, 3);
  }
}

TEST(Jobs, WhatIsThrownAfterTheFirstFailureIsDropped) {
  std::atomic<bool> stopped = false;
  try {
    RunJobs(
        2,
        [&](int job) {
          if (job == 1) throw std::runtime_error("first");
          while (!stopped) std::this_thread::yield();
          throw std::runtime_error("second");
        },
        [&] { stopped = true; });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

}  // namespace
}  // namespace lutra::host
