# SPDX-License-Identifier: Apache-2.0
# The runner of conformance, which runs cases on several threads, has no data race: ThreadSanitizer watches.
# Debian packages: clang-14 libclang-rt-14-dev.
# When it fails: the report above names both threads and what they share. Build again with the preset `tsan`.

quietly cmake --preset tsan
quietly cmake --build --preset tsan
for verb in run identify; do
  quietly build/tsan/conformance/conformance "$verb" --smoke --golden golden --jobs 4 --timeout 60000 $(
    [ "$verb" = identify ] || echo --reproducers '')
done
