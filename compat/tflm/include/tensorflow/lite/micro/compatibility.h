// SPDX-License-Identifier: Apache-2.0
// For classes with virtual functions, in programs without a heap.

#pragma once

// Otherwise a virtual destructor would link the heap.
#define TF_LITE_REMOVE_VIRTUAL_DELETE \
  void operator delete(void*) {}
