# SPDX-License-Identifier: Apache-2.0
# Armv7-A with NEON, 32 bits, hard floating point.
# Debian packages: g++-arm-linux-gnueabihf googletest qemu-user.
set(LUTRA_PLATFORM armv7)
set(LUTRA_PLATFORM_PREFIX arm-linux-gnueabihf-)
set(LUTRA_PLATFORM_FLAGS "-march=armv7-a+neon-vfpv4 -mfpu=neon-vfpv4")
set(LUTRA_PLATFORM_EMULATOR qemu-arm -cpu cortex-a7)
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR
  "^v((ld|st)[1-4]|[^ ]+ .*q[0-9]|[^. ]+[.]([fsu]32[.])?([ispu]?[0-9]+|f32) ([^ ]* )?d|(and|b|eor|mvn|or|swp)[a-z]* d)")
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
