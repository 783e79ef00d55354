// SPDX-License-Identifier: Apache-2.0
// The inner loops of FULLY_CONNECTED for Cortex-M with DSP instructions: loops_armdsp.h says what each does.

#include "runtime/kernels/assembly_armdsp.inc"

// ---- LutraExpandRowArmdsp(from, to, words, offset)

function LutraExpandRowArmdsp
  push {r4, lr}
1:
  ldr r4, [r0], #4
  sxtab16 r12, r3, r4
  sxtab16 r4, r3, r4, ror #8
  strd r12, r4, [r1], #8
  subs r2, r2, #1
  bne 1b
  pop {r4, pc}
end_function LutraExpandRowArmdsp

// ---- LutraFourRowsArmdsp(values, words, weights, stride, sums)
// r0 values, r1 their end, r2 weights, r3 stride, r4-r7 sums, r8 and r9 weights, r10 r11 operands, r12 three strides,
// lr the end of whole blocks.

  .macro dot_of_row sum
  sxtb16 r9, r8
  smlad \sum, r9, r10, \sum
  sxtb16 r8, r8, ror #8
  smlad \sum, r8, r11, \sum
  .endm

  // 21 instructions for 16 products.
  .macro dots_of_rows
  ldrd r10, r11, [r0], #8
  ldr r8, [r2, r3]
  dot_of_row r5
  ldr r8, [r2, r3, lsl #1]
  dot_of_row r6
  ldr r8, [r2, r12]
  dot_of_row r7
  ldr r8, [r2], #4
  dot_of_row r4
  .endm

function LutraFourRowsArmdsp
  push {r4-r11, lr}
  ldr r8, [sp, #36]
  ldm r8, {r4-r7}
  bic r9, r1, #3
  add lr, r0, r9, lsl #3
  add r1, r0, r1, lsl #3
  add r12, r3, r3, lsl #1
  cmp r0, lr
  beq 2f
1:
  dots_of_rows
  dots_of_rows
  dots_of_rows
  dots_of_rows
  cmp r0, lr
  bne 1b
2:
  cmp r0, r1
  beq 3f
  dots_of_rows
  b 2b
3:
  ldr r8, [sp, #36]
  stm r8, {r4-r7}
  pop {r4-r11, pc}
end_function LutraFourRowsArmdsp
