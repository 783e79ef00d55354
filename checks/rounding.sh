# SPDX-License-Identifier: Apache-2.0
# In a build with single rounding the best kernels follow that profile in the whole corpus, and each instruction set's in the smoke set.
# Debian packages: g++.
# When it fails: build/rounding/conformance/adapters/lutra_adapter is the build, whose --kernels names a set; conformance run --runner shows the case.

quietly cmake --preset rounding
quietly cmake --build --preset rounding
quietly quick_build
quietly cmake --build --preset dev --target conformance
adapter=build/rounding/conformance/adapters/lutra_adapter

# follows KERNELS CONFORMANCE_OPTION...: these kernels follow the profile with single rounding.
follows() {
  kernels=$1
  shift
  quietly build/dev/conformance/conformance run "$@" --golden golden --jobs "$jobs" --timeout 60000 --reproducers '' \
    --profile single-rounding --runner "$adapter --kernels $kernels"
}

follows best
for kernels in $("$adapter" --version | sed -n 's/^usable on this CPU: //p'); do
  follows "$kernels" --smoke
done
