// SPDX-License-Identifier: Apache-2.0
// The inner loops of FULLY_CONNECTED for Cortex-M55. fully_connected_mve.cc describes them. Sums of products are in
// registers with even numbers, as the instructions require.

#include "runtime/kernels/assembly_armdsp.inc"

// The job, RowsJob.
#define INPUT [r11, #0]
#define PAIRS [r11, #4]
#define TAIL [r11, #8]
#define REST [r11, #12]
#define INPUT_OFFSET [r11, #16]
#define STEP [r11, #20]
#define BASE [r11, #24]
#define EIGHTS [r11, #28]
#define SUMS [r11, #32]
#define OFFSETS 36

// ---- LutraFourRowsMve(job)
// r1 r3 r5 r7 four rows of weights, r0 r2 r4 r6 their sums, r8 input, r9 eights, r10 sums, r11 job, r12 base.

  .macro dots_of_four_rows
  vldrb.u8 q0, [r8], #16
  vldrb.u8 q1, [r1], #16
  vmlava.s8 r0, q0, q1
  vldrb.u8 q2, [r3], #16
  vmlava.s8 r2, q0, q2
  vldrb.u8 q3, [r5], #16
  vmlava.s8 r4, q0, q3
  vldrb.u8 q1, [r7], #16
  vmlava.s8 r6, q0, q1
  .endm

  .macro four_rows at
  vldrw.u32 q0, [r11, #\at]
  vadd.i32 q0, q0, r12
  ldr lr, PAIRS
  ldr r8, INPUT
  movs r0, #0
  movs r2, #0
  vmov r1, r5, q0[2], q0[0]
  movs r4, #0
  movs r6, #0
  vmov r3, r7, q0[3], q0[1]
  wls lr, lr, 2f
1:
  dots_of_four_rows
  dots_of_four_rows
  le lr, 1b
2:
  ldr lr, TAIL
  cmp lr, #0
  beq 4f
  cmp lr, #16
  blt 3f
  dots_of_four_rows
3:
  ldr lr, REST
  vmsr p0, lr
  vpstttt
  vldrbt.u8 q0, [r8]
  vldrbt.u8 q1, [r1]
  vldrbt.u8 q2, [r3]
  vldrbt.u8 q3, [r5]
  vmlava.s8 r0, q0, q1
  vmlava.s8 r2, q0, q2
  vmlava.s8 r4, q0, q3
  vpst
  vldrbt.u8 q1, [r7]
  vmlava.s8 r6, q0, q1
4:
  strd r0, r2, [r10], #8
  strd r4, r6, [r10], #8
  .endm

function LutraFourRowsMve
  push {r4-r11, lr}
  mov r11, r0
  ldr r12, BASE
  ldrd r9, r10, EIGHTS
.Leights_of_four_rows:
  four_rows OFFSETS
  four_rows OFFSETS + 16
  ldr r0, STEP
  subs r9, r9, #1
  add r12, r12, r0
  bne .Leights_of_four_rows
  pop {r4-r11, pc}
end_function LutraFourRowsMve

// ---- LutraThreeRowsMve(job)
// r1 r3 r5 three rows of weights, r0 r2 r4 sums of their products, r6 r8 r10 sums of the weights, r7 input, r9 sums, r11
// job, r12 base. On the stack the remaining eights.

  .macro dots_of_row row, products, weights, vector
  vldrb.u8 \vector, [\row], #16
  vmlava.s8 \products, q0, \vector
  vaddva.s8 \weights, \vector
  .endm

  .macro rest_of_row row, products, weights, vector
  vpst
  vldrbt.u8 \vector, [\row]
  vmlava.s8 \products, q0, \vector
  vaddva.s8 \weights, \vector
  .endm

  .macro start_row row, products, weights, at
  ldr \row, [r11, #\at]
  mov \products, #0
  mov \weights, #0
  add \row, \row, r12
  .endm

  .macro some_rows rows, at
  start_row r1, r0, r6, \at
  start_row r3, r2, r8, \at + 4
  .if \rows == 3
  start_row r5, r4, r10, \at + 8
  .endif
  ldr lr, PAIRS
  ldr r7, INPUT
  lsls lr, lr, #1
  wls lr, lr, 2f
1:
  vldrb.u8 q0, [r7], #16
  dots_of_row r1, r0, r6, q1
  dots_of_row r3, r2, r8, q2
  .if \rows == 3
  dots_of_row r5, r4, r10, q3
  .endif
  le lr, 1b
2:
  ldr lr, TAIL
  cmp lr, #0
  beq 4f
  cmp lr, #16
  blt 3f
  vldrb.u8 q0, [r7], #16
  dots_of_row r1, r0, r6, q1
  dots_of_row r3, r2, r8, q2
  .if \rows == 3
  dots_of_row r5, r4, r10, q3
  .endif
3:
  ldr lr, REST
  vmsr p0, lr
  vpst
  vldrbt.u8 q0, [r7]
  rest_of_row r1, r0, r6, q1
  rest_of_row r3, r2, r8, q2
  .if \rows == 3
  rest_of_row r5, r4, r10, q3
  .endif
4:
  ldr r7, INPUT_OFFSET
  mla r0, r6, r7, r0
  mla r2, r8, r7, r2
  strd r0, r2, [r9], #8
  .if \rows == 3
  mla r4, r10, r7, r4
  str r4, [r9], #4
  .endif
  .endm

function LutraThreeRowsMve
  push {r3-r11, lr}
  mov r11, r0
  ldr r12, BASE
  ldrd r0, r9, EIGHTS
.Leights_of_three_rows:
  str r0, [sp]
  some_rows 3, OFFSETS
  some_rows 3, OFFSETS + 12
  some_rows 2, OFFSETS + 24
  ldr r0, [sp]
  ldr r1, STEP
  subs r0, r0, #1
  add r12, r12, r1
  bne .Leights_of_three_rows
  pop {r3-r11, pc}
end_function LutraThreeRowsMve
