# SPDX-License-Identifier: Apache-2.0
# One test of a platform, as a script (cmake -P). Programs are PROGRAM_DIR/<name>.elf, those of this machine in
# HOST_BUILD.
#
#   ACTION=model    runs PROGRAM on MODEL and keeps what it prints, counted where QEMU is the emulator, in LOGS/LOG.log;
#                   CRCs of inputs and outputs are those that the host computes for PLAIN_MODEL or else MODEL. With
#                   COMPRESS, a verb and options, MODEL is made from PLAIN_MODEL first; with BIN, options of bin, from what
#                   that makes of it, which is the plain model then. Of a program size_<operators> the sections are
#                   reported, too; .text and .rodata are at most LIMIT_BYTES, where that is set, and within 1 % of the
#                   number that docs/benchmarks.md has where the pattern DOCUMENTED matches. The smallest arena is at most
#                   MOST_ARENA_BYTES, where that is set
#                   MEMORY: the memory policy, if not the program's own. DECOMPRESSION: with it, the policy of decompression
#                   and the bytes outside the arena, "at-init 8192". DECODED_AT: the address of the latter
#   ACTION=run      runs PROGRAM on MODEL (which may be left out): it must end with EXPECT_CODE and print a
#                   line of the kind EXPECT_LINE
#   ACTION=spot_keyword  PROGRAM, with PREPROCESSOR and NETWORK, gives the host's outputs for three seeds, in an arena of
#                   MOST_ARENA_BYTES, where that is set
#   ACTION=variants every variant of every kernel gives what its reference gives, and the references what they
#                   give on the host; instructions by kernel are kept in LOGS/variants.lines
#   ACTION=proofs   a thousandth of what golden/proofs/<platform>.json says is proved holds; it names what is stale
#   ACTION=conformance  the cases of golden/ pass; with SMOKE, its smoke set
#   ACTION=fuzz     random models, other ones for each commit, give what the oracle says. LUTRA_FUZZ_CASES in the
#                   environment: how many, 2,000 unless said
#   ACTION=mutants  PROGRAM loads and runs mutants of small models of every operator and of compressed ones: no fault, no
#                   hang, and as many are loaded as on the host. LUTRA_MUTANTS in the environment: how many of each model
#   ACTION=count_twice  two runs of PROGRAM on MODEL have the same counts
#   ACTION=consumer installs the build, builds platforms/example against that, and runs it on MODEL: its output
#                   is the host's; a model that it refuses, it refuses by numbers, and has no texts
#   ACTION=c_firmware  PROGRAM, which is C, gives the host's output for MODEL and inputs of zeros; a model that it lacks an operator
#                   of, it refuses by numbers
#   ACTION=arenas   the arenas that compress embed names for all models, OTHERS' among them, are those that PROGRAM finds
#                   on the board, to the byte
#   ACTION=arena_sizes  PROGRAM runs models and planned ones in arenas of many sizes, with both memory policies: what is smaller
#                   than the smallest is refused, the others give the host's outputs, and nothing is written around them.
#                   LUTRA_ARENA_STEP in the environment: bytes from one size to the next, 512 unless said
#   ACTION=embed    installs the build; what compress embed writes for kws, and for three models together, is built and run
#                   unchanged, and its outputs are the host's. The program is PROGRAM
#   ACTION=benchmark  BENCHMARK, a generic_benchmark for the platform, gives the host's outputs for all bundled models, and
#                   no times in an emulator
#
# A failure is FATAL_ERROR; a line "platform test skipped: ..." makes CTest count a skipped test.
cmake_minimum_required(VERSION 3.25)

include(${SOURCE_DIR}/platforms/${PLATFORM}/toolchain.cmake)
set(host_benchmark ${HOST_BUILD}/bench/generic_benchmark)
set(once --runs 1 --warmup 0 --no-arena-search)

list(GET LUTRA_PLATFORM_EMULATOR 0 emulator)
unset(found CACHE)
find_program(found ${emulator})
if(NOT found)
  message("platform test skipped: ${emulator} is not installed (platforms/${PLATFORM}/README.md)")
  return()
endif()

# The arguments behind the model's name.
set(arguments)
if(MEMORY)
  separate_arguments(DECOMPRESSION)
  set(arguments 1 ${MEMORY} ${DECOMPRESSION})
endif()

# Runs COMMAND in the folder of MODEL, whose name alone is its argument: semihosting splits its command line at
# spaces, and a path may have some.
function(run_on_model output_variable expected_code)
  set(folder ${PROGRAM_DIR})
  set(name)
  if(MODEL)
    get_filename_component(folder ${MODEL} DIRECTORY)
    get_filename_component(name ${MODEL} NAME)
  endif()
  execute_process(COMMAND ${ARGN} ${name} ${arguments} WORKING_DIRECTORY ${folder}
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code TIMEOUT 300)
  message("${output}${errors}")
  if(NOT code STREQUAL expected_code)
    message(FATAL_ERROR "${PROGRAM} ended with ${code} instead of ${expected_code}")
  endif()
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()

set(elf ${PROGRAM_DIR}/${PROGRAM}.elf)
set(plugin ${HOST_BUILD}/platforms/counter.so)
if(LUTRA_PLATFORM_VECTOR)
  list(JOIN LUTRA_PLATFORM_OBJDUMP " " objdump)
endif()

# Runs PROGRAM on MODEL, with counts where there are any.
function(run_with_counts output_variable)
  execute_process(COMMAND ${emulator} --help OUTPUT_VARIABLE help ERROR_QUIET)
  if(NOT help MATCHES "-plugin" OR NOT EXISTS ${plugin})
    run_on_model(output 0 ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf})
  else()
    file(MAKE_DIRECTORY ${LOGS})
    set(lines ${LOGS}/${PROGRAM}.${LOG}.lines)
    set(vector)
    if(LUTRA_PLATFORM_VECTOR)
      set(vector --objdump "${objdump}" --vector "${LUTRA_PLATFORM_VECTOR}")
    endif()
    run_on_model(ignored 0 sh ${SOURCE_DIR}/platforms/counter/count.sh --lines ${lines} ${vector}
                 ${plugin} ${LUTRA_PLATFORM_EMULATOR} -- ${elf})
    file(READ ${lines} output)
    file(REMOVE ${lines})
  endif()
  set(${output_variable} "${output}" PARENT_SCOPE)
endfunction()

# The CRC32s of "inputs" or "outputs" in result `i` of generic_benchmark, as a list.
function(crcs_of_json json i tensors variable)
  string(JSON count LENGTH "${json}" results ${i} ${tensors})
  math(EXPR last "${count} - 1")
  set(crcs)
  foreach(k RANGE ${last})
    string(JSON crc GET "${json}" results ${i} ${tensors} ${k} crc32)
    list(APPEND crcs ${crc})
  endforeach()
  set(${variable} "${crcs}" PARENT_SCOPE)
endfunction()

# The CRC32s of lines "lutra1 <tensor> <k> crc32 <crc>", as a list.
function(crcs_of_lines output tensor variable)
  string(REGEX MATCHALL "lutra1 ${tensor} [0-9]+ crc32 [0-9a-f]+" lines "${output}")
  list(TRANSFORM lines REPLACE ".* " "")
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# A line for the shell that runs a program of the platform.
function(shell_line variable program)
  set(line)
  foreach(word IN LISTS CMAKE_CROSSCOMPILING_EMULATOR ITEMS ${PROGRAM_DIR}/${program})
    string(APPEND line "'${word}' ")
  endforeach()
  set(${variable} "${line}" PARENT_SCOPE)
endfunction()

function(require_equal what actual expected)
  if("${expected}" STREQUAL "" OR NOT "${actual}" STREQUAL "${expected}")
    message(FATAL_ERROR "${what}: '${actual}' here, '${expected}' on the host")
  endif()
endfunction()

# `lutra1 flash text N rodata N data N bss N` of an ELF file; sections that begin like these are counted with them.
function(flash_line file variable)
  execute_process(COMMAND ${LUTRA_PLATFORM_PREFIX}size -A ${file} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
  set(line "lutra1 flash")
  foreach(section text rodata data bss)
    string(REGEX MATCHALL "\n\\.${section}[^ ]* +[0-9]+" rows "${table}")
    set(bytes 0)
    foreach(row IN LISTS rows)
      string(REGEX REPLACE ".* " "" row_bytes "${row}")
      math(EXPR bytes "${bytes} + ${row_bytes}")
    endforeach()
    set(${section}_bytes ${bytes})
    string(APPEND line " ${section} ${bytes}")
  endforeach()
  math(EXPR total "${text_bytes} + ${rodata_bytes}")
  if(total EQUAL 0)
    message(FATAL_ERROR "${file} has neither .text nor .rodata")
  endif()
  if(LIMIT_BYTES AND total GREATER LIMIT_BYTES)
    message(FATAL_ERROR "${file} has ${total} bytes of code and constants, more than ${LIMIT_BYTES}")
  endif()
  if(DOCUMENTED)
    file(READ ${SOURCE_DIR}/docs/benchmarks.md page)
    if(NOT page MATCHES "${DOCUMENTED}")
      message(FATAL_ERROR "docs/benchmarks.md: found no \"${DOCUMENTED}\", required: ${total} there")
    endif()
    string(REPLACE "," "" documented "${CMAKE_MATCH_1}")
    math(EXPR difference "100 * (${documented} - ${total})")
    if(difference GREATER total OR difference LESS -${total})
      message(FATAL_ERROR "docs/benchmarks.md: found ${documented}, required: ${total}, what ${file} has, within 1 %")
    endif()
  endif()
  message("${line}")
  set(${variable} "${line}\n" PARENT_SCOPE)
endfunction()

# Installs the board's library to ${work}/prefix, and builds the project `source` with that in `build`.
function(build_with_installed source build)
  file(REMOVE_RECURSE ${work}/prefix ${build})
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${PROGRAM_DIR}/.. --prefix ${work}/prefix
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR}
            -DCMAKE_TOOLCHAIN_FILE=${work}/prefix/share/lutra/platforms/${PLATFORM}/toolchain.cmake
            -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=MinSizeRel
            -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=${LINK_TIME_OPTIMISATION}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Ends this script where compress embed does not know the platform.
macro(return_without_figures)
  execute_process(COMMAND ${HOST_BUILD}/compressor/compress embed --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  if(NOT help MATCHES "[,{ \n]${PLATFORM}[,} \n]")
    message("platform test skipped: compress embed has no figures for ${PLATFORM}")
    return()
  endif()
endmacro()

# Embeds models as `compress embed` does with these options, builds its output unchanged, and runs it: each output is the
# host's for the same inputs, and the arena is one that works and that is no byte too large for the largest of them.
function(embed_and_run name options)
  set(folder ${work}/${name})
  file(REMOVE_RECURSE ${folder})
  execute_process(COMMAND ${HOST_BUILD}/compressor/compress embed ${ARGN} -o ${folder} --platform ${PLATFORM} ${options}
                  COMMAND_ERROR_IS_FATAL ANY)
  build_with_installed(${folder} ${work}/${name}.build)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/${name}.build --target run
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${folder}/model_ops.h header)
  if(NOT header MATCHES "kArenaBytes = ([0-9]+);")
    message(FATAL_ERROR "model_ops.h has no kArenaBytes")
  endif()
  set(arena_bytes ${CMAKE_MATCH_1})
  string(REGEX MATCHALL "lutra1 arena given [0-9]+ used [0-9]+" arenas "${output}")
  set(largest 0)
  foreach(arena IN LISTS arenas)
    string(REGEX REPLACE ".* " "" used "${arena}")
    if(used GREATER largest)
      set(largest ${used})
    endif()
  endforeach()
  require_equal("Arena" "${largest}" "${arena_bytes}")
  set(expected)
  foreach(model IN LISTS ARGN)
    get_filename_component(model_name ${model} NAME_WE)
    if(NOT header MATCHES "namespace ${model_name}_model {[^=]*kInputs\\[\\] = {[^{]*{[^{]*{[^}]*}, ([0-9]+),")
      message(FATAL_ERROR "model_ops.h does not say how many bytes the input of ${model_name} has")
    endif()
    # main.cc fills inputs with these bytes.
    execute_process(COMMAND sh -c "i=0; while [ $i -lt $1 ]; do printf \"\\\\$(printf %03o $(((37 * i + 11) % 256)))\"; i=$((i + 1)); done" - ${CMAKE_MATCH_1}
                    OUTPUT_FILE ${work}/pattern.bin COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${host_benchmark} ${model} ${once} --input ${work}/pattern.bin --format json
                    OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
    crcs_of_json("${json}" 0 outputs crcs)
    list(APPEND expected ${crcs})
  endforeach()
  crcs_of_lines("${output}" output actual)
  require_equal("CRC32 of the outputs" "${actual}" "${expected}")
endfunction()

# The flash that `generic_benchmark --firmware` tells of this model is that of the linked firmware `name`, within 2 %.
function(require_flash_of name model)
  execute_process(COMMAND ${host_benchmark} ${model} --firmware ${PLATFORM} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  if(NOT EXISTS ${SOURCE_DIR}/platforms/${PLATFORM}/flash.txt)
    if(NOT text MATCHES "code    not measured for this platform")
      message(FATAL_ERROR "${PLATFORM} has no flash.txt, and --firmware does not say so:\n${text}")
    endif()
    return()
  endif()
  string(REGEX MATCH "flash\n.*total   ([0-9]+) bytes\nRAM\n.*and ([0-9]+) bytes of variables" ignored "${text}")
  set(told ${CMAKE_MATCH_1})
  set(variables ${CMAKE_MATCH_2})
  flash_line(${work}/${name}.build/firmware.elf line)
  string(REGEX REPLACE ".*text ([0-9]+) rodata ([0-9]+) data ([0-9]+) bss ([0-9]+).*" "\\1;\\2;\\3;\\4" sections "${line}")
  list(GET sections 0 text_bytes)
  list(GET sections 1 rodata_bytes)
  list(GET sections 2 data_bytes)
  math(EXPR linked "${text_bytes} + ${rodata_bytes} + ${data_bytes}")
  math(EXPR difference "50 * (${told} - ${linked})")
  message("flash of ${name}: ${told} bytes told, ${linked} linked")
  if(difference GREATER linked OR difference LESS -${linked})
    message(FATAL_ERROR "--firmware ${PLATFORM} tells ${told} bytes of flash for ${name}; the linked firmware has ${linked}: "
                        "run platforms/flash_sizes.sh again")
  endif()
endfunction()

if(ACTION STREQUAL "model")
  file(REMOVE ${LOGS}/${LOG}.log)
  if(COMPRESS)
    separate_arguments(COMPRESS)
    list(POP_FRONT COMPRESS verb)
    get_filename_component(folder ${MODEL} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    if(BIN)
      execute_process(COMMAND ${HOST_BUILD}/compressor/compress bin ${PLAIN_MODEL} ${MODEL}.binned ${BIN}
                      COMMAND_ERROR_IS_FATAL ANY)
      set(PLAIN_MODEL ${MODEL}.binned)
    endif()
    execute_process(COMMAND ${HOST_BUILD}/compressor/compress ${verb} ${PLAIN_MODEL} ${MODEL} ${COMPRESS}
                    COMMAND_ERROR_IS_FATAL ANY)
    if(NOT EXISTS ${MODEL})
      message(FATAL_ERROR "compress wrote no ${MODEL}")
    endif()
  else()
    set(PLAIN_MODEL ${MODEL})
  endif()
  if(NOT EXISTS ${MODEL})
    message("platform test skipped: there is no ${MODEL} (LUTRA_TEST_DATA)")
    return()
  endif()
  if(NOT PROGRAM MATCHES "^size_")
    run_with_counts(output)
  else()
    run_on_model(output 0 ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf})
    if(NOT CMAKE_SYSTEM_NAME STREQUAL "WASI")
      flash_line(${elf} flash)
      string(APPEND output "${flash}")
    endif()
  endif()
  execute_process(COMMAND ${host_benchmark} ${PLAIN_MODEL} ${once} --format json
                  OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
  if(MEMORY AND NOT output MATCHES "lutra1 memory ${MEMORY}\n")
    message(FATAL_ERROR "${PROGRAM} printed no line 'lutra1 memory ${MEMORY}'")
  endif()
  if(DECOMPRESSION)
    list(JOIN DECOMPRESSION " outside " line)
    if(NOT output MATCHES "lutra1 decompression ${line}\n")
      message(FATAL_ERROR "${PROGRAM} printed no line 'lutra1 decompression ${line}'")
    endif()
  endif()
  if(MOST_ARENA_BYTES)
    if(NOT output MATCHES "lutra1 smallest arena ([0-9]+)\n" OR CMAKE_MATCH_1 GREATER MOST_ARENA_BYTES)
      message(FATAL_ERROR "the smallest arena is ${CMAKE_MATCH_1}, more than ${MOST_ARENA_BYTES}")
    endif()
  endif()
  if(DECODED_AT)
    execute_process(COMMAND ${LUTRA_PLATFORM_PREFIX}size -A -x ${elf} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
    if(NOT table MATCHES "\n\\.decoded +0x[0-9a-f]+ +${DECODED_AT}\n")
      message(FATAL_ERROR "${PROGRAM}: required .decoded at ${DECODED_AT}, found ${table}")
    endif()
  endif()
  foreach(tensor input output)
    crcs_of_json("${json}" 0 ${tensor}s expected)
    crcs_of_lines("${output}" ${tensor} actual)
    require_equal("CRC32 of the ${tensor}s" "${actual}" "${expected}")
  endforeach()
  file(WRITE ${LOGS}/${LOG}.log "${output}")

elseif(ACTION STREQUAL "run")
  run_on_model(output ${EXPECT_CODE} ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf})
  if(NOT output MATCHES "lutra1 ${EXPECT_LINE} ")
    message(FATAL_ERROR "${PROGRAM} printed no line '${EXPECT_LINE}'")
  endif()

elseif(ACTION STREQUAL "spot_keyword")
  foreach(file IN ITEMS ${PREPROCESSOR} ${NETWORK})
    if(NOT EXISTS ${file})
      message("platform test skipped: ${file} is not there; CMake's LUTRA_TEST_DATA names its folder")
      return()
    endif()
  endforeach()
  # Semihosting splits its command line at spaces, and lines have an end.
  set(folder ${PROGRAM_DIR}/spot_keyword)
  file(MAKE_DIRECTORY ${folder})
  file(COPY_FILE ${PREPROCESSOR} ${folder}/preprocessor.tflite)
  file(COPY_FILE ${NETWORK} ${folder}/network.tflite)
  foreach(seed IN ITEMS 1 2 3)
    set(arguments preprocessor.tflite network.tflite ${seed})
    execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf} ${arguments} WORKING_DIRECTORY ${folder}
                    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${HOST_BUILD}/platforms/spot_keyword.elf ${arguments} WORKING_DIRECTORY ${folder}
                    OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
    crcs_of_lines("${expected}" output expected_crcs)
    crcs_of_lines("${output}" output actual_crcs)
    require_equal("CRC32 of the scores of seed ${seed}" "${actual_crcs}" "${expected_crcs}")
  endforeach()
  if(MOST_ARENA_BYTES AND NOT output MATCHES "lutra1 arena given [0-9]+ used ${MOST_ARENA_BYTES}\n")
    message(FATAL_ERROR "required an arena of ${MOST_ARENA_BYTES}, found: ${output}")
  endif()
  file(WRITE ${LOGS}/spot_keyword.lines "${output}")

elseif(ACTION STREQUAL "variants")
  execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf} self-test COMMAND_ERROR_IS_FATAL ANY)
  run_with_counts(output)
  file(WRITE ${LOGS}/variants.lines "${output}")
  execute_process(COMMAND ${HOST_BUILD}/platforms/run_variants.elf OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
  foreach(lines output expected)
    string(REGEX MATCHALL "lutra1 reference [^\n]*" ${lines} "${${lines}}")
  endforeach()
  require_equal("Outputs of the reference kernels" "${output}" "${expected}")

elseif(ACTION STREQUAL "proofs")
  shell_line(program prove_kernels.elf)
  set(against)
  if(EXISTS ${SOURCE_DIR}/golden/proofs/${PLATFORM}.json)
    set(against --against ${SOURCE_DIR}/golden/proofs/${PLATFORM}.json)
  endif()
  execute_process(COMMAND ${HOST_BUILD}/conformance/conformance prove --program "${program}" --sample 1000
                          --sources ${SOURCE_DIR} ${against}
                  COMMAND_ERROR_IS_FATAL ANY)

elseif(ACTION STREQUAL "conformance")
  shell_line(runner run_cases.elf)
  file(MAKE_DIRECTORY ${LOGS})
  set(cases)
  if(SMOKE)
    set(cases --smoke)
  endif()
  execute_process(COMMAND ${HOST_BUILD}/conformance/conformance run --golden ${SOURCE_DIR}/golden --runner "${runner}"
                          ${cases} --jobs 1 --timeout 60000 --reproducers ${PROGRAM_DIR}/conformance-failures
                          --results ${LOGS}/conformance.json
                  COMMAND_ERROR_IS_FATAL ANY)

elseif(ACTION STREQUAL "fuzz")
  shell_line(runner run_cases.elf)
  set(cases 2000)
  if(DEFINED ENV{LUTRA_FUZZ_CASES})
    set(cases $ENV{LUTRA_FUZZ_CASES})
  endif()
  execute_process(COMMAND git rev-parse --short=8 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # The last digit stands for a commit where git knows none.
  math(EXPR seed "0x${commit}1 & 0x7FFFFFFF")
  execute_process(COMMAND ${HOST_BUILD}/conformance/conformance fuzz --runner "${runner}" --cases ${cases} --seed ${seed}
                          --jobs 1 --timeout 60000 --reproducers ${PROGRAM_DIR}/fuzz-failures
                  COMMAND_ERROR_IS_FATAL ANY)

elseif(ACTION STREQUAL "mutants")
  set(of_each 20)
  if(DEFINED ENV{LUTRA_MUTANTS})
    set(of_each $ENV{LUTRA_MUTANTS})
  endif()
  set(seed 1)
  file(MAKE_DIRECTORY ${LOGS} ${PROGRAM_DIR}/packed)
  file(GLOB models ${SOURCE_DIR}/models/sine.tflite ${SOURCE_DIR}/golden/smoke/cases/*/model.tflite)
  foreach(options IN ITEMS --target=lutra "--codec=lut --format=metadata")
    list(LENGTH models number)
    set(packed ${PROGRAM_DIR}/packed/mutants_${number}.tflite)
    separate_arguments(options)
    execute_process(COMMAND ${HOST_BUILD}/compressor/compress pack ${SOURCE_DIR}/models/kws_clustered.tflite ${packed} ${options}
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND models ${packed})
  endforeach()
  # Lines have an end: paths are short.
  list(TRANSFORM models REPLACE "^${SOURCE_DIR}/" "")
  list(JOIN models "\n" lines)
  file(WRITE ${LOGS}/mutants.models "${lines}\n")
  execute_process(COMMAND ${HOST_BUILD}/platforms/run_mutants.elf ${seed} ${of_each}
                  WORKING_DIRECTORY ${SOURCE_DIR} INPUT_FILE ${LOGS}/mutants.models
                  OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf} ${seed} ${of_each}
                  WORKING_DIRECTORY ${SOURCE_DIR} INPUT_FILE ${LOGS}/mutants.models
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code TIMEOUT 560)
  file(WRITE ${LOGS}/mutants.lines "${output}")
  if(NOT code STREQUAL 0)
    string(REGEX MATCHALL "lutra1 mutants" done "${output}")
    list(LENGTH done done)
    list(GET models ${done} culprit)
    message("${output}${errors}")
    message(FATAL_ERROR "${PROGRAM} ended with ${code} at a mutant of ${culprit}; with a third argument, `each`, it names "
                        "every mutant")
  endif()
  foreach(count tried loaded ran)
    string(REGEX MATCHALL "${count} [0-9]+" words "${output}")
    list(TRANSFORM words REPLACE ".* " "")
    list(JOIN words "+" sum)
    math(EXPR ${count} "${sum}")
  endforeach()
  message("${tried} mutants: ${loaded} loaded, ${ran} ran")
  foreach(lines output expected)
    string(REGEX MATCHALL "lutra1 mutants [^\n]* loaded [0-9]+" ${lines} "${${lines}}")
  endforeach()
  require_equal("Mutants that were loaded" "${output}" "${expected}")

elseif(ACTION STREQUAL "count_twice")
  set(LOG once)
  run_with_counts(once)
  set(LOG twice)
  run_with_counts(twice)
  if(NOT once MATCHES "lutra1 count invoke instructions [1-9]")
    message("platform test skipped: ${emulator} is built without plugins")
    return()
  endif()
  require_equal("Counts of a second run" "${twice}" "${once}")

elseif(ACTION STREQUAL "consumer")
  set(work ${PROGRAM_DIR}/consumer)
  build_with_installed(${SOURCE_DIR}/platforms/example ${work}/build)
  run_on_model(output 0 ${CMAKE_CROSSCOMPILING_EMULATOR} ${work}/build/example.elf)
  # The example fills its input with zeros.
  execute_process(COMMAND dd if=/dev/zero of=${work}/zero.bin bs=1 count=1 OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${host_benchmark} ${MODEL} ${once} --format csv
                          --input ${work}/zero.bin --output-prefix ${work}/out
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${work}/out.0.bin hex HEX)
  math(EXPR expected "0x${hex}")
  if(expected GREATER 127)
    math(EXPR expected "${expected} - 256")
  endif()
  if(NOT output MATCHES "lutra1 output 0 code ${expected}\n")
    message(FATAL_ERROR "the example did not print the host's code ${expected}")
  endif()
  # A refusal is numbers: its texts would take 9 KB.
  set(MODEL ${SOURCE_DIR}/models/kws.tflite)
  run_on_model(output 3 ${CMAKE_CROSSCOMPILING_EMULATOR} ${work}/build/example.elf)
  if(NOT output MATCHES "lutra1 refused rule 24 node 0 tensor -1 ")
    message(FATAL_ERROR "the example did not say that it lacks the model's first operator")
  endif()
  file(STRINGS ${work}/build/example.elf texts REGEX "operator-unknown")
  if(texts)
    message(FATAL_ERROR "the example has texts of rules: something includes lutra/diagnosis_text.h")
  endif()

elseif(ACTION STREQUAL "c_firmware")
  run_on_model(output 0 ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf})
  set(work ${PROGRAM_DIR}/c)
  file(MAKE_DIRECTORY ${work})
  execute_process(COMMAND dd if=/dev/zero of=${work}/zero.bin bs=490 count=1 OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${host_benchmark} ${MODEL} ${once} --format csv
                          --input ${work}/zero.bin --output-prefix ${work}/out
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${work}/out.0.bin hex HEX)
  string(REGEX MATCHALL "[0-9a-f][0-9a-f]" bytes "${hex}")
  set(expected)
  foreach(byte IN LISTS bytes)
    math(EXPR code "(0x${byte} + 128) % 256 - 128")
    string(APPEND expected "lutra1 output 0 code ${code}\n")
  endforeach()
  string(REGEX MATCHALL "lutra1 output[^\n]*\n" codes "${output}")
  list(JOIN codes "" codes)
  require_equal("Output of the firmware in C" "${codes}" "${expected}")
  if(NOT output MATCHES "lutra1 arena [0-9]+ of 16384\n")
    message(FATAL_ERROR "the firmware in C did not print its arena:\n${output}")
  endif()
  # SVDF is not among its operators.
  set(MODEL ${SOURCE_DIR}/golden/smoke/cases/int8.svdf.real.smoke.0000/model.tflite)
  run_on_model(output 3 ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf})
  if(NOT output MATCHES "lutra1 refused 24 node 0\n")
    message(FATAL_ERROR "the firmware in C did not say that it lacks the model's operator:\n${output}")
  endif()

elseif(ACTION STREQUAL "arena_sizes")
  set(step 512)
  if(DEFINED ENV{LUTRA_ARENA_STEP})
    set(step $ENV{LUTRA_ARENA_STEP})
  endif()
  set(work ${PROGRAM_DIR}/arena_sizes)
  file(MAKE_DIRECTORY ${work})
  foreach(name IN ITEMS kws vww96)
    set(plain ${SOURCE_DIR}/models/${name}.tflite)
    file(COPY ${plain} DESTINATION ${work})
    execute_process(COMMAND ${HOST_BUILD}/compressor/compress plan ${plain} ${work}/${name}_planned.tflite --tables
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${host_benchmark} ${plain} ${once} --format json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
    crcs_of_json("${json}" 0 outputs expected)
    foreach(MODEL IN ITEMS ${work}/${name}.tflite ${work}/${name}_planned.tflite)
      foreach(policy IN ITEMS small fast)
        set(arguments 1 ${policy} ${step} 4096)
        run_on_model(output 0 ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf})
        crcs_of_lines("${output}" output actual)
        require_equal("CRC32 of the outputs" "${actual}" "${expected}")
        if(NOT output MATCHES "lutra1 arenas refused [1-9][0-9]* worked [1-9][0-9]* smallest ")
          message(FATAL_ERROR "${PROGRAM} printed no line 'arenas' with sizes of both kinds")
        endif()
      endforeach()
    endforeach()
  endforeach()

elseif(ACTION STREQUAL "embed")
  set(work ${PROGRAM_DIR}/embed)
  set(models ${SOURCE_DIR}/models)
  unset(MODEL)
  return_without_figures()
  embed_and_run(kws "" ${models}/kws.tflite)
  require_flash_of(kws ${models}/kws.tflite)
  embed_and_run(three "--memory;fast;--array" ${models}/sine.tflite ${models}/kws.tflite ${models}/ic.tflite)

elseif(ACTION STREQUAL "arenas")
  set(work ${PROGRAM_DIR}/arenas)
  return_without_figures()
  file(GLOB all ${SOURCE_DIR}/models/*.tflite ${OTHERS}/*.tflite)
  set(compared 0)
  foreach(policy small fast)
    foreach(model IN LISTS all)
      file(REMOVE_RECURSE ${work})
      execute_process(COMMAND ${HOST_BUILD}/compressor/compress embed ${model} -o ${work} --platform ${PLATFORM} --memory ${policy}
                      OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE code)
      if(NOT code EQUAL 0)
        message(FATAL_ERROR "${model}: ${errors}")
      endif()
      # This build has no operators of uint8, and such a firmware says so.
      file(STRINGS ${work}/model_ops.h needs REGEX "^#error")
      if(needs)
        continue()
      endif()
      string(REGEX REPLACE ".*arena ([0-9]+) bytes.*" "\\1" expected "${text}")
      get_filename_component(folder ${model} DIRECTORY)
      get_filename_component(name ${model} NAME)
      execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${elf} ${name} 1 ${policy}
                      WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
      string(REGEX REPLACE ".*lutra1 smallest arena ([0-9]+).*" "\\1" actual "${output}")
      require_equal("Arena of ${name}, policy ${policy}," "${actual}" "${expected}")
      math(EXPR compared "${compared} + 1")
    endforeach()
  endforeach()
  message("${compared} arenas are those of the board, to the byte")

elseif(ACTION STREQUAL "benchmark")
  file(GLOB models ${SOURCE_DIR}/models/*.tflite)
  execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${BENCHMARK} ${models} ${once} --format json
                  OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${host_benchmark} ${models} ${once} --format json
                  OUTPUT_VARIABLE host_json COMMAND_ERROR_IS_FATAL ANY)
  string(JSON time GET "${json}" results 0 inference median_ns)
  if(emulator MATCHES "qemu" AND NOT time STREQUAL "")
    message(FATAL_ERROR "an emulator's time is reported: ${time}")
  endif()
  list(LENGTH models count)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    foreach(tensors inputs outputs)
      crcs_of_json("${json}" ${i} ${tensors} actual)
      crcs_of_json("${host_json}" ${i} ${tensors} expected)
      require_equal("CRC32 of the ${tensors} of model ${i}" "${actual}" "${expected}")
    endforeach()
  endforeach()

else()
  message(FATAL_ERROR "No such ACTION: '${ACTION}'")
endif()
