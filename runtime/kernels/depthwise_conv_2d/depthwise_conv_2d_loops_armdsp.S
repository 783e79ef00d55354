// SPDX-License-Identifier: Apache-2.0
// The inner loops of DEPTHWISE_CONV_2D for Cortex-M with DSP instructions. loops_armdsp.h describes them.

#include "runtime/kernels/assembly_armdsp.inc"

// ---- LutraDepthwisePairsArmdsp(job, channel), LutraDepthwiseSinglesArmdsp(job, channel)
// r0-r5 weights: two words for each row, (w0, w1) and (w1, w2). r6 the first sum, r7 values of a pair of columns, lr those
// of the next pair, r8 output, r9 r10 sums, r11 r12 operands. On the stack:

#define STEP_MULTIPLIER [sp, #0]  // And the addend.
#define STEP_ADDEND [sp, #4]
#define SHIFT [sp, #8]  // And the step from pixel to pixel.
#define CHANNELS [sp, #12]
#define OUTPUT_PITCH [sp, #16]  // And the end of the line.
#define END_OF_LINE [sp, #20]
#define LINE_OUTPUT [sp, #24]  // And the step from line to line.
#define LINES [sp, #32]  // And bytes of a line of values.
#define LINE_BYTES [sp, #36]
#define HAS_SINGLE [sp, #40]
#define NEEDS_SIGN [sp, #44]

  .macro begin_depthwise
  push {r4-r11, lr}
  sub sp, sp, #52
  ldm r0, {r2-r11}
  str r2, CHANNELS
  add r12, r10, r11
  strd r3, r12, OUTPUT_PITCH
  add r12, sp, #24
  stm r12, {r4-r9}
  add lr, r10, r7
  mov r8, r4
  mov r7, r10
  ldm r1!, {r2, r3, r4}
  strd r2, r3, STEP_MULTIPLIER
  str r4, SHIFT
  ldm r1, {r0-r6}
  .endm

  .macro end_depthwise
  add sp, sp, #52
  pop {r4-r11, pc}
  .endm

  // Goes from the end of a line to the next one, `skip` bytes further, and loops while there is one.
  .macro next_line skip, again
  ldrd r9, r10, LINES
  ldrd r11, r12, LINE_OUTPUT
  add r7, r7, #\skip
  add lr, lr, #\skip
  add r8, r11, r12
  str r8, LINE_OUTPUT
  ldr r11, END_OF_LINE
  subs r9, r9, #1
  add r11, r11, r10
  str r11, END_OF_LINE
  str r9, LINES
  bne \again
  .endm

  // Leaves the sums of two neighbouring pixels in r9 and r10: 16 instructions. `step` leads to the next two.
  .macro sum_pair step
  ldrd r11, r12, [r7], #\step
  smlad r9, r11, r0, r6
  smlatb r10, r11, r0, r6
  smlad r9, r12, r2, r9
  smlatb r10, r12, r2, r10
  ldr r11, [r7, #8 - \step]
  smlad r9, r11, r4, r9
  smlatb r10, r11, r4, r10
  ldrd r11, r12, [lr], #\step
  smlabt r9, r11, r1, r9
  smlad r10, r11, r1, r10
  smlabt r9, r12, r3, r9
  smlad r10, r12, r3, r10
  ldr r11, [lr, #8 - \step]
  smlabt r9, r11, r5, r9
  smlad r10, r11, r5, r10
  .endm

  // Leaves the sum of one pixel in r9. `step` leads to the row below.
  .macro sum_single step
  ldr r11, [r7, #8]
  smlad r9, r11, r4, r6
  ldrd r11, r12, [r7], #\step
  smlad r9, r11, r0, r9
  smlad r9, r12, r2, r9
  ldr r11, [lr, #8]
  smlabt r9, r11, r5, r9
  ldrd r11, r12, [lr], #\step
  smlabt r9, r11, r1, r9
  smlabt r9, r12, r3, r9
  .endm

  // The sign of a sum is the sign of the high word of its product.
  .macro high_word_by_sign sum
  smmul \sum, \sum, r11
  asr r12, \sum, #31
  add \sum, \sum, r12, lsl #7
  .endm

  .macro next_row again
  ldrd r11, r12, OUTPUT_PITCH
  add r8, r8, r11
  cmp r7, r12
  bne \again
  .endm

  .macro store_pair again
  ldrd r11, r12, SHIFT
  asr r9, r9, r11
  asr r10, r10, r11
  ssat r9, #8, r9
  ssat r10, #8, r10
  strb r9, [r8]
  strb r10, [r8, r12]
  next_row \again
  .endm

  .macro store_single again
  ldr r11, SHIFT
  asr r9, r9, r11
  ssat r9, #8, r9
  strb r9, [r8]
  next_row \again
  .endm

  // Lines of one pixel each.
  .macro singles step, skip
  ldr r9, NEEDS_SIGN
  cmp r9, #0
  bne 2f
1:
  sum_single \step
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
  store_single 1b
  next_line \skip, 1b
  end_depthwise
2:
  sum_single \step
  ldr r11, STEP_MULTIPLIER
  high_word_by_sign r9
  ldr r12, STEP_ADDEND
  add r9, r9, r12
  store_single 2b
  next_line \skip, 2b
  end_depthwise
  .endm

function LutraDepthwisePairsArmdsp
  begin_depthwise
  ldr r9, NEEDS_SIGN
  cmp r9, #0
  bne.w .Lpair_by_sign
.Lpair:
  sum_pair 4
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
  smmla r10, r10, r11, r12
  store_pair .Lpair
  next_line 8, .Lpair
.Lpairs_end:
  ldr r9, HAS_SINGLE
  cmp r9, #0
  beq.w .Lpairs_return
  mov r9, #1
  str r9, LINES
  singles 4, 8
.Lpairs_return:
  end_depthwise
.Lpair_by_sign:
  sum_pair 4
  ldr r11, STEP_MULTIPLIER
  high_word_by_sign r9
  high_word_by_sign r10
  ldr r12, STEP_ADDEND
  add r9, r9, r12
  add r10, r10, r12
  store_pair .Lpair_by_sign
  next_line 8, .Lpair_by_sign
  b .Lpairs_end
end_function LutraDepthwisePairsArmdsp

// ---- LutraDepthwiseRowArmdsp(job, channel): as LutraDepthwisePairsArmdsp, with another stack.

#define END_OF_ROW [sp, #16]
#define ROW_HAS_SINGLE [sp, #20]

function LutraDepthwiseRowArmdsp
  push {r4-r11, lr}
  sub sp, sp, #28
  ldm r0, {r2-r10}
  add r6, r6, r6, lsl #1
  add r6, r10, r6, lsl #2
  str r2, CHANNELS
  str r6, END_OF_ROW
  str r8, ROW_HAS_SINGLE
  mov r8, r4
  mov r7, r10
  add lr, r10, #12
  ldm r1!, {r2, r3, r4}
  strd r2, r3, STEP_MULTIPLIER
  str r4, SHIFT
  ldm r1, {r0-r6}
1:
  sum_pair 12
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
  smmla r10, r10, r11, r12
  ldrd r11, r12, SHIFT
  asr r9, r9, r11
  asr r10, r10, r11
  ssat r9, #8, r9
  ssat r10, #8, r10
  strb r9, [r8]
  strb r10, [r8, r12]
  ldr r11, END_OF_ROW
  add r8, r8, r12, lsl #1
  cmp r7, r11
  bne 1b
  ldr r11, ROW_HAS_SINGLE
  cmp r11, #0
  beq 2f
  sum_single 12
  ldrd r11, r12, STEP_MULTIPLIER
  smmla r9, r9, r11, r12
  ldr r11, SHIFT
  asr r9, r9, r11
  ssat r9, #8, r9
  strb r9, [r8]
2:
  add sp, sp, #28
  pop {r4-r11, pc}
end_function LutraDepthwiseRowArmdsp

function LutraDepthwiseSinglesArmdsp
  begin_depthwise
  singles 8, 4
end_function LutraDepthwiseSinglesArmdsp

// ---- LutraExpandColumnsArmdsp(job, pixels, plane)
// r0 pixels, r1 from pixel to pixel, r2 offset, r3-r6 planes, r7 from row to row, r8-r11 values, r12 a word, lr the end
// of a column's rows. On the stack: the job, the first row's pixel, the remaining pairs.

#define FIRST_PIXEL [sp, #0]
#define PAIRS_LEFT [sp, #4]
#define GAP [sp, #8]
#define ROWS_BYTES [sp, #12]
#define HAS_RIGHT [sp, #16]

  // Expands a pixel: channels 0 and 2 to r10, 1 and 3 to r8.
  .macro expand_pixel
  ldr r8, [r0]
  add r0, r0, r7
  sxtab16 r10, r2, r8
  sxtab16 r8, r2, r8, ror #8
  .endm

  .macro next_columns pixels
  ldr r8, FIRST_PIXEL
  ldrd r9, r10, GAP
  add r0, r8, r1\pixels
  str r0, FIRST_PIXEL
  add r3, r3, r9
  add r4, r4, r9
  add r5, r5, r9
  add r6, r6, r9
  add lr, r3, r10
  .endm

function LutraExpandColumnsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #20
  mov r12, r0
  str r1, FIRST_PIXEL
  mov r3, r2
  ldm r12, {r1, r2, r6-r11}
  mov r0, r10
  strd r8, r9, PAIRS_LEFT
  strd r0, r11, ROWS_BYTES
  ldr r9, [r12, #32]
  mov r12, r6
  add r4, r3, r12
  add r5, r4, r12
  add r6, r5, r12
  add lr, r3, r0
  ldr r0, FIRST_PIXEL
  cmp r9, #0
  beq 3f
  // The first pixel is the second of its pair.
1:
  expand_pixel
  lsl r12, r10, #16
  str r12, [r3], #4
  lsl r12, r8, #16
  str r12, [r4], #4
  bfc r10, #0, #16
  str r10, [r5], #4
  bfc r8, #0, #16
  str r8, [r6], #4
  cmp r3, lr
  bne 1b
  next_columns
3:
  ldr r8, PAIRS_LEFT
  cmp r8, #0
  beq 5f
4:
  ldr r8, [r0]
  ldr r9, [r0, r1]
  add r0, r0, r7
  sxtab16 r10, r2, r8
  sxtab16 r11, r2, r9
  sxtab16 r8, r2, r8, ror #8
  sxtab16 r9, r2, r9, ror #8
  pkhbt r12, r10, r11, lsl #16
  str r12, [r3], #4
  pkhbt r12, r8, r9, lsl #16
  str r12, [r4], #4
  pkhtb r12, r11, r10, asr #16
  str r12, [r5], #4
  pkhtb r12, r9, r8, asr #16
  str r12, [r6], #4
  cmp r3, lr
  bne 4b
  next_columns ", lsl #1"
  ldr r8, PAIRS_LEFT
  subs r8, r8, #1
  str r8, PAIRS_LEFT
  bne 4b
5:
  ldr r8, HAS_RIGHT
  cmp r8, #0
  beq 7f
  // The last pixel is the first of its pair.
6:
  expand_pixel
  uxth r12, r10
  str r12, [r3], #4
  uxth r12, r8
  str r12, [r4], #4
  lsr r12, r10, #16
  str r12, [r5], #4
  lsr r12, r8, #16
  str r12, [r6], #4
  cmp r3, lr
  bne 6b
7:
  add sp, sp, #20
  pop {r4-r11, pc}
end_function LutraExpandColumnsArmdsp

// ---- LutraWindowsArmdsp(job)
// r0 values, r1 weights, r2 taps, r3 from output to output and r8 three times that, r4-r7 sums, r9 values, r10 weights, r11
// from tap to tap, r12 rows of taps, lr from the end of a row's taps to the next row's. On the stack the job, and more:

#undef OUTPUT_PITCH
#define VALUES [sp, #0]  // And the weights.
#define FIRST_SUM [sp, #8]
#define TAPS [sp, #12]
#define TAP_STEP [sp, #16]
#define TAP_ROW_STEP [sp, #20]
#define TAP_ROWS [sp, #24]
#define VALUE_STEP [sp, #28]
#define VALUES_PITCH [sp, #32]
#define MULTIPLIER [sp, #36]  // And the addend.
#define SHIFT_AND_SIGN [sp, #44]
#define OUTPUT [sp, #52]
#define OUTPUT_STEP [sp, #56]
#define OUTPUT_PITCH [sp, #60]
#define WIDTH [sp, #64]
#define ROWS [sp, #68]
#define QUAD_VALUES [sp, #72]
#define QUAD_OUTPUT [sp, #76]
#define PIXELS_LEFT [sp, #80]

  .macro requantise_window sum
  asr r9, \sum, #31
  and r9, r9, r3
  smmla \sum, \sum, r0, r1
  sub \sum, \sum, r9
  asr \sum, \sum, r2
  ssat \sum, #8, \sum
  .endm

function LutraWindowsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #84
  mov r1, sp
  ldm r0!, {r2-r10}
  stm r1!, {r2-r10}
  ldm r0!, {r2-r10}
  stm r1!, {r2-r10}
.Lwindow_row:
  ldr r0, VALUES
  ldr r2, OUTPUT
  ldr r4, WIDTH
  str r0, QUAD_VALUES
  str r2, QUAD_OUTPUT
  str r4, PIXELS_LEFT
.Lwindow_quad:
  ldr r0, QUAD_VALUES
  ldr r1, [sp, #4]
  ldr r4, FIRST_SUM
  ldr r3, VALUE_STEP
  ldr r12, TAP_ROWS
  ldr r11, TAP_STEP
  ldr lr, TAP_ROW_STEP
  mov r5, r4
  mov r6, r4
  mov r7, r4
  add r8, r3, r3, lsl #1
1:
  ldr r2, TAPS
2:
  ldr r10, [r1], #4
  ldr r9, [r0]
  smlad r4, r9, r10, r4
  ldr r9, [r0, r3]
  smlad r5, r9, r10, r5
  ldr r9, [r0, r3, lsl #1]
  smlad r6, r9, r10, r6
  ldr r9, [r0, r8]
  smlad r7, r9, r10, r7
  add r0, r0, r11
  subs r2, r2, #1
  bne 2b
  add r0, r0, lr
  subs r12, r12, #1
  bne 1b
  // r0 multiplier, r1 addend, r2 shift, r3 the number that a negative sum subtracts.
  ldr r10, QUAD_VALUES
  add r10, r10, r3, lsl #2
  str r10, QUAD_VALUES
  ldrd r0, r1, MULTIPLIER
  ldrd r2, r3, SHIFT_AND_SIGN
  requantise_window r4
  requantise_window r5
  requantise_window r6
  requantise_window r7
  ldr r0, QUAD_OUTPUT
  ldr r1, OUTPUT_STEP
  ldr r2, PIXELS_LEFT
  strb r4, [r0]
  add r0, r0, r1
  cmp r2, #2
  blt 3f
  strb r5, [r0]
  add r0, r0, r1
  beq 3f
  cmp r2, #4
  strb r6, [r0]
  add r0, r0, r1
  blt 3f
  strb r7, [r0]
  add r0, r0, r1
3:
  str r0, QUAD_OUTPUT
  subs r2, r2, #4
  str r2, PIXELS_LEFT
  bgt .Lwindow_quad
  ldr r0, VALUES
  ldr r1, VALUES_PITCH
  add r0, r0, r1
  str r0, VALUES
  ldr r0, OUTPUT
  ldr r1, OUTPUT_PITCH
  add r0, r0, r1
  str r0, OUTPUT
  ldr r0, ROWS
  subs r0, r0, #1
  str r0, ROWS
  bne .Lwindow_row
  add sp, sp, #84
  pop {r4-r11, pc}
end_function LutraWindowsArmdsp

// ---- LutraTapsArmdsp(job)
// r0 input, r1 filter, r2 and r3 from tap to tap in them, r4-r7 sums, r8 taps, r9 offset, r10 values, r11 weights. On the
// stack the job's address, and the remaining rows of taps. The job's input, pixels and output advance.

#define JOB [sp, #0]
#define TAP_ROWS_LEFT [sp, #4]

  // r10 steps, lr sign.
  .macro requantise_tap_sum sum
  lsl \sum, \sum, #8
  ldm r10!, {r0-r2}
  and r3, lr, \sum, asr #31
  smmla \sum, \sum, r0, r1
  sub \sum, \sum, r3
  asr \sum, \sum, r2
  ssat \sum, #8, \sum
  .endm

function LutraTapsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #8
  mov r12, r0
  str r0, JOB
.Ltaps_pixel:
  add r10, r12, #64
  ldm r10, {r4-r7}
  ldrd r8, r11, [r12, #24]
  ldr r9, [r12, #48]
  ldm r12, {r0-r3}
.Ltaps_row:
  str r11, TAP_ROWS_LEFT
  ldr r12, [r12, #60]
  cmp r12, #0
  bne 2f
  // 14 instructions for 4 products.
1:
  ldr r10, [r0]
  ldr r11, [r1]
  add r0, r0, r2
  add r1, r1, r3
  sxtab16 r12, r9, r10
  sxtb16 lr, r11
  smlabb r4, r12, lr, r4
  smlatt r6, r12, lr, r6
  sxtab16 r12, r9, r10, ror #8
  sxtb16 lr, r11, ror #8
  smlabb r5, r12, lr, r5
  smlatt r7, r12, lr, r7
  subs r8, r8, #1
  bne 1b
  b 3f
2:
  ldrsb r10, [r0]
  ldr r11, [r1]
  add r0, r0, r2
  add r1, r1, r3
  sxtah r12, r10, r9
  sxtb16 lr, r11
  smlabb r4, r12, lr, r4
  smlabt r6, r12, lr, r6
  sxtb16 lr, r11, ror #8
  smlabb r5, r12, lr, r5
  smlabt r7, r12, lr, r7
  subs r8, r8, #1
  bne 2b
3:
  ldr r12, JOB
  ldr r11, TAP_ROWS_LEFT
  ldrd r10, lr, [r12, #16]
  ldr r8, [r12, #24]
  add r0, r0, r10
  add r1, r1, lr
  subs r11, r11, #1
  bne .Ltaps_row
  add r10, r12, #80
  ldr lr, [r12, #52]
  requantise_tap_sum r4
  requantise_tap_sum r5
  requantise_tap_sum r6
  requantise_tap_sum r7
  bfi r4, r5, #8, #8
  bfi r4, r6, #16, #8
  bfi r4, r7, #24, #8
  ldrd r1, r2, [r12, #40]
  ldr r3, [r12, #56]
  add r2, r2, r1
  str r2, [r12, #40]
  cbnz r3, 5f
  str r4, [r1]
4:
  ldr r2, [r12]
  ldrd r4, r5, [r12, #32]
  add r2, r2, r5
  str r2, [r12]
  subs r4, r4, #1
  str r4, [r12, #32]
  bne .Ltaps_pixel
  add sp, sp, #8
  pop {r4-r11, pc}
5:
  lsr r4, r4, r3
  add r1, r1, r3, lsr #3
6:
  strb r4, [r1], #1
  lsr r4, r4, #8
  add r3, r3, #8
  cmp r3, #32
  bne 6b
  b 4b
end_function LutraTapsArmdsp
