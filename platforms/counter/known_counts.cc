// SPDX-License-Identifier: Apache-2.0
// known_counts [unnamed]: regions whose counts are known on every processor: each exceeds the first, empty
// one by what its name says. On x86 one more, with vector instructions among others. unnamed: prints no
// names.

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

#ifdef __SSE2__
  // Four of eight are vector instructions.
  lutra_count_begin();
  __asm__ volatile(
      ".rept 100\n"
      " pxor %%xmm0, %%xmm0\n"
      " movdqa %%xmm0, %%xmm1\n"
      " paddd %%xmm0, %%xmm1\n"
      " mulps %%xmm0, %%xmm1\n"
      " mulss %%xmm0, %%xmm1\n"
      " cvtsi2sd %%eax, %%xmm0\n"
      " movd %%xmm0, %%eax\n"
      " nop\n"
      " .endr"
      :
      :
      : "eax", "xmm0", "xmm1");
  lutra_count_end();
#endif

  lutra_count_begin();
  lutra_count_begin();
  lutra_count_end();
  lutra_count_end();
}

}  // namespace

int main(int argc, char**) {
  RunRegions();
  if (argc > 1) return 0;
  for (const char* name : {
           "empty",
           "nop",
           "load",
           "store",
#ifdef __SSE2__
           "vector",
#endif
           "outer",
           "inner",
       }) {
    printf("lutra1 region %s\n", name);
  }
  return 0;
}
