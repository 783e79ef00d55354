# SPDX-License-Identifier: Apache-2.0
# RV64GCV: with the vector unit, version 1.0. GCC 12 does not know it; Clang borrows its libraries.
# Debian packages: clang-19 g++-riscv64-linux-gnu googletest qemu-user.
set(LUTRA_PLATFORM riscv64-v)
set(LUTRA_PLATFORM_PREFIX riscv64-linux-gnu-)
# GCC 12's unwinder aborts at frames that hold vector registers, so that exceptions must not pass any: the
# compiler makes vector code of its own in the runtime alone, which has no exceptions.
set(LUTRA_PLATFORM_FLAGS "-march=rv64gcv -mno-implicit-float")
set(LUTRA_RUNTIME_FLAGS -mimplicit-float)
set(LUTRA_PLATFORM_EMULATOR qemu-riscv64 -cpu rv64,v=true,vlen=256,vext_spec=v1.0)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET riscv64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET riscv64-linux-gnu)
# GNU objdump 2.40 prints vector instructions as numbers where code of a compiler that does not know them precedes.
set(LUTRA_PLATFORM_OBJDUMP ${LUTRA_PLATFORM_PREFIX}objdump)
set(LUTRA_PLATFORM_VECTOR "^(v|[.]4byte 0x[0-9a-f]*[0258ad]7$)")
include("${CMAKE_CURRENT_LIST_DIR}/../common/linux.cmake")
