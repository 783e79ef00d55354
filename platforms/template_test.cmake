# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR=... -DWORK_DIR=... -DGENERATOR=... -DHOST_PROGRAM=<generic_benchmark> -P template_test.cmake
#
# The platform that platforms/README.md shows builds, and runs a model as the host does.
cmake_minimum_required(VERSION 3.25)

foreach(program arm-none-eabi-g++ qemu-system-arm)
  unset(found CACHE)
  find_program(found ${program})
  if(NOT found)
    message("platform test skipped: ${program} is not installed (platforms/cortex-m3/README.md)")
    return()
  endif()
endforeach()

file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${SOURCE_DIR}/platforms/common DESTINATION ${WORK_DIR})
file(READ ${SOURCE_DIR}/platforms/README.md page)
foreach(name toolchain.cmake memory.ld)
  string(REPLACE "." "\\." pattern ${name})
  if(NOT page MATCHES "\n```[a-z]*\n([^\n`]* my-board/${pattern}[^`]*)```")
    message(FATAL_ERROR "platforms/README.md shows no my-board/${name}")
  endif()
  file(WRITE ${WORK_DIR}/my-board/${name} "${CMAKE_MATCH_1}")
endforeach()

set(build ${WORK_DIR}/build)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${build} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=MinSizeRel
                        -DCMAKE_TOOLCHAIN_FILE=${WORK_DIR}/my-board/toolchain.cmake -DLUTRA_BUILD_TESTS=OFF
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target run_model --parallel 2 COMMAND_ERROR_IS_FATAL ANY)
include(${WORK_DIR}/my-board/toolchain.cmake)
execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${build}/platforms/run_model.elf sine.tflite
                WORKING_DIRECTORY ${SOURCE_DIR}/models OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${HOST_PROGRAM} ${SOURCE_DIR}/models/sine.tflite --runs 1 --warmup 0 --format json
                OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
string(JSON crc GET "${json}" results 0 outputs 0 crc32)
if(NOT output MATCHES "lutra1 output 0 crc32 ${crc}\n")
  message(FATAL_ERROR "no output with the host's CRC32 ${crc}:\n${output}")
endif()
