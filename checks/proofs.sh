# SPDX-License-Identifier: Apache-2.0
# What golden/proofs/ says is proved of the kernels here is of these sources, and a random hundredth of it holds.
# Debian packages: g++.
# When it fails: ./dev prove, which takes a quarter of an hour for each platform; or a kernel is wrong.

quietly quick_build
quietly cmake --build --preset dev --target conformance prove_kernels
build/dev/conformance/conformance prove --sample 100 >build/proofs.txt || {
  cat build/proofs.txt >&2
  exit 1
}
echo "dev: $(tail -n 1 build/proofs.txt)" >&2
# For the other platforms it compares the hashes of the sources alone.
for file in golden/proofs/*.json; do
  build/dev/conformance/conformance prove lookup ref --sample 100 --sources . --against "$file" --fresh >build/proofs.txt || {
    grep '^stale' build/proofs.txt >&2
    exit 1
  }
  echo "dev: $(tail -n 1 build/proofs.txt)" >&2
done
