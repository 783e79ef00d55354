# SPDX-License-Identifier: Apache-2.0
# RV64GC: no vector unit.
# Debian packages: g++-riscv64-linux-gnu googletest qemu-user.
set(LUTRA_PLATFORM riscv64)
set(LUTRA_PLATFORM_PREFIX riscv64-linux-gnu-)
set(LUTRA_PLATFORM_FLAGS "-march=rv64gc")
set(LUTRA_PLATFORM_EMULATOR qemu-riscv64 -cpu rv64,v=false)
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
