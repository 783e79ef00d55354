# SPDX-License-Identifier: Apache-2.0
# The settings of an Xtensa platform without an operating system. It sets LUTRA_PLATFORM, LUTRA_PLATFORM_FLAGS and
# LUTRA_PLATFORM_EMULATOR.

set(LUTRA_PLATFORM_PREFIX xtensa-lx106-elf-)
set(LUTRA_PLATFORM_START
  common/xtensa.cc common/simcall.cc common/integer_arithmetic.cc common/soft_float.cc)
include("${CMAKE_CURRENT_LIST_DIR}/bare_metal.cmake")

file(GLOB cxx_headers LIST_DIRECTORIES true /usr/include/newlib/c++/*)
set(picolibc /usr/lib/xtensa-lx106-elf)
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES "${picolibc}/include")
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES
  ${cxx_headers} "${cxx_headers}/arm-none-eabi" "${picolibc}/include")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${picolibc}/lib/release -Wl,--no-warn-rwx-segments")
# Start-up and the C library need functions of each other's: libraries are searched until all are found.
set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> \
-Wl,--start-group <LINK_LIBRARIES> -Wl,--end-group")
