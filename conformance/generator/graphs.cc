// SPDX-License-Identifier: Apache-2.0
// Random graphs of up to 12 nodes: each node reads tensors that exist, old or new. So tensors are read twice,
// live on after others, die together, and are outputs that are also read. In a chain each node reads the last
// tensor, which is an image: groups of a row plan need that.

#include <algorithm>

#include "conformance/generator/draw.h"
#include "conformance/generator/layers.h"
#include "conformance/generator/row_plan.h"

namespace lutra::conformance {
namespace {

// The most elements of a tensor.
constexpr int64_t kMostOfGraph = 6000;

class GraphDraw {
 public:
  explicit GraphDraw(Random& random) : random_(random), net_(random) {}

  Case Draw() {
    is_chain_ = random_.OneIn(4);
    const int inputs = !is_chain_ && random_.OneIn(4) ? random_.Int(1, 3) : 1;
    for (int i = 0; i < inputs; ++i) {
      const int32_t batches = !is_chain_ && random_.OneIn(6) ? random_.Int(1, 3) : 1;
      const int32_t height = random_.Int(1, is_chain_ ? 40 : 12), width = random_.Int(1, 12);
      Live(net_.Input({batches, height, width, DrawSize(random_, is_chain_ ? 12 : 33)}));
    }
    const int nodes = random_.OneIn(2) ? random_.Int(1, 12) : random_.Int(1, 5);
    for (int i = 0; i < nodes; ++i) is_chain_ ? AddLink() : AddNode();
    std::vector<Layer> outputs;
    for (size_t i = 0; i < live_.size(); ++i) {
      const bool is_input = i < static_cast<size_t>(inputs);
      // All tensors that no node reads are outputs, and some others.
      if ((reads_[i] == 0 && !is_input) || (!is_input && random_.OneIn(10))) outputs.push_back(live_[i]);
    }
    if (random_.OneIn(is_chain_ ? 2 : 8)) {
      std::vector<int32_t> tensors;
      for (const Layer& layer : outputs) tensors.push_back(layer.tensor);
      AddRowPlan(random_, tensors, &net_.maker().model());
    }
    return net_.Finish(outputs);
  }

 private:
  void Live(const Layer& layer) {
    live_.push_back(layer);
    reads_.push_back(0);
  }
  Layer Read(size_t i) {
    ++reads_[i];
    return live_[i];
  }
  // Returns the index of one of the last tensors, most of the time.
  size_t Index() {
    const auto last = static_cast<int>(live_.size()) - 1;
    return static_cast<size_t>(last -
                               (random_.OneIn(4) ? random_.Int(0, last) : random_.Int(0, std::min(last, 2))));
  }
  // Returns the index of another tensor that `fits`, or `otherwise` if there is none.
  template <typename Fits>
  size_t Other(size_t otherwise, const Fits& fits) {
    std::vector<size_t> candidates;
    for (size_t i = live_.size(); i > 0; --i) {
      if (i - 1 != otherwise && fits(live_[i - 1])) candidates.push_back(i - 1);
    }
    return candidates.empty() || random_.OneIn(8) ? otherwise : random_.Pick(candidates);
  }
  size_t OfShape(size_t like) {
    return Other(like, [&](const Layer& layer) { return layer.shape == live_[like].shape; });
  }

  LayerOptions Window(const Layer& x) {
    static const std::vector<int8_t> activations = {0, kRelu, kRelu6};
    LayerOptions options = {.channels = DrawSize(random_, 40), .filter = random_.Int(1, 5)};
    options.stride = random_.OneIn(3) ? random_.Int(1, 3) : 1;
    options.same = !random_.OneIn(3) || x.shape[1] < options.filter || x.shape[2] < options.filter;
    options.activation = random_.Pick(activations);
    options.per_channel = !random_.OneIn(3);
    if (int64_t{x.shape[0]} * x.shape[1] * x.shape[2] * options.channels > kMostOfGraph) options.channels = 4;
    return options;
  }

  // Adds a node that reads the last tensor and, in a sum, sometimes an older one.
  void AddLink() {
    const size_t i = live_.size() - 1;
    const Layer x = live_[i];
    switch (random_.Int(0, 7)) {
      case 0:
      case 1:
        return Live(net_.Conv(Read(i), Window(x)));
      case 2:
      case 3:
        return Live(net_.Depthwise(Read(i), Window(x)));
      case 4: {
        const size_t other = OfShape(i);
        const Layer a = Read(i), b = Read(other);
        return Live(net_.Add(a, b));
      }
      case 5:
      case 6: {
        LayerOptions options = Window(x);
        options.activation = 0;
        if (random_.OneIn(4)) return Live(net_.AverageOfImage(Read(i)));
        return Live(random_.OneIn(3) ? net_.MaxPool(Read(i), options) : net_.AveragePool(Read(i), options));
      }
      default:
        return AddFunction(i);
    }
  }

  void AddNode() {
    const size_t i = Index();
    const Layer x = live_[i];
    const bool is_image = x.shape.size() == 4;
    switch (random_.Int(0, 19)) {
      case 0:
      case 1:
        if (is_image) return Live(net_.Conv(Read(i), Window(x)));
        break;
      case 2:
      case 3:
        if (is_image) return Live(net_.Depthwise(Read(i), Window(x)));
        break;
      case 4:
      case 5: {
        const size_t other = OfShape(i);
        const Layer a = Read(i), b = Read(other);
        return Live(random_.OneIn(3) ? net_.Add(a, b, kRelu) : net_.Add(a, b));
      }
      case 6: {
        const size_t other = OfShape(i);
        const Layer a = Read(i), b = Read(other);
        return Live(random_.OneIn(2) ? net_.Sub(a, b) : net_.Mul(a, b));
      }
      case 7: {
        const size_t other = Other(i, [&](const Layer& y) {
          return y.shape == x.shape && y.scale == x.scale && y.zero_point == x.zero_point;
        });
        const Layer a = Read(i), b = Read(other);
        return Live(net_.Maximum(a, b));
      }
      case 8:
      case 9:
        return AddConcatenation(i);
      case 10:
        if (is_image) {
          LayerOptions options = Window(x);
          options.activation = 0;
          return Live(random_.OneIn(2) ? net_.MaxPool(Read(i), options) : net_.AveragePool(Read(i), options));
        }
        break;
      case 11:
        if (is_image && oracle::ElementCount(x.shape) * 4 < kMostOfGraph) {
          const int before = random_.Int(0, 2), after = random_.Int(0, 2);
          return Live(net_.Pad(Read(i), before, after));
        }
        break;
      case 12:
        if (is_image) return Live(net_.Mean(Read(i), random_.OneIn(2)));
        break;
      case 13:
        return AddReshape(i);
      case 14:
        if (x.shape.back() % 2 == 0) {
          for (const Layer& part : net_.Split(Read(i), 2)) Live(part);
          return;
        }
        break;
      case 15:
        if (is_image && oracle::ElementCount(x.shape) * 4 < kMostOfGraph) {
          return Live(random_.OneIn(2) ? net_.Enlarge(Read(i), 2) : net_.TransposeConv(Read(i), Window(x)));
        }
        break;
      case 16:
        return Live(net_.Transpose(Read(i), DrawOrder(random_, static_cast<int32_t>(x.shape.size()))));
      case 17:
        if (x.shape.size() >= 2 && x.shape[1] > 1) return Live(net_.Drop(Read(i)));
        break;
      case 18:
        return Live(net_.FullyConnected(Read(i), {.channels = DrawSize(random_, 33), .per_channel = false}));
      default:
        break;
    }
    AddFunction(i);
  }

  void AddConcatenation(size_t i) {
    const Layer x = live_[i];
    const int axis = random_.Int(0, static_cast<int>(x.shape.size()) - 1);
    const size_t other = Other(i, [&](const Layer& y) {
      oracle::Shape shape = y.shape;
      if (shape.size() != x.shape.size() || y.scale != x.scale || y.zero_point != x.zero_point) return false;
      shape[static_cast<size_t>(axis)] = x.shape[static_cast<size_t>(axis)];
      return shape == x.shape;
    });
    if (2 * oracle::ElementCount(x.shape) > kMostOfGraph) return AddFunction(i);
    const Layer a = Read(i), b = Read(other);
    Live(net_.Concatenation({a, b}, axis));
  }

  // Reshapes to fewer dimensions, or exchanges two of them.
  void AddReshape(size_t i) {
    oracle::Shape shape = live_[i].shape;
    if (shape.size() > 1 && random_.OneIn(2)) {
      const int32_t last = shape.back();
      shape.pop_back();
      shape.back() *= last;
    } else {
      std::swap(shape.front(), shape.back());
    }
    Live(net_.Reshape(Read(i), shape));
  }

  void AddFunction(size_t i) {
    switch (random_.Int(0, 4)) {
      case 0:
        return Live(net_.HardSwish(Read(i)));
      case 1:
        return Live(net_.Logistic(Read(i)));
      case 2:
        return Live(net_.Tanh(Read(i)));
      case 3:
        return Live(live_[i].shape.back() < 500 ? net_.Softmax(Read(i)) : net_.Tanh(Read(i)));
      default:
        return Live(net_.Quantize(Read(i)));
    }
  }

  Random& random_;
  bool is_chain_ = false;
  Layers net_;
  std::vector<Layer> live_;
  std::vector<int> reads_;
};

}  // namespace

Case DrawGraph(Random& random) {
  return random.OneIn(6) ? DrawControlFlow(random) : GraphDraw(random).Draw();
}

}  // namespace lutra::conformance
