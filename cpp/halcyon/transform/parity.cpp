#include "halcyon/transform/parity.hpp"

#include <algorithm>

#include "halcyon/transform/lanes.hpp"

namespace halcyon::transform {
namespace {

std::size_t n_pairs(int n_fields) {
  return static_cast<std::size_t>(n_fields + 1) / 2;
}

}  // namespace

Parities::Parities(int n, int n_even_functions, int n_fields, Buffer& columns, Buffer& halves)
    : even{(n + 1) / 2, 0, 0, columns.reserve(n_pairs(n_fields) * n * 4),
           halves.reserve(2 * n_pairs(n_fields) * kGroup * kBlock)},
      odd{n / 2, static_cast<std::size_t>(n_even_functions), kBlock / 2,
          even.columns + n_pairs(n_fields) * even.n * 4, even.halves + n_pairs(n_fields) * kGroup * kBlock} {}

void Parities::spread(const double* first, const double* second, int field) const {
  double *to_even = even.column(field), *to_odd = odd.column(field);
  for (int k = 0; k < odd.n; ++k, first += 4, second += 4, to_even += 4, to_odd += 4) {
    const Lanes a = load(first), b = load(second);
    store(to_even, first_halves(a, b)), store(to_odd, second_halves(a, b));
  }
  if (odd.n < even.n) std::copy_n(first, 2, to_even), std::copy_n(second, 2, to_even + 2);
}

void Parities::gather(int field, double* first, double* second) const {
  const double *from_even = even.column(field), *from_odd = odd.column(field);
  for (int k = 0; k < odd.n; ++k, first += 4, second += 4, from_even += 4, from_odd += 4) {
    const Lanes a = load(from_even), b = load(from_odd);
    store(second, second_halves(a, b)), store(first, first_halves(a, b));
  }
  if (odd.n < even.n) std::copy_n(from_even + 2, 2, second), std::copy_n(from_even, 2, first);
}

void Parities::pack(const double* blocks, int n_fields, int stripe) const {
  for (int f = 0; f < n_fields; ++f, blocks += kBlock)
    for (const auto* parity : {&even, &odd})
      for (int at = 0; at < kBlock / 2; at += kLanes)
        store(parity->halves_at(f, stripe) + at, load(blocks + parity->half + at));
}

}  // namespace halcyon::transform
