# SPDX-License-Identifier: Apache-2.0
# The README's first command, ./dev bench, builds what it needs from nothing, and runs a model; every benchmark runs.
# Debian packages: g++ libbenchmark-dev.
# When it fails: `./dev bench models/sine.tflite` shows it again; the output has another checksum than expected, or none.

mkdir -p build
"$root/dev" bench models/sine.tflite >build/bench_check.txt
grep -q 'crc32 12b88320' build/bench_check.txt || {
  cat build/bench_check.txt >&2
  exit 1
}

quietly cmake --preset release -DLUTRA_QUICK_BUILD=ON -DLUTRA_BUILD_BENCHMARKS=ON
quietly cmake --build --preset release --target kernel_bench kmeans_bench
for program in runtime/kernel_bench compressor/kmeans_bench; do
  quietly "build/release/$program" --benchmark_min_time=0
done
