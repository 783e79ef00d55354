# SPDX-License-Identifier: Apache-2.0
# Cortex-M3: no floating-point unit, no DSP instructions.
# Debian packages: gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm.
set(LUTRA_PLATFORM cortex-m3)
set(LUTRA_PLATFORM_FLAGS "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft")
set(LUTRA_PLATFORM_EMULATOR qemu-system-arm -M mps2-an385)
include("${CMAKE_CURRENT_LIST_DIR}/../common/cortex_m.cmake")
