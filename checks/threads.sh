# SPDX-License-Identifier: Apache-2.0
# The runner of conformance, which runs cases on several threads, has no data race: ThreadSanitizer watches.
# Debian packages: clang-14 libclang-rt-14-dev lld.
# When it fails: the report above names both threads and what they share; the preset `tsan` builds it again.

quietly cmake --preset tsan
quietly cmake --build --preset tsan
conformance=build/tsan/conformance/conformance
quietly "$conformance" run --smoke --golden golden --jobs 4 --timeout 60000 --reproducers ''
quietly "$conformance" identify --smoke --golden golden --jobs 4 --timeout 60000
