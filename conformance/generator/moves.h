// SPDX-License-Identifier: Apache-2.0
// Makes the cases of operators that only move elements: all tensors of one type, scale and zero point, and
// inputs whose bytes differ wherever they can, so that an element out of place shows.
//
//   MoveMaker maker(random);  // int8; for another type: maker(random, oracle::kFloat32)
//   const int x = maker.Moved({2, 3});
//   maker.Op<edit::PackOptionsT>("PACK", {x, x}, {maker.Result({2, 2, 3})}, [](auto& o) { ... });
//   return maker.Made();

#pragma once

#include "conformance/generator/series.h"

namespace lutra::conformance {

class MoveMaker : public ModelMaker {
 public:
  explicit MoveMaker(Random& random, int8_t type = oracle::kInt8);
  // int8, with this zero point.
  MoveMaker(Random& random, int64_t zero_point);

  int Moved(const oracle::Shape& shape, bool is_constant = false);
  int Result(const oracle::Shape& shape);
  // List adds a constant of one dimension; Integers adds a constant or an input that is not moved.
  int List(const std::vector<int32_t>& values);
  int Integers(const std::vector<int32_t>& values, const oracle::Shape& shape, bool is_constant = true);
  // Lists and integers are of int64 from here on.
  void Widen() { wide_ = true; }
  int Scalar(int32_t value) { return Int32Constant({value}, {}); }
  MadeTensor Tensor(const oracle::Shape& shape) const;

 private:
  // Returns the next bytes of a sequence that all inputs share: a ramp whose period is not 256, or random.
  oracle::Bytes NextBytes(const oracle::Shape& shape);

  Random& random_;
  MadeTensor tensor_;
  bool is_ramp_;
  uint64_t start_, step_;
  uint64_t position_ = 0;
  bool wide_ = false;
};

// Types other than int8. Runtimes lack some of them for some operators, so cases of real sizes are Beyond.
inline const std::vector<int8_t>& OtherTypes() {
  static const std::vector<int8_t> types = {oracle::kInt16, oracle::kInt32, oracle::kInt64, oracle::kFloat32,
                                            oracle::kBool};
  return types;
}
// "type.float32"
std::string TypeGroup(int8_t type);

// A shape of this rank: dimensions from 1 to `largest`.
oracle::Shape RandomShape(Random& random, int rank, int largest);
// Numbers of channels at which blocks of 4, 8 and 16 end early, just fill, or spill over.
inline const std::vector<int>& MovedChannels() {
  static const std::vector<int> channels = {1, 3, 4, 8, 15, 16, 17, 31, 33};
  return channels;
}

}  // namespace lutra::conformance
