# SPDX-License-Identifier: Apache-2.0
# x86-64, on such a machine: nothing is emulated and everything is built. The compiler is told of no
# instruction set beyond the baseline; kernels choose at run time.
# Debian packages: g++.
set(LUTRA_PLATFORM x86_64)
set(LUTRA_PLATFORM_PREFIX x86_64-linux-gnu-)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT "-march=x86-64")
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR
  "^(v?(p[^ ]*|[^ ]*(p[sd][xy]?|dq[auxy]?[0-9]*|dup|sadbw)|(broadcast|extract|insert)[^ ]*) .*%[xyz]mm|vzero)")
