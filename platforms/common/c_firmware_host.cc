// SPDX-License-Identifier: Apache-2.0

#include "platforms/common/c_firmware.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"

intptr_t FirmwareReadFile(const char* path, void* to, size_t capacity) {
  return lutra::platforms::semihosting::ReadFile(path, to, capacity);
}

void FirmwarePrint(const char* kind, intptr_t first, const char* what, intptr_t second) {
  lutra::platforms::ReportLine(kind).Number(first).Text(what).Number(second);
}
