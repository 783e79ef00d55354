// SPDX-License-Identifier: Apache-2.0
// The inner loops of FULLY_CONNECTED for Cortex-M with DSP instructions: loops_armdsp.h says what each does.

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

// ---- LutraExpandPairsArmdsp(from, to, words, offset)

function LutraExpandPairsArmdsp
  push {r4, lr}
1:
  ldr r4, [r0], #4
  sxtab16 r12, r3, r4
  sxtab16 r4, r3, r4, ror #8
  pkhbt lr, r12, r4, lsl #16
  pkhtb r4, r4, r12, asr #16
  strd lr, r4, [r1], #8
  subs r2, r2, #1
  bne 1b
  pop {r4, pc}
end_function LutraExpandPairsArmdsp

// ---- LutraPackedRowsArmdsp(job)
// r0 values, r1 the first row of the stream, r2 and r3 from it to the next and to the fourth, r4 pairs, r5-r8 sums, r9 r10
// values, r11 r12 weights, lr end of values. On the stack the job as above, but for

#undef EIGHTS_END
#undef VALUES_END
#undef DEPTH
#undef STEP
#undef SUMS
#undef PAIRS
#define VALUES_END [sp, #8]
#define ROW_BYTES [sp, #12]
#define STEP [sp, #16]
#define SUMS [sp, #20]
#define FOURS [sp, #24]

  // 12 instructions for 8 products: two weights of four rows.
  .macro dots_of_byte values
  ldrb r11, [r1, r2]
  ldrb r12, [r1, r2, lsl #1]
  ldr r11, [r4, r11, lsl #2]
  ldr r12, [r4, r12, lsl #2]
  smlad r6, r11, \values, r6
  smlad r7, r12, \values, r7
  ldrb r11, [r1, r3]
  ldrb r12, [r1], #1
  ldr r11, [r4, r11, lsl #2]
  ldr r12, [r4, r12, lsl #2]
  smlad r8, r11, \values, r8
  smlad r5, r12, \values, r5
  .endm

  .macro dots_of_two_bytes
  ldrd r9, r10, [r0], #8
  dots_of_byte r9
  dots_of_byte r10
  .endm

function LutraPackedRowsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #28
  ldm r0!, {r1-r7}
  stm sp, {r1-r7}
  ldrd r1, r4, [r0]
  ldr r2, ROW_BYTES
  add r3, r2, r2, lsl #1
.Lfours:
  ldr r5, SUMS
  ldr r0, FIRST_VALUES
  ldr lr, BLOCKS_END
  ldm r5, {r5-r8}
  cmp r0, lr
  beq 2f
1:
  .rept 8
  dots_of_two_bytes
  .endr
  cmp r0, lr
  bne 1b
2:
  ldr lr, VALUES_END
  cmp r0, lr
  beq 4f
3:
  dots_of_two_bytes
  cmp r0, lr
  bne 3b
4:
  ldr r9, SUMS
  ldr r10, STEP
  ldr r11, FOURS
  stm r9!, {r5-r8}
  str r9, SUMS
  add r1, r1, r10
  subs r11, r11, #1
  str r11, FOURS
  bne .Lfours
  add sp, sp, #28
  pop {r4-r11, pc}
end_function LutraPackedRowsArmdsp
