// SPDX-License-Identifier: Apache-2.0
// Models that no runtime may run: each breaks one rule of the file format or of the specification.

#include "conformance/generator/broken.h"

namespace lutra::conformance {
namespace {

void GenerateRefused(const CaseSink& sink) {
  Refuser refuser(sink);
  RefuseProducts(refuser);
  RefuseValues(refuser);
  RefuseMoves(refuser);
  RefuseFiles(refuser);
  RefuseUint8(refuser);
}

}  // namespace

extern const CaseFamilies kRefusedCases = {
    {.prefix = "int8.refused.", .generate = GenerateRefused},
};

}  // namespace lutra::conformance
