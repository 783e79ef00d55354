# SPDX-License-Identifier: Apache-2.0
# The common part of the Cortex-M platforms that clang compiles, with GCC's libraries. A platform sets LUTRA_PLATFORM,
# LUTRA_PLATFORM_CLANG (its version), LUTRA_PLATFORM_FLAGS, LUTRA_PLATFORM_LIBRARIES (below GCC's and newlib's folders) and
# LUTRA_PLATFORM_EMULATOR.

execute_process(COMMAND arm-none-eabi-gcc -dumpversion OUTPUT_VARIABLE gcc_version OUTPUT_STRIP_TRAILING_WHITESPACE)
set(newlib /usr/include/newlib)
# FlatBuffers includes headers of the C++ library.
foreach(folder IN ITEMS ${newlib}/c++/${gcc_version} ${newlib}/c++/${gcc_version}/arm-none-eabi ${newlib})
  string(APPEND LUTRA_PLATFORM_FLAGS " -isystem ${folder}")
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/cortex_m.cmake")
set(CMAKE_C_COMPILER clang-${LUTRA_PLATFORM_CLANG})
set(CMAKE_CXX_COMPILER clang++-${LUTRA_PLATFORM_CLANG})
set(CMAKE_ASM_COMPILER clang-${LUTRA_PLATFORM_CLANG})
string(APPEND CMAKE_CXX_FLAGS_INIT " -nostdinc++")
# Clang's -Os still makes code longer for speed. Kernels have their own options.
set(CMAKE_CXX_FLAGS_MINSIZEREL "-Oz -DNDEBUG" CACHE STRING "Flags of builds for size")
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-fuse-ld=lld-${LUTRA_PLATFORM_CLANG} -L/usr/lib/arm-none-eabi/newlib/${LUTRA_PLATFORM_LIBRARIES} -L/usr/lib/gcc/arm-none-eabi/${gcc_version}/${LUTRA_PLATFORM_LIBRARIES}")
