# SPDX-License-Identifier: Apache-2.0
# RISC-V rv64imac without an operating system; headers of the C++ library as in rv32imc.
# Debian packages: gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf libstdc++-arm-none-eabi-dev qemu-system-misc.
set(LUTRA_PLATFORM rv64-bare)
set(LUTRA_PLATFORM_FLAGS "-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany")
set(LUTRA_PLATFORM_LIBRARIES rv64imac/lp64)
set(LUTRA_PLATFORM_EMULATOR qemu-system-riscv64 -M virt -cpu rv64,f=false,d=false -m 8M -bios none)
include("${CMAKE_CURRENT_LIST_DIR}/../common/risc_v.cmake")

# The compiler knows libgcc by this name, not by that with zicsr.
string(PREPEND CMAKE_EXE_LINKER_FLAGS_INIT "-march=rv64imac -mabi=lp64 ")
