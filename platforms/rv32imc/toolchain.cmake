# SPDX-License-Identifier: Apache-2.0
# RISC-V rv32imc without an operating system. The compiler has no headers of the C++ library of its own, and borrows
# those of the same compiler for Arm.
# Debian packages: gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf libstdc++-arm-none-eabi-dev qemu-system-misc.
set(LUTRA_PLATFORM rv32imc)
set(LUTRA_PLATFORM_FLAGS "-march=rv32imc_zicsr -mabi=ilp32 -mcmodel=medany")
set(LUTRA_PLATFORM_LIBRARIES rv32im/ilp32)
set(LUTRA_PLATFORM_EMULATOR
  qemu-system-riscv32 -M virt -cpu rv32,a=false,f=false,d=false -m 8M -bios none)
include("${CMAKE_CURRENT_LIST_DIR}/../common/risc_v.cmake")

# No library is built for rv32imc, and the compiler would silently take those of
# another machine. rv32im is a subset of it.
string(PREPEND CMAKE_EXE_LINKER_FLAGS_INIT "-march=rv32im -mabi=ilp32 ")
