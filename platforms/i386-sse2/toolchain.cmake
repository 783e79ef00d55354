# SPDX-License-Identifier: Apache-2.0
# 32-bit x86 with SSE2.
# Debian packages: g++-12-multilib googletest qemu-user.
set(LUTRA_PLATFORM i386-sse2)
set(LUTRA_PLATFORM_PREFIX x86_64-linux-gnu-)
# The kernel's headers are those of the 64-bit machine: the package that links them to their usual place,
# gcc-multilib, excludes all cross compilers.
set(LUTRA_PLATFORM_FLAGS "-m32 -march=pentium4 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu")
set(LUTRA_PLATFORM_EMULATOR qemu-i386 -cpu pentium3,+sse2)
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR
  "^(v?(p[^ ]*|[^ ]*(p[sd][xy]?|dq[auxy]?[0-9]*|dup|sadbw)|(broadcast|extract|insert)[^ ]*) .*%[xyz]mm|vzero)")
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
