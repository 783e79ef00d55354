# SPDX-License-Identifier: Apache-2.0
# One test of a platform, as a script (cmake -P):
#
#   ACTION=build    configures and builds the firmwares in BUILD_DIR for PLATFORM
#   ACTION=compare  runs FIRMWARE on MODEL in the emulator; CRCs of inputs and outputs are those that
#                 HOST_PROGRAM (generic_benchmark) computes here
#   ACTION=run      runs FIRMWARE on MODEL (which may be left out): it must end with EXPECT_CODE and print a
#                 line of the kind EXPECT_LINE
#   ACTION=conformance  the cases of golden/smoke pass with FIRMWARE behind HOST_PROGRAM (conformance)
#   ACTION=consumer installs the build, builds runtime/example against that, and runs it on MODEL: its output
#                 is that of HOST_PROGRAM
#   ACTION=size     .text + .rodata of each of FIRMWARES is at most LIMIT_BYTES
#
# A failure is FATAL_ERROR; a line "platform test skipped: ..." makes CTest count a skipped test.
cmake_minimum_required(VERSION 3.25)

include(${SOURCE_DIR}/platforms/${PLATFORM}/toolchain.cmake)

function(require_programs)
  foreach(program IN LISTS ARGN)
    unset(found CACHE)
    find_program(found ${program})
    if(NOT found)
      message("platform test skipped: ${program} is not installed (platforms/${PLATFORM}/README.md)")
      set(skipped TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

list(GET LUTRA_PLATFORM_EMULATOR 0 emulator)
set(skipped FALSE)
require_programs(${CMAKE_CXX_COMPILER} flatc)
if(NOT ACTION MATCHES "build|size" AND NOT skipped)
  require_programs(${emulator})
endif()
if(skipped)
  return()
endif()

# Runs a firmware in the folder of MODEL, whose name alone is its argument: semihosting splits its command
# line at spaces, and a path may have some.
function(run_firmware output_variable expected_code)
  set(folder ${BUILD_DIR})
  set(name)
  if(MODEL)
    get_filename_component(folder ${MODEL} DIRECTORY)
    get_filename_component(name ${MODEL} NAME)
  endif()
  execute_process(
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${BUILD_DIR}/platforms/${FIRMWARE}.elf ${name}
    WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code TIMEOUT 100)
  message("${output}${errors}")
  if(NOT code STREQUAL expected_code)
    message(FATAL_ERROR "${FIRMWARE} ended with ${code} instead of ${expected_code}")
  endif()
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()

# The CRC32s of "inputs" or "outputs" in a result of generic_benchmark, as a list.
function(host_crcs json tensors variable)
  string(JSON count LENGTH "${json}" results 0 ${tensors})
  math(EXPR last "${count} - 1")
  set(crcs)
  foreach(i RANGE ${last})
    string(JSON crc GET "${json}" results 0 ${tensors} ${i} crc32)
    list(APPEND crcs ${crc})
  endforeach()
  set(${variable} "${crcs}" PARENT_SCOPE)
endfunction()

# The CRC32s of lines "lutra1 <tensor> <k> crc32 <crc>", as a list.
function(firmware_crcs output tensor variable)
  string(REGEX MATCHALL "lutra1 ${tensor} [0-9]+ crc32 [0-9a-f]+" lines "${output}")
  list(TRANSFORM lines REPLACE ".* " "")
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

if(ACTION STREQUAL "build")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${BUILD_DIR} -G ${GENERATOR}
            -DCMAKE_TOOLCHAIN_FILE=${SOURCE_DIR}/platforms/${PLATFORM}/toolchain.cmake
            -DCMAKE_BUILD_TYPE=MinSizeRel -DLUTRA_WERROR=ON -DLUTRA_SINGLE_ROUNDING=${SINGLE_ROUNDING}
            -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=${LINK_TIME_OPTIMISATION}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD_DIR} --parallel 2 COMMAND_ERROR_IS_FATAL ANY)

elseif(ACTION STREQUAL "compare")
  run_firmware(output 0)
  execute_process(COMMAND ${HOST_PROGRAM} ${MODEL} --runs 1 --warmup 0 --no-arena-search --format json
                  OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
  foreach(tensor input output)
    host_crcs("${json}" ${tensor}s expected)
    firmware_crcs("${output}" ${tensor} actual)
    if(NOT expected OR NOT actual STREQUAL expected)
      message(FATAL_ERROR "CRC32 of the ${tensor}s: '${actual}' here, '${expected}' on the host")
    endif()
  endforeach()

elseif(ACTION STREQUAL "run")
  run_firmware(output ${EXPECT_CODE})
  if(NOT output MATCHES "lutra1 ${EXPECT_LINE} ")
    message(FATAL_ERROR "${FIRMWARE} printed no line '${EXPECT_LINE}'")
  endif()

elseif(ACTION STREQUAL "conformance")
  # A line for the shell.
  set(runner)
  foreach(word IN LISTS CMAKE_CROSSCOMPILING_EMULATOR ITEMS ${BUILD_DIR}/platforms/${FIRMWARE}.elf)
    string(APPEND runner "'${word}' ")
  endforeach()
  execute_process(COMMAND ${HOST_PROGRAM} run --smoke --golden ${SOURCE_DIR}/golden --runner "${runner}" --jobs 1
                          --timeout 60000 --reproducers ${BUILD_DIR}/conformance-failures
                  COMMAND_ERROR_IS_FATAL ANY)

elseif(ACTION STREQUAL "consumer")
  set(prefix ${BUILD_DIR}/consumer/prefix)
  file(REMOVE_RECURSE ${BUILD_DIR}/consumer)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR}/runtime/example -B ${BUILD_DIR}/consumer/platforms -G ${GENERATOR}
            -DCMAKE_TOOLCHAIN_FILE=${prefix}/share/lutra/platforms/${PLATFORM}/toolchain.cmake
            -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=MinSizeRel
            -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=${LINK_TIME_OPTIMISATION}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD_DIR}/consumer/platforms COMMAND_ERROR_IS_FATAL ANY)
  set(build_dir ${BUILD_DIR})
  set(BUILD_DIR ${BUILD_DIR}/consumer)
  set(FIRMWARE example)
  run_firmware(output 0)
  # The example fills its input with zeros.
  set(BUILD_DIR ${build_dir})
  execute_process(COMMAND dd if=/dev/zero of=${BUILD_DIR}/consumer/zero.bin bs=1 count=1 OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${HOST_PROGRAM} ${MODEL} --runs 1 --warmup 0 --no-arena-search --format csv
                          --input ${BUILD_DIR}/consumer/zero.bin --output-prefix ${BUILD_DIR}/consumer/out
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${BUILD_DIR}/consumer/out.0.bin hex HEX)
  math(EXPR expected "0x${hex}")
  if(expected GREATER 127)
    math(EXPR expected "${expected} - 256")
  endif()
  if(NOT output MATCHES "lutra1 output 0 code ${expected}\n")
    message(FATAL_ERROR "the example did not print the host's code ${expected}")
  endif()

elseif(ACTION STREQUAL "size")
  separate_arguments(FIRMWARES)
  foreach(firmware IN LISTS FIRMWARES)
    execute_process(COMMAND ${LUTRA_PLATFORM_PREFIX}size -A ${BUILD_DIR}/platforms/${firmware}.elf
                    OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
    foreach(section .text .rodata .data)
      if(NOT table MATCHES "\n\\${section} +([0-9]+)")
        message(FATAL_ERROR "${firmware}.elf has no section ${section}")
      endif()
      set(bytes${section} ${CMAKE_MATCH_1})
    endforeach()
    math(EXPR total "${bytes.text} + ${bytes.rodata}")
    message("lutra1 size ${firmware} text ${bytes.text} rodata ${bytes.rodata} total ${total} "
            "limit ${LIMIT_BYTES} data ${bytes.data}")
    if(total GREATER LIMIT_BYTES)
      message(FATAL_ERROR "${firmware}.elf has ${total} bytes of code and constants, more than ${LIMIT_BYTES}")
    endif()
  endforeach()

else()
  message(FATAL_ERROR "No such ACTION: '${ACTION}'")
endif()
