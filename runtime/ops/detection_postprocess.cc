// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess, float32: chooses the best boxes that do not overlap from a detector's
// encodings of boxes, scores of classes and anchors. Inputs: encodings [1, boxes, 4 or more] as (y, x, h, w),
// scores [1, boxes, classes], anchors [boxes, 4] as (y, x, h, w). Outputs: boxes as (ymin, xmin, ymax, xmax),
// classes, scores, and the number of boxes; places behind these boxes are 0.
//
// Rules: TFLite's kernels. If a box may have several classes, TensorFlow Lite Micro writes the second and
// later boxes to other places than it counts. LiteRT's rule is used instead: each box has as many places as
// classes, and counts once.

#include <math.h>
#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kEncodings = 0;
constexpr int kScores = 1;
constexpr int kAnchors = 2;
constexpr int kBoxes = 0;
constexpr int kClasses = 1;
constexpr int kBoxScores = 2;
constexpr int kCount = 3;
constexpr int32_t kCorners = 4;

struct Encoding {
  float y, x, h, w;
};

struct Box {
  float ymin, xmin, ymax, xmax;
};

struct DetectionData {
  static constexpr BoardRecord kBoardRecord = {76, 76};

  int32_t boxes;
  int32_t encoding_values;
  int32_t score_values;  // Scores of a box: the classes, and in front the background if it has a score.
  int32_t background;    // 1: the background has a score.
  int32_t classes;
  int32_t most;            // Boxes in the output.
  int32_t most_of_class;   // Boxes of one class in the output, if `regular`.
  int32_t classes_of_box;  // Places of a box in the output, the best class first; only if not `regular`.
  int32_t regular;         // 1: suppresses in each class by itself, not by the best class of each box.
  float score_threshold;
  float overlap_threshold;
  Encoding scale;
  int box_scratch;     // Box[boxes].
  int score_scratch;   // float[boxes]: the scores to compare.
  int order_scratch;   // int32_t[boxes]: the boxes whose scores reach the threshold, the best first.
  int chosen_scratch;  // int32_t[most]: the boxes in the output.
};

// Returns whether box i comes before box j. Equal scores are ordered by number, so that sorting has one
// result.
bool ComesBefore(const float* scores, int32_t i, int32_t j) {
  return scores[i] > scores[j] || (scores[i] == scores[j] && i < j);
}

// Lets the element at `root` of a heap, whose parents come last, sink to its place.
void Sink(const float* scores, int32_t* heap, int32_t root, int32_t count) {
  for (int32_t child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
    if (child + 1 < count && ComesBefore(scores, heap[child], heap[child + 1])) ++child;
    if (!ComesBefore(scores, heap[root], heap[child])) return;
    const int32_t kept = heap[root];
    heap[root] = heap[child];
    heap[child] = kept;
  }
}

void Sort(const float* scores, int32_t* order, int32_t count) {
  for (int32_t root = count / 2 - 1; root >= 0; --root) Sink(scores, order, root, count);
  for (int32_t end = count - 1; end > 0; --end) {
    const int32_t last = order[0];
    order[0] = order[end];
    order[end] = last;
    Sink(scores, order, 0, end);
  }
}

float Larger(float a, float b) { return a < b ? b : a; }
float Smaller(float a, float b) { return b < a ? b : a; }
float Area(const Box& box) { return (box.ymax - box.ymin) * (box.xmax - box.xmin); }

// Returns the area that two boxes share, divided by the area that they cover together.
float Overlap(const Box& a, const Box& b) {
  const float area_a = Area(a);
  const float area_b = Area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = Larger(Smaller(a.ymax, b.ymax) - Larger(a.ymin, b.ymin), 0);
  const float width = Larger(Smaller(a.xmax, b.xmax) - Larger(a.xmin, b.xmin), 0);
  const float shared = height * width;
  return shared / (area_a + area_b - shared);
}

// The boxes that an inference works on.
class Detection {
 public:
  explicit Detection(EvalContext& context)
      : context_(context),
        data_(context.Data<DetectionData>()),
        boxes_(context.ScratchData<Box>(data_.box_scratch)),
        scores_(context.ScratchData<float>(data_.score_scratch)),
        order_(context.ScratchData<int32_t>(data_.order_scratch)),
        chosen_(context.ScratchData<int32_t>(data_.chosen_scratch)),
        out_classes_(context.OutputData<float>(kClasses)),
        out_scores_(context.OutputData<float>(kBoxScores)) {}

  Status Run() {
    LUTRA_TRY(DecodeBoxes());
    for (int i = 0; i <= kCount; ++i) {
      memset(context_.OutputData<uint8_t>(i), 0, static_cast<size_t>(context_.Output(i).bytes));
    }
    const int32_t count = data_.regular != 0 ? ChooseByClass() : ChooseByBestClass();
    *context_.OutputData<float>(kCount) = static_cast<float>(count);
    return Status::kOk;
  }

 private:
  Status DecodeBoxes() {
    const Encoding scale = data_.scale;
    for (int32_t i = 0; i < data_.boxes; ++i) {
      Encoding e;
      Encoding anchor;
      memcpy(&e, context_.InputData<float>(kEncodings) + i * data_.encoding_values, sizeof e);
      memcpy(&anchor, context_.InputData<float>(kAnchors) + i * kCorners, sizeof anchor);
      const float y = Center(e.y, scale.y, anchor.h, anchor.y);
      const float x = Center(e.x, scale.x, anchor.w, anchor.x);
      const float half_h = HalfSize(e.h, scale.h, anchor.h);
      const float half_w = HalfSize(e.w, scale.w, anchor.w);
      const Box box = {y - half_h, x - half_w, y + half_h, x + half_w};
      if (box.ymin >= box.ymax || box.xmin >= box.xmax)
        return context_.Refuse(Rule::kRuntimeBox, kEncodings, i);
      boxes_[i] = box;
    }
    return Status::kOk;
  }

  static float Center(float code, float scale, float size, float center) {
    return static_cast<float>(static_cast<double>(code) / static_cast<double>(scale) *
                                  static_cast<double>(size) +
                              static_cast<double>(center));
  }
  static float HalfSize(float code, float scale, float size) {
    return static_cast<float>(0.5 * exp(static_cast<double>(code) / static_cast<double>(scale)) *
                              static_cast<double>(size));
  }

  // The scores of a box's classes.
  const float* ScoresOf(int32_t box) const {
    return context_.InputData<float>(kScores) + box * data_.score_values + data_.background;
  }

  // Returns the class of a box by rank: rank 0 has the highest score. Of equal scores the first class comes
  // first.
  int32_t ClassOfRank(int32_t box, int32_t rank) const {
    const float* const scores = ScoresOf(box);
    int32_t best = -1;
    for (int32_t r = 0, last = -1; r <= rank; ++r, last = best) {
      best = -1;
      for (int32_t c = 0; c < data_.classes; ++c) {
        if (last >= 0 && !ComesBefore(scores, last, c)) continue;
        if (best < 0 || ComesBefore(scores, c, best)) best = c;
      }
      if (best < 0) best = last;
    }
    return best < 0 ? 0 : best;
  }

  // Puts the boxes whose scores_ reach the threshold into order_, the best first, at most `most`, without
  // boxes that overlap a better one. Returns how many.
  int32_t Suppress(int32_t most) {
    int32_t candidates = 0;
    for (int32_t i = 0; i < data_.boxes; ++i) {
      if (scores_[i] >= data_.score_threshold) order_[candidates++] = i;
    }
    Sort(scores_, order_, candidates);
    int32_t kept = 0;
    for (int32_t i = 0; i < candidates && kept < most; ++i) {
      bool is_free = true;
      for (int32_t k = 0; k < kept && is_free; ++k) {
        is_free = !(Overlap(boxes_[order_[k]], boxes_[order_[i]]) > data_.overlap_threshold);
      }
      if (is_free) order_[kept++] = order_[i];
    }
    return kept;
  }

  void PutBox(int32_t place, int32_t box) const {
    memcpy(context_.OutputData<float>(kBoxes) + place * kCorners, &boxes_[box], sizeof(Box));
  }

  // Gives each box the score of its best class.
  int32_t ChooseByBestClass() {
    for (int32_t i = 0; i < data_.boxes; ++i) scores_[i] = ScoresOf(i)[ClassOfRank(i, 0)];
    const int32_t kept = Suppress(data_.most);
    const int32_t ranks = data_.classes_of_box < data_.classes ? data_.classes_of_box : data_.classes;
    for (int32_t i = 0; i < kept; ++i) {
      for (int32_t rank = 0; rank < ranks; ++rank) {
        const int32_t found = ClassOfRank(order_[i], rank);
        const int32_t place = i * data_.classes_of_box + rank;
        PutBox(place, order_[i]);
        out_classes_[place] = static_cast<float>(found);
        out_scores_[place] = ScoresOf(order_[i])[found];
      }
    }
    return kept;
  }

  // Suppresses in each class by itself; the best boxes of all classes are the output's.
  int32_t ChooseByClass() {
    int32_t count = 0;
    for (int32_t c = 0; c < data_.classes; ++c) {
      for (int32_t i = 0; i < data_.boxes; ++i) scores_[i] = ScoresOf(i)[c];
      const int32_t kept = Suppress(data_.most_of_class);
      for (int32_t k = 0; k < kept; ++k) Insert(order_[k], c, &count);
    }
    for (int32_t i = 0; i < count; ++i) PutBox(i, chosen_[i]);
    return count;
  }

  // Inserts the box behind boxes of an equal score.
  void Insert(int32_t box, int32_t box_class, int32_t* count) {
    const float score = scores_[box];
    int32_t place = *count;
    while (place > 0 && out_scores_[place - 1] < score) --place;
    if (place == data_.most) return;
    if (*count < data_.most) ++*count;
    for (int32_t i = *count - 1; i > place; --i) {
      chosen_[i] = chosen_[i - 1];
      out_classes_[i] = out_classes_[i - 1];
      out_scores_[i] = out_scores_[i - 1];
    }
    chosen_[place] = box;
    out_classes_[place] = static_cast<float>(box_class);
    out_scores_[place] = score;
  }

  EvalContext& context_;
  const DetectionData& data_;
  Box* boxes_;
  float* scores_;
  int32_t* order_;
  int32_t* chosen_;
  float* out_classes_;
  float* out_scores_;
};

Status ReadDetectionOptions(PrepareContext& context, DetectionData* data) {
  const CustomOption needed[] = {{"max_detections", &data->most},
                                 {"max_classes_per_detection", &data->classes_of_box},
                                 {"num_classes", &data->classes},
                                 {"nms_score_threshold", &data->score_threshold},
                                 {"nms_iou_threshold", &data->overlap_threshold},
                                 {"y_scale", &data->scale.y},
                                 {"x_scale", &data->scale.x},
                                 {"h_scale", &data->scale.h},
                                 {"w_scale", &data->scale.w}};
  LUTRA_TRY(RequireCustomOptions(context, needed));
  data->most_of_class = 100;
  const CustomOption of_class[] = {{"detections_per_class", &data->most_of_class}};
  const CustomOption regular[] = {{"use_regular_nms", &data->regular}};
  (void)ReadCustomOptions(context.node_info(), of_class);
  (void)ReadCustomOptions(context.node_info(), regular);
  LUTRA_TRY(RequireOption(context, data->most, 1, INT32_MAX / static_cast<int32_t>(sizeof(Box))));
  LUTRA_TRY(RequireOption(context, data->most_of_class, 1, INT32_MAX));
  LUTRA_TRY(RequireOption(context, data->classes, 1, INT32_MAX - 1));
  LUTRA_TRY(RequireOption(context, data->classes_of_box, 1, INT32_MAX));
  if (!(data->overlap_threshold > 0 && data->overlap_threshold <= 1))
    return context.Refuse(Rule::kOptionValue);
  return Status::kOk;
}

Status RequireElements(PrepareContext& context, int output, int64_t least) {
  LUTRA_TRY(RequireType(context, OutputOperand(output), TensorType::kFloat32));
  const int32_t found = context.Output(output).shape.Count();
  if (found >= least) return Status::kOk;
  const int64_t wanted = least > INT32_MAX ? INT32_MAX : least;
  return context.Refuse(Rule::kElementCount, OutputOperand(output), found, static_cast<int32_t>(wanted));
}

Status RequireDimension(PrepareContext& context, int input, int axis, int32_t wanted) {
  const int32_t found = context.Input(input).shape[axis];
  return found == wanted ? Status::kOk : context.Refuse(Rule::kOperandShape, input, found, wanted);
}

Status CheckShapes(PrepareContext& context, DetectionData* data) {
  constexpr int32_t kRanks[] = {3, 3, 2};
  for (int i = kEncodings; i <= kAnchors; ++i) {
    LUTRA_TRY(RequireType(context, i, TensorType::kFloat32));
    LUTRA_TRY(RequireRank(context, i, kRanks[i], kRanks[i]));
  }
  const Shape encodings = context.Input(kEncodings).shape;
  data->boxes = encodings[1];
  data->encoding_values = encodings[2];
  LUTRA_TRY(RequireDimension(context, kEncodings, 0, 1));
  if (data->encoding_values < kCorners) {
    return context.Refuse(Rule::kOperandShape, kEncodings, data->encoding_values, kCorners);
  }
  LUTRA_TRY(RequireDimension(context, kScores, 0, 1));
  LUTRA_TRY(RequireDimension(context, kScores, 1, data->boxes));
  data->score_values = context.Input(kScores).shape[2];
  data->background = data->score_values == data->classes + 1 ? 1 : 0;
  LUTRA_TRY(RequireDimension(context, kScores, 2, data->classes + data->background));
  LUTRA_TRY(RequireDimension(context, kAnchors, 0, data->boxes));
  LUTRA_TRY(RequireDimension(context, kAnchors, 1, kCorners));
  const int64_t places = int64_t{data->most} * (data->regular != 0 ? 1 : data->classes_of_box);
  LUTRA_TRY(RequireElements(context, kBoxes, places * kCorners));
  LUTRA_TRY(RequireElements(context, kClasses, places));
  LUTRA_TRY(RequireElements(context, kBoxScores, places));
  return RequireElements(context, kCount, 1);
}

}  // namespace

Status PrepareDetectionPostprocess(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 3, 4));
  DetectionData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(ReadDetectionOptions(context, data));
  LUTRA_TRY(CheckShapes(context, data));
  // The anchors have four float32 for each box, so that the products fit.
  LUTRA_TRY(context.RequestScratch(context.Input(kAnchors).bytes, &data->box_scratch));
  const auto bytes = static_cast<int32_t>(sizeof(int32_t));
  LUTRA_TRY(context.RequestScratch(data->boxes * bytes, &data->score_scratch));
  LUTRA_TRY(context.RequestScratch(data->boxes * bytes, &data->order_scratch));
  return context.RequestScratch(data->most * bytes, &data->chosen_scratch);
}

Status EvalDetectionPostprocess(EvalContext& context) { return Detection(context).Run(); }

}  // namespace lutra
