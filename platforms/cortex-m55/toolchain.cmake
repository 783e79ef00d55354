# SPDX-License-Identifier: Apache-2.0
# Cortex-M55 with the vector extension (MVE, integer and float).
set(LUTRA_PLATFORM cortex-m55)
set(LUTRA_PLATFORM_FLAGS "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard")
set(LUTRA_PLATFORM_EMULATOR qemu-system-arm -M mps3-an547)
include("${CMAKE_CURRENT_LIST_DIR}/../common/cortex_m.cmake")
