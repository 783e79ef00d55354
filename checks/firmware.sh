# SPDX-License-Identifier: Apache-2.0
# ./dev firmware makes, of two models, a firmware that runs in the emulator and gives the outputs that this machine gives.
# Debian packages: g++.
# When it fails: `./dev firmware models/kws.tflite models/sine.tflite` shows it again.

mkdir -p build
"$root/dev" firmware models/kws.tflite models/sine.tflite >build/firmware_check.txt
quietly cmake --build --preset release --target generic_benchmark
# These are the bytes with which main.cc fills the inputs.
i=0
while [ "$i" -lt 490 ]; do
  # shellcheck disable=SC2059
  printf "\\$(printf %03o $(((37 * i + 11) % 256)))"
  i=$((i + 1))
done >build/firmware_check.input
for model in kws sine; do
  bytes=490
  [ "$model" = kws ] || bytes=1
  head -c "$bytes" build/firmware_check.input >build/firmware_check.bin
  crc=$(build/release/bench/generic_benchmark "models/$model.tflite" --runs 1 --input build/firmware_check.bin --format json |
    sed -n '/"outputs"/,$s/.*"crc32": "\([0-9a-f]*\)".*/\1/p' | head -n 1)
  sed -n "/lutra1 model $model /,/output/p" build/firmware_check.txt | grep -qx "lutra1 output 0 crc32 $crc" || {
    echo "dev: $model: found the following, required: output 0 with crc32 $crc" >&2
    cat build/firmware_check.txt >&2
    exit 1
  }
done
