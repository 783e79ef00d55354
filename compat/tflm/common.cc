// SPDX-License-Identifier: Apache-2.0
// The functions of common.h.

#include "tensorflow/lite/core/c/common.h"

const char* TfLiteTypeGetName(TfLiteType type) {
  static constexpr const char* kNames[] = {
      "NOTYPE",    "FLOAT32", "INT32",   "UINT8",    "INT64",      "STRING", "BOOL",          "INT16",
      "COMPLEX64", "INT8",    "FLOAT16", "FLOAT64",  "COMPLEX128", "UINT64", "RESOURCE",      "VARIANT",
      "UINT32",    "UINT16",  "INT4",    "BFLOAT16", "INT2",       "UINT4",  "FLOAT8_E4M3FN", "FLOAT8_E5M2"};
  const auto number = static_cast<size_t>(type);
  return number < sizeof(kNames) / sizeof(kNames[0]) ? kNames[number] : "Unknown type";
}

int TfLiteIntArrayEqual(const TfLiteIntArray* a, const TfLiteIntArray* b) {
  if (a == b) return 1;
  if (a == nullptr || b == nullptr || a->size != b->size) return 0;
  return memcmp(a->data, b->data, static_cast<size_t>(a->size) * sizeof(int)) == 0 ? 1 : 0;
}
