#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sh fuzz/coverage.sh [TARGET...]: which lines of the readers that a target is for (its source begins with them) its
# seeds reach, and what it has found in build/fuzz/corpus besides. A table to stdout; the lines that nothing reaches to
# build/fuzz-coverage/<target>.txt.
# Debian packages: clang-14 lld llvm-14.
set -eu
cd "$(dirname "$0")/.."

build=build/fuzz-coverage
if [ $# -eq 0 ]; then
  for source in fuzz/*_fuzz.cc; do set -- "$@" "$(basename "$source" _fuzz.cc)"; done
fi
mkdir -p $build
programs=
for target in "$@"; do programs="$programs ${target}_fuzz"; done
# shellcheck disable=SC2086
if ! { cmake --preset fuzz -B $build \
  "-DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping" &&
  cmake --build $build --target $programs; } >$build/build.log 2>&1; then
  cat $build/build.log >&2
  exit 1
fi

# reached TARGET CORPUS...: "FILE LINES REACHED" of each of its readers in <target>.counts, and the lines that were not
# reached, as "FILE:LINE", in <target>.txt.
reached() {
  target=$1
  shift
  program=$build/fuzz/${target}_fuzz
  LLVM_PROFILE_FILE=$build/$target.profraw "$program" -runs=0 "$@" >$build/"$target".log 2>&1
  llvm-profdata-14 merge -sparse $build/"$target".profraw -o $build/"$target".profdata
  # Names may be patterns.
  # shellcheck disable=SC2046
  set -- $(sed -n '2,/^\/\/ Fuzz target:/ { /^\/\/ Fuzz target:/d; s/^\/\/ \(Readers: \)\{0,1\}//p; }' "fuzz/${target}_fuzz.cc")
  readers=$(find "$@" ! -name '*_test.cc' | LC_ALL=C sort)
  llvm-cov-14 export -format=lcov "$program" -instr-profile=$build/"$target".profdata >$build/"$target".lcov
  : >$build/missed
  for reader in $readers; do
    awk -F '[:,]' -v reader="$reader" -v missed=$build/missed '
      $1 == "SF" { inside = "/" $2 ~ "/" reader "$" }
      inside && $1 == "DA" { ++lines; if ($3 > 0) ++reached; else print reader ":" $2 >>missed }
      END { if (lines > 0) print reader, lines, reached + 0 }' $build/"$target".lcov
  done >$build/"$target".counts
  mv $build/missed $build/"$target".txt
}

sh fuzz/seeds.sh $build/seeds
echo "| target | reader | lines | reached by seeds | reached |"
echo "|---|---|---|---|---|"
for target in "$@"; do
  mkdir -p "build/fuzz/corpus/$target"
  reached "$target" "$build/seeds/$target"
  mv $build/"$target".counts $build/seeds.counts
  reached "$target" "$build/seeds/$target" "build/fuzz/corpus/$target"
  paste -d ' ' $build/"$target".counts $build/seeds.counts |
    awk -v target="$target" '{ printf "| `%s` | `%s` | %d | %d | %d, %.0f %% |\n", target, $1, $2, $6, $3, 100 * $3 / $2 }'
done
