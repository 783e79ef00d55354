# SPDX-License-Identifier: Apache-2.0
# Everything builds with clang without a warning, its tests pass, and they reach 90 % of the lines of each library.
# Debian packages: clang-14 libclang-rt-14-dev llvm-14 gcovr.
# When it fails: mend what clang says, or the test; or test the lines that build/clang/coverage.txt lists.

floor=90

quietly cmake --preset clang
quietly cmake --build --preset clang
find build/clang -name '*.gcda' -delete
quietly ctest --preset clang -j "$jobs"

# The lines that the libraries' own objects saw: those of tests know only some lines of a header.
quietly gcovr --root . --gcov-executable "llvm-cov-14 gcov" -j "$jobs" \
  --exclude '.*_(test|bench)\.cc' --exclude '.*/testing/' --exclude build/ --exclude-directories '.*_test\.dir' \
  --json build/clang/coverage.json build/clang/runtime build/clang/compressor build/clang/conformance
low=0
: >build/clang/coverage.txt
for folder in runtime compressor conformance; do
  gcovr --root . --add-tracefile build/clang/coverage.json --filter "$folder/" --fail-under-line "$floor" \
    >build/clang/coverage.part || low=1
  cat build/clang/coverage.part >>build/clang/coverage.txt
  echo "dev: coverage of $folder: $(sed -n 's/^TOTAL.* //p' build/clang/coverage.part) of its lines, required: $floor %" >&2
done
[ "$low" -eq 0 ]
