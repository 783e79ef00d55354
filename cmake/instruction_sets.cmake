# SPDX-License-Identifier: Apache-2.0
# The instruction sets for which kernels are written, by the suffix of their files: the flags that a compiler
# needs besides the build's own, and the header of the intrinsics. runtime/cpu.h has their names and bits for
# programs, and says on which processors they are compiled. A flag may allow more sets than it names (-mavx2
# allows all of SSE, AVX and POPCNT): CpuFeaturesHere asks for all of these, and the tests
# variants.lacking_part_of_<suffix> check that it does.

set(LUTRA_INSTRUCTION_SETS)
# lutra_instruction_set(<suffix> <header> [<flag>...])
macro(lutra_instruction_set suffix header)
  list(APPEND LUTRA_INSTRUCTION_SETS ${suffix})
  set(LUTRA_${suffix}_HEADER ${header})
  set(LUTRA_${suffix}_FLAGS ${ARGN})
endmacro()

# Members of a struct that were written one by one must not be read as one vector: such a load waits until
# everything before it is done, the last tile's products included.
set(x86 -fno-tree-slp-vectorize)
lutra_instruction_set(sse41 immintrin.h ${x86} -msse4.1)
lutra_instruction_set(avx2 immintrin.h ${x86} -mavx2 -mfma)
lutra_instruction_set(avxvnni immintrin.h ${x86} -mavx2 -mfma -mavxvnni)
set(avx512 -mavx2 -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl)
lutra_instruction_set(avx512vnni immintrin.h ${x86} ${avx512} -mavx512vnni)
lutra_instruction_set(avx512vbmi immintrin.h ${x86} ${avx512} -mavx512vbmi)
lutra_instruction_set(neon arm_neon.h)
lutra_instruction_set(neondot arm_neon.h)
lutra_instruction_set(armdsp arm_acle.h)
# A compiler must not turn loops that copy some vectors into calls.
lutra_instruction_set(mve arm_mve.h -fno-builtin-memcpy -fno-builtin-memmove)
lutra_instruction_set(rvv riscv_vector.h)
lutra_instruction_set(simd128 wasm_simd128.h)

# lutra_instruction_set_of(<file> <variable>): the suffix of a file <kernel>_<suffix>.cc, or of a header that such files
# share, or nothing.
function(lutra_instruction_set_of file variable)
  set(${variable} "" PARENT_SCOPE)
  if(file MATCHES "_([a-z0-9]+)\\.(h|cc|cc\\.o|cc\\.obj)$" AND CMAKE_MATCH_1 IN_LIST LUTRA_INSTRUCTION_SETS)
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

# lutra_find_instruction_sets(<variable>): sets it to the suffixes that this build compiles, by runtime/cpu.h.
function(lutra_find_instruction_sets variable)
  set(header ${PROJECT_SOURCE_DIR}/runtime/cpu.h)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  set(command ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_ARG1})
  if(CMAKE_CXX_COMPILER_TARGET)
    list(APPEND command --target=${CMAKE_CXX_COMPILER_TARGET})
  endif()
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
  if(LUTRA_SINGLE_ROUNDING)
    list(APPEND flags -DLUTRA_SINGLE_ROUNDING)
  endif()
  execute_process(COMMAND ${command} ${flags} -ffreestanding -E -dM -x c++ -include ${header} /dev/null
                  OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
  set(found)
  foreach(suffix IN LISTS LUTRA_INSTRUCTION_SETS)
    string(TOUPPER ${suffix} name)
    if(macros MATCHES "#define LUTRA_HAVE_${name} 1")
      list(APPEND found ${suffix})
    endif()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
