# SPDX-License-Identifier: Apache-2.0
# platform.<platform>.build, .<model>, .<firmware>, .consumer, .size, .refuses, .stack_overflow. Each skips, saying why,
# where the compiler or the emulator is missing.

set(platforms cortex-m4 rv32imc)
set(models sine kws kws_clustered ic ad vww96)
# .text and .rodata of a whole firmware with the six or seven operators of keyword spotting, as built with
# link-time optimisation.
set(size_limit_bytes_cortex-m4 40000)
# Not for rv32imc, whose linker runs for rv32im (its toolchain.cmake) and would then generate code for that.
set(link_time_optimisation_cortex-m4 ON)
set(link_time_optimisation_rv32imc OFF)

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
  platform_test(${platform} build -DACTION=build
    -DGENERATOR=${CMAKE_GENERATOR} -DSINGLE_ROUNDING=${LUTRA_SINGLE_ROUNDING}
    -DLINK_TIME_OPTIMISATION=${link_time_optimisation_${platform}})
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
      -DLINK_TIME_OPTIMISATION=${link_time_optimisation_${platform}}
      -DMODEL=${PROJECT_SOURCE_DIR}/models/sine.tflite -DHOST_PROGRAM=$<TARGET_FILE:generic_benchmark>)
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
