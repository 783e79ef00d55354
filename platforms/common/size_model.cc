// SPDX-License-Identifier: Apache-2.0
// size_<model> MODEL [SEED]: has only the operators that one model uses (LUTRA_OPS, a list of them), to
// measure how small a firmware can be.

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "platforms/common/inference_report.h"

int main(int argc, char** argv) {
  using namespace lutra;
  static constexpr Op kOps[] = {LUTRA_OPS};
  return platforms::RunAndReport(argc, argv, {.ops = kOps});
}
