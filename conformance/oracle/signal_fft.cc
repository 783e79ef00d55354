// SPDX-License-Identifier: Apache-2.0
// SignalRfft and SignalIrfft of int16 and int32, custom operators of TensorFlow Lite Micro. The fixed-point
// transform divides by the radix before each step, so that its result is divided by the length.

#include <cmath>
#include <functional>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

struct Complex {
  int64_t re, im;
};
using Spectrum = std::vector<Complex>;

// Computes with numbers of 16 or 32 bits, which have a sign and otherwise fraction bits. Products and roots
// of unity fit 64 bits.
class FixedPoint {
 public:
  explicit FixedPoint(int8_t type) : bits_(8 * BytesOf(type)) {}

  int64_t Wrap(int64_t x) const {
    const auto unsigned_x = static_cast<uint64_t>(x);
    return bits_ == 16 ? int64_t{static_cast<int16_t>(unsigned_x)} : static_cast<int32_t>(unsigned_x);
  }
  int64_t Round(int64_t x) const { return Wrap((x + (1 << (bits_ - 2))) >> (bits_ - 1)); }
  Complex Add(Complex a, Complex b) const { return {Wrap(a.re + b.re), Wrap(a.im + b.im)}; }
  Complex Subtract(Complex a, Complex b) const { return {Wrap(a.re - b.re), Wrap(a.im - b.im)}; }
  Complex Multiply(Complex a, Complex b) const {
    return {Round(a.re * b.re - a.im * b.im), Round(a.re * b.im + a.im * b.re)};
  }
  Complex Scale(Complex a, int64_t factor) const { return {Round(a.re * factor), Round(a.im * factor)}; }
  Complex Divide(Complex a, int64_t divisor) const { return Scale(a, one() / divisor); }
  Complex Conjugate(Complex a) const { return {a.re, Wrap(-a.im)}; }
  // Returns exp(i * angle).
  Complex RootAt(double angle) const {
    const auto part = [&](double x) {
      return static_cast<int64_t>(std::floor(0.5 + static_cast<double>(one()) * x));
    };
    return {part(std::cos(angle)), part(std::sin(angle))};
  }

 private:
  int64_t one() const { return (int64_t{1} << (bits_ - 1)) - 1; }

  int bits_;
};

constexpr double kPi = 3.14159265358979323846264338327;

// Returns i * a.
Complex Turned(const FixedPoint& number, Complex a) { return {number.Wrap(-a.im), a.re}; }

class Fft {
 public:
  Fft(const Node& node, const FixedPoint& number, size_t length, bool is_inverse)
      : number_(number), is_inverse_(is_inverse), length_(length) {
    size_t rest = length;
    for (const size_t radix : {4, 2, 3, 5}) {
      for (; rest > 1 && rest % radix == 0; rest /= radix) radices_.push_back(radix);
    }
    if (rest != 1 || length < 2) node.Refuse("a transform of other factors than 2, 3 and 5");
    for (size_t i = 0; i < length; ++i) {
      const double angle = -2 * kPi * static_cast<double>(i) / static_cast<double>(length);
      roots_.push_back(number.RootAt(is_inverse ? -angle : angle));
    }
  }

  Spectrum Run(const Spectrum& x) const { return Part(x, 0, 1, 0); }

 private:
  // Returns the transform of every stride-th element of x from `first` on.
  Spectrum Part(const Spectrum& x, size_t first, size_t stride, size_t step) const {
    if (step == radices_.size()) return {x[first]};
    const size_t radix = radices_[step], part = length_ / stride / radix;
    std::vector<Spectrum> parts;
    for (size_t q = 0; q < radix; ++q) {
      parts.push_back(Part(x, first + q * stride, stride * radix, step + 1));
    }
    Spectrum y(radix * part);
    for (size_t u = 0; u < part; ++u) {
      Spectrum a;
      for (size_t q = 0; q < radix; ++q) {
        a.push_back(number_.Divide(parts[q][u], static_cast<int64_t>(radix)));
        if (q > 0) a[q] = number_.Multiply(a[q], roots_[q * u * stride]);
      }
      const Spectrum joined = Butterfly(a, roots_[stride * part], roots_[2 * stride * part % length_]);
      for (size_t q = 0; q < radix; ++q) y[u + q * part] = joined[q];
    }
    return y;
  }

  // root: the root of unity of 1 / radix; root2: its square.
  Spectrum Butterfly(const Spectrum& a, Complex root, Complex root2) const {
    const FixedPoint& n = number_;
    if (a.size() == 2) return {n.Add(a[0], a[1]), n.Subtract(a[0], a[1])};
    if (a.size() == 4) {
      const Complex e = n.Subtract(a[0], a[2]), f = n.Add(a[0], a[2]);
      const Complex g = n.Add(a[1], a[3]), h = Turned(n, n.Subtract(a[1], a[3]));
      const Complex down = n.Subtract(e, h), up = n.Add(e, h);
      return {n.Add(f, g), is_inverse_ ? up : down, n.Subtract(f, g), is_inverse_ ? down : up};
    }
    if (a.size() == 3) {
      const Complex sum = n.Add(a[1], a[2]);
      const Complex turned = Turned(n, n.Scale(n.Subtract(a[1], a[2]), root.im));
      const Complex middle = n.Subtract(a[0], {sum.re >> 1, sum.im >> 1});
      return {n.Add(a[0], sum), n.Add(middle, turned), n.Subtract(middle, turned)};
    }
    const Complex s7 = n.Add(a[1], a[4]), s10 = n.Subtract(a[1], a[4]);
    const Complex s8 = n.Add(a[2], a[3]), s9 = n.Subtract(a[2], a[3]);
    const Complex s5 = n.Add(n.Add(a[0], n.Scale(s7, root.re)), n.Scale(s8, root2.re));
    const Complex s11 = n.Add(n.Add(a[0], n.Scale(s7, root2.re)), n.Scale(s8, root.re));
    const Complex up = n.Add(n.Scale(s10, root.im), n.Scale(s9, root2.im));
    const Complex s6 = {up.im, n.Wrap(-up.re)};
    const Complex down = n.Subtract(n.Scale(s9, root.im), n.Scale(s10, root2.im));
    const Complex s12 = {down.im, n.Wrap(-down.re)};
    return {n.Add(a[0], n.Add(s7, s8)), n.Subtract(s5, s6), n.Add(s11, s12), n.Subtract(s11, s12),
            n.Add(s5, s6)};
  }

  const FixedPoint& number_;
  bool is_inverse_;
  size_t length_;
  std::vector<size_t> radices_;
  Spectrum roots_;
};

struct Transform {
  int8_t type;
  size_t length;  // The number of real values.
};

Transform TransformOf(const Node& node) {
  const auto type = static_cast<int8_t>(node.CustomOption("T"));
  const int64_t length = node.CustomOption("fft_length");
  if (type != kInt16 && type != kInt32) node.Refuse("a transform of another type than int16 and int32");
  if (length < 4 || length % 2 != 0 || length > 1 << 20) node.Refuse("fft_length out of range");
  return {type, static_cast<size_t>(length)};
}

// Two parts of the transform at frequency k: that of the even samples, and that of the odd ones, which is
// multiplied by a root of unity.
struct Halves {
  Complex even, odd;
};
Halves HalvesAt(const FixedPoint& n, const Spectrum& x, size_t k, bool is_inverse) {
  const size_t length = is_inverse ? x.size() - 1 : x.size();
  const Complex a = n.Divide(x[k], 2), b = n.Divide(n.Conjugate(x[length - k]), 2);
  const double angle = -kPi * (static_cast<double>(k) / static_cast<double>(length) + 0.5);
  return {n.Add(a, b), n.Multiply(n.Subtract(a, b), n.RootAt(is_inverse ? -angle : angle))};
}

// Returns half of the sum, which wraps to 32 bits.
int64_t Half(int64_t sum) { return int64_t{static_cast<int32_t>(static_cast<uint64_t>(sum))} >> 1; }

Spectrum Rfft(const FixedPoint& n, const Fft& fft, const Codes& samples) {
  const size_t length = samples.size() / 2;
  Spectrum pairs;
  for (size_t i = 0; i < length; ++i) pairs.push_back({samples[2 * i], samples[2 * i + 1]});
  const Spectrum t = fft.Run(pairs);
  Spectrum y(length + 1);
  const Complex d = n.Divide(t[0], 2);
  y[0] = {n.Wrap(d.re + d.im), 0};
  y[length] = {n.Wrap(d.re - d.im), 0};
  for (size_t k = 1; k <= length / 2; ++k) {
    const auto [f, w] = HalvesAt(n, t, k, false);
    y[k] = {n.Wrap(Half(f.re + w.re)), n.Wrap(Half(f.im + w.im))};
    y[length - k] = {n.Wrap(Half(f.re - w.re)), n.Wrap(Half(w.im - f.im))};
  }
  return y;
}

Codes Irfft(const FixedPoint& n, const Fft& fft, const Spectrum& x) {
  const size_t length = x.size() - 1;
  Spectrum t(length);
  t[0] = n.Divide({n.Wrap(x[0].re + x[length].re), n.Wrap(x[0].re - x[length].re)}, 2);
  for (size_t k = 1; k <= length / 2; ++k) {
    const auto [even, odd] = HalvesAt(n, x, k, true);
    t[k] = n.Add(even, odd);
    t[length - k] = n.Conjugate(n.Subtract(even, odd));
  }
  Codes samples;
  for (const Complex& pair : fft.Run(t)) samples.insert(samples.end(), {pair.re, pair.im});
  return samples;
}

// Calls `row` with the codes of each input row; the output is the sequence of its results.
void ForRows(const Node& node, const std::function<Codes(const Codes&)>& row) {
  const Codes x = node.Get(0);
  if (x.empty() || node.input(0).shape.empty()) node.Refuse("no numbers");
  const auto size = static_cast<std::ptrdiff_t>(node.input(0).shape.back());
  Codes y;
  for (auto at = x.begin(); at != x.end(); at += size) {
    const Codes one = row(Codes(at, at + size));
    y.insert(y.end(), one.begin(), one.end());
  }
  node.Put(0, y);
}

void EvalRfft(const Node& node, const ArithmeticRule&) {
  const Transform transform = TransformOf(node);
  node.RequireTypes({transform.type}, {transform.type});
  const FixedPoint number(transform.type);
  const Fft fft(node, number, transform.length / 2, false);
  ForRows(node, [&](Codes samples) {
    if (samples.size() > transform.length) node.Refuse("more samples than the transform has");
    samples.resize(transform.length, 0);
    Codes codes;
    for (const Complex& at : Rfft(number, fft, samples)) codes.insert(codes.end(), {at.re, at.im});
    return codes;
  });
}

void EvalIrfft(const Node& node, const ArithmeticRule&) {
  const Transform transform = TransformOf(node);
  node.RequireTypes({transform.type}, {transform.type});
  const FixedPoint number(transform.type);
  const Fft fft(node, number, transform.length / 2, true);
  ForRows(node, [&](const Codes& codes) {
    if (codes.size() != transform.length + 2) node.Refuse("another number of frequencies");
    Spectrum x;
    for (size_t i = 0; i < codes.size(); i += 2) x.push_back({codes[i], codes[i + 1]});
    return Irfft(number, fft, x);
  });
}

constexpr Operator kFftRows[] = {
    Custom("SignalIrfft", {"-", "-"}, EvalIrfft),
    Custom("SignalRfft", {"-", "-"}, EvalRfft),
};

}  // namespace

const OperatorFamily kSignalFftOperators = kFftRows;

}  // namespace lutra::conformance::oracle
