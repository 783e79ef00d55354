# SPDX-License-Identifier: Apache-2.0
# For a platform without an operating system: the firmware count_model. For Linux: count_model and known_counts, and
# unless they are for another machine, the plugin (counter.so) and the tests, platform.counter.* and
# platform.<platform>.count.

set(counter_dir ${CMAKE_CURRENT_LIST_DIR})
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  lutra_firmware(count_model ${counter_dir}/count_model.cc)
  return()
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(STATUS "Not on Linux: no plugin to count instructions")
  return()
endif()

function(lutra_counted_program name)
  add_executable(${name} ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE lutra_warnings)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fno-pie)
  target_link_options(${name} PRIVATE -no-pie)
endfunction()
lutra_counted_program(count_model ${counter_dir}/count_model.cc ${counter_dir}/hosted.cc
                      ${counter_dir}/../common/report.cc)
target_link_libraries(count_model PRIVATE lutra::runtime)
lutra_counted_program(known_counts ${counter_dir}/known_counts.cc)

if(CMAKE_CROSSCOMPILING)
  return()
endif()

add_library(lutra_counter MODULE ${counter_dir}/plugin.cc)
target_compile_features(lutra_counter PRIVATE cxx_std_20)
target_link_libraries(lutra_counter PRIVATE lutra_warnings)
set_target_properties(lutra_counter PROPERTIES PREFIX "" OUTPUT_NAME counter CXX_VISIBILITY_PRESET hidden)

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
  -DEMULATOR=qemu-${CMAKE_SYSTEM_PROCESSOR} -DPROGRAM=$<TARGET_FILE:count_model>)
foreach(platform IN LISTS platforms)
  # Only machines without an operating system have a firmware.
  if(NOT EXISTS ${counter_dir}/../${platform}/memory.ld)
    continue()
  endif()
  counter_test(platform.${platform}.count -DACTION=repeat -DMODEL=${PROJECT_SOURCE_DIR}/models/kws.tflite
    -DTOOLCHAIN=${counter_dir}/../${platform}/toolchain.cmake
    -DPROGRAM=${PROJECT_BINARY_DIR}/platforms/${platform}/platforms/count_model.elf)
  set_tests_properties(platform.${platform}.count PROPERTIES FIXTURES_REQUIRED platform_${platform})
endforeach()
