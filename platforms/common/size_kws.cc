// SPDX-License-Identifier: Apache-2.0
// size_kws MODEL [SEED]: only the operators that keyword spotting uses, to see how small a firmware is.

#include "platforms/common/model_runner.h"
#include "runtime/ops/ops.h"

namespace {

constexpr lutra::Op kOps[] = {
    lutra::kConv2D,  lutra::kDepthwiseConv2D, lutra::kAveragePool2D,
    lutra::kReshape, lutra::kFullyConnected,  lutra::kSoftmax,
#if defined(LUTRA_WITH_ADD)
    lutra::kAdd,
#endif
};

}  // namespace

int main(int argc, char** argv) { return lutra::RunModel(argc, argv, kOps, nullptr); }
