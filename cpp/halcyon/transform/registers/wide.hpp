#pragma once

#include "halcyon/transform/legendre/lanes.hpp"

/// Registers of 8 numbers, in functions that say `HALCYON_WIDE` and are called where the processor has them.
#define HALCYON_WIDE [[gnu::target("avx512f")]]

namespace halcyon::transform {

using Wide = double __attribute__((vector_size(64)));

HALCYON_WIDE inline Wide load_wide(const double* at) {
  return _mm512_loadu_pd(at);
}
HALCYON_WIDE inline void store(double* at, Wide x) {
  _mm512_storeu_pd(at, x);
}
HALCYON_WIDE inline void stream(double* at, Wide x) {
  _mm512_stream_pd(at, x);
}
/// The same number in all lanes.
HALCYON_WIDE inline Wide wide_of(double value) {
  return _mm512_set1_pd(value);
}
/// Four lanes, and once more.
HALCYON_WIDE inline Wide twice(const double* at) {
  return _mm512_maskz_broadcast_f64x4(0xff, load(at));
}

}  // namespace halcyon::transform
