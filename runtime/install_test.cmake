# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Installs the build to a folder of its own, builds runtime/example against that, and runs it.
# Variables: BUILD_DIR, SOURCE_DIR, WORK_DIR, GENERATOR.
file(REMOVE_RECURSE ${WORK_DIR})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code)
    message(FATAL_ERROR "${ARGN}: ${code}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/runtime/example -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/example ${SOURCE_DIR}/models/sine.tflite)
# sin at the code 0 of the input's scale and zero point, as the recorded runtime computes it too.
if(NOT output MATCHES "^-?[0-9]+ \n$")
  message(FATAL_ERROR "the example printed: ${output}")
endif()
execute_process(COMMAND ${WORK_DIR}/build/example ${SOURCE_DIR}/README.md RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 3 OR NOT error MATCHES "TFL3")
  message(FATAL_ERROR "the example took a text file for a model: ${code} ${error}")
endif()
