# SPDX-License-Identifier: Apache-2.0
# platform.<platform>.build, .<model>, .<firmware>, .conformance, .consumer, .size, .refuses, .stack_overflow. Each
# skips, saying why, where the compiler or the emulator is missing.

set(all_platforms cortex-m0 cortex-m3 cortex-m4 cortex-m7 cortex-m33 cortex-m55 rv32imc rv64-bare)
set(LUTRA_TEST_PLATFORMS "cortex-m4;cortex-m55;rv32imc" CACHE STRING "Bare-metal platforms to test; or all")
set(platforms ${LUTRA_TEST_PLATFORMS})
if(platforms STREQUAL "all")
  set(platforms ${all_platforms})
endif()
set(models sine kws kws_clustered ic ad vww96)
# .text and .rodata of a whole firmware with the six or seven operators of keyword spotting, as built with
# link-time optimisation.
set(size_limit_bytes_cortex-m4 40000)
# Where the linker runs for another processor than the compiler (toolchain.cmake), it would generate code for that.
set(without_link_time_optimisation rv32imc rv64-bare)

# platform_test(<platform> <what> <script arguments>...)
function(platform_test platform what)
  set(name platform.${platform}.${what})
  add_test(NAME ${name}
    COMMAND ${CMAKE_COMMAND} -DPLATFORM=${platform} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
            -DBUILD_DIR=${PROJECT_BINARY_DIR}/platforms/${platform} ${ARGN}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/platform_test.cmake)
  set_tests_properties(${name} PROPERTIES
    LABELS platform TIMEOUT 300 SKIP_REGULAR_EXPRESSION "platform test skipped:")
  if(what STREQUAL "build")
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP platform_${platform} TIMEOUT 1200)
  else()
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED platform_${platform})
  endif()
endfunction()

foreach(platform IN LISTS platforms)
  set(link_time_optimisation ON)
  if(platform IN_LIST without_link_time_optimisation)
    set(link_time_optimisation OFF)
  endif()
  platform_test(${platform} build -DACTION=build
    -DGENERATOR=${CMAKE_GENERATOR} -DSINGLE_ROUNDING=${LUTRA_SINGLE_ROUNDING}
    -DLINK_TIME_OPTIMISATION=${link_time_optimisation})
  if(TARGET generic_benchmark)
    foreach(model IN LISTS models)
      platform_test(${platform} ${model} -DACTION=compare -DFIRMWARE=run_model
        -DMODEL=${PROJECT_SOURCE_DIR}/models/${model}.tflite
        -DHOST_PROGRAM=$<TARGET_FILE:generic_benchmark>)
    endforeach()
    foreach(firmware size_kws size_kws_add)
      platform_test(${platform} ${firmware} -DACTION=compare -DFIRMWARE=${firmware}
        -DMODEL=${PROJECT_SOURCE_DIR}/models/kws.tflite
        -DHOST_PROGRAM=$<TARGET_FILE:generic_benchmark>)
    endforeach()
    platform_test(${platform} consumer -DACTION=consumer -DGENERATOR=${CMAKE_GENERATOR}
      -DLINK_TIME_OPTIMISATION=${link_time_optimisation}
      -DMODEL=${PROJECT_SOURCE_DIR}/models/sine.tflite -DHOST_PROGRAM=$<TARGET_FILE:generic_benchmark>)
  endif()
  # The frozen cases follow the default rounding.
  if(TARGET conformance AND NOT LUTRA_SINGLE_ROUNDING)
    platform_test(${platform} conformance -DACTION=conformance -DFIRMWARE=run_cases
      -DHOST_PROGRAM=$<TARGET_FILE:conformance>)
  endif()
  platform_test(${platform} refuses -DACTION=run -DFIRMWARE=run_model -DEXPECT_CODE=3 -DEXPECT_LINE=refused
    -DMODEL=${CMAKE_CURRENT_LIST_DIR}/README.md)
  platform_test(${platform} stack_overflow -DACTION=run -DFIRMWARE=overflow_stack -DEXPECT_CODE=1
    -DEXPECT_LINE=fault)
  if(size_limit_bytes_${platform})
    platform_test(${platform} size -DACTION=size "-DFIRMWARES=size_kws size_kws_add"
      -DLIMIT_BYTES=${size_limit_bytes_${platform}})
  endif()
endforeach()
