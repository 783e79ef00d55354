# SPDX-License-Identifier: Apache-2.0
# The common part of the RISC-V platforms without an operating system. A platform sets LUTRA_PLATFORM,
# LUTRA_PLATFORM_FLAGS, LUTRA_PLATFORM_EMULATOR, and LUTRA_PLATFORM_LIBRARIES: the folder of picolibc's libraries for it.

set(LUTRA_PLATFORM_PREFIX riscv64-unknown-elf-)
set(LUTRA_PLATFORM_START common/risc_v.cc)
include("${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake")

file(GLOB cxx_headers LIST_DIRECTORIES true /usr/include/newlib/c++/*)
set(picolibc /usr/lib/picolibc/riscv64-unknown-elf)
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES "${picolibc}/include")
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES
  ${cxx_headers} "${cxx_headers}/arm-none-eabi" "${picolibc}/include")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${picolibc}/lib/${LUTRA_PLATFORM_LIBRARIES} -Wl,--no-warn-rwx-segments")
