# SPDX-License-Identifier: Apache-2.0
# The plugin (counter.so) and its tests, platform.counter.*.

set(counter_dir ${CMAKE_CURRENT_LIST_DIR})
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(STATUS "Not on Linux: no plugin to count instructions")
  return()
endif()

add_library(lutra_counter MODULE ${counter_dir}/plugin.cc)
target_compile_features(lutra_counter PRIVATE cxx_std_20)
target_link_libraries(lutra_counter PRIVATE lutra_warnings)
set_target_properties(lutra_counter PROPERTIES PREFIX "" OUTPUT_NAME counter CXX_VISIBILITY_PRESET hidden)

if(NOT LUTRA_BUILD_TESTS)
  return()
endif()
add_executable(known_counts ${counter_dir}/known_counts.cc)
target_compile_features(known_counts PRIVATE cxx_std_20)
target_include_directories(known_counts PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(known_counts PRIVATE -fno-pie)
target_link_options(known_counts PRIVATE -no-pie)
target_link_libraries(known_counts PRIVATE lutra_warnings)

# counter_test(<name> <script arguments>...)
function(counter_test name)
  add_test(NAME ${name}
    COMMAND ${CMAKE_COMMAND} -DPLUGIN=$<TARGET_FILE:lutra_counter> ${ARGN}
            -P ${counter_dir}/counter_test.cmake)
  set_tests_properties(${name} PROPERTIES
    LABELS platform TIMEOUT 300 SKIP_REGULAR_EXPRESSION "platform test skipped:")
endfunction()

counter_test(platform.counter.known -DACTION=known
  -DEMULATOR=qemu-${CMAKE_SYSTEM_PROCESSOR} -DPROGRAM=$<TARGET_FILE:known_counts>)
counter_test(platform.counter.count -DACTION=repeat -DMODEL=${PROJECT_SOURCE_DIR}/models/kws.tflite
  -DEMULATOR=qemu-${CMAKE_SYSTEM_PROCESSOR} -DPROGRAM=$<TARGET_FILE:run_model>)
