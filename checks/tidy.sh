# SPDX-License-Identifier: Apache-2.0
# clang-tidy finds nothing of what .clang-tidy asks for, in all sources but tests and benchmarks.
# Debian packages: clang-14 clang-tidy-14 libclang-rt-14-dev lld llvm-14.
# When it fails: mend what it found. Where it is wrong: NOLINT with the check and a reason; see .clang-tidy.

quietly cmake --preset asan
# clang-tidy needs the generated and the precompiled headers of the build.
ninja -C build/asan -t targets all | sed -n 's|^\([^/].*/generated/.*\.h\): .*|\1|p; s|^\([^/].*\.pch\): .*|\1|p' >build/asan/headers
# shellcheck disable=SC2046
quietly ninja -C build/asan $(cat build/asan/headers)

# Checks each file once: single_rounding_adapter compiles the runtime again.
mkdir -p build/asan/tidy
awk 'BEGIN { RS = "\n},?\n"; printf "[" }
     /"file"/ && !/single_rounding_adapter\.dir/ { sub(/^\[?\n?/, ""); printf "%s%s\n}", comma, $0; comma = ",\n" }
     END { print "]" }' build/asan/compile_commands.json >build/asan/tidy/compile_commands.json
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/asan/tidy/compile_commands.json |
  grep -vE '_(test|bench)\.cc$|_headers\.cc$|cmake_pch\.hxx\.cxx$' | sort -u |
  xargs -n 4 -P "$jobs" clang-tidy-14 --quiet -p build/asan/tidy 2>build/asan/tidy/errors || {
  grep -v ' generated\.$' build/asan/tidy/errors >&2
  exit 1
}
