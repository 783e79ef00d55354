# SPDX-License-Identifier: Apache-2.0
# Random models give what the oracle says, with all kernels, memory policies, times of decompression and delegates.
# Debian packages: g++.
# When it fails: README.txt in each folder of build/random/ has the command that repeats it; a case becomes one of the corpus.

# The models are seeded with the commit, so that every change tries others and a failure can be repeated.
seed=$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1)
rm -rf build/random
quietly quick_build
quietly cmake --build --preset dev --target conformance lutra_adapter
build/dev/conformance/conformance fuzz --all-variants --seconds "${LUTRA_RANDOM_SECONDS:-60}" --seed "$((0x$seed))" \
  --jobs "$jobs" --timeout 60000 --reproducers build/random >build/random.txt || {
  grep -A 1000 '^fuzz' build/random.txt >&2
  exit 1
}
echo "dev: $(tail -n 1 build/random.txt)" >&2
