// SPDX-License-Identifier: Apache-2.0
// Products of one row of values with rows of weights, for Cortex-M with DSP instructions. loops_armdsp.h describes the
// loops.

#include "runtime/kernels/assembly_armdsp.inc"

// ---- LutraExpandRowArmdsp(from, to, words, offset)

  .macro expand_word
  ldr r4, [r0], #4
  sxtab16 r12, r3, r4
  sxtab16 r4, r3, r4, ror #8
  strd r12, r4, [r1], #8
  .endm

function LutraExpandRowArmdsp
  push {r4, lr}
  lsrs lr, r2, #1
  beq 2f
1:
  expand_word
  expand_word
  subs lr, lr, #1
  bne 1b
2:
  tst r2, #1
  beq 3f
  expand_word
3:
  pop {r4, pc}
end_function LutraExpandRowArmdsp

// ---- LutraExpandRowOfThreeArmdsp(from, to, words, offset)

function LutraExpandRowOfThreeArmdsp
  push {r4, lr}
1:
  ldr r4, [r0], #4
  sxtab16 r12, r3, r4
  sxtab16 r4, r3, r4, ror #8
  strd r12, r4, [r1], #24
  subs r2, r2, #1
  bne 1b
  pop {r4, pc}
end_function LutraExpandRowOfThreeArmdsp

// ---- LutraPairsOfRowsArmdsp(job)
// r0 values, r1 and r2 two rows of weights, r3 r4 weights, r5 operand, r6-r9 values, r10 r11 sums, r12 end of values, lr
// end of whole blocks. On the stack the job:

#define FIRST_VALUES [sp, #0]
#define BLOCKS_END [sp, #4]
#define EIGHTS_END [sp, #8]
#define VALUES_END [sp, #12]
#define DEPTH [sp, #16]
#define STEP [sp, #20]
#define SUMS [sp, #24]
#define PAIRS [sp, #28]

  .macro dot_of_word sum, weights, even, odd
  sxtb16 r5, \weights
  smlad \sum, r5, \even, \sum
  sxtb16 \weights, \weights, ror #8
  smlad \sum, \weights, \odd, \sum
  .endm

  // 19 instructions for 16 products of weights that are aligned to words.
  .macro dots_of_aligned
  ldm r0!, {r6-r9}
  ldrd r3, r4, [r1], #8
  dot_of_word r10, r3, r6, r7
  dot_of_word r10, r4, r8, r9
  ldrd r3, r4, [r2], #8
  dot_of_word r11, r3, r6, r7
  dot_of_word r11, r4, r8, r9
  .endm

  .macro dots_of_unaligned
  ldm r0!, {r6-r9}
  ldr r3, [r1], #4
  dot_of_word r10, r3, r6, r7
  ldr r4, [r1], #4
  dot_of_word r10, r4, r8, r9
  ldr r3, [r2], #4
  dot_of_word r11, r3, r6, r7
  ldr r4, [r2], #4
  dot_of_word r11, r4, r8, r9
  .endm

function LutraPairsOfRowsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #36
  ldm r0!, {r1-r8}
  stm sp, {r1-r8}
  ldr r1, [r0]
  ldr lr, BLOCKS_END
  ldr r12, EIGHTS_END
.Lrows:
  ldr r3, DEPTH
  ldr r4, SUMS
  ldr r0, FIRST_VALUES
  add r2, r1, r3
  ldrd r10, r11, [r4]
  cmp r0, lr
  beq 2f
1:
  .rept 4
  dots_of_aligned
  .endr
  cmp r0, lr
  bne 1b
2:
  cmp r0, r12
  beq 3f
  dots_of_unaligned
  b 2b
3:
  ldr r6, VALUES_END
  cmp r0, r6
  beq 4f
  ldrd r6, r7, [r0], #8
  ldr r3, [r1], #4
  dot_of_word r10, r3, r6, r7
  ldr r3, [r2], #4
  dot_of_word r11, r3, r6, r7
4:
  ldr r4, SUMS
  ldr r5, STEP
  ldr r6, PAIRS
  strd r10, r11, [r4], #8
  str r4, SUMS
  add r1, r2, r5
  subs r6, r6, #1
  str r6, PAIRS
  bne .Lrows
  add sp, sp, #36
  pop {r4-r11, pc}
end_function LutraPairsOfRowsArmdsp

// ---- LutraThreeRowsArmdsp(job)
// r0 values, r1 weights, r2 end of values, r3-r5 sums, r6-r11 values, r12 a word of weights, lr operand. On the stack the
// job:

#undef FIRST_VALUES
#undef BLOCKS_END
#undef VALUES_END
#undef STEP
#undef SUMS
#define FIRST_VALUES [sp, #0]
#define BLOCKS_END [sp, #4]
#define VALUES_END [sp, #8]
#define STEP [sp, #12]
#define SUMS [sp, #16]
#define CHANNELS_LEFT [sp, #20]
#define SUMS_BYTES [sp, #24]

  // 10 instructions for 12 products.
  .macro dots_of_three
  ldm r0!, {r6-r11}
  ldr r12, [r1], #4
  sxtb16 lr, r12
  smlad r3, lr, r6, r3
  smlad r4, lr, r8, r4
  smlad r5, lr, r10, r5
  sxtb16 r12, r12, ror #8
  smlad r3, r12, r7, r3
  smlad r4, r12, r9, r4
  smlad r5, r12, r11, r5
  .endm

function LutraThreeRowsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #28
  ldm r0, {r1-r7}
  stm sp, {r1-r6}
  mov r1, r7
  lsl r6, r6, #2
  str r6, SUMS_BYTES
1:
  ldr r12, SUMS
  ldr lr, SUMS_BYTES
  ldr r0, FIRST_VALUES
  ldr r2, BLOCKS_END
  ldr r3, [r12]
  ldr r4, [r12, lr]
  ldr r5, [r12, lr, lsl #1]
  cmp r0, r2
  beq 3f
2:
  .rept 4
  dots_of_three
  .endr
  cmp r0, r2
  bne 2b
3:
  ldr r2, VALUES_END
  cmp r0, r2
  beq 5f
4:
  dots_of_three
  cmp r0, r2
  bne 4b
5:
  ldr r12, SUMS
  ldr lr, SUMS_BYTES
  str r4, [r12, lr]
  str r5, [r12, lr, lsl #1]
  str r3, [r12], #4
  str r12, SUMS
  ldr r2, STEP
  ldr r6, CHANNELS_LEFT
  add r1, r1, r2
  subs r6, r6, #1
  str r6, CHANNELS_LEFT
  bne 1b
  add sp, sp, #28
  pop {r4-r11, pc}
end_function LutraThreeRowsArmdsp
