# SPDX-License-Identifier: Apache-2.0
# x86-64 with AVX2 and FMA, emulated, whatever the host has.
# Debian packages: g++ googletest qemu-user.
set(LUTRA_PLATFORM x86_64-avx2)
set(LUTRA_PLATFORM_PREFIX x86_64-linux-gnu-)
set(LUTRA_PLATFORM_FLAGS "-march=x86-64-v3")
set(LUTRA_PLATFORM_EMULATOR qemu-x86_64 -cpu max)
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR
  "^(v?(p[^ ]*|[^ ]*(p[sd][xy]?|dq[auxy]?[0-9]*|dup|sadbw)|(broadcast|extract|insert)[^ ]*) .*%[xyz]mm|vzero)")
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
