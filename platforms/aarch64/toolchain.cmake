# SPDX-License-Identifier: Apache-2.0
# Armv8-A with NEON, 64 bits.
# Debian packages: g++-aarch64-linux-gnu qemu-user.
set(LUTRA_PLATFORM aarch64)
set(LUTRA_PLATFORM_PREFIX aarch64-linux-gnu-)
set(LUTRA_PLATFORM_FLAGS "-march=armv8-a")
set(LUTRA_PLATFORM_EMULATOR qemu-aarch64 -cpu cortex-a53)
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
