// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess.

#include <cmath>

#include "runtime/testing/custom_options.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

Numbers OptionsOf(int most, int classes, int classes_of_box, bool regular) {
  return {{"max_detections", most},
          {"max_classes_per_detection", classes_of_box},
          {"num_classes", classes},
          {"nms_score_threshold", 0.25},
          {"nms_iou_threshold", 0.5},
          {"y_scale", 2},
          {"x_scale", 2},
          {"h_scale", 1},
          {"w_scale", 1},
          {"use_regular_nms", regular},
          {"detections_per_class", 2}};
}

// Anchors are squares of size 2 around (0, 0), (0.5, 0), (10, 10) and (20, 20). An encoding of 0 gives the
// anchor. The first two share 3 of the 5 units of area that they cover.
OpModel DetectionPostprocessModel(const Numbers& options, int score_values, int places) {
  const auto spec = [](const std::vector<int32_t>& shape) {
    return TensorSpec{.shape = shape, .type = TensorType::kFloat32};
  };
  return {.op = BuiltinOperator::kCustom,
          .inputs = {spec({1, 4, 4}), spec({1, 4, score_values}),
                     Constant({4, 4}, FloatList{0, 0, 2, 2, 0.5f, 0, 2, 2, 10, 10, 2, 2, 20, 20, 2, 2})},
          .outputs = {spec({1, places, 4}), spec({1, places}), spec({1, places}), spec({1})},
          .custom_code = "TFLite_Detection_PostProcess",
          .custom_options = FlexMapOfReals(options)};
}

const FloatList kFirst = {-1, -1, 1, 1};
const FloatList kSecond = {-0.5f, -1, 1.5f, 1};
const FloatList kThird = {9, 9, 11, 11};

FloatList Join(const std::vector<FloatList>& lists) {
  FloatList joined;
  for (const FloatList& list : lists) joined.insert(joined.end(), list.begin(), list.end());
  return joined;
}

// The second box is better than the first; the fourth is below the threshold.
TEST(DetectionPostprocess, DropsBoxesThatOverlapABetterOne) {
  ExpectOutputs(DetectionPostprocessModel(OptionsOf(3, 2, 1, false), 2, 3),
                {FloatList(16, 0), FloatList{0.1f, 0.5f, 0.75f, 0, 0.3f, 0.3f, 0.2f, 0.1f}},
                {Join({kSecond, kThird, FloatList(4, 0)}), FloatList{0, 0, 0}, FloatList{0.75f, 0.3f, 0},
                 FloatList{2}});
}

// There is one score more than there are classes: the first is the background's.
TEST(DetectionPostprocess, TheBackgroundIsNoClass) {
  ExpectOutputs(DetectionPostprocessModel(OptionsOf(2, 2, 1, false), 3, 2),
                {FloatList(16, 0), FloatList{9, 0.1f, 0.5f, 9, 0, 0, 9, 0.75f, 0.25f, 9, 0, 0}},
                {Join({kThird, kFirst}), FloatList{0, 1}, FloatList{0.75f, 0.5f}, FloatList{2}});
}

TEST(DetectionPostprocess, EncodingsMoveAndStretchAnchors) {
  FloatList encodings(16, 0);
  encodings[0] = 1;   // Moves it down by half of its height, 2.
  encodings[1] = -2;  // Moves it left by its width, 2.
  encodings[2] = 1;   // Makes it exp(1) times as high.
  const auto half = static_cast<float>(0.5 * std::exp(1.0) * 2);
  ExpectOutputs(DetectionPostprocessModel(OptionsOf(1, 1, 1, false), 1, 1),
                {encodings, FloatList{1, 0, 0, 0}},
                {FloatList{1 - half, -3, 1 + half, -1}, FloatList{0}, FloatList{1}, FloatList{1}});
}

TEST(DetectionPostprocess, ABoxMayHaveSeveralClasses) {
  ExpectOutputs(DetectionPostprocessModel(OptionsOf(2, 3, 2, false), 3, 4),
                {FloatList(16, 0), FloatList{0.5f, 0.25f, 0.75f, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0, 0, 0}},
                {Join({kFirst, kFirst, kThird, kThird}), FloatList{2, 0, 0, 1},
                 FloatList{0.75f, 0.5f, 0.5f, 0.5f}, FloatList{2}});
}

// Class 1 has the first box, class 0 the second, though they overlap; a class has two boxes at most.
TEST(DetectionPostprocess, RegularSuppressionTreatsClassesApart) {
  ExpectOutputs(DetectionPostprocessModel(OptionsOf(4, 2, 1, true), 2, 4),
                {FloatList(16, 0), FloatList{0.3f, 0.9f, 0.5f, 0.4f, 0.5f, 0.9f, 0.4f, 0.8f}},
                {Join({kFirst, kThird, kSecond, kThird}), FloatList{1, 1, 0, 0},
                 FloatList{0.9f, 0.9f, 0.5f, 0.5f}, FloatList{4}});
  ExpectOutputs(DetectionPostprocessModel(OptionsOf(1, 2, 1, true), 2, 1),
                {FloatList(16, 0), FloatList{0.3f, 0.4f, 0.5f, 0.4f, 0.5f, 0.4f, 0.4f, 0.4f}},
                {kSecond, FloatList{0}, FloatList{0.5f}, FloatList{1}});
}

TEST(DetectionPostprocess, RefusesABoxWithoutASize) {
  OpModel model = DetectionPostprocessModel(OptionsOf(1, 1, 1, false), 1, 1);
  model.inputs[2] = {.shape = {4, 4}, .type = TensorType::kFloat32};
  FloatList anchors = {0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 0, 0, 0, 2, 2};
  ExpectInvalidInput(model, {FloatList(16, 0), FloatList(4, 1), anchors},
                     {.what = "no width", .rule = Rule::kRuntimeBox, .blamed = 0, .found = 2});
}

template <int kOption>
void SetOption(OpModel& m, double value) {
  Numbers options = OptionsOf(3, 2, 1, false);
  options[kOption].second = value;
  m.custom_options = FlexMapOfReals(options);
}

constexpr Refusal kDetectionPostprocessRefusals[] = {
    {"no options", [](OpModel& m) { m.custom_options.clear(); }, Rule::kOptionsMissing},
    {"no boxes wanted", [](OpModel& m) { SetOption<0>(m, 0); }, Rule::kOptionValue, kNode, 0, 1},
    {"more than the output holds", [](OpModel& m) { SetOption<0>(m, 4); }, Rule::kElementCount, Out(0), 12,
     16},
    {"two classes for a box", [](OpModel& m) { SetOption<1>(m, 2); }, Rule::kElementCount, Out(0), 12, 24},
    {"four classes", [](OpModel& m) { SetOption<2>(m, 4); }, Rule::kOperandShape, 1, 2, 4},
    {"an overlap of 0", [](OpModel& m) { SetOption<4>(m, 0); }, Rule::kOptionValue},
    {"an overlap above 1", [](OpModel& m) { SetOption<4>(m, 1.5); }, Rule::kOptionValue},
    {"int8 boxes", SetInputType<0, TensorType::kInt8>, Rule::kOperandType, 0, 9, 0},
    {"two images",
     [](OpModel& m) {
       m.inputs[0].shape = {2, 4, 4};
     },
     Rule::kOperandShape, 0, 2, 1},
    {"encodings of 3",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 4, 3};
     },
     Rule::kOperandShape, 0, 3, 4},
    {"scores of 5 boxes",
     [](OpModel& m) {
       m.inputs[1].shape = {1, 5, 2};
     },
     Rule::kOperandShape, 1, 5, 4},
    {"a scalar for boxes", [](OpModel& m) { m.outputs[0].shape = {}; }, Rule::kElementCount, Out(0), 1, 12},
    {"two places for classes", [](OpModel& m) { m.outputs[1].shape = {2}; }, Rule::kElementCount, Out(1), 2,
     3},
    {"three outputs", [](OpModel& m) { m.outputs.pop_back(); }, Rule::kOutputCount, kNode, 3, 4},
};
TEST(DetectionPostprocess, Refusals) {
  ExpectRefusals(DetectionPostprocessModel(OptionsOf(3, 2, 1, false), 2, 3), kDetectionPostprocessRefusals);
}

}  // namespace
}  // namespace lutra
