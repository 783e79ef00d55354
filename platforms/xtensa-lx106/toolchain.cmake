# SPDX-License-Identifier: Apache-2.0
# Xtensa LX106, the core of the ESP8266, without an operating system. The compiler has no headers of the C++ library,
# and borrows those of the same compiler for Arm.
# Debian packages: gcc-xtensa-lx106 picolibc-xtensa-lx106-elf libstdc++-arm-none-eabi-dev qemu-system-misc.
set(LUTRA_PLATFORM xtensa-lx106)
set(LUTRA_PLATFORM_FLAGS "-mlongcalls -mtext-section-literals")
set(LUTRA_PLATFORM_EMULATOR qemu-system-xtensa -M sim -cpu lx106 -m 16M)
include("${CMAKE_CURRENT_LIST_DIR}/../common/xtensa.cmake")
