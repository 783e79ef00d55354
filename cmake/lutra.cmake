# SPDX-License-Identifier: Apache-2.0
# The functions the build needs: precompiled headers, installed programs, tests and kernels.

include(${CMAKE_CURRENT_LIST_DIR}/instruction_sets.cmake)

set(precompile_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompile_default ON)
endif()
option(LUTRA_PRECOMPILED_HEADERS "Compile the dearest headers once; OFF checks that files include what they use"
       ${precompile_default})

option(LUTRA_QUICK_BUILD
       "A build from scratch that ends soon: several files of a host library at a time, many tests in a process, tests and command lines not optimised"
       OFF)
# Options of a quick build for code that takes longer to optimise than to run.
set(LUTRA_QUICK_OPTIONS)
if(LUTRA_QUICK_BUILD)
  # _FORTIFY_SOURCE warns if code is not optimised.
  set(LUTRA_QUICK_OPTIONS -O0 -U_FORTIFY_SOURCE)
  # lld links faster; linking takes a fifth of a build's time.
  find_program(LUTRA_LLD ld.lld)
  mark_as_advanced(LUTRA_LLD)
  if(LUTRA_LLD AND NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# lutra_precompile(<name> LIBRARY <target>... [OPTIONS <option>...] HEADERS <header>...)
# Makes a library of that name with these headers precompiled, for lutra_use_precompiled; its users get these
# options.
function(lutra_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARY;OPTIONS;HEADERS")
  if(NOT LUTRA_PRECOMPILED_HEADERS)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  # -Wpedantic defines macros, so the headers must be compiled with the warnings of their users.
  target_link_libraries(${name} PRIVATE lutra_warnings ${arg_LIBRARY})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# lutra_use_precompiled(<name> <target>...)
function(lutra_use_precompiled name)
  if(LUTRA_PRECOMPILED_HEADERS)
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM ${name})
    endforeach()
  endif()
endfunction()

# lutra_compile_together(<name> <target>...)
# As lutra_use_precompiled; a quick build compiles a dozen files at a time, as most of the time goes into headers and templates
# that they share. A file whose names in the anonymous namespace are a neighbour's has SKIP_UNITY_BUILD_INCLUSION.
function(lutra_compile_together name)
  lutra_use_precompiled(${name} ${ARGN})
  if(LUTRA_QUICK_BUILD)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# lutra_precompile_program(<name> [LIBRARY <target>... HEADERS <header>...])
# Precompiles the headers of command lines, and these.
function(lutra_precompile_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARY;HEADERS")
  find_package(nlohmann_json REQUIRED)
  lutra_precompile(${name} LIBRARY fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11 ${arg_LIBRARY}
                   OPTIONS ${LUTRA_COMMAND_LINE_OPTIONS}
                   HEADERS <algorithm> <string> <vector> <fmt/format.h> <nlohmann/json.hpp> <CLI/CLI.hpp> ${arg_HEADERS})
endfunction()

# lutra_command_line(<target>...)
# Programs and libraries that quick and sanitized builds do not optimise, as that takes longer than they run:
# command lines, readers and writers. They link CLI11, fmt, and nlohmann_json if they use it, and share
# precompiled headers: those of this library, which a folder may set after lutra_precompile_program.
set(LUTRA_PROGRAM_HEADERS lutra_program_headers)
set(LUTRA_COMMAND_LINE_OPTIONS)
if(LUTRA_SANITIZED OR LUTRA_QUICK_BUILD)
  set(LUTRA_COMMAND_LINE_OPTIONS -O0 -U_FORTIFY_SOURCE)
endif()
function(lutra_command_line)
  if(LUTRA_PRECOMPILED_HEADERS AND NOT TARGET lutra_program_headers)
    lutra_precompile_program(lutra_program_headers)
  endif()
  lutra_compile_together(${LUTRA_PROGRAM_HEADERS} ${ARGN})
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${LUTRA_COMMAND_LINE_OPTIONS})
  endforeach()
endfunction()

# lutra_install_programs(<target>...)
# Installs the programs that were built: `./dev bench` builds one of them, and an installation says which it
# lacks. A package has all of them (package.cmake).
function(lutra_install_programs)
  install(TARGETS ${ARGN} OPTIONAL)
  foreach(target IN LISTS ARGN)
    install(CODE "if(NOT EXISTS \"$<TARGET_FILE:${target}>\")\n  message(STATUS \"Not built, so not installed: ${target}\")\nendif()")
    set_property(GLOBAL APPEND PROPERTY lutra_installed_programs ${target})
  endforeach()
endfunction()

# lutra_precompile_test(<name> [LIBRARY <target>... HEADERS <header>...])
# Precompiles the headers of tests, and these. A folder may set LUTRA_TEST_HEADERS to the name; its tests
# share the headers.
set(LUTRA_TEST_HEADERS lutra_test_headers)
function(lutra_precompile_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARY;HEADERS")
  lutra_precompile(${name} LIBRARY GTest::gtest_main ${arg_LIBRARY} OPTIONS ${LUTRA_QUICK_OPTIONS}
                   HEADERS <algorithm> <cmath> <cstdint> <string> <vector> <gtest/gtest.h> ${arg_HEADERS})
endfunction()

# lutra_test(<name> SOURCES <file>... [LABEL unit] [TIMEOUT 300] [LIBRARIES <target>...] [WHOLE] [SHARDS <n>] [TOGETHER])
# Adds a googletest program whose cases CTest sees one by one, each in a process of its own. WHOLE: adds it as
# one test, if the work that cases share takes longer than the cases. SHARDS: a quick build has n tests, as
# most cases take less time than starting a process. TOGETHER: a quick build compiles eight of its files at a
# time.
function(lutra_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE;TOGETHER" "LABEL;TIMEOUT;SHARDS" "SOURCES;LIBRARIES")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE lutra::runtime lutra_warnings GTest::gtest_main ${arg_LIBRARIES})
  if(LUTRA_PRECOMPILED_HEADERS AND NOT TARGET lutra_test_headers)
    lutra_precompile_test(lutra_test_headers)
  endif()
  lutra_use_precompiled(${LUTRA_TEST_HEADERS} ${name})
  target_compile_options(${name} PRIVATE ${LUTRA_QUICK_OPTIONS})
  if(LUTRA_QUICK_BUILD AND arg_TOGETHER)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  # GCC 12 sees overflows in vector::insert where there are none.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  target_compile_definitions(${name} PRIVATE LUTRA_TEST_DATA="${LUTRA_TEST_DATA}"
                                             LUTRA_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             $<$<BOOL:${LUTRA_SANITIZED}>:LUTRA_SANITIZED>)
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
                         SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests")
    return()
  endif()
  if(LUTRA_QUICK_BUILD AND arg_SHARDS)
    foreach(shard RANGE 1 ${arg_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name}.${shard}of${arg_SHARDS} COMMAND ${name})
      set_tests_properties(${name}.${shard}of${arg_SHARDS} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." NO_PRETTY_VALUES PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
                       DISCOVERY_TIMEOUT 60)
endfunction()

# lutra_test_freestanding(<name> LIBRARY <target> FOLDERS <folder>... [USES <target>...])
# <name>.includes: the folders include what runtime/README.md allows; <name>.symbols: the library calls nothing but what
# devices have, and the libraries that it uses.
function(lutra_test_freestanding name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIBRARY" "FOLDERS;USES")
  add_test(NAME ${name}.includes COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} "-DFOLDERS=${arg_FOLDERS}"
           -P ${PROJECT_SOURCE_DIR}/runtime/includes_test.cmake)
  set_tests_properties(${name}.includes PROPERTIES LABELS unit)
  if(NOT LUTRA_SANITIZED AND NOT CMAKE_CROSSCOMPILING)
    set(archives ${arg_USES})
    list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    add_test(NAME ${name}.symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DARCHIVE=$<TARGET_FILE:${arg_LIBRARY}>
             "-DLIBRARIES=${archives}" -P ${PROJECT_SOURCE_DIR}/runtime/symbols_test.cmake)
    set_tests_properties(${name}.symbols PROPERTIES LABELS unit)
  endif()
endfunction()

# lutra_variant(<file> <set>)
# Adds a file to the runtime, compiled with the flags of an instruction set.
function(lutra_variant file set)
  target_sources(lutra_runtime PRIVATE ${file})
  set_property(GLOBAL APPEND PROPERTY lutra_variant_sources ${file})
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
    "${LUTRA_KERNEL_OPTIONS};${LUTRA_${set}_FLAGS};${LUTRA_VARIANT_OPTIONS}")
endfunction()

# lutra_kernel(<name> [SOURCES <file>...] [VARIANTS <suffix>...] [TEST <file>...] [BENCH <file>] [SMALL_REF])
# Adds kernels/<name>/: the sources to the runtime, the test to kernel_test, the benchmark to kernel_bench; <name>.h is
# a public header. SOURCES defaults to <name>_ref.cc, TEST to <name>_test.cc, BENCH to <name>_bench.cc. A variant
# is <name>_<suffix>.cc, compiled with the flags of its instruction set (the last word of the suffix) where this
# build has it (runtime/cpu.h), else not at all; its inner loops may be assembly, <name>_loops_<suffix>.S.
# SMALL_REF: if a microcontroller has a variant, <name>_ref.cc has little to do and is compiled for size.
function(lutra_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SMALL_REF" "BENCH" "SOURCES;VARIANTS;TEST")
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/kernels/${name})
  foreach(kind IN ITEMS SOURCES TEST BENCH)
    if(NOT arg_${kind})
      set(default_SOURCES ${name}_ref.cc)
      set(default_TEST ${name}_test.cc)
      set(default_BENCH ${name}_bench.cc)
      set(arg_${kind} ${default_${kind}})
    endif()
    list(TRANSFORM arg_${kind} PREPEND ${folder}/)
  endforeach()
  set(lutra_kernels ${lutra_kernels} ${name} PARENT_SCOPE)
  target_sources(lutra_runtime PRIVATE ${arg_SOURCES})
  set_source_files_properties(${arg_SOURCES} PROPERTIES COMPILE_OPTIONS "${LUTRA_KERNEL_OPTIONS}")
  if(name IN_LIST lutra_without_kernels)
    list(REMOVE_ITEM arg_VARIANTS armdsp mve)
    target_compile_definitions(lutra_runtime PUBLIC LUTRA_WITHOUT_${name}=1)
  endif()
  foreach(suffix IN LISTS arg_VARIANTS)
    set(file ${folder}/${name}_${suffix}.cc)
    lutra_instruction_set_of(${file} set)
    if(NOT set)
      message(FATAL_ERROR "lutra_kernel(${name}): ${suffix} is no instruction set of cmake/instruction_sets.cmake")
    endif()
    if(set IN_LIST LUTRA_BUILT_INSTRUCTION_SETS)
      lutra_variant(${file} ${set})
      if(arg_SMALL_REF AND set MATCHES "^(armdsp|mve)$")
        set_source_files_properties(${folder}/${name}_ref.cc PROPERTIES COMPILE_OPTIONS -Os)
      endif()
      if(EXISTS ${folder}/${name}_loops_${suffix}.S)
        target_sources(lutra_runtime PRIVATE ${folder}/${name}_loops_${suffix}.S)
      endif()
    endif()
  endforeach()
  if(LUTRA_BUILD_TESTS)
    target_sources(kernel_test PRIVATE ${arg_TEST})
  endif()
  if(LUTRA_BUILD_BENCHMARKS)
    target_sources(kernel_bench PRIVATE ${arg_BENCH})
  endif()
endfunction()
