# SPDX-License-Identifier: Apache-2.0
# Each fuzz target reads what others wrote for some seconds, and nothing crashes.
# Debian packages: clang-14 libclang-rt-14-dev lld.
# When it fails: run the target on the file that it names; the file becomes a test (fuzz/README.md).

# Two targets run at a time, all of them for about a minute.
seconds=${LUTRA_FUZZ_SECONDS:-8}
targets=$(for file in fuzz/*_fuzz.cc; do basename "$file" _fuzz.cc; done)
targets=${LUTRA_FUZZ_TARGETS:-$targets}

# fuzz TARGET: runs it for some seconds, from its seeds and the inputs that earlier runs kept.
fuzz() {
  corpus=build/fuzz/corpus/$1
  mkdir -p "$corpus" build/fuzz/found
  if "build/fuzz/fuzz/$1_fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$1_" "$corpus" "build/fuzz/seeds/$1" >"build/fuzz/$1.log" 2>&1; then
    echo "dev: fuzz $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log") inputs" >&2
  else
    tail -n 60 "build/fuzz/$1.log" >&2
    echo "dev: fuzz $1 found something: build/fuzz/fuzz/$1_fuzz $(ls -t build/fuzz/found/"$1"_* | head -n 1)" >&2
    return 1
  fi
}

quietly cmake --preset fuzz
# shellcheck disable=SC2046
quietly cmake --build build/fuzz --target $(for target in $targets; do echo "${target}_fuzz"; done)
sh fuzz/seeds.sh build/fuzz/seeds

bad=0
other=
for target in $targets; do
  if [ -z "$other" ]; then
    fuzz "$target" &
    other=$!
  else
    fuzz "$target" || bad=1
    wait "$other" || bad=1
    other=
  fi
done
[ -z "$other" ] || wait "$other" || bad=1
exit $bad
