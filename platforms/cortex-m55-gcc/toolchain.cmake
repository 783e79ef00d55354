# SPDX-License-Identifier: Apache-2.0
# Cortex-M55 with the vector extension (MVE, integer and float), by GCC: outputs are those of clang's build (cortex-m55).
# Debian packages: gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm.
set(LUTRA_PLATFORM cortex-m55-gcc)
set(LUTRA_PLATFORM_FLAGS "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard")
# GCC 12 makes a little more vector code of it than of -O2: 5 % fewer instructions for keyword spotting.
set(LUTRA_PLATFORM_KERNEL_OPTIONS -O3)
set(LUTRA_PLATFORM_EMULATOR qemu-system-arm -M mps3-an547)
set(LUTRA_PLATFORM_OBJDUMP arm-none-eabi-objdump -marmv8.1-m.main)
set(LUTRA_PLATFORM_VECTOR "^v([^ ]+ .*(q[0-9]|d[0-9]+.[0-9])|p(st|t|not)|ctp|m(rs|sr) .*p0)")
include("${CMAKE_CURRENT_LIST_DIR}/../common/cortex_m.cmake")
