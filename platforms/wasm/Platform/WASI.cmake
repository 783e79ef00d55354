# SPDX-License-Identifier: Apache-2.0
# CMake asks for what is special about the system: no shared libraries.
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS FALSE)
