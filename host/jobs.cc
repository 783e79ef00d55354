// SPDX-License-Identifier: Apache-2.0
// Starts the threads, joins them, and keeps the first failure.

#include "host/jobs.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lutra::host {

int JobCount(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void RunJobs(int jobs, const std::function<void(int job)>& work, const std::function<void()>& stop) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto keep_failure = [&] {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    stop();
  };
  const auto run = [&](int job) {
    try {
      work(job);
    } catch (...) {
      keep_failure();
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (int job = 1; job < jobs; ++job) threads.emplace_back(run, job);
      if (jobs > 0) run(0);
    } catch (...) {
      // The system cannot start another thread.
      keep_failure();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lutra::host
