/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware in C99: it runs the model that the command line names on inputs of zeros and prints the codes of
 * its output, or why it is refused. Its operators are those of models/kws.tflite. */

#include "platforms/common/c_firmware.h"

#include <lutra/c.h>
#include <string.h>

#include "runtime/testing/c_layout.h"

static union {
  uint64_t alignment;
  uint8_t bytes[64 * 1024];
} model_file;
static uint8_t arena[16 * 1024];
static LutraModel model;
static LutraInterpreter interpreter;

static int Refuse(const LutraDiagnosis* diagnosis) {
  FirmwarePrint("refused", diagnosis->rule, "node", diagnosis->node);
  return 3;
}

int main(int argc, char** argv) {
  const LutraOp ops[] = {LUTRA_OP_CONV_2D, LUTRA_OP_DEPTHWISE_CONV_2D, LUTRA_OP_AVERAGE_POOL_2D,
                         LUTRA_OP_FULLY_CONNECTED, LUTRA_OP_SOFTMAX};
  const intptr_t size = FirmwareReadFile(argc > 1 ? argv[1] : "", model_file.bytes, sizeof model_file.bytes);
  LutraDiagnosis diagnosis;
  LutraTensor tensor;
  int32_t i;
  size_t at;
  if (size < 0 || lutra_abi_version() != LUTRA_ABI_VERSION) return 3;
  if (lutra_model_load(&model, model_file.bytes, (size_t)size, &diagnosis) != LUTRA_OK)
    return Refuse(&diagnosis);
  if (lutra_interpreter_init(&interpreter, &model, ops, sizeof ops / sizeof *ops, arena, sizeof arena,
                             NULL) != LUTRA_OK) {
    return 1;
  }
  if (lutra_allocate_tensors(&interpreter) != LUTRA_OK) {
    if (lutra_diagnosis(&interpreter, &diagnosis) != LUTRA_OK) return 1;
    return Refuse(&diagnosis);
  }
  for (i = 0; i < lutra_input_count(&interpreter); ++i) {
    if (lutra_input(&interpreter, i, &tensor) != LUTRA_OK) return 1;
    memset(tensor.data, 0, tensor.bytes);
  }
  if (lutra_input(&interpreter, i, &tensor) != LUTRA_INVALID_ARGUMENT) return 1;
  if (lutra_invoke(&interpreter) != LUTRA_OK) return 1;
  for (i = 0; i < lutra_output_count(&interpreter); ++i) {
    if (lutra_output(&interpreter, i, &tensor) != LUTRA_OK || tensor.type != LUTRA_INT8) return 1;
    for (at = 0; at < tensor.bytes; ++at)
      FirmwarePrint("output", i, "code", ((const int8_t*)tensor.data)[at]);
  }
  FirmwarePrint("arena", (intptr_t)lutra_arena_used_bytes(&interpreter), "of", (intptr_t)sizeof arena);
  return 0;
}
