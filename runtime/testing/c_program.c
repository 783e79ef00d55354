/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C99 that uses lutra/c.h: c_program MODEL [LIBRARY.so]. It runs a model of one int8 input on zeros
 * and prints its output; with LIBRARY.so it finds every function by dlsym, as any foreign language would. */

#include "c_layout.h"

#include <stdio.h>
#include <string.h>

#ifdef LUTRA_DLOPEN
#include <dlfcn.h>
#endif

/* The functions, by name or by dlsym. */
#define FUNCTIONS(F)        \
  F(lutra_abi_version)      \
  F(lutra_model_load)       \
  F(lutra_interpreter_init) \
  F(lutra_allocate_tensors) \
  F(lutra_invoke)           \
  F(lutra_reset_variables)  \
  F(lutra_input_count)      \
  F(lutra_output_count)     \
  F(lutra_input)            \
  F(lutra_output)           \
  F(lutra_diagnosis)        \
  F(lutra_arena_used_bytes) \
  F(lutra_all_ops)

static struct {
  int32_t (*lutra_abi_version)(void);
  LutraStatus (*lutra_model_load)(LutraModel*, const void*, size_t, LutraDiagnosis*);
  LutraStatus (*lutra_interpreter_init)(LutraInterpreter*, const LutraModel*, const LutraOp*, size_t, void*, size_t,
                                        const LutraOptions*);
  LutraStatus (*lutra_allocate_tensors)(LutraInterpreter*);
  LutraStatus (*lutra_invoke)(LutraInterpreter*);
  void (*lutra_reset_variables)(LutraInterpreter*);
  int32_t (*lutra_input_count)(const LutraInterpreter*);
  int32_t (*lutra_output_count)(const LutraInterpreter*);
  LutraStatus (*lutra_input)(const LutraInterpreter*, int32_t, LutraTensor*);
  LutraStatus (*lutra_output)(const LutraInterpreter*, int32_t, LutraTensor*);
  LutraStatus (*lutra_diagnosis)(const LutraInterpreter*, LutraDiagnosis*);
  size_t (*lutra_arena_used_bytes)(const LutraInterpreter*);
  const LutraOp* (*lutra_all_ops)(size_t*);
} api;
static LutraOp fully_connected;

static int FindFunctions(const char* library) {
#ifdef LUTRA_DLOPEN
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
#define FIND(name)                                                \
  {                                                               \
    void* const found = dlsym(handle, #name);                     \
    if (found == NULL) return fprintf(stderr, "no " #name "\n") < 0; \
    memcpy(&api.name, &found, sizeof found);                      \
  }
  FUNCTIONS(FIND)
  {
    const void* const op = dlsym(handle, "lutra_op_fully_connected");
    if (op == NULL) return 0;
    memcpy(&fully_connected, op, sizeof fully_connected);
  }
#else
#define TAKE(name) api.name = name;
  FUNCTIONS(TAKE)
  fully_connected = LUTRA_OP_FULLY_CONNECTED;
  (void)library;
#endif
  return 1;
}

#define FAIL_UNLESS(condition)                                           \
  if (!(condition)) {                                                    \
    fprintf(stderr, "%s: line %d: " #condition "\n", argv[0], __LINE__); \
    return 1;                                                            \
  }

static union {
  double alignment[2];
  unsigned char bytes[64 * 1024];
} model_bytes, arena;

int main(int argc, char** argv) {
  LutraModel model;
  LutraInterpreter interpreter;
  LutraTensor input, output;
  LutraDiagnosis diagnosis;
  LutraOptions options;
  size_t size, count, used;
  FILE* file;
  memset(&options, 0, sizeof options);
  FAIL_UNLESS(argc >= 2 && FindFunctions(argc > 2 ? argv[2] : ""));
  file = fopen(argv[1], "rb");
  FAIL_UNLESS(file != NULL);
  size = fread(model_bytes.bytes, 1, sizeof model_bytes, file);
  fclose(file);

  FAIL_UNLESS(api.lutra_abi_version() == LUTRA_ABI_VERSION);
  FAIL_UNLESS(api.lutra_all_ops(&count) != NULL && count > 70);
  FAIL_UNLESS(api.lutra_model_load(&model, model_bytes.bytes, size / 2, &diagnosis) == LUTRA_INVALID_MODEL);
  FAIL_UNLESS(diagnosis.rule != 0);
  FAIL_UNLESS(api.lutra_interpreter_init(&interpreter, &model, &fully_connected, 1, arena.bytes, sizeof arena, NULL) ==
              LUTRA_INVALID_ARGUMENT);
  FAIL_UNLESS(api.lutra_model_load(NULL, model_bytes.bytes, size, NULL) == LUTRA_INVALID_ARGUMENT);
  FAIL_UNLESS(api.lutra_model_load(&model, model_bytes.bytes, size, NULL) == LUTRA_OK);

  FAIL_UNLESS(api.lutra_interpreter_init(&interpreter, &model, &fully_connected, 1, arena.bytes, 128, NULL) == LUTRA_OK);
  FAIL_UNLESS(api.lutra_allocate_tensors(&interpreter) == LUTRA_ARENA_TOO_SMALL);
  FAIL_UNLESS(api.lutra_diagnosis(&interpreter, &diagnosis) == LUTRA_OK && diagnosis.wanted_bytes > 128);
  FAIL_UNLESS(api.lutra_interpreter_init(&interpreter, &model, NULL, 0, arena.bytes, sizeof arena, &options) == LUTRA_OK);
  FAIL_UNLESS(api.lutra_allocate_tensors(&interpreter) == LUTRA_UNSUPPORTED);

  options.memory = LUTRA_MEMORY_FAST;
  FAIL_UNLESS(api.lutra_interpreter_init(&interpreter, &model, &fully_connected, 1, arena.bytes, sizeof arena,
                                         &options) == LUTRA_OK);
  FAIL_UNLESS(api.lutra_invoke(&interpreter) == LUTRA_INVALID_ARGUMENT);
  FAIL_UNLESS(api.lutra_allocate_tensors(&interpreter) == LUTRA_OK);
  used = api.lutra_arena_used_bytes(&interpreter);
  FAIL_UNLESS(used > 0 && (used & 15) == 0);
  FAIL_UNLESS(api.lutra_input_count(&interpreter) == 1 && api.lutra_output_count(&interpreter) == 1);
  FAIL_UNLESS(api.lutra_input(&interpreter, 1, &input) == LUTRA_INVALID_ARGUMENT);
  FAIL_UNLESS(api.lutra_input(&interpreter, -1, &input) == LUTRA_INVALID_ARGUMENT);
  FAIL_UNLESS(api.lutra_input(&interpreter, 0, &input) == LUTRA_OK);
  FAIL_UNLESS(input.type == LUTRA_INT8 && input.rank == 2 && input.shape[1] == 1 && input.bytes == 1);
  FAIL_UNLESS(input.scale > 0);
  api.lutra_reset_variables(&interpreter);
  memset(input.data, 0, input.bytes);
  FAIL_UNLESS(api.lutra_invoke(&interpreter) == LUTRA_OK);
  FAIL_UNLESS(api.lutra_output(&interpreter, 0, &output) == LUTRA_OK);
  printf("%d \n", ((const signed char*)output.data)[0]);
  return 0;
}
