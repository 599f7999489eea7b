#pragma once

#include <array>

#include "halcyon/transform/registers/registers.hpp"

/// Discrete Fourier transforms of a few complex numbers in each lane, with the sign of exp(+2 pi i j k / R).
namespace halcyon::transform {

/// A complex number of each lane.
template <class L>
struct Number {
  L re, im;
};

template <class L>
HALCYON_INLINE Number<L> number(const double* at) {
  return {load_as<L>(at), load_as<L>(at + kSize<L>)};
}
template <class L>
HALCYON_INLINE void store(double* at, const Number<L>& x) {
  store(at, x.re), store(at + kSize<L>, x.im);
}
template <class L>
HALCYON_INLINE Number<L> operator+(const Number<L>& x, const Number<L>& y) {
  return {x.re + y.re, x.im + y.im};
}
template <class L>
HALCYON_INLINE Number<L> operator-(const Number<L>& x, const Number<L>& y) {
  return {x.re - y.re, x.im - y.im};
}
/// x + i y, x - i y.
template <class L>
HALCYON_INLINE Number<L> plus_i(const Number<L>& x, const Number<L>& y) {
  return {x.re - y.im, x.im + y.re};
}
template <class L>
HALCYON_INLINE Number<L> minus_i(const Number<L>& x, const Number<L>& y) {
  return {x.re + y.im, x.im - y.re};
}
/// x + conj(y), x - conj(y).
template <class L>
HALCYON_INLINE Number<L> plus_conjugate(const Number<L>& x, const Number<L>& y) {
  return {x.re + y.re, x.im - y.im};
}
template <class L>
HALCYON_INLINE Number<L> minus_conjugate(const Number<L>& x, const Number<L>& y) {
  return {x.re - y.re, x.im + y.im};
}
template <class L>
HALCYON_INLINE Number<L> parts_changed(const Number<L>& x) {
  return {x.im, x.re};
}
/// x (cosine + i sine).
template <class L>
HALCYON_INLINE Number<L> turned(const Number<L>& x, double cosine, double sine) {
  return {multiply_subtract(x.re, cosine, x.im * sine), multiply_add(x.re, sine, x.im * cosine)};
}
/// conj(x) (cosine + i sine).
template <class L>
HALCYON_INLINE Number<L> conjugate_turned(const Number<L>& x, double cosine, double sine) {
  return {multiply_add(x.re, cosine, x.im * sine), multiply_subtract(x.re, sine, x.im * cosine)};
}
template <class L>
HALCYON_INLINE Number<L> scaled(const Number<L>& x, double factor) {
  return {x.re * factor, x.im * factor};
}
/// x a + y.
template <class L>
HALCYON_INLINE Number<L> scaled_add(const Number<L>& x, double factor, const Number<L>& y) {
  return {multiply_add(x.re, factor, y.re), multiply_add(x.im, factor, y.im)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 2>& x) {
  x = {x[0] + x[1], x[0] - x[1]};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 3>& x) {
  constexpr double kSine60 = 0.86602540378443864676;
  const Number<L> sum = x[1] + x[2], turn = scaled(x[1] - x[2], kSine60);
  const Number<L> middle = scaled_add(sum, -0.5, x[0]);
  x = {x[0] + sum, plus_i(middle, turn), minus_i(middle, turn)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 4>& x) {
  const Number<L> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x = {a + c, plus_i(b, d), a - c, minus_i(b, d)};
}

template <class L>
HALCYON_INLINE void butterfly(std::array<Number<L>, 5>& x) {
  constexpr double kCosine72 = 0.30901699437494742410, kSine72 = 0.95105651629515357212;
  constexpr double kCosine144 = -0.80901699437494742410, kSine144 = 0.58778525229247312917;
  const Number<L> a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const Number<L> p = scaled_add(b, kCosine144, scaled_add(a, kCosine72, x[0]));
  const Number<L> q = scaled_add(b, kCosine72, scaled_add(a, kCosine144, x[0]));
  const Number<L> r = scaled_add(d, kSine144, scaled(c, kSine72));
  const Number<L> s = scaled_add(d, -kSine72, scaled(c, kSine144));
  x = {x[0] + a + b, plus_i(p, r), plus_i(q, s), minus_i(q, s), minus_i(p, r)};
}

}  // namespace halcyon::transform
