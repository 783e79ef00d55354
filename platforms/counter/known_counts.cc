// SPDX-License-Identifier: Apache-2.0
// Regions whose counts are known on every processor: each exceeds the first, empty one by what its name says.

#include <stdio.h>

#include <initializer_list>

#include "platforms/counter/marks.h"

namespace {

// By itself: the compiler may move a caller's instructions between the marks.
[[gnu::noinline]] void RunRegions() {
  volatile int number = 1;
  lutra_count_begin();
  lutra_count_end();

  lutra_count_begin();
  __asm__ volatile(".rept 1000\n nop\n .endr");
  lutra_count_end();

  lutra_count_begin();
  (void)number, (void)number, (void)number;
  lutra_count_end();

  lutra_count_begin();
  number = 1;
  number = 2;
  lutra_count_end();

  lutra_count_begin();
  lutra_count_begin();
  lutra_count_end();
  lutra_count_end();
}

}  // namespace

int main() {
  RunRegions();
  for (const char* name : {"empty", "nop", "load", "store", "outer", "inner"}) {
    printf("lutra1 region %s\n", name);
  }
  return 0;
}
