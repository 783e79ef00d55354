// SPDX-License-Identifier: Apache-2.0
// Reading the options of custom operators.

#include "runtime/testing/custom_options.h"

#include <gtest/gtest.h>

#include <random>

#include "lutra/node_info.h"
#include "runtime/testing/hostile.h"
#include "runtime/testing/model_builder.h"

namespace lutra {
namespace {

std::vector<uint8_t> ModelWith(const std::vector<uint8_t>& options) {
  ModelBuilder builder;
  const int tensor = builder.AddTensor({.shape = {2}, .scale = 1});
  const int output = builder.AddTensor({.shape = {2}, .scale = 1});
  builder.AddCustomOperator("ANY", {tensor}, {output}, options);
  return builder.Finish({tensor}, {output});
}

struct Answer {
  bool found = false;
  int32_t first = -1;
  int32_t second = -1;
};

Answer Read(const std::vector<uint8_t>& options, const char* first, const char* second) {
  const Loaded loaded(ModelWith(options));
  EXPECT_EQ(loaded.status, Status::kOk);
  Answer answer;
  const CustomOption wanted[] = {{first, &answer.first}, {second, &answer.second}};
  answer.found = ReadCustomOptions(loaded.model.node(0, 0), wanted);
  return answer;
}

// The largest number sets the width of all of them.
TEST(CustomOptions, AreFoundByName) {
  for (const int64_t large :
       {int64_t{3}, int64_t{-1000}, int64_t{70000}, int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
    const Answer answer = Read(FlexMap({{"zeta", large}, {"a", 1}, {"T", -7}}), "T", "zeta");
    EXPECT_TRUE(answer.found) << large;
    EXPECT_EQ(answer.first, -7);
    EXPECT_EQ(answer.second, large);
  }
}

TEST(CustomOptions, BooleansAndUnsignedNumbersAreIntegers) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Bool("flag", true);
    builder.UInt("count", 200);
  });
  builder.Finish();
  const Answer answer = Read(builder.GetBuffer(), "flag", "count");
  EXPECT_TRUE(answer.found);
  EXPECT_EQ(answer.first, 1);
  EXPECT_EQ(answer.second, 200);
}

// float32, float64 and integers are read as real numbers; numbers beyond float32's range are refused.
TEST(CustomOptions, NumbersOfEachKindAreReal) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Float("float", 0.1f);
    builder.Double("double", 0.1);
    builder.Int("int", -7);
    builder.Double("large", 1e300);
  });
  builder.Finish();
  const Loaded loaded(ModelWith(builder.GetBuffer()));
  const NodeInfo node = loaded.model.node(0, 0);
  float values[3] = {};
  const CustomOption wanted[] = {{"float", &values[0]}, {"double", &values[1]}, {"int", &values[2]}};
  EXPECT_TRUE(ReadCustomOptions(node, wanted));
  EXPECT_EQ(values[0], 0.1f);
  EXPECT_EQ(values[1], 0.1f);
  EXPECT_EQ(values[2], -7.0f);
  const CustomOption large[] = {{"large", &values[0]}};
  EXPECT_FALSE(ReadCustomOptions(node, large));
}

TEST(CustomOptions, MustAllBeThereInRange) {
  EXPECT_FALSE(Read(FlexMap({{"a", 1}}), "a", "b").found);
  EXPECT_FALSE(Read(FlexMap({{"a", 1}, {"bb", 2}}), "a", "b").found);
  EXPECT_FALSE(Read(FlexMap({{"a", 1}, {"b", int64_t{INT32_MAX} + 1}}), "a", "b").found);
  EXPECT_FALSE(Read({}, "a", "b").found);
  flexbuffers::Builder real;
  real.Map([&] {
    real.Int("a", 1);
    real.Float("b", 2.0f);
  });
  real.Finish();
  EXPECT_FALSE(Read(real.GetBuffer(), "a", "b").found);
  flexbuffers::Builder vector;
  vector.Vector([&] { vector.Int(1); });
  vector.Finish();
  EXPECT_FALSE(Read(vector.GetBuffer(), "a", "b").found);
}

// Any byte may be wrong, and the bytes may end anywhere.
TEST(CustomOptions, BrokenOnesAreReadOrRefused) {
  for (const int64_t large : {int64_t{3}, int64_t{1000}, int64_t{70000}, int64_t{1} << 40}) {
    const std::vector<uint8_t> good = FlexMap({{"first", 1}, {"second", large}, {"third", 3}});
    for (size_t end = 0; end <= good.size(); ++end) {
      (void)Read({good.begin(), good.begin() + static_cast<long>(end)}, "first", "third");
    }
    for (size_t i = 0; i < good.size(); ++i) {
      for (const int bits : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        std::vector<uint8_t> bad = good;
        bad[i] = static_cast<uint8_t>(bad[i] ^ bits);
        (void)Read(bad, "first", "third");
      }
    }
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(random() % 40);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 12);
    (void)Read(bytes, "", "a");
  }
}

}  // namespace
}  // namespace lutra
