# SPDX-License-Identifier: Apache-2.0
# Cortex-M55 with the vector extension (MVE, integer and float).
# Debian packages: clang-19 lld-19 llvm-19 gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm.
set(LUTRA_PLATFORM cortex-m55)
set(LUTRA_PLATFORM_CLANG 19)
set(LUTRA_PLATFORM_FLAGS "--target=thumbv8.1m.main-none-eabihf -mcpu=cortex-m55 -mfloat-abi=hard")
set(LUTRA_PLATFORM_LIBRARIES thumb/v8.1-m.main+mve/hard)
set(LUTRA_PLATFORM_KERNEL_OPTIONS -O3)
set(LUTRA_PLATFORM_EMULATOR qemu-system-arm -M mps3-an547)
set(LUTRA_PLATFORM_OBJDUMP arm-none-eabi-objdump -marmv8.1-m.main)
set(LUTRA_PLATFORM_VECTOR "^v([^ ]+ .*(q[0-9]|d[0-9]+.[0-9])|p(st|t|not)|ctp|m(rs|sr) .*p0)")
include("${CMAKE_CURRENT_LIST_DIR}/../common/cortex_m_clang.cmake")
