/* SPDX-License-Identifier: Apache-2.0 */
/* These types hold the layout of the structs in lutra/c.h, and its numbers, for pointers of 32 and of 64
 * bits: a change of it is a change of LUTRA_ABI_VERSION. */

#ifndef LUTRA_TESTING_C_LAYOUT_H_
#define LUTRA_TESTING_C_LAYOUT_H_

#include <lutra/c.h>

#define SAME(name, a, b) typedef char name[(a) == (b) ? 1 : -1]
#define WORD sizeof(void*)
SAME(abi_version, LUTRA_ABI_VERSION, 1);
SAME(size_of_diagnosis, sizeof(LutraDiagnosis), 24 + WORD);
SAME(place_of_required, offsetof(LutraDiagnosis, required), 20);
SAME(place_of_wanted, offsetof(LutraDiagnosis, wanted_bytes), 24);
SAME(size_of_tensor, sizeof(LutraTensor), 2 * WORD + 48);
SAME(place_of_bytes, offsetof(LutraTensor, bytes), WORD);
SAME(place_of_type, offsetof(LutraTensor, type), 2 * WORD);
SAME(place_of_rank, offsetof(LutraTensor, rank), 2 * WORD + 4);
SAME(place_of_shape, offsetof(LutraTensor, shape), 2 * WORD + 8);
SAME(place_of_scale, offsetof(LutraTensor, scale), 2 * WORD + 40);
SAME(place_of_zero_point, offsetof(LutraTensor, zero_point), 2 * WORD + 44);
SAME(size_of_model, sizeof(LutraModel), 8 * WORD);
SAME(size_of_interpreter, sizeof(LutraInterpreter), 80 * WORD);
SAME(size_of_op, sizeof(LutraOp), 5 * WORD);
SAME(place_of_eval, offsetof(LutraOp, eval), 2 * WORD);
SAME(place_of_custom_code, offsetof(LutraOp, custom_code), 4 * WORD);
SAME(size_of_options, sizeof(LutraOptions), 3 * WORD);
SAME(place_of_decoder, offsetof(LutraOptions, decoder), WORD);
SAME(status_of_small_arena, LUTRA_ARENA_TOO_SMALL, 3);
SAME(type_of_int8, LUTRA_INT8, 9);

#endif
