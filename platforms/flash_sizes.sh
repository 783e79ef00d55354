#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flash_sizes.sh PLATFORM HOST_BUILD: prints platforms/<platform>/flash.txt, which tells what a firmware with any set of
# operators takes of flash. HOST_BUILD has the program compress. Takes some minutes; builds in build/flash-PLATFORM.
#
# It links the firmware of `compress embed` once for each operator without link-time optimisation, and reads from the linker's
# maps which sections each operator keeps: the linker drops what nothing refers to, so that a set of operators keeps
# what any of them keeps. A line `BYTES OPERATOR...` stands for the sections that these operators keep and no others,
# `BYTES all-but OPERATOR...` for those that all others keep. The bytes are those of the optimised firmware with all
# operators. `base` is what every firmware has, `each` an operator's record, `ram` variables, and `alone` the
# firmware that has one operator, as linked.
#
# Link-time optimisation inlines differently in each firmware, so that the sums are near, not exact: the test platform.embed
# holds them to 2 % of a linked firmware.
set -eu
platform=$1
host_build=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/flash-$platform
rm -rf "$work"
mkdir -p "$work/plain" "$work/optimised"
operators=$(sed -n 's/^  OP(\([A-Za-z0-9]*\),.*/k\1/p' "$root/runtime/ops/ops.h")
"$host_build/compressor/compress" embed "$root/models/sine.tflite" -o "$work/embedded" --platform "$platform" >/dev/null

# A build that works is not worth reading.
quietly() {
  "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
}

# firmware NAME OPERATORS [STATEMENTS]: a program with these operators and options.
firmware() {
  folder=$project/$1
  cp -R "$work/embedded" "$folder"
  sed -e "s/kOps\[\] = {.*};/kOps[] = {$2};/" -e "s/^  return options;/  ${3:-} return options;/" \
    -e 's,^#include <stddef.h>,#include <lutra/row_groups.h>\n&,' "$work/embedded/model_ops.h" >"$folder/model_ops.h"
  {
    echo "add_executable($1 $1/main.cc $1/model.S)"
    echo "target_include_directories($1 PRIVATE $1)"
    echo "target_link_libraries($1 PRIVATE lutra::runtime lutra::platform)"
    echo "target_link_options($1 PRIVATE -Wl,-Map=$project/$1.map)"
  } >>"$project/CMakeLists.txt"
}

decode='options.decode = lutra::Decode;'
row_groups='options.row_groups = \&lutra::kRowGroups;'
cd "$root"
for kind in plain optimised; do
  project=$work/$kind
  optimise=ON
  [ "$kind" = optimised ] || optimise=OFF
  quietly cmake --preset "$platform" -B "$project/library" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=$optimise \
    "-DLUTRA_HOST_BUILD=$host_build" "-DCMAKE_INSTALL_PREFIX=$project/prefix"
  quietly cmake --build "$project/library" --target install-runtime
  {
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(flash_sizes LANGUAGES C CXX ASM)'
    echo 'find_package(lutra REQUIRED)'
  } >"$project/CMakeLists.txt"
  all=
  for operator in $operators; do
    all="$all${all:+,}lutra::$operator"
    options=
    [ "$operator" != kDecode ] || options=$decode
    firmware "$operator" "lutra::$operator" "$options"
  done
  firmware row_groups lutra::kAdd "$row_groups"
  firmware every "$all" "$decode $row_groups"
  quietly cmake -S "$project" -B "$project/build" -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel "-DCMAKE_PREFIX_PATH=$project/prefix" \
    "-DCMAKE_TOOLCHAIN_FILE=$project/prefix/share/lutra/platforms/$platform/toolchain.cmake"
  quietly cmake --build "$project/build"
done

compiler=$(sed -n 's/^set(CMAKE_CXX_COMPILER "\(.*\)")/\1/p' "$work"/plain/build/CMakeFiles/*/CMakeCXXCompiler.cmake)
echo "# What the code of a firmware takes of flash, by its operators: platforms/flash_sizes.sh wrote this."
echo "# $("$compiler" --version | head -n 1)"
cd "$work"
plain=
optimised=
for operator in $operators; do
  plain="$plain plain/$operator.map"
  optimised="$optimised optimised/$operator.map"
done
# A record of an operator: five words.
# shellcheck disable=SC2086
awk -v record=20 -f "$root/platforms/flash_sizes.awk" $plain plain/row_groups.map $optimised optimised/every.map
