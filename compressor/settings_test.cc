// SPDX-License-Identifier: Apache-2.0
// Tests that settings stay the same when written and read, and that mistakes are named.

#include "compressor/settings.h"

#include <gtest/gtest.h>

#include "compressor/gap9/nntool/rules.h"
#include "host/model_file.h"

namespace lutra::compressor {
namespace {

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() : file_(host::ReadModelFile(LUTRA_SOURCE_DIR "/models/sine.tflite")) {}

  std::string NameOf(int tensor) const { return file_.model.tensor(0, tensor).name; }

  // Returns the message for a file with this one tensor.
  std::string Refusal(const std::string& key, const std::string& members) const {
    return RefusalOf("{\"version\": 1, \"tensors\": {\"" + key + "\": {" + members + "}}}");
  }
  std::string RefusalOf(const std::string& text) const {
    try {
      ParsePlan(text, "s.json", file_.model);
    } catch (const host::BadInput& error) {
      EXPECT_EQ(std::string(error.what()).rfind("s.json: ", 0), 0u);
      return error.what();
    }
    return "accepted";
  }
  std::string Named(const std::string& members) const {
    return Refusal("0:1", "\"name\": \"" + NameOf(1) + "\"" + members);
  }

  host::ModelFile file_;
};

TEST_F(SettingsTest, RoundTrip) {
  BinPlan plan;
  plan[{0, 1}] = {NameOf(1), {.bits = 4, .per = TableScope::kChannel, .threshold = 0.1, .enabled = false}};
  plan[{0, 2}] = {NameOf(2), {.min_qsnr_db = 22.03125, .sparse = SparseUse::kForce, .pin_zero = true}};
  plan[{0, 3}] = {NameOf(3), {.bits = 4, .rules = &kNntoolRules}};
  plan[{0, 4}] = {
      NameOf(4),
      {.add = std::vector<int64_t>(static_cast<size_t>(file_.model.tensor(0, 4).shape.Count()), -300)}};
  const std::string text = WritePlan(plan);
  EXPECT_EQ(ParsePlan(text, "s.json", file_.model), plan);
  EXPECT_EQ(WritePlan(ParsePlan(text, "s.json", file_.model)), text);
}

TEST_F(SettingsTest, WhatIsLeftOutHasItsDefault) {
  const std::string text =
      R"({"version": 1, "tensors": {"0:1": {"name": ")" + NameOf(1) + R"(", "bits": 3}}})";
  const BinPlan plan = ParsePlan(text, "s.json", file_.model);
  EXPECT_EQ(plan.at({0, 1}).settings, BinSettings{.bits = 3});
}

TEST_F(SettingsTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Named(", \"bits\": 4"), "accepted");
  EXPECT_EQ(Named(", \"values\": [-128, 0, 127]"), "accepted");
  EXPECT_EQ(Named(", \"values\": [0, 2147483648]"),
            "s.json: tensor \"0:1\": settings: found \"values\": 2147483648, required: 1 to 256 numbers that "
            "int32 holds; correct the settings file");
  EXPECT_EQ(Named(", \"bits\": 9"),
            "s.json: tensor \"0:1\": settings: found \"bits\": 9, required: an integer from 1 to 8; correct "
            "the settings file");
  for (const char* members : {", \"bits\": 0",
                              ", \"bits\": 4.5",
                              ", \"bits\": \"4\"",
                              ", \"min_qsnr_db\": \"much\"",
                              "",
                              ", \"bits\": 4, \"min_qsnr_db\": 20",
                              ", \"bits\": 4, \"threshold\": -1",
                              ", \"bits\": 4, \"per\": \"row\"",
                              ", \"bits\": 4, \"sparse\": true",
                              ", \"bits\": 4, \"pin_zero\": 1",
                              ", \"bits\": 4, \"enabled\": \"no\"",
                              ", \"bits\": 4, \"widht\": 3",
                              ", \"bits\": 4, \"per\": \"channel\", \"sparse\": \"force\"",
                              ", \"values\": []",
                              ", \"values\": 4",
                              ", \"values\": [1.5]",
                              ", \"values\": [-2147483649]",
                              ", \"values\": [[1, 2]]",
                              ", \"values\": [\"1\"]",
                              ", \"values\": [1], \"bits\": 4",
                              ", \"add\": []",
                              ", \"add\": 1",
                              ", \"add\": [1, 2]",
                              ", \"bits\": 4, \"add\": [1, 2]",
                              ", \"add\": [18446744073709551615]",
                              ", \"add\": [0.5]"}) {
    EXPECT_NE(Named(members), "accepted") << members;
  }
  for (const char* key : {"0:99", "1:0", "-1:0", "0:-1", "3", "0:1x", "", "0:99999999999"}) {
    EXPECT_NE(Refusal(key, "\"bits\": 4"), "accepted") << key;
  }
  EXPECT_NE(Refusal("0:1", "\"name\": \"another\", \"bits\": 4").find("as in the model"), std::string::npos);
  for (const char* text :
       {"", "{", "[]", "null", "{}", R"({"version": 2, "tensors": {}})", R"({"version": 1})",
        R"({"version": 1, "tensors": []})", R"({"version": 1, "tensors": {"0:1": 4}})"}) {
    EXPECT_NE(RefusalOf(text), "accepted") << text;
  }
}

// Repeated keys are refused, not dropped.
TEST_F(SettingsTest, RefusesWhatStandsTwice) {
  EXPECT_EQ(Named(", \"bits\": 4, \"bits\": 2"),
            "s.json: json: found key \"bits\" twice in an object, required: each key once; take one out");
  for (const char* text : {R"({"version": 1, "version": 1, "tensors": {}})",
                           R"({"version": 1, "tensors": {}, "tensors": {}})"}) {
    EXPECT_NE(RefusalOf(text).find("twice in an object"), std::string::npos) << text;
  }
  const std::string member = "{\"name\": \"" + NameOf(1) + "\", \"bits\": 4}";
  const auto two = [&](const std::string& other) {
    return RefusalOf("{\"version\": 1, \"tensors\": {\"0:1\": " + member + ", \"" + other + "\": " + member +
                     "}}");
  };
  EXPECT_NE(two("0:1").find("found key \"0:1\" twice"), std::string::npos);
  EXPECT_NE(two("00:01").find("found another key of this tensor"), std::string::npos);
}

}  // namespace
}  // namespace lutra::compressor
