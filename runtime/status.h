// SPDX-License-Identifier: Apache-2.0
// Status: how every function of the runtime that can fail reports it.
//
//   Status PrepareFoo(PrepareContext& context) {
//     LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
//     return Status::kOk;
//   }
//
// A Status is one byte; there are no exceptions and no texts on the device. What exactly was wrong, and
// where, stands in a Diagnosis (diagnosis.h).

#pragma once

#include <stdint.h>

namespace lutra {

enum class [[nodiscard]] Status : uint8_t{
    kOk = 0,
    kInvalidModel,     // The bytes are malformed, or break a rule of the format or of an operator.
    kUnsupported,      // Well-formed, but nothing here implements it.
    kArenaTooSmall,    // The caller's arena cannot hold this model.
    kInvalidArgument,  // The caller broke a documented precondition.
    kInvalidInput,     // A value met at run time (an index, a divisor) breaks a rule.
    kNoOutputYet,      // Not an error: a streaming model (CIRCULAR_BUFFER) wants more inferences first. The
                       // nodes behind that one have not run, and their outputs have no meaning.
};

// Returns whether an inference ran without an error.
constexpr bool HasRun(Status status) { return status == Status::kOk || status == Status::kNoOutputYet; }

constexpr const char* ToString(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kInvalidModel:
      return "invalid model";
    case Status::kUnsupported:
      return "unsupported";
    case Status::kArenaTooSmall:
      return "arena too small";
    case Status::kInvalidArgument:
      return "invalid argument";
    case Status::kInvalidInput:
      return "invalid input";
    case Status::kNoOutputYet:
      return "no output yet";
  }
  return "unknown status";
}

}  // namespace lutra

// Returns early, with the status, from a function that returns Status.
#define LUTRA_TRY(expr)                                                                      \
  do {                                                                                       \
    if (const ::lutra::Status lutra_status_ = (expr); lutra_status_ != ::lutra::Status::kOk) \
      return lutra_status_;                                                                  \
  } while (false)
