# SPDX-License-Identifier: Apache-2.0
# On a Slurm of three nodes on this machine, a million random cases and the corpus on an emulated Cortex-M4 give the bytes of one run, though a node is killed.
# Debian packages: slurm-wlm munge faketime gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm.
# When it fails: contrib/slurm/slurm_test.sh build/dev/conformance/conformance CASES, with fewer cases, is faster.

quietly quick_build
quietly cmake --build --preset dev
quietly cmake --preset cortex-m4 "-DLUTRA_HOST_BUILD=$root/build/dev" -DLUTRA_UNIT_TESTS=OFF -DLUTRA_BUILD_TOOLS=OFF
quietly cmake --build --preset cortex-m4 --target run_cases
sh contrib/slurm/slurm_test.sh "$root/build/dev/conformance/conformance" "${LUTRA_SLURM_CASES:-1000000}" \
  "sh $root/platforms/common/emulate.sh qemu-system-arm -M mps2-an386 -- $root/build/cortex-m4/platforms/run_cases.elf" >build/slurm.log 2>&1 || {
  tail -n 60 build/slurm.log >&2
  exit 1
}
echo "dev: build/slurm.log: $(tail -n 1 build/slurm.log)" >&2
