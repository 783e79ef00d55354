# SPDX-License-Identifier: Apache-2.0
# Every test passes, built by clang with address and undefined-behaviour sanitizers.
# Debian packages: clang-14 libclang-rt-14-dev lld llvm-14.
# When it fails: build/asan/Testing/Temporary/LastTest.log has the report; the preset `asan` builds it again.

test_build asan cmake --preset asan
