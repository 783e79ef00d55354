# SPDX-License-Identifier: Apache-2.0
# Cortex-M0: Armv6-M, no floating-point unit, no unaligned access.
# Debian packages: gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm.
set(LUTRA_PLATFORM cortex-m0)
set(LUTRA_PLATFORM_FLAGS "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft")
set(LUTRA_PLATFORM_EMULATOR
  qemu-system-arm -M microbit -global nrf51-soc.flash-size=1048576 -global nrf51-soc.sram-size=4194304)
include("${CMAKE_CURRENT_LIST_DIR}/../common/cortex_m.cmake")
