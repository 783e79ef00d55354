# SPDX-License-Identifier: Apache-2.0
# IBM Z: big endian.
# Debian packages: g++-s390x-linux-gnu googletest qemu-user.
set(LUTRA_PLATFORM s390x)
set(LUTRA_PLATFORM_PREFIX s390x-linux-gnu-)
set(LUTRA_PLATFORM_FLAGS "-march=z13")
set(LUTRA_PLATFORM_EMULATOR qemu-s390x -cpu max)
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR "^v")
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
