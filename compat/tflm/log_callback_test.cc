// SPDX-License-Identifier: Apache-2.0
// A program of its own, as that header brings a DebugLog.

#include <gtest/gtest.h>

#include <string>

#include "tensorflow/lite/micro/cortex_m_generic/debug_log_callback.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace {

std::string g_log;

TEST(TflmLogCallback, GetsEachText) {
  MicroPrintf("nobody hears this");
  RegisterDebugLogCallback([](const char* text) { g_log += text; });
  MicroPrintf("%d of %s", 3, "three");
  EXPECT_EQ(g_log, "3 of three\r\n");
  g_log.clear();
  MicroPrintf("%300s", "long");
  EXPECT_EQ(g_log, std::string(255, ' ') + "\r\n");
  char buffer[4];
  EXPECT_EQ(MicroSnprintf(buffer, sizeof(buffer), "%s", "abcdef"), 6);
  EXPECT_STREQ(buffer, "abc");
}

}  // namespace
