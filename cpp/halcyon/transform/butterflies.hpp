#pragma once

#include <array>
#include <cstddef>

#include "halcyon/transform/lanes.hpp"

/// Discrete Fourier transforms of a few complex numbers in each lane, with the sign of exp(+2 pi i j k / R).
namespace halcyon::transform {

/// A complex number of each lane.
struct Number {
  Lanes re, im;
};

inline Number number(const double* at) {
  return {load(at), load(at + kLanes)};
}
inline void store(double* at, const Number& x) {
  store(at, x.re), store(at + kLanes, x.im);
}
inline Number operator+(const Number& x, const Number& y) {
  return {x.re + y.re, x.im + y.im};
}
inline Number operator-(const Number& x, const Number& y) {
  return {x.re - y.re, x.im - y.im};
}
/// x + i y, x - i y.
inline Number plus_i(const Number& x, const Number& y) {
  return {x.re - y.im, x.im + y.re};
}
inline Number minus_i(const Number& x, const Number& y) {
  return {x.re + y.im, x.im - y.re};
}
inline Number conjugate(const Number& x) {
  return {x.re, lanes_of(0.0) - x.im};
}
/// x (cosine + i sine).
inline Number turned(const Number& x, Lanes cosine, Lanes sine) {
  return {multiply_subtract(x.re, cosine, x.im * sine), multiply_add(x.re, sine, x.im * cosine)};
}
inline Number scaled(const Number& x, double factor) {
  return {x.re * lanes_of(factor), x.im * lanes_of(factor)};
}
/// x a + y.
inline Number scaled_add(const Number& x, double factor, const Number& y) {
  return {multiply_add(x.re, lanes_of(factor), y.re), multiply_add(x.im, lanes_of(factor), y.im)};
}

inline void butterfly(std::array<Number, 2>& x) {
  x = {x[0] + x[1], x[0] - x[1]};
}

inline void butterfly(std::array<Number, 3>& x) {
  constexpr double kSine60 = 0.86602540378443864676;
  const Number sum = x[1] + x[2], turn = scaled(x[1] - x[2], kSine60);
  const Number middle = scaled_add(sum, -0.5, x[0]);
  x = {x[0] + sum, plus_i(middle, turn), minus_i(middle, turn)};
}

inline void butterfly(std::array<Number, 4>& x) {
  const Number a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x = {a + c, plus_i(b, d), a - c, minus_i(b, d)};
}

inline void butterfly(std::array<Number, 5>& x) {
  constexpr double kCosine72 = 0.30901699437494742410, kSine72 = 0.95105651629515357212;
  constexpr double kCosine144 = -0.80901699437494742410, kSine144 = 0.58778525229247312917;
  const Number a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
  const Number p = scaled_add(b, kCosine144, scaled_add(a, kCosine72, x[0]));
  const Number q = scaled_add(b, kCosine72, scaled_add(a, kCosine144, x[0]));
  const Number r = scaled_add(d, kSine144, scaled(c, kSine72));
  const Number s = scaled_add(d, -kSine72, scaled(c, kSine144));
  x = {x[0] + a + b, plus_i(p, r), plus_i(q, s), minus_i(q, s), minus_i(p, r)};
}

}  // namespace halcyon::transform
