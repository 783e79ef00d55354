# SPDX-License-Identifier: Apache-2.0
# The functions the build needs: tests and kernels.

# lutra_test(<name> SOURCES <file>... [LABEL unit] [LIBRARIES <target>...])
# A googletest program whose cases CTest sees one by one.
function(lutra_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;LIBRARIES")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE lutra::runtime lutra_warnings GTest::gtest_main ${arg_LIBRARIES})
  # GCC 12 sees overflows in vector::insert where there are none.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  target_compile_definitions(${name} PRIVATE LUTRA_TEST_DATA="${LUTRA_TEST_DATA}"
                                             LUTRA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX "${name}." NO_PRETTY_VALUES PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
                       DISCOVERY_TIMEOUT 60)
endfunction()

# lutra_kernel(<name> [SOURCES <file>...] [TEST <file>...] [BENCH <file>])
# Adds kernels/<name>/: the sources to the runtime, <name>_test and <name>_bench beside them.
# SOURCES defaults to <name>_ref.cc, TEST to <name>_test.cc, BENCH to <name>_bench.cc.
function(lutra_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TEST;BENCH")
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
  target_sources(lutra_runtime PRIVATE ${arg_SOURCES})
  set_source_files_properties(${arg_SOURCES} PROPERTIES COMPILE_OPTIONS "${LUTRA_KERNEL_OPTIONS}")
  if(LUTRA_BUILD_TESTS)
    lutra_test(${name}_test SOURCES ${arg_TEST})
  endif()
  if(LUTRA_BUILD_BENCHMARKS)
    target_sources(kernel_bench PRIVATE ${arg_BENCH})
  endif()
endfunction()
