/* SPDX-License-Identifier: Apache-2.0 */
/* What a firmware in C needs of lutra::platform, whose functions are C++: c_firmware_host.cc. */

#ifndef LUTRA_PLATFORMS_C_FIRMWARE_H_
#define LUTRA_PLATFORMS_C_FIRMWARE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of the file, or a negative number: it cannot be read, or has more than `capacity`. */
intptr_t FirmwareReadFile(const char* path, void* to, size_t capacity);
/* Prints a line `lutra1 <kind> <first> <what> <second>`. */
void FirmwarePrint(const char* kind, intptr_t first, const char* what, intptr_t second);

#ifdef __cplusplus
}
#endif

#endif
