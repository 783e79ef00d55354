# SPDX-License-Identifier: Apache-2.0
# Cortex-M33 with DSP instructions and single-precision floating-point unit.
# Debian packages: gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm.
set(LUTRA_PLATFORM cortex-m33)
set(LUTRA_PLATFORM_FLAGS "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard")
set(LUTRA_PLATFORM_EMULATOR qemu-system-arm -M mps2-an505)
include("${CMAKE_CURRENT_LIST_DIR}/../common/cortex_m.cmake")
