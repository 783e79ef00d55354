# SPDX-License-Identifier: Apache-2.0
# The common part of the Cortex-M platforms. A platform sets LUTRA_PLATFORM, LUTRA_PLATFORM_FLAGS and
# LUTRA_PLATFORM_EMULATOR.

set(LUTRA_PLATFORM_PREFIX arm-none-eabi-)
set(LUTRA_PLATFORM_START common/cortex_m.cc)
include("${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake")
