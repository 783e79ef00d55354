# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR=... -DBUILD_DIR=... -DWORK_DIR=... -DGENERATOR=... -DPROGRAMS=<path>;... -P readme_test.cmake
#
# Runs every command of every README and of CONTRIBUTING.md as the document has it, in a tree of links to the
# sources, with the programs that were just built. A command is a line of a block that is marked sh or
# indented by four spaces; in other blocks, and in those that show output, it is the text after "$ ".
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/scratch_tree.cmake)

# "<pattern>: <why it is not run>". A pattern that matches no command is an error.
set(not_run
  "^\\./dev bench: the step bench of ./dev check runs it, on a small model"
  "^\\./dev firmware : the step firmware of ./dev check runs it"
  "^cmake --build build/firmware/cortex-m4: the step firmware of ./dev check runs it"
  "^\\./dev (test|check|platforms|report): takes minutes, or runs this test"
  "^cmake --workflow : builds and tests everything anew"
  "^cmake --preset release: what it configures is there, in a build of another name"
  "^cmake --build --preset release: what it builds is there, in a build of another name"
  "^cmake --build build/dev : what it builds is there, in a build of another name"
  "^cmake --preset dev -DLUTRA_TFLM_DIR=: needs a built tree of TensorFlow Lite Micro"
  "^cmake --install build/release : the test install.moved does this, and moves what it made"
  "^build/installed/: the test install.moved does this"
  "^cpack : the test install.package does this"
  "^cmake -S \\. -B build/my-board : the test platform.template runs it, and builds a program"
  "^cmake --build build/my-board : the test platform.template builds one of its programs, host_programs takes minutes"
  "^ctest --test-dir build/my-board: needs the build before it"
  "^cmake --preset cortex-m4 -DCMAKE_INSTALL_PREFIX=: the tests platform.embed do this, from a cross build"
  "^cmake --build --preset cortex-m4 --target install-runtime: the tests platform.embed do this, from a cross build"
  "^cmake -S build/kws-firmware : the tests platform.embed do this, from a cross build"
  "^cmake --build build/kws-board: the tests platform.embed do this, from a cross build"
  "^cmake -S platforms/example : the tests platform.<platform>.consumer do this, from a cross build"
  "^cmake --build build/board: the tests platform.<platform>.consumer do this, from a cross build"
  "^cmake --preset cortex-m4 -DLUTRA_KERNELS=: needs the platform's cross compiler"
  "^sh platforms/common/emulate\\.sh : needs the platform's cross build"
  "^sh platforms/counter/count\\.sh --lines : needs the platform's cross build"
  "^qemu-[a-z0-9_]+ : needs the platform's cross build"
  "^node .*/run\\.mjs : needs the platform's cross build"
  "--runner \"sh platforms/common/emulate\\.sh : needs the platform's cross build"
  "--program \"sh platforms/common/emulate\\.sh : needs the platform's cross build"
  "^lutra-array : needs a cluster, which the tests slurm.array and slurm.cluster have"
  "--runner 'build/runtimes/: needs LiteRT, which ./dev runtimes fetches"
  "^conformance mutate : builds the adapter anew for each of some hundred faults"
  "^conformance freeze : writes golden/, which freeze_test does on a copy"
  "^build/fuzz/: needs clang's fuzz build, and runs until it is interrupted"
  "^LUTRA_FUZZ_SECONDS=[0-9]+ \\./dev check fuzz: takes an hour"
  "^sh fuzz/coverage\\.sh: needs a build of clang's, and what fuzzing has found"
  "^compress (settings|convert-uint8 --per=channel) visual_wake_quant|^compress auto int8\\.tflite : a model of others, which is not part of the repository"
  "^pip install : fetches packages"
  "^python models/train/: trains for minutes, with packages of its own")

# "<pattern>: <emulator>": such commands run only if the emulator is installed and can run this processor's
# programs.
set(needs
  "^sh platforms/counter/count\\.sh build/dev: qemu-x86_64")

# "<command>: <exit code>", for commands whose exit code is not 0.
set(exit_codes
  "build/release/bench/generic_benchmark README.md: 3")

function(fail)
  list(JOIN ARGN "" text)
  message(FATAL_ERROR "${text}")
endfunction()

# ---- Finds the commands: `commands` has each as "<document>: <command>". Semicolons and brackets are
# replaced, since lists do not keep them.
function(protect text result)
  foreach(pair IN ITEMS "[@LEFT@" "]@RIGHT@")
    string(SUBSTRING "${pair}" 0 1 from)
    string(SUBSTRING "${pair}" 1 -1 to)
    string(REPLACE "${from}" "${to}" text "${text}")
  endforeach()
  string(REPLACE ";" "@SEMICOLON@" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
function(restore text result)
  string(REPLACE "@LEFT@" "[" text "${text}")
  string(REPLACE "@RIGHT@" "]" text "${text}")
  string(REPLACE "@SEMICOLON@" ";" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Adapters are left out: READMEs have lines of output that begin with their names.
list(TRANSFORM PROGRAMS REPLACE "^.*/" "" OUTPUT_VARIABLE names)
list(FILTER names EXCLUDE REGEX "_adapter$")
list(JOIN names "|" names)
set(known_program "^(\\./dev|cmake|ctest|cpack|sh|node|python|pip|qemu-[a-z0-9_]+|build/[^ ]*|${names}) ")

function(commands_of document result)
  set(found)
  file(READ ${SOURCE_DIR}/${document} text)
  protect("${text}" text)
  # A backslash continues a command in the next line.
  string(REGEX REPLACE " *\\\\\n *" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(block)  # Empty, or sh, other, indented.
  set(prompted FALSE)
  set(blank TRUE)
  foreach(line IN LISTS lines)
    set(command)
    if(line MATCHES "^```(.*)$")
      if(block AND NOT block STREQUAL "indented")
        set(block)
      else()
        set(block other)
        if(CMAKE_MATCH_1 STREQUAL "sh")
          set(block sh)
        endif()
        set(prompted FALSE)
      endif()
      continue()
    endif()
    if((NOT block AND blank) AND line MATCHES "^    ")
      set(block indented)
      set(prompted FALSE)
    elseif(block STREQUAL "indented" AND line AND NOT line MATCHES "^    ")
      set(block)
    endif()
    set(blank FALSE)
    if(line STREQUAL "")
      set(blank TRUE)
    elseif(block AND line MATCHES "^ *\\$ (.*)$")
      set(prompted TRUE)
      set(command "${CMAKE_MATCH_1}")
    elseif(block MATCHES "sh|indented" AND NOT prompted AND line MATCHES "^ *([^ #].*)$")
      set(command "${CMAKE_MATCH_1}")
    elseif(block STREQUAL "other" AND NOT prompted AND line MATCHES "${known_program}")
      fail("${document}: \"${line}\": a command in a block that is not marked sh")
    endif()
    if(command)
      list(APPEND found "${document}: ${command}")
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

file(GLOB documents RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/README.md ${SOURCE_DIR}/CONTRIBUTING.md
     ${SOURCE_DIR}/docs/*.md ${SOURCE_DIR}/*/README.md ${SOURCE_DIR}/*/*/README.md)
list(FILTER documents EXCLUDE REGEX "^build")
set(commands)
foreach(document IN LISTS documents)
  commands_of(${document} found)
  list(APPEND commands ${found})
endforeach()

# ---- Makes the files that the commands need: programs, and the files that they name as examples.
set(tree ${WORK_DIR}/tree)
set(bin ${WORK_DIR}/bin)
file(REMOVE_RECURSE ${WORK_DIR})
scratch_tree(${SOURCE_DIR} ${tree})
set(everyone OWNER_READ OWNER_WRITE OWNER_EXECUTE)
foreach(program IN LISTS PROGRAMS)
  get_filename_component(name ${program} NAME)
  set(prelude)
  if(name STREQUAL "generic_benchmark")
    set(prelude "set -- \"$@\" --runs 1\n")
  elseif(name STREQUAL "compress")
    # Other tests run searches with all samples and with measured importance.
    string(CONCAT prelude "case \"$*\" in auto*--data\\ models/ic* | auto\\ --list*)\n"
           "set -- \"$@\" --first 40 --sensitivity-samples 8 --nearest --importance equal ;;\nesac\n")
  elseif(name STREQUAL "conformance")
    # Other tests run all cases.
    string(CONCAT prelude "case \"$*\" in\n*--smoke* | *--filter* | *--shard* | *--sample*) ;;\n"
           "run* | identify* | prove*) set -- \"$@\" --shard 1/50 ;;\nesac\n")
  endif()
  file(WRITE ${bin}/${name} "#!/bin/sh\n${prelude}exec '${program}' \"$@\"\n")
  file(CHMOD ${bin}/${name} PERMISSIONS ${everyone})
  foreach(folder bench compressor conformance)
    file(MAKE_DIRECTORY ${tree}/build/release/${folder})
    file(CREATE_LINK ${bin}/${name} ${tree}/build/release/${folder}/${name} SYMBOLIC)
  endforeach()
endforeach()
file(MAKE_DIRECTORY ${tree}/build/dev ${tree}/build/results ${tree}/old)
file(CREATE_LINK ${BUILD_DIR}/platforms ${tree}/build/dev/platforms SYMBOLIC)
# conformance/README.md needs a runtime's adapter and a model.
file(CREATE_LINK ${bin}/lutra_adapter ${tree}/my_adapter SYMBOLIC)
file(CREATE_LINK ${SOURCE_DIR}/models/sine.tflite ${tree}/model.tflite SYMBOLIC)
# delegates/README.md needs a delegate of the reader's, which is the example and one line more, and a model.
file(READ ${SOURCE_DIR}/delegates/example/example_delegate.cc delegate)
file(WRITE ${tree}/npu.cc "#include <lutra/delegate_plugin.h>\n" "${delegate}"
     "LUTRA_DELEGATE_PLUGIN(lutra::kExampleDelegate)\n")
file(CREATE_LINK ${SOURCE_DIR}/models/kws.tflite ${tree}/kws.tflite SYMBOLIC)
# conformance/adapters/README.md needs a case.
file(COPY ${SOURCE_DIR}/models/sine.tflite DESTINATION ${tree}/case)
file(RENAME ${tree}/case/sine.tflite ${tree}/case/model.tflite)
file(WRITE ${tree}/case/in0.bin "x")
file(WRITE ${tree}/case/invokes "1")
# platforms/README.md needs the output of a board.
file(WRITE ${tree}/serial.log "lutra1 model sine.tflite bytes 2488\n"
     "lutra1 arena given 1048576 used 292 persistent 260 activation 32 scratch 0 compression 0\n"
     "lutra1 memory small\nlutra1 input 0 crc32 3e611dab\nlutra1 output 0 crc32 12b88320\n")
# reports/README.md needs new results and older ones.
execute_process(COMMAND ${bin}/generic_benchmark ${tree}/models/sine.tflite --export ${tree}/build/results/here.json
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${tree}/build/results/here.json DESTINATION ${tree}/old)
file(WRITE ${tree}/budgets.yaml "budgets:\n  - {model: sine, figure: arena_bytes, max: 100000}\n")
# runtime/example/README.md and delegates/README.md need an installed copy, in DIR or PREFIX.
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(ENV{PATH} "${bin}:$ENV{PATH}")
set(ENV{CMAKE_GENERATOR} ${GENERATOR})

# ---- Runs each command in turn.
function(split entry first second)
  string(FIND "${entry}" ": " at REVERSE)
  string(SUBSTRING "${entry}" 0 ${at} before)
  math(EXPR at "${at} + 2")
  string(SUBSTRING "${entry}" ${at} -1 after)
  set(${first} "${before}" PARENT_SCOPE)
  set(${second} "${after}" PARENT_SCOPE)
endfunction()
cmake_host_system_information(RESULT processor QUERY OS_PLATFORM)
set(count 0)
set(used)
foreach(entry IN LISTS commands)
  restore("${entry}" entry)
  string(REGEX MATCH "^([^:]*): (.*)$" matched "${entry}")
  set(document ${CMAKE_MATCH_1})
  set(command "${CMAKE_MATCH_2}")
  set(reason)
  foreach(exception IN LISTS not_run)
    split("${exception}" pattern why)
    if(command MATCHES "${pattern}")
      list(APPEND used "${exception}")
      set(reason "${exception}")
    endif()
  endforeach()
  if(reason)
    continue()
  endif()
  foreach(need IN LISTS needs)
    split("${need}" pattern program)
    if(command MATCHES "${pattern}")
      list(APPEND used "${need}")
      unset(found CACHE)
      find_program(found ${program})
      if(NOT found OR NOT program MATCHES "-${processor}$")
        set(reason "needs ${program}, and that processor")
      endif()
    endif()
  endforeach()
  if(reason)
    message(STATUS "${reason}; not run: ${command}")
    continue()
  endif()
  set(wanted 0)
  foreach(exit_code IN LISTS exit_codes)
    split("${exit_code}" failing code)
    if(command STREQUAL failing)
      set(wanted ${code})
      list(APPEND used "${exit_code}")
    endif()
  endforeach()
  string(REPLACE "=DIR" "=${WORK_DIR}/installed" line "${command}")
  string(REPLACE " PREFIX/" " ${WORK_DIR}/installed/" line "${line}")
  # Random models for a minute are ./dev check random. Other tests run searches and proofs that take minutes.
  string(REPLACE "--seconds 60" "--seconds 5" line "${line}")
  string(REPLACE "--evaluations 200" "--evaluations 5" line "${line}")
  string(REPLACE "prove --shard 2/16" "prove --shard 2/200" line "${line}")
  string(REPLACE "run --filter 'int8.*' --shard" "run --filter 'int8.m*' --shard" line "${line}")
  file(WRITE ${WORK_DIR}/command.sh "${line}\n")
  string(TIMESTAMP began %s)
  execute_process(COMMAND sh ${WORK_DIR}/command.sh WORKING_DIRECTORY ${tree} TIMEOUT 120
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(TIMESTAMP ended %s)
  math(EXPR seconds "${ended} - ${began}")
  message(STATUS "${seconds} s, ${document}: ${command}")
  if(NOT code EQUAL wanted)
    fail("${document}: ${command}\nexit code ${code}, required ${wanted}\n${output}")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
foreach(entry IN LISTS not_run needs exit_codes)
  if(NOT entry IN_LIST used)
    message(SEND_ERROR "no document has this command any more; remove the line: ${entry}")
  endif()
endforeach()
if(count LESS 30)
  message(SEND_ERROR "only ${count} commands were found")
endif()
