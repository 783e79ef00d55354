# SPDX-License-Identifier: Apache-2.0
# Armv8-A with NEON, 64 bits.
# Debian packages: g++-aarch64-linux-gnu googletest qemu-user.
set(LUTRA_PLATFORM aarch64)
set(LUTRA_PLATFORM_PREFIX aarch64-linux-gnu-)
set(LUTRA_PLATFORM_FLAGS "-march=armv8-a")
set(LUTRA_PLATFORM_EMULATOR qemu-aarch64 -cpu cortex-a53)
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR
  "[ {]v[0-9]+[.]|^(ld|st)(n?p|u?r) q|^(add|sub|neg|abs|cm|movi|[su]?r?sh|[su]q|[su]r?sra|s[lr]i)[a-z0-9]* [bhsd][0-9]")
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
