#include "halcyon/transform/legendre.hpp"

#include <algorithm>
#include <array>

#include "halcyon/transform/legendre_kernels.hpp"

namespace halcyon::transform {
namespace {

constexpr int kGroup = 16;  ///< stripes that are summed, or computed, at a time: fixed, for the bits' sake
constexpr int kTerms = 48;  ///< terms whose functions at a group of stripes stay near
constexpr int kMostStripes = 3;
constexpr int kBatch = 2;  ///< fields for which functions are computed sooner than read from memory

/// Stripes to take at a time where so many are left: never 1 after 3.
int stripes_of(int left) {
  return left == kMostStripes + 1 ? 2 : std::min(left, kMostStripes);
}

/// A parity's terms of a wavenumber, and where its halves stand in a block.
struct Parity {
  int n;              ///< terms
  std::size_t first;  ///< its first term among the functions
  std::size_t half;   ///< in a block
  double* columns;    ///< (pair of fields, term, 4)
};

template <int S, int C>
void sum_stripes(const Parity& parity, const double* functions, std::size_t pitch, const double* columns,
                 double* const* blocks, std::size_t shift) {
  std::array<const double*, S> at;
  std::array<double*, S> sums;
  for (int s = 0; s < S; ++s) {
    at[s] = functions + s * pitch + parity.first * kLanes;
    sums[s] = blocks[s] + shift + parity.half;
  }
  sum_terms<S, C>(parity.n, at, columns, sums);
}

/// All fields, two by two, at S stripes.
template <int S>
void sum_fields(const Parity& parity, int n_fields, const double* functions, std::size_t pitch,
                double* const* blocks) {
  for (int f = 0; f < n_fields; f += 2) {
    const double* columns = parity.columns + static_cast<std::size_t>(f / 2) * parity.n * 4;
    if (f + 1 < n_fields)
      sum_stripes<S, 4>(parity, functions, pitch, columns, blocks, f * kBlock);
    else
      sum_stripes<S, 2>(parity, functions, pitch, columns, blocks, f * kBlock);
  }
}

template <int C>
void sum_tile(const Parity& parity, int from, int to, int n_stripes, const double* functions,
              std::size_t pitch, const double* const* blocks, std::size_t shift, double* columns) {
  functions += parity.first * kLanes;
  int k = from;
  for (; k + 3 <= to; k += 3)
    sum_latitudes<3, C>(n_stripes, functions + k * kLanes, pitch, blocks, shift, columns + 4 * k);
  for (; k < to; ++k)
    sum_latitudes<1, C>(n_stripes, functions + k * kLanes, pitch, blocks, shift, columns + 4 * k);
}

void sum_group(const Parity& parity, int n_fields, int n_stripes, const double* functions, std::size_t pitch,
               const double* const* blocks) {
  for (int from = 0; from < parity.n; from += kTerms) {
    const int to = std::min(parity.n, from + kTerms);
    for (int f = 0; f < n_fields; f += 2) {
      double* columns = parity.columns + static_cast<std::size_t>(f / 2) * parity.n * 4;
      const std::size_t shift = f * kBlock + parity.half;
      if (f + 1 < n_fields)
        sum_tile<4>(parity, from, to, n_stripes, functions, pitch, blocks, shift, columns);
      else
        sum_tile<2>(parity, from, to, n_stripes, functions, pitch, blocks, shift, columns);
    }
  }
}

/// The terms of even and of odd n - m, of n terms in all.
struct Parities {
  Parity even, odd;
};

Parities parities(int n, int n_even_functions, int n_fields, Buffer& memory) {
  const int n_even = (n + 1) / 2, pairs = (n_fields + 1) / 2;
  double* columns = memory.reserve(static_cast<std::size_t>(pairs) * n * 4);
  return {{n_even, 0, 0, columns},
          {n / 2, static_cast<std::size_t>(n_even_functions), 2 * kLanes,
           columns + static_cast<std::size_t>(pairs) * n_even * 4}};
}

double* column_of(const Parity& parity, int field) {
  return parity.columns + static_cast<std::size_t>(field / 2) * parity.n * 4 + (field % 2) * 2;
}

/// Coefficients of a field become columns.
void spread(const double* coefficients, int field, const Parities& both) {
  for (const auto* parity : {&both.even, &both.odd}) {
    const double* from = coefficients + (parity == &both.odd ? 2 : 0);
    double* to = column_of(*parity, field);
    for (int k = 0; k < parity->n; ++k, from += 4, to += 4) to[0] = from[0], to[1] = from[1];
  }
}

/// Columns become coefficients of a field.
void gather(const Parities& both, int field, double* coefficients) {
  for (const auto* parity : {&both.even, &both.odd}) {
    double* to = coefficients + (parity == &both.odd ? 2 : 0);
    const double* from = column_of(*parity, field);
    for (int k = 0; k < parity->n; ++k, from += 4, to += 4) to[0] = from[0], to[1] = from[1];
  }
}

}  // namespace

Legendre::Legendre(const Grid& grid, const Stripes& stripes, int last, std::vector<int> wavenumbers,
                   std::size_t memory_bytes)
    : wavenumbers_(std::move(wavenumbers)),
      panels_(stripes, wavenumbers_),
      mu_(static_cast<std::size_t>(stripes.n()) * kLanes) {
  for (int place = 0; place < stripes.n() * kLanes; ++place) {
    const int row = stripes.north(place / kLanes, place % kLanes);
    mu_[place] = row < 0 ? 0 : grid.latitudes().sines[row];
  }
  const FirstFunctions first(last);
  held_.reserve(wavenumbers_.size());
  for (int m : wavenumbers_) held_.push_back(wavenumber(m, first, grid, stripes, last));
  keep(memory_bytes);
}

Legendre::Wavenumber Legendre::wavenumber(int m, const FirstFunctions& first, const Grid& grid,
                                          const Stripes& stripes, int last) const {
  Wavenumber w{.m = m, .n_stripes = stripes.n_with(m), .steps = steps(m, last)};
  const std::size_t n_places = static_cast<std::size_t>(w.n_stripes) * kLanes;
  w.values.resize(n_places);
  w.scales.resize(n_places);
  for (std::size_t place = 0; place < n_places; ++place) {
    const int row = stripes.north(static_cast<int>(place) / kLanes, place % kLanes);
    if (row < 0) continue;
    const auto [value, scale] = first.at(m, grid.latitudes().colatitudes[row]);
    w.values[place] = value;
    w.scales[place] = scale;
  }
  return w;
}

void Legendre::keep(std::size_t memory_bytes) {
  std::size_t size = 0, n_kept = 0;
  for (; n_kept < held_.size(); ++n_kept) {
    const std::size_t more = held_[n_kept].n_stripes * held_[n_kept].pitch();
    if ((size + more) * sizeof(double) > memory_bytes) break;
    size += more;
  }
  double* at = kept_.reserve(size);
  for (std::size_t i = 0; i < n_kept; ++i) {
    auto& w = held_[i];
    transform::functions(w.steps, {mu_.data(), w.values.data(), w.scales.data()}, w.n_stripes, at);
    w.kept = at;
    at += w.n_stripes * w.pitch();
  }
}

const double* Legendre::functions(const Wavenumber& w, int first, int n, int n_fields) {
  if (w.kept && n_fields < kBatch) return w.kept + first * w.pitch();
  const std::size_t place = static_cast<std::size_t>(first) * kLanes;
  double* values = computed_.reserve(kGroup * w.pitch());
  transform::functions(w.steps, {mu_.data() + place, w.values.data() + place, w.scales.data() + place}, n,
                       values);
  return values;
}

void Legendre::synthesis(const double* coefficients, const Fields& fields, double* panels,
                         const Between& between) {
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const auto both = parities(n, w.n_even(), fields.n, columns_);
    for (int f = 0; f < fields.n; ++f) spread(coefficients + f * fields.stride, f, both);
    coefficients += 2 * n;
    std::array<double*, kGroup> blocks;
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.n);
      for (int s = 0, some; s < end - first; s += some, p += some * w.pitch()) {
        some = stripes_of(end - first - s);
        const auto sum = some == 3 ? sum_fields<3> : some == 2 ? sum_fields<2> : sum_fields<1>;
        for (const auto& parity : {both.even, both.odd}) sum(parity, fields.n, p, w.pitch(), &blocks[s]);
      }
    }
    between();
  }
}

void Legendre::analysis(const double* panels, const Fields& fields, double* coefficients,
                        const Between& between) {
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const auto both = parities(n, w.n_even(), fields.n, columns_);
    std::fill_n(both.even.columns, static_cast<std::size_t>((fields.n + 1) / 2) * n * 4, 0.0);
    std::array<const double*, kGroup> blocks;
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.n);
      for (const auto& parity : {both.even, both.odd})
        sum_group(parity, fields.n, end - first, p, w.pitch(), blocks.data());
    }
    for (int f = 0; f < fields.n; ++f) gather(both, f, coefficients + f * fields.stride);
    coefficients += 2 * n;
    between();
  }
}

}  // namespace halcyon::transform
