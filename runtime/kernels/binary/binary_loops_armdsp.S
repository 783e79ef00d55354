// SPDX-License-Identifier: Apache-2.0
// The inner loops of sums for Cortex-M with DSP instructions. loops_armdsp.h describes them.

#include "runtime/kernels/assembly_armdsp.inc"

// ---- LutraAddHalvesArmdsp(job)
// r0 halves, r1 products' input, r2 output, r3 its end, r4-r11 constants as in the job, r12 and lr values.

  // 15 instructions for an output.
  .macro add_element
  ldrsb r12, [r1], #1
  add r12, r5, r12, lsl #22
  smmla lr, r12, r6, r7
  add lr, lr, r12, asr #31
  add lr, lr, r12, asr #31
  asr lr, lr, r8
  ldrsb r12, [r0], #1
  add r12, r4, r12, lsl #21
  add r12, r12, lr, lsl #2
  smmla lr, r12, r9, r10
  add lr, lr, r12, asr #31
  add lr, lr, r12, asr #31
  asr lr, lr, r11
  ssat lr, #8, lr
  strb lr, [r2], #1
  .endm

function LutraAddHalvesArmdsp
  push {r4-r11, lr}
  ldm r0, {r0-r11}
  sub r12, r3, r2
  tst r12, #1
  beq 1f
  add_element
  b 2f
1:
  add_element
  add_element
2:
  cmp r2, r3
  bne 1b
  pop {r4-r11, pc}
end_function LutraAddHalvesArmdsp
