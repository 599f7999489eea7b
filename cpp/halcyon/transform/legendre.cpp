#include "halcyon/transform/legendre.hpp"

#include <algorithm>
#include <array>

#include "halcyon/transform/lanes.hpp"

namespace halcyon::transform {
namespace {

constexpr int kBatch = 2;  ///< fields for which functions are computed sooner than read from memory

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
    kernels_.functions(w.steps, {mu_.data(), w.values.data(), w.scales.data()}, w.n_stripes, at);
    w.kept = at;
    at += w.n_stripes * w.pitch();
  }
}

const double* Legendre::functions(const Wavenumber& w, int first, int n, int n_fields) {
  if (w.kept && n_fields < kBatch) return w.kept + first * w.pitch();
  const std::size_t place = static_cast<std::size_t>(first) * kLanes;
  double* values = computed_.reserve(kGroup * w.pitch());
  kernels_.functions(w.steps, {mu_.data() + place, w.values.data() + place, w.scales.data() + place}, n,
                     values);
  return values;
}

void Legendre::synthesis(const double* coefficients, const Fields& fields, double* panels,
                         const Between& between) {
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const Parities both(n, w.n_even(), fields.n, columns_, halves_);
    for (int f = 0; f < fields.n; f += 2) {
      const double* first = coefficients + f * fields.stride;
      const double* second = f + 1 < fields.n ? first + fields.stride : first;
      fetch_not_near(first + 2 * n, 2 * n), fetch_not_near(second + 2 * n, 2 * n);  // of the next wavenumber
      both.spread(first, second, f);
    }
    coefficients += 2 * n;
    std::array<double*, kGroup> blocks;
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.side_by_side);
      for (const auto& parity : {both.even, both.odd})
        kernels_.over_terms(parity, fields.n, end - first, p, w.pitch(), blocks.data());
    }
    between();
  }
}

void Legendre::analysis(const double* panels, const Fields& fields, double* coefficients,
                        const Between& between) {
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const Parities both(n, w.n_even(), fields.n, columns_, halves_);
    std::fill_n(both.even.columns, static_cast<std::size_t>((fields.n + 1) / 2) * n * 4, 0.0);
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      for (int s = first; s < end; ++s) {
        const double* blocks = panels + panels_.at(s, static_cast<int>(place), fields.side_by_side);
        fetch_not_near(blocks + fields.side_by_side * kBlock, fields.n * kBlock);
        both.pack(blocks, fields.n, s - first);
      }
      for (const auto& parity : {both.even, both.odd})
        kernels_.over_latitudes(parity, fields.n, end - first, p, w.pitch());
    }
    for (int f = 0; f < fields.n; f += 2) {
      double* first = coefficients + f * fields.stride;
      double* second = f + 1 < fields.n ? first + fields.stride : first;
      fetch_not_near(first + 2 * n, 2 * n), fetch_not_near(second + 2 * n, 2 * n);
      both.gather(f, first, second);
    }
    coefficients += 2 * n;
    between();
  }
}

}  // namespace halcyon::transform
