// SPDX-License-Identifier: Apache-2.0
// The inner loops of packed weights of FULLY_CONNECTED for Cortex-M with DSP instructions. loops_armdsp.h describes them.

#include "runtime/kernels/assembly_armdsp.inc"

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
// r0 values, r1 the first row of the stream, r2 and r3 the distances to the next and to the fourth, r4 pairs, r5-r8 sums,
// r9 r10 values, r11 r12 weights, lr end of values. On the stack the job:

#define FIRST_VALUES [sp, #0]
#define BLOCKS_END [sp, #4]
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
