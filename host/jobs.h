// SPDX-License-Identifier: Apache-2.0
// Runs work on several threads.
//
//   std::atomic<size_t> next = 0;
//   const auto work = [&](int job) {
//     for (size_t i = next++; i < count; i = next++) Do(i, job);
//   };
//   host::RunJobs(host::JobCount(options.jobs), work, [&] { next = count; });

#pragma once

#include <functional>

namespace lutra::host {

// Returns `wanted`, or the number of processors if `wanted` is 0.
int JobCount(int wanted);

// Calls work(0) in this thread and work(1) to work(jobs - 1) in others, waits for all of them, and rethrows
// the first exception. Without jobs nothing is called. Whenever a call throws, `stop` is called, which should
// let the others end early.
void RunJobs(
    int jobs, const std::function<void(int job)>& work, const std::function<void()>& stop = [] {});

}  // namespace lutra::host
