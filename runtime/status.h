// SPDX-License-Identifier: Apache-2.0
// Status and Result<T>: how every fallible function in runtime/ reports failure.
//
//   Result<Model> model = Model::Load(bytes);
//   if (!model.ok()) return model.status();
//   Use(*model);
//
// No exceptions, no allocation, no strings on the device: a Status is one byte.
// What exactly was wrong, and where, stands in a Diagnosis (diagnosis.h).

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
};

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
  }
  return "unknown status";
}

// Either a T or the Status that explains its absence. T must be cheap to copy.
template <typename T>
class [[nodiscard]] Result {
 public:
  constexpr Result(T value) : value_(value) {}
  constexpr Result(Status error) : status_(error) {}
  constexpr bool ok() const { return status_ == Status::kOk; }
  constexpr Status status() const { return status_; }
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_{};
  Status status_ = Status::kOk;
};

}  // namespace lutra

// Returns early from a function that returns Status or Result<T>.
#define LUTRA_TRY(expr)                                                                      \
  do {                                                                                       \
    if (const ::lutra::Status lutra_status_ = (expr); lutra_status_ != ::lutra::Status::kOk) \
      return lutra_status_;                                                                  \
  } while (false)
