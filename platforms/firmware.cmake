# SPDX-License-Identifier: Apache-2.0
# lutra::platform: what a program needs to start, print and end on this platform. Linking it is enough.

if(NOT LUTRA_PLATFORM)
  message(FATAL_ERROR "No LUTRA_PLATFORM: use one of the toolchain files, platforms/<platform>/toolchain.cmake")
endif()
set(platform_dir ${CMAKE_CURRENT_SOURCE_DIR}/${LUTRA_PLATFORM})

add_library(lutra_platform STATIC common/report.cc common/semihosting.cc common/start.cc
                                  ${LUTRA_PLATFORM}/start.cc)
add_library(lutra::platform ALIAS lutra_platform)
target_include_directories(lutra_platform PUBLIC ${PROJECT_SOURCE_DIR})
target_compile_features(lutra_platform PUBLIC cxx_std_20)
# Start-up runs before data is in place: no loop of it may become a call of the C library. Nor does it take part
# in link-time optimisation, which would see a caller and a stack that are not what it expects.
target_compile_options(lutra_platform PRIVATE
  -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-tree-loop-distribute-patterns)
set_target_properties(lutra_platform PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
target_link_libraries(lutra_platform PRIVATE lutra_warnings)
# Of the libraries only what is named here: no start-up files, no C++ library.
target_link_options(lutra_platform INTERFACE
  -nostartfiles -nodefaultlibs -L${CMAKE_CURRENT_SOURCE_DIR}/common -T${platform_dir}/memory.ld
  -Wl,--gc-sections -Wl,--fatal-warnings)
target_link_libraries(lutra_platform INTERFACE m c gcc)

# lutra_firmware(<name> <file>...): <name>.elf, with a map of it in <name>.map.
function(lutra_firmware name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE lutra::runtime lutra::platform lutra_warnings)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti -fno-threadsafe-statics)
  target_link_options(${name} PRIVATE -Wl,-Map=${name}.map)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS
    "${platform_dir}/memory.ld;${CMAKE_CURRENT_SOURCE_DIR}/common/sections.ld")
endfunction()

lutra_firmware(run_model common/run_model.cc common/model_runner.cc)
lutra_firmware(size_kws common/size_kws.cc common/model_runner.cc)
lutra_firmware(size_kws_add common/size_kws.cc common/model_runner.cc)
lutra_firmware(overflow_stack common/overflow_stack.cc)
target_compile_definitions(size_kws_add PRIVATE LUTRA_WITH_ADD)
