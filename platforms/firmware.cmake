# SPDX-License-Identifier: Apache-2.0
# lutra::platform: what a program needs to start, print and end on this platform. Linking it is enough.

if(NOT LUTRA_PLATFORM)
  message(FATAL_ERROR "No LUTRA_PLATFORM: use one of the toolchain files, platforms/<platform>/toolchain.cmake")
endif()
set(platform_dir ${CMAKE_CURRENT_SOURCE_DIR}/${LUTRA_PLATFORM})

add_library(lutra_platform STATIC common/report.cc common/semihosting.cc common/start.cc
                                  ${LUTRA_PLATFORM_START})
add_library(lutra::platform ALIAS lutra_platform)
set_target_properties(lutra_platform PROPERTIES EXPORT_NAME platform)
target_include_directories(lutra_platform PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lutra>)
target_compile_features(lutra_platform PUBLIC cxx_std_20)
# There is nobody to catch: applications are compiled like this, too.
target_compile_options(lutra_platform PUBLIC -fno-exceptions -fno-rtti -fno-threadsafe-statics)
# Start-up runs before data is in place: no loop of it may become a call of the C library. Nor does it take part
# in link-time optimisation, which would see a caller and a stack that are not what it expects.
target_compile_options(lutra_platform PRIVATE -fno-tree-loop-distribute-patterns)
set_target_properties(lutra_platform PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
target_link_libraries(lutra_platform PRIVATE $<BUILD_INTERFACE:lutra_warnings>)
# Of the libraries only what is named here: no start-up files, no C++ library.
target_link_options(lutra_platform INTERFACE
  -nostartfiles -nodefaultlibs
  $<BUILD_INTERFACE:-L${CMAKE_CURRENT_SOURCE_DIR}/common> $<BUILD_INTERFACE:-T${platform_dir}/memory.ld>
  $<INSTALL_INTERFACE:-L$<INSTALL_PREFIX>/share/lutra/platforms/common>
  $<INSTALL_INTERFACE:-T$<INSTALL_PREFIX>/share/lutra/platforms/${LUTRA_PLATFORM}/memory.ld>
  -Wl,--gc-sections -Wl,--fatal-warnings)
target_link_libraries(lutra_platform INTERFACE m c gcc)

# lutra_firmware(<name> <file>...): <name>.elf, with a map of it in <name>.map.
function(lutra_firmware name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE lutra::runtime lutra::platform lutra_warnings)
  target_link_options(${name} PRIVATE -Wl,-Map=${name}.map)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS
    "${platform_dir}/memory.ld;${CMAKE_CURRENT_SOURCE_DIR}/common/sections.ld")
endfunction()

lutra_firmware(run_model common/run_model.cc common/model_runner.cc)
# Cases have broken models, too, which every runtime must refuse: this firmware has the verifier, as hosts do.
set(runtime_dir ${PROJECT_SOURCE_DIR}/runtime)
lutra_firmware(run_cases common/run_cases.cc ${runtime_dir}/model.cc ${runtime_dir}/compression/lut_metadata.cc)
target_include_directories(run_cases SYSTEM PRIVATE $<TARGET_PROPERTY:lutra_runtime,INCLUDE_DIRECTORIES>)
add_dependencies(run_cases lutra_runtime)
target_compile_definitions(run_cases PRIVATE
  LUTRA_VERIFY_MODEL LUTRA_VERSION="${PROJECT_VERSION}" LUTRA_PLATFORM="${LUTRA_PLATFORM}")
lutra_firmware(size_kws common/size_kws.cc common/model_runner.cc)
lutra_firmware(size_kws_add common/size_kws.cc common/model_runner.cc)
lutra_firmware(overflow_stack common/overflow_stack.cc)
target_compile_definitions(size_kws_add PRIVATE LUTRA_WITH_ADD)

# What an application elsewhere needs: runtime/example shows its use.
install(TARGETS lutra_platform EXPORT lutra-targets)
install(FILES common/report.h common/semihosting.h common/start.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lutra/platforms/common)
install(FILES ${platform_dir}/toolchain.cmake ${platform_dir}/memory.ld
        DESTINATION share/lutra/platforms/${LUTRA_PLATFORM})
install(FILES common/bare_metal.cmake common/cortex_m.cmake common/risc_v.cmake common/emulate.sh common/sections.ld
        DESTINATION share/lutra/platforms/common)
