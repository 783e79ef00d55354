# SPDX-License-Identifier: Apache-2.0
# The README's first command, ./dev bench, builds what it needs from nothing, and runs a model.
# Debian packages: g++.
# When it fails: `./dev bench models/sine.tflite` shows it again; the output has another checksum than expected, or none.

mkdir -p build
"$root/dev" bench models/sine.tflite >build/bench_check.txt
grep -q 'crc32 12b88320' build/bench_check.txt || {
  cat build/bench_check.txt >&2
  exit 1
}
