// SPDX-License-Identifier: Apache-2.0
// run_model MODEL [SEED]: any model that the runtime can run.

#include "platforms/common/model_runner.h"
#include "runtime/diagnosis.h"
#include "runtime/ops/ops.h"

int main(int argc, char** argv) {
  return lutra::RunModel(argc, argv, lutra::AllOps(),
                         [](lutra::Rule rule) { return lutra::Describe(rule).name; });
}
