# SPDX-License-Identifier: Apache-2.0
# The tests, as they run under sanitizers, reach 90 % of the lines of each library.
# Debian packages: clang-14 libclang-rt-14-dev lld llvm-14 gcovr.
# When it fails: test the lines that build/asan/coverage.txt lists.

floor=90

quietly cmake --preset asan
quietly cmake --build --preset asan
# The step asan may have run them just now.
if [ ! -f build/asan/tested ] || [ -n "$(find build/asan -name '*.gcno' -newer build/asan/tested)" ]; then
  quietly test_build asan cmake --preset asan
fi

# gcovr reads the objects of the libraries alone: in objects of tests a header has fewer lines.
quietly gcovr --root . --gcov-executable "llvm-cov-14 gcov" -j "$jobs" \
  --exclude '.*_(test|bench)\.cc' --exclude '.*/testing/' --exclude build/ --exclude-directories '.*_test\.dir' \
  --json build/asan/coverage.json build/asan/runtime build/asan/compressor build/asan/conformance
low=0
: >build/asan/coverage.txt
for folder in runtime compressor conformance; do
  gcovr --root . --add-tracefile build/asan/coverage.json --filter "$folder/" --fail-under-line "$floor" \
    >build/asan/coverage.part || low=1
  cat build/asan/coverage.part >>build/asan/coverage.txt
  echo "dev: coverage of $folder: $(sed -n 's/^TOTAL.* //p' build/asan/coverage.part) of its lines, required: $floor %" >&2
done
[ "$low" -eq 0 ]
