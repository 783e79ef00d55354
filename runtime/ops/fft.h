// SPDX-License-Identifier: Apache-2.0
// A complex FFT of any length whose factors are 2, 3 and 5, in fixed point (int16, int32) or float32, with
// the roundings of TensorFlow Lite Micro's signal library. In fixed point every step divides by its radix, so
// that nothing overflows: the result is the transform divided by its length.
//
//   FftFactors factors;
//   if (!FactorFft(256, &factors)) return Refuse();
//   for (int i = 0; i < 256; ++i) x[FftPosition(factors, i)] = samples[i];
//   Fft(factors, twiddles, /*inverse=*/false, x);  // twiddles[i] = exp(-2 pi j i / 256)

#pragma once

#include <stdint.h>

namespace lutra {

template <typename T>
struct Complex {
  T re;
  T im;
};

// Numbers of one type: how they are multiplied, divided and halved. `Twiddle` is a root of unity's part.
template <typename T>
struct FftNumber;

template <typename T, typename Product, typename UnsignedProduct, int kBits>
struct FixedPointNumber {
  static constexpr Product kOne = (Product{1} << kBits) - 1;

  // a * b, as it stands before rounding.
  static UnsignedProduct Multiply(Product a, Product b) {
    return static_cast<UnsignedProduct>(a) * static_cast<UnsignedProduct>(b);
  }
  static T Round(UnsignedProduct product) {
    constexpr UnsignedProduct kHalf = UnsignedProduct{1} << (kBits - 1);
    return static_cast<T>(static_cast<Product>(product + kHalf) >> kBits);
  }
  static T Add(T a, T b) { return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }
  static T Subtract(T a, T b) { return static_cast<T>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b)); }
  static T Divide(T a, int32_t divisor) { return Round(Multiply(a, kOne / divisor)); }
  static T Half(T a) { return static_cast<T>(a >> 1); }
  static T HalfOfSum(T a, T b) {
    return static_cast<T>(static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)) >> 1);
  }
  static T HalfOfDifference(T a, T b) {
    return static_cast<T>(static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b)) >> 1);
  }
};

template <>
struct FftNumber<int16_t> : FixedPointNumber<int16_t, int32_t, uint32_t, 15> {};
template <>
struct FftNumber<int32_t> : FixedPointNumber<int32_t, int64_t, uint64_t, 31> {};
template <>
struct FftNumber<float> {
  static float Multiply(float a, float b) { return a * b; }
  static float Round(float product) { return product; }
  static float Add(float a, float b) { return a + b; }
  static float Subtract(float a, float b) { return a - b; }
  static float Divide(float a, int32_t) { return a; }
  static float Half(float a) { return a * 0.5f; }
  static float HalfOfSum(float a, float b) { return (a + b) * 0.5f; }
  static float HalfOfDifference(float a, float b) { return (a - b) * 0.5f; }
};

template <typename T>
Complex<T> operator+(const Complex<T>& a, const Complex<T>& b) {
  return {FftNumber<T>::Add(a.re, b.re), FftNumber<T>::Add(a.im, b.im)};
}
template <typename T>
Complex<T> operator-(const Complex<T>& a, const Complex<T>& b) {
  return {FftNumber<T>::Subtract(a.re, b.re), FftNumber<T>::Subtract(a.im, b.im)};
}
template <typename T>
Complex<T> operator*(const Complex<T>& a, const Complex<T>& b) {
  using N = FftNumber<T>;
  return {N::Round(N::Multiply(a.re, b.re) - N::Multiply(a.im, b.im)),
          N::Round(N::Multiply(a.re, b.im) + N::Multiply(a.im, b.re))};
}
template <typename T>
Complex<T> Divide(const Complex<T>& a, int32_t divisor) {
  return {FftNumber<T>::Divide(a.re, divisor), FftNumber<T>::Divide(a.im, divisor)};
}
template <typename T>
T Scale(T a, T factor) {
  return FftNumber<T>::Round(FftNumber<T>::Multiply(a, factor));
}

// The radices of an FFT, that of the last step first.
struct FftFactors {
  static constexpr int kMost = 20;

  int32_t length = 0;
  uint8_t count = 0;
  uint8_t radices[kMost] = {};
};

// Splits the length into fours first, then twos, threes, fives. False for 1, or if another factor is left.
inline bool FactorFft(int32_t length, FftFactors* factors) {
  *factors = {};
  factors->length = length;
  constexpr uint8_t kRadices[] = {4, 2, 3, 5};
  for (const uint8_t radix : kRadices) {
    for (; length > 1 && length % radix == 0; length /= radix) {
      if (factors->count == FftFactors::kMost) return false;
      factors->radices[factors->count++] = radix;
    }
  }
  return length == 1 && factors->count > 0;
}

// Returns the position that element i of the input must have when Fft begins.
inline int32_t FftPosition(const FftFactors& factors, int32_t i) {
  int32_t position = 0;
  int32_t rest = factors.length;
  for (int f = 0; f < factors.count; ++f) {
    const int32_t radix = factors.radices[f];
    rest /= radix;
    position += i % radix * rest;
    i /= radix;
  }
  return position;
}

// One step for `a`, which already are divided by the radix and multiplied by their twiddles. `root` is that
// of 1 / radix.
template <typename T>
void Butterfly2(Complex<T>* a) {
  const Complex<T> second = a[1];
  a[1] = a[0] - second;
  a[0] = a[0] + second;
}

template <typename T>
void Butterfly3(const Complex<T>& root, Complex<T>* a) {
  using N = FftNumber<T>;
  const Complex<T> sum = a[1] + a[2];
  const Complex<T> difference = a[1] - a[2];
  const Complex<T> turned = {Scale(difference.re, root.im), Scale(difference.im, root.im)};
  const Complex<T> middle = {N::Subtract(a[0].re, N::Half(sum.re)), N::Subtract(a[0].im, N::Half(sum.im))};
  a[0] = a[0] + sum;
  a[1] = {N::Subtract(middle.re, turned.im), N::Add(middle.im, turned.re)};
  a[2] = {N::Add(middle.re, turned.im), N::Subtract(middle.im, turned.re)};
}

template <typename T>
void Butterfly4(bool inverse, Complex<T>* a) {
  using N = FftNumber<T>;
  const Complex<T> e = a[0] - a[2];
  const Complex<T> f = a[0] + a[2];
  const Complex<T> g = a[1] + a[3];
  const Complex<T> h = a[1] - a[3];
  a[0] = f + g;
  a[2] = f - g;
  a[inverse ? 3 : 1] = {N::Add(e.re, h.im), N::Subtract(e.im, h.re)};
  a[inverse ? 1 : 3] = {N::Subtract(e.re, h.im), N::Add(e.im, h.re)};
}

template <typename T>
void Butterfly5(const Complex<T>& root, const Complex<T>& root2, Complex<T>* a) {
  using N = FftNumber<T>;
  const Complex<T> sum14 = a[1] + a[4];
  const Complex<T> difference14 = a[1] - a[4];
  const Complex<T> sum23 = a[2] + a[3];
  const Complex<T> difference23 = a[2] - a[3];
  const Complex<T> first = a[0];
  a[0] = first + (sum14 + sum23);
  // first + x * sum14 + y * sum23, and what is added to it and taken from it.
  const auto middle = [&](T x, T y) -> Complex<T> {
    return {N::Add(N::Add(first.re, Scale(sum14.re, x)), Scale(sum23.re, y)),
            N::Add(N::Add(first.im, Scale(sum14.im, x)), Scale(sum23.im, y))};
  };
  const Complex<T> m1 = middle(root.re, root2.re);
  const Complex<T> d1 = {
      N::Add(Scale(difference14.im, root.im), Scale(difference23.im, root2.im)),
      N::Subtract(N::Subtract(T{0}, Scale(difference14.re, root.im)), Scale(difference23.re, root2.im))};
  a[1] = m1 - d1;
  a[4] = m1 + d1;
  const Complex<T> m2 = middle(root2.re, root.re);
  const Complex<T> d2 = {N::Subtract(Scale(difference23.im, root.im), Scale(difference14.im, root2.im)),
                         N::Subtract(Scale(difference14.re, root2.im), Scale(difference23.re, root.im))};
  a[2] = m2 + d2;
  a[3] = m2 - d2;
}

// In place; `x` is in the order of FftPosition. twiddles: `length` roots of unity, of the inverse if that is
// wanted.
template <typename T>
void Fft(const FftFactors& factors, const Complex<T>* twiddles, bool inverse, Complex<T>* x) {
  int32_t part = 1;  // The length of the transforms that are finished.
  for (int f = factors.count - 1; f >= 0; --f) {
    const int32_t radix = factors.radices[f];
    const int32_t blocks = factors.length / (radix * part);
    for (int32_t first = 0; first < factors.length; first += radix * part) {
      for (int32_t u = 0; u < part; ++u) {
        Complex<T> a[5];
        for (int32_t q = 0; q < radix; ++q) {
          a[q] = Divide(x[first + q * part + u], radix);
          if (q > 0) a[q] = a[q] * twiddles[q * u * blocks];
        }
        const Complex<T>& root = twiddles[blocks * part];
        switch (radix) {
          case 2:
            Butterfly2(a);
            break;
          case 3:
            Butterfly3(root, a);
            break;
          case 4:
            Butterfly4(inverse, a);
            break;
          default:
            Butterfly5(root, twiddles[2 * blocks * part], a);
            break;
        }
        for (int32_t q = 0; q < radix; ++q) x[first + q * part + u] = a[q];
      }
    }
    part *= radix;
  }
}

}  // namespace lutra
