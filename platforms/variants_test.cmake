# SPDX-License-Identifier: Apache-2.0
# Kernel variants on a processor that QEMU plays (cmake -P): those that it can run are tested, the others are skipped,
# and --kernels takes only the former. Variables: EMULATOR (qemu-x86_64), CPU (its model), USABLE (the variants that it
# can run, comma-separated, as --kernels lists them), LACKING (one that it cannot), KERNEL_TEST, RUN_VARIANTS and
# BENCHMARK (programs), MODEL.
#
# A line "platform test skipped: ..." makes CTest count a skipped test.
cmake_minimum_required(VERSION 3.25)
if(NOT EMULATOR)
  message("platform test skipped: qemu-x86_64 is not installed")
  return()
endif()

# run(<exit code> <program> <argument>...): sets output and errors.
function(run expected_code)
  execute_process(COMMAND ${EMULATOR} -cpu ${CPU} ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors
                  RESULT_VARIABLE code)
  if(NOT code STREQUAL expected_code)
    message(FATAL_ERROR "${ARGN} ended with ${code} instead of ${expected_code}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

function(require what text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what} has no '${pattern}':\n${text}")
  endif()
endfunction()

string(REPLACE "," " " usable_words "${USABLE}")
run(0 ${BENCHMARK} --version)
require("--version" "${output}" "\nusable on this CPU: ${usable_words}\n")

run(0 ${BENCHMARK} --kernels=list)
require("--kernels=list" "${output}" "\nconv_2d_int8 [^\n]* \\[${LACKING}\\][^\n]* ref\n")

# Only the formula of each kernel's test: the references, and layers of many sizes, are slow here, and run_variants
# below sees every variant beside its reference.
set(slow "*/ref:*OfNetworks*:*OddShapes*:*LongRows*")
run(0 ${KERNEL_TEST} --gtest_filter=*Matches*:*Maps*:KernelTables*-${slow})
require("kernel_test" "${output}" "this processor lacks ${LACKING}")
require("kernel_test" "${output}" "SKIPPED  *\\] [^\n]*Conv2DInt8\\.MatchesTheFormula/${LACKING}")
require("kernel_test" "${output}" "PASSED")

run(0 ${RUN_VARIANTS})
require("run_variants" "${output}" "lutra1 skipped conv_2d_int8 ${LACKING}\n")
set(emulated "${output}")
string(REPLACE "," ";" usable "${USABLE}")
foreach(variant IN LISTS usable)
  if(NOT variant STREQUAL "ref")
    require("run_variants" "${output}" "lutra1 variant conv_2d_int8 ${variant} problems [0-9]+ different 0\n")
  endif()
endforeach()
# The references give what they give here.
execute_process(COMMAND ${RUN_VARIANTS} OUTPUT_VARIABLE here COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "lutra1 reference [^\n]*" here "${here}")
string(REGEX MATCHALL "lutra1 reference [^\n]*" emulated "${emulated}")
if(NOT here OR NOT here STREQUAL emulated)
  message(FATAL_ERROR "the references differ: ${here} here, ${emulated} there")
endif()

# A variant that the processor lacks is bad usage, and said on stderr with those that there are.
run(2 ${BENCHMARK} ${MODEL} --kernels=${LACKING})
require("--kernels=${LACKING}" "${errors}" "${LACKING} not in {best,${USABLE}}")
if(output)
  message(FATAL_ERROR "--kernels=${LACKING} printed on stdout: ${output}")
endif()

# Each that it has runs, best too, and gives what the reference gives here.
set(once --runs 1 --warmup 0 --no-arena-search --format json)
execute_process(COMMAND ${BENCHMARK} ${MODEL} ${once} --kernels=ref OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
string(JSON expected GET "${json}" results 0 outputs 0 crc32)
foreach(variant IN LISTS usable ITEMS best)
  run(0 ${BENCHMARK} ${MODEL} ${once} --kernels=${variant})
  string(JSON actual GET "${output}" results 0 outputs 0 crc32)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "--kernels=${variant} gives ${actual} instead of ${expected}")
  endif()
endforeach()
