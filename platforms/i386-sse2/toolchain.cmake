# SPDX-License-Identifier: Apache-2.0
# 32-bit x86 with SSE2.
# Debian packages: g++-12-multilib qemu-user.
set(LUTRA_PLATFORM i386-sse2)
set(LUTRA_PLATFORM_PREFIX x86_64-linux-gnu-)
# The kernel's headers are those of the 64-bit machine: the package that links them to their usual place,
# gcc-multilib, excludes all cross compilers.
set(LUTRA_PLATFORM_FLAGS "-m32 -march=pentium4 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu")
set(LUTRA_PLATFORM_EMULATOR qemu-i386 -cpu pentium3,+sse2)
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
