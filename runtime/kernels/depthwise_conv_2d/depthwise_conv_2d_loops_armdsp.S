// SPDX-License-Identifier: Apache-2.0
// The inner loops of DEPTHWISE_CONV_2D for Cortex-M with DSP instructions: loops_armdsp.h says what each does.

#include "runtime/kernels/assembly_armdsp.inc"

// ---- LutraDepthwisePairsArmdsp(job, channel), LutraDepthwiseSinglesArmdsp(job, channel)
// r0-r5 weights: two words for each row, (w0, w1) and (w1, w2). r6 the first sum, r7 values, r8 output, r9 r10 sums,
// r11 r12 operands, lr shift. On the stack, from the third on as in the job:

#define STEP_MULTIPLIER [sp, #0]
#define STEP_ADDEND [sp, #4]
#define STEP_SIGN [sp, #8]
#define CHANNELS [sp, #12]
#define END_OF_ROW [sp, #16]
#define ROWS [sp, #20]
#define ROW_VALUES [sp, #24]
#define PITCH [sp, #28]
#define ROW_OUTPUT [sp, #32]
#define OUTPUT_PITCH [sp, #36]
#define ROW_BYTES [sp, #40]
#define SINGLE [sp, #44]

  .macro begin_depthwise
  push {r4-r11, lr}
  sub sp, sp, #52
  ldm r0, {r2-r11}
  add r12, sp, #8
  stm r12, {r2-r11}
  ldm r1!, {r2, r3}
  strd r2, r3, STEP_MULTIPLIER
  ldr lr, [r1, #28]
  ldm r1, {r0-r6}
  .endm

  .macro begin_row by_sign
  ldr r7, ROW_VALUES
  ldr r8, ROW_OUTPUT
  ldr r11, ROW_BYTES
  ldr r9, STEP_SIGN
  add r11, r11, r7
  str r11, END_OF_ROW
  cmp r9, #0
  bne \by_sign
  .endm

  .macro end_row next
  ldr r9, ROWS
  ldrd r10, r11, ROW_VALUES
  add r10, r10, r11
  str r10, ROW_VALUES
  ldrd r10, r11, ROW_OUTPUT
  add r10, r10, r11
  str r10, ROW_OUTPUT
  subs r9, r9, #1
  str r9, ROWS
  bne \next
  add sp, sp, #52
  pop {r4-r11, pc}
  .endm

  // Leaves the sums of two neighbouring pixels in r9 and r10: 15 instructions.
  .macro sum_pair
  ldrd r11, r12, [r7], #12
  smlad r9, r11, r0, r6
  smlatb r10, r11, r0, r6
  smlad r9, r12, r2, r9
  smlatb r10, r12, r2, r10
  ldrd r11, r12, [r7, #-4]
  smlad r9, r11, r4, r9
  smlatb r10, r11, r4, r10
  smlabt r9, r12, r1, r9
  smlad r10, r12, r1, r10
  ldrd r11, r12, [r7, #4]
  smlabt r9, r11, r3, r9
  smlad r10, r11, r3, r10
  smlabt r9, r12, r5, r9
  smlad r10, r12, r5, r10
  .endm

  // That of one pixel in r9.
  .macro sum_single
  ldrd r11, r12, [r7], #12
  smlad r9, r11, r0, r6
  smlad r9, r12, r2, r9
  ldrd r11, r12, [r7, #-4]
  smlad r9, r11, r4, r9
  smlabt r9, r12, r1, r9
  ldrd r11, r12, [r7, #4]
  smlabt r9, r11, r3, r9
  smlabt r9, r12, r5, r9
  .endm

  // The sign of a sum is that of the high word of its product.
  .macro high_word_by_sign sum
  smmul \sum, \sum, r11
  asr r12, \sum, #31
  add \sum, \sum, r12, lsl #7
  .endm

  .macro store_pair next
  asr r9, r9, lr
  asr r10, r10, lr
  ldrd r11, r12, CHANNELS  // And the end of the row.
  ssat r9, #8, r9
  ssat r10, #8, r10
  strb r9, [r8]
  strb r10, [r8, r11]
  add r8, r8, r11, lsl #1
  cmp r7, r12
  bne \next
  .endm

  .macro store_single next
  asr r9, r9, lr
  ldrd r11, r12, CHANNELS
  ssat r9, #8, r9
  strb r9, [r8]
  add r8, r8, r11
  cmp r7, r12
  bne \next
  .endm

function LutraDepthwisePairsArmdsp
  begin_depthwise
.Lpair_row:
  begin_row .Lpair_by_sign
.Lpair:
  sum_pair
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
  smmla r10, r10, r11, r12
  store_pair .Lpair
  ldr r9, SINGLE
  cmp r9, #0
  beq .Lpair_row_end
  sum_single
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
.Lstore_last:
  asr r9, r9, lr
  ssat r9, #8, r9
  strb r9, [r8]
.Lpair_row_end:
  end_row .Lpair_row
.Lpair_by_sign:
  sum_pair
  ldr r11, STEP_MULTIPLIER
  high_word_by_sign r9
  high_word_by_sign r10
  ldr r12, STEP_ADDEND
  add r9, r9, r12
  add r10, r10, r12
  store_pair .Lpair_by_sign
  ldr r9, SINGLE
  cmp r9, #0
  beq .Lpair_row_end
  sum_single
  ldr r11, STEP_MULTIPLIER
  high_word_by_sign r9
  ldr r12, STEP_ADDEND
  add r9, r9, r12
  b .Lstore_last
end_function LutraDepthwisePairsArmdsp

function LutraDepthwiseSinglesArmdsp
  begin_depthwise
.Lsingle_row:
  begin_row .Lsingle_by_sign
.Lsingle:
  sum_single
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
  store_single .Lsingle
.Lsingle_row_end:
  end_row .Lsingle_row
.Lsingle_by_sign:
  sum_single
  ldr r11, STEP_MULTIPLIER
  high_word_by_sign r9
  ldr r12, STEP_ADDEND
  add r9, r9, r12
  store_single .Lsingle_by_sign
  b .Lsingle_row_end
end_function LutraDepthwiseSinglesArmdsp

// ---- LutraExpandColumnsArmdsp(job, pixels, plane, slots)
// r0 pixels, r1 from pixel to pixel, r2 offset, r3-r6 planes, r7 from slot to slot, r8-r11 values, r12 a word, lr the end
// of pairs. On the stack the job.

  .macro store_word plane, slots
  .if \slots > 1
  str r12, [\plane, r7]
  .endif
  .if \slots > 2
  str r12, [\plane, r7, lsl #1]
  .endif
  str r12, [\plane], #12
  .endm

  // A pixel's channels 0 and 2 in r10, 1 and 3 in r8.
  .macro expand_pixel
  ldr r8, [r0]
  add r0, r0, r1
  sxtab16 r10, r2, r8
  sxtab16 r8, r2, r8, ror #8
  .endm

  .macro expand_columns slots
  ldr r9, [r8, #20]
  cmp r9, #0
  beq 1f
  // The first pixel is the second of its pair.
  expand_pixel
  lsl r12, r10, #16
  store_word r3, \slots
  lsl r12, r8, #16
  store_word r4, \slots
  bfc r10, #0, #16
  bfc r8, #0, #16
  mov r12, r10
  store_word r5, \slots
  mov r12, r8
  store_word r6, \slots
1:
  ldr r8, [sp]
  ldr r9, [r8, #16]
  add lr, r3, r9
  cmp r9, #0
  beq 3f
2:
  ldr r8, [r0]
  ldr r9, [r0, r1]
  add r0, r0, r1, lsl #1
  sxtab16 r10, r2, r8
  sxtab16 r11, r2, r9
  sxtab16 r8, r2, r8, ror #8
  sxtab16 r9, r2, r9, ror #8
  pkhbt r12, r10, r11, lsl #16
  store_word r3, \slots
  pkhbt r12, r8, r9, lsl #16
  store_word r4, \slots
  pkhtb r12, r11, r10, asr #16
  store_word r5, \slots
  pkhtb r12, r9, r8, asr #16
  store_word r6, \slots
  cmp r3, lr
  bne 2b
3:
  ldr r8, [sp]
  ldr r9, [r8, #24]
  cmp r9, #0
  beq 4f
  // The last pixel is the first of its pair.
  expand_pixel
  uxth r12, r10
  store_word r3, \slots
  uxth r12, r8
  store_word r4, \slots
  lsr r12, r10, #16
  store_word r5, \slots
  lsr r12, r8, #16
  store_word r6, \slots
4:
  pop {r3-r11, pc}
  .endm

function LutraExpandColumnsArmdsp
  push {r3-r11, lr}
  str r0, [sp]
  mov r8, r0
  mov r0, r1
  mov r12, r3
  mov r3, r2
  ldm r8, {r1, r2, r6, r7}
  add r4, r3, r6
  add r5, r4, r6
  add r6, r5, r6
  cmp r12, #2
  beq.w 5f
  bgt.w 6f
  expand_columns 1
5:
  expand_columns 2
6:
  expand_columns 3
end_function LutraExpandColumnsArmdsp
