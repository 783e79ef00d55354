# SPDX-License-Identifier: Apache-2.0
# No two definitions of one name differ: the link-time optimiser sees all of a program at once.
# Debian packages: g++.
# When it fails: the two types above have one name; put one into the namespace of its folder, or in an anonymous one.

quietly cmake --workflow --preset odr
