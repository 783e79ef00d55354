// SPDX-License-Identifier: Apache-2.0
// The inner loops of CONV_2D for Cortex-M with DSP instructions. loops_armdsp.h describes them.

#include "runtime/kernels/assembly_armdsp.inc"

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
// r0 r1 pixels, r2 to, r3 words of a line, r4 offset, r5 bytes from line to line, r6 lines, r7-r10 values, r12 words.

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
// r0 from, r1 to, r2 bytes of a line, r3 pitch, r4 lines, r5 and r6 addresses in a line, r7 bytes left, r12 a word.

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

  // 8 instructions for 8 weights.
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

  // Expands r3 words; there may be none.
  .macro expand_words expand
  tst r3, #1
  beq 2f
  \expand
2:
  lsrs r3, r3, #1
  beq 4f
3:
  \expand
  \expand
  subs r3, r3, #1
  bne 3b
4:
  .endm

// ---- LutraPreparePairArmdsp(job, channel)
// r0 r1 rows of weights, r2 to, r3 words, r4 mask, r5-r7 and r12 values. At the start: r2 filter, r3 bytes of a row, r4 biases,
// r5 multipliers, r6 to, r7 words, r8 steps, r9 twice the zero point and 1, r10 nudge.

  .macro prepare_step
  ldrd r11, r12, [r5], #8
  cmp r12, #0
  rsb lr, r12, #7
  sub r12, lr, #1
  lsl r12, r9, r12
  it lt
  addlt r12, r12, r10
  stm r8!, {r11, r12, lr}
  .endm

  // Stores first sums and computes steps from multipliers. Leaves the first sums in r11 and r12.
  .section .text.LutraPreparePairArmdsp, "ax", %progbits
  .balign 4
  .thumb_func
prepare_sums:
  push {lr}
  ldm r0, {r2-r10}
  cbz r5, 2f
  add r5, r5, r1, lsl #3
  prepare_step
  prepare_step
2:
  movs r11, r4
  mov r12, r4
  beq 1f
  add r4, r4, r1, lsl #2
  ldrd r11, r12, [r4]
  lsl r11, r11, #8
  lsl r12, r12, #8
1:
  strd r11, r12, [r6]
  pop {pc}

  .macro prepare_pair
  push {r4-r11, lr}
  bl prepare_sums
  .endm

  .macro find_rows
  mla r0, r1, r3, r2
  add r1, r0, r3
  add r2, r6, #8
  mov r3, r7
  .endm

function LutraPreparePairArmdsp
  prepare_pair
  find_rows
  mov r4, #0xFF00FF00
  expand_words expand_weights
  pop {r4-r11, pc}
end_function LutraPreparePairArmdsp

// ---- LutraPreparePackedPairArmdsp(job, channel): 14 instructions for 8 weights.
// Registers are those of LutraPreparePairArmdsp, but r4 points to pairs of weights.

  .macro expand_packed
  ldrb r6, [r0, #1]
  ldrb r5, [r0], #2
  ldrb r8, [r1, #1]
  ldrb r7, [r1], #2
  ldr r6, [r4, r6, lsl #2]
  ldr r5, [r4, r5, lsl #2]
  ldr r8, [r4, r8, lsl #2]
  ldr r7, [r4, r7, lsl #2]
  pkhbt r9, r5, r6, lsl #16
  pkhbt r10, r7, r8, lsl #16
  pkhtb r5, r6, r5, asr #16
  pkhtb r7, r8, r7, asr #16
  strd r5, r7, [r2, #8]
  strd r9, r10, [r2], #16
  .endm

function LutraPreparePackedPairArmdsp
  prepare_pair
  ldr r4, [r0, #36]
  find_rows
  expand_words expand_packed
  pop {r4-r11, pc}
end_function LutraPreparePackedPairArmdsp

// ---- LutraPrepareTablesPairArmdsp(job, channel): 24 instructions for 8 weights.
// Registers are those of LutraPreparePairArmdsp, but r4 and r11 point to the tables of both rows.

  .macro expand_indices from table even odd free
  ldrh r5, [\from], #2
  ubfx \even, r5, #4, #4
  and \odd, r5, #15
  ubfx \free, r5, #8, #4
  lsr r5, r5, #12
  ldrh \even, [\table, \even, lsl #1]
  ldrh \odd, [\table, \odd, lsl #1]
  ldrh \free, [\table, \free, lsl #1]
  ldrh r5, [\table, r5, lsl #1]
  orr \odd, \odd, \free, lsl #16
  orr \even, \even, r5, lsl #16
  .endm

  .macro expand_by_tables
  expand_indices r0 r4 r6 r8 r7
  expand_indices r1 r11 r7 r9 r10
  strd r8, r9, [r2, #8]
  strd r6, r7, [r2], #16
  .endm

function LutraPrepareTablesPairArmdsp
  prepare_pair
  ldr r4, [r0, #36]
  find_rows
  add r11, r4, #32
  expand_words expand_by_tables
  pop {r4-r11, pc}
end_function LutraPrepareTablesPairArmdsp

// ---- LutraDotsArmdsp(job)
// r0 weights, r1 r2 and r3 r4 operands, r5 values, r6-r9 sums of the first output, r10-r12 lr of the second. On the stack:

#define END_OF_VALUES [sp, #0]  // And the output at #4.
#define OUTPUT [sp, #4]
#define QUAD_BYTES [sp, #8]  // And the bytes of blocks.
#define STEPS [sp, #16]  // For one step, then for three.
#define NEEDS_SIGN [sp, #24]
#define WEIGHTS [sp, #28]
#define LAST_PIXELS [sp, #32]
#define END_OF_BLOCKS [sp, #36]  // And the end of a quad.
#define END_OF_QUAD [sp, #40]

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
  ldrd r3, r4, QUAD_BYTES
  ldr r0, WEIGHTS
  add r3, r3, r5
  add r4, r4, r5
  strd r4, r3, END_OF_BLOCKS
  ldrd r6, r10, [r0], #8
  mov r7, r6
  mov r8, r6
  mov r9, r6
  mov r11, r10
  mov r12, r10
  mov lr, r10
  cmp r4, r5
  beq.w .Lpairs
.Lblock:
  .rept 8
  dots_of_four
  .endr
  ldrd r3, r4, END_OF_BLOCKS
  cmp r5, r3
  bne .Lblock
  cmp r5, r4
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
  ldrd r3, r4, END_OF_VALUES
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

// ---- LutraAddQuadArmdsp(values, weights, words, sums): 15 instructions for 16 products.
// r4-r7 sums, r8-r11 values, r12 a word of weights, lr operand.

function LutraAddQuadArmdsp
  push {r4-r11, lr}
  ldm r3, {r4-r7}
  cbz r2, 2f
1:
  ldr r12, [r1], #4
  sxtb16 lr, r12
  ldm r0!, {r8-r11}
  smlad r4, lr, r8, r4
  smlad r5, lr, r9, r5
  smlad r6, lr, r10, r6
  smlad r7, lr, r11, r7
  sxtb16 r12, r12, ror #8
  ldm r0!, {r8-r11}
  smlad r4, r12, r8, r4
  smlad r5, r12, r9, r5
  smlad r6, r12, r10, r6
  smlad r7, r12, r11, r7
  subs r2, r2, #1
  bne 1b
2:
  stm r3, {r4-r7}
  pop {r4-r11, pc}
end_function LutraAddQuadArmdsp

// ---- LutraPreparePairOfOneArmdsp(job, channel): 13 instructions for 8 weights and their products.
// Registers are those of LutraPreparePairArmdsp, then r8 lr values, r9 where they are, r10 r11 sums.
// At the end: r0 steps, r2 output, r4 the number that is subtracted from a code of a negative sum.

  .macro expand_and_multiply
  ldr r5, [r0], #4
  ldr r6, [r1], #4
  ldrd r8, lr, [r9], #8
  and r7, r4, r5, lsl #8
  and r12, r4, r6, lsl #8
  and r5, r5, r4
  and r6, r6, r4
  smlad r10, r7, r8, r10
  smlad r11, r12, r8, r11
  smlad r10, r5, lr, r10
  smlad r11, r6, lr, r11
  strd r5, r6, [r2, #8]
  strd r7, r12, [r2], #16
  .endm

  .macro requantise_one sum
  ldmia r0!, {r8, r12, lr}
  and r5, r4, \sum, asr #31
  smmla \sum, \sum, r8, r12
  sub \sum, \sum, r5
  asr \sum, \sum, lr
  ssat \sum, #8, \sum
  .endm

function LutraPreparePairOfOneArmdsp
  prepare_pair
  push {r0, r1}
  ldr r9, [r0, #40]
  mov r10, r11
  mov r11, r12
  find_rows
  mov r4, #0xFF00FF00
1:
  expand_and_multiply
  subs r3, r3, #1
  bne 1b
  pop {r3, r12}
  ldr r0, [r3, #24]
  ldrd r2, r4, [r3, #44]
  add r2, r2, r12
  requantise_one r10
  strb r10, [r2]
  requantise_one r11
  strb r11, [r2, #1]
  pop {r4-r11, pc}
end_function LutraPreparePairOfOneArmdsp

// ---- LutraDotsOfOneArmdsp(job, channel)
// r0 weights, then steps, r1 values, r2 output, r3 end of values, r4 the number that is subtracted from a code of a
// negative sum, r5 lr values, r6 r7 sums, r8 r12 weights.

  // 7 instructions for 8 products.
  .macro dots_of_one
  ldrd r8, r12, [r0], #16
  ldrd r5, lr, [r1], #8
  smlad r6, r8, r5, r6
  smlad r7, r12, r5, r7
  ldrd r8, r12, [r0, #-8]
  smlad r6, r8, lr, r6
  smlad r7, r12, lr, r7
  .endm

function LutraDotsOfOneArmdsp
  push {r4-r8, lr}
  ldrd r2, r4, [r0, #44]
  add r2, r2, r1
  ldr r1, [r0, #40]
  ldrd r0, r3, [r0, #16]
  add r3, r1, r3, lsl #3
  ldrd r6, r7, [r0], #8
1:
  dots_of_one
  dots_of_one
  cmp r1, r3
  bne 1b
  requantise_one r6
  strb r6, [r2]
  requantise_one r7
  strb r7, [r2, #1]
  pop {r4-r8, pc}
end_function LutraDotsOfOneArmdsp
