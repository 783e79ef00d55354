// SPDX-License-Identifier: Apache-2.0
// conformance model, as a terminal sees it.

#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

TEST(ModelCommand, PrintsNoByteOfANameThatATerminalObeys) {
  const host::ScratchFolder folder;
  const std::string model = folder / "hostile.tflite";
  host::CopyWithHostileName(std::filesystem::path(LUTRA_SOURCE_DIR) / "models/kws.tflite", model,
                            "functional_1");
  const host::Outcome outcome = host::RunProgram("model " + model + " --seeds 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find_first_of("\x1b\xff"), std::string::npos) << outcome.out;
  // The tensor of the first layer that differs under some profile.
  EXPECT_NE(outcome.out.find("\"\\x1b[2J\\xff"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace lutra::conformance
