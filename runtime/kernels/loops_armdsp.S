// SPDX-License-Identifier: Apache-2.0
// The inner loops of the variants for Cortex-M with DSP instructions: loops_armdsp.h says what each does. They need
// all fourteen registers, which compilers do not give.

  .syntax unified
  .thumb

  .macro function name
  .section .text.\name, "ax", %progbits
  .balign 4
  .global \name
  .type \name, %function
  .thumb_func
\name:
  .endm

  .macro end_function name
  .size \name, . - \name
  .endm

// ---- LutraExpandPixelsArmdsp(first, second, to, words, offset): 10 instructions for 8 values.

function LutraExpandPixelsArmdsp
  push {r4-r7, lr}
  ldr r4, [sp, #20]
1:
  ldr r5, [r0], #4
  ldr r6, [r1], #4
  sxtab16 r7, r4, r5
  sxtab16 r12, r4, r6
  sxtab16 r5, r4, r5, ror #8
  sxtab16 r6, r4, r6, ror #8
  strd r5, r6, [r2, #16]
  strd r7, r12, [r2], #32
  subs r3, r3, #1
  bne 1b
  pop {r4-r7, pc}
end_function LutraExpandPixelsArmdsp

// ---- LutraExpandLinesArmdsp(job)
// r0 r1 pixels, r2 to, r3 words of a line, r4 offset, r5 from line to line, r6 lines, r7-r10 values, r12 words.

function LutraExpandLinesArmdsp
  push {r4-r10, lr}
  ldm r0, {r0-r6}
2:
  mov r12, r3
1:
  ldr r7, [r0], #4
  ldr r8, [r1], #4
  sxtab16 r9, r4, r7
  sxtab16 r10, r4, r8
  sxtab16 r7, r4, r7, ror #8
  sxtab16 r8, r4, r8, ror #8
  strd r7, r8, [r2, #16]
  strd r9, r10, [r2], #32
  subs r12, r12, #1
  bne 1b
  add r0, r0, r5
  add r1, r1, r5
  subs r6, r6, #1
  bne 2b
  pop {r4-r10, pc}
end_function LutraExpandLinesArmdsp

// ---- LutraCopyLinesArmdsp(from, to, bytes, pitch, lines)
// r0 from, r1 to, r2 bytes of a line, r3 pitch, r4 lines, r5 and r6 where a line is, r7 bytes left, r12 a word.

function LutraCopyLinesArmdsp
  push {r4-r7, lr}
  ldr r4, [sp, #20]
1:
  mov r5, r0
  mov r6, r1
  mov r7, r2
2:
  ldr r12, [r5], #4
  str r12, [r6], #4
  subs r7, r7, #4
  bgt 2b
  add r0, r0, r3
  add r1, r1, r2
  subs r4, r4, #1
  bne 1b
  pop {r4-r7, pc}
end_function LutraCopyLinesArmdsp

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

// ---- LutraExpandWeightsArmdsp(first, second, to, words): 8 instructions for 8 weights.

  .macro expand_weights
  ldr r5, [r0], #4
  ldr r6, [r1], #4
  and r7, r4, r5, lsl #8
  and r12, r4, r6, lsl #8
  and r5, r5, r4
  and r6, r6, r4
  strd r5, r6, [r2, #8]
  strd r7, r12, [r2], #16
  .endm

function LutraExpandWeightsArmdsp
  push {r4-r7, lr}
  mov r4, #0xFF00FF00
  tst r3, #1
  beq 2f
  expand_weights
2:
  lsrs r3, r3, #1
  beq 3f
1:
  expand_weights
  expand_weights
  subs r3, r3, #1
  bne 1b
3:
  pop {r4-r7, pc}
end_function LutraExpandWeightsArmdsp

// ---- LutraDotsArmdsp(job)
// r0 weights, r1 r2 and r3 r4 operands, r5 values, r6-r9 sums of the first output, r10-r12 lr of the second. On the stack:

#define END_OF_VALUES [sp, #0]
#define QUAD_BYTES [sp, #4]
#define WEIGHTS [sp, #8]
#define OUTPUT [sp, #12]
#define STEPS [sp, #16]  // One step, and three.
#define NEEDS_SIGN [sp, #24]
#define BLOCK_BYTES [sp, #28]
#define LAST_PIXELS [sp, #32]
#define END_OF_QUAD [sp, #36]
#define END_OF_BLOCKS [sp, #40]

  // 22 instructions for 32 products: of four values with even and odd places.
  .macro dots_of_four
  ldrd r1, r2, [r0], #16
  ldrd r3, r4, [r5], #32
  smlad r6, r1, r3, r6
  smlad r10, r2, r3, r10
  smlad r7, r1, r4, r7
  smlad r11, r2, r4, r11
  ldrd r3, r4, [r5, #-24]
  smlad r8, r1, r3, r8
  smlad r12, r2, r3, r12
  smlad r9, r1, r4, r9
  smlad lr, r2, r4, lr
  ldrd r1, r2, [r0, #-8]
  ldrd r3, r4, [r5, #-16]
  smlad r6, r1, r3, r6
  smlad r10, r2, r3, r10
  smlad r7, r1, r4, r7
  smlad r11, r2, r4, r11
  ldrd r3, r4, [r5, #-8]
  smlad r8, r1, r3, r8
  smlad r12, r2, r3, r12
  smlad r9, r1, r4, r9
  smlad lr, r2, r4, lr
  .endm

  .macro requantise sum
  smmla \sum, \sum, r1, r2
  asr \sum, \sum, r3
  ssat \sum, #8, \sum
  .endm

  .macro requantise_by_sign sum
  asr r4, \sum, #31
  smmla \sum, \sum, r1, r2
  add \sum, \sum, r4, lsl #7
  asr \sum, \sum, r3
  ssat \sum, #8, \sum
  .endm

function LutraDotsArmdsp
  push {r4-r11, lr}
  sub sp, sp, #44
  ldm r0, {r3-r12}
  stm sp, {r4-r12}
  mov r5, r3
.Lquad:
  ldr r3, QUAD_BYTES
  add r3, r3, r5
  str r3, END_OF_QUAD
  ldr r4, BLOCK_BYTES
  ldr r0, WEIGHTS
  ldrd r6, r10, [r0], #8
  mov r7, r6
  mov r8, r6
  mov r9, r6
  mov r11, r10
  mov r12, r10
  mov lr, r10
  cmp r4, #0
  beq.w .Lpairs
  add r4, r4, r5
  str r4, END_OF_BLOCKS
.Lblock:
  .rept 8
  dots_of_four
  .endr
  ldr r3, END_OF_BLOCKS
  cmp r5, r3
  bne .Lblock
  ldr r3, END_OF_QUAD
  cmp r5, r3
  beq .Lrequantise
.Lpairs:
  dots_of_four
  dots_of_four
  ldr r3, END_OF_QUAD
  cmp r5, r3
  bne .Lpairs
.Lrequantise:
  ldr r4, NEEDS_SIGN
  ldmia r0!, {r1, r2, r3}
  cmp r4, #0
  bne.w .Lsign
  requantise r6
  requantise r7
  requantise r8
  requantise r9
  ldmia r0!, {r1, r2, r3}
  requantise r10
  requantise r11
  requantise r12
  requantise lr
.Lstore:
  ldr r4, OUTPUT
  ldr r3, END_OF_VALUES
  ldrd r1, r2, STEPS
  bfi r6, r10, #8, #24
  bfi r7, r11, #8, #24
  bfi r8, r12, #8, #24
  bfi r9, lr, #8, #24
  cmp r5, r3
  beq .Llast
  strh r7, [r4, r1]
  strh r8, [r4, r1, lsl #1]
  strh r9, [r4, r2]
  strh r6, [r4]
  add r4, r4, r1, lsl #2
  str r4, OUTPUT
  b .Lquad
.Llast:
  ldr r3, LAST_PIXELS
  strh r6, [r4]
  cmp r3, #2
  it ge
  strhge r7, [r4, r1]
  cmp r3, #3
  it ge
  strhge r8, [r4, r1, lsl #1]
  it gt
  strhgt r9, [r4, r2]
  add sp, sp, #44
  pop {r4-r11, pc}
.Lsign:
  requantise_by_sign r6
  requantise_by_sign r7
  requantise_by_sign r8
  requantise_by_sign r9
  ldmia r0!, {r1, r2, r3}
  requantise_by_sign r10
  requantise_by_sign r11
  requantise_by_sign r12
  requantise_by_sign lr
  b .Lstore
end_function LutraDotsArmdsp

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
