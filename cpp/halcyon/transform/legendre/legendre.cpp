#include "halcyon/transform/legendre/legendre.hpp"

#include <algorithm>
#include <array>

namespace halcyon::transform {
namespace {

constexpr int kBatch = 2;  ///< fields for which functions are computed sooner than read from memory

}  // namespace

Legendre::Legendre(const Grid& grid, const Stripes& stripes, int last, std::vector<int> wavenumbers,
                   std::size_t memory_bytes)
    : wavenumbers_(std::move(wavenumbers)),
      panels_(stripes, wavenumbers_),
      mu_(static_cast<std::size_t>(stripes.n() + 1) / 2 * kPair) {
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
  w.values.resize(static_cast<std::size_t>(w.n_pairs()) * kPair);
  w.scales.resize(w.values.size());
  for (int place = 0; place < w.n_stripes * kLanes; ++place) {
    const int row = stripes.north(place / kLanes, place % kLanes);
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
    const std::size_t more = held_[n_kept].n_pairs() * held_[n_kept].pitch();
    if ((size + more) * sizeof(double) > memory_bytes) break;
    size += more;
  }
  double* at = kept_.reserve(size);
  for (std::size_t i = 0; i < n_kept; ++i) {
    auto& w = held_[i];
    kernels_.functions(w.steps, {mu_.data(), w.values.data(), w.scales.data()}, w.n_pairs(), at);
    w.kept = at;
    at += w.n_pairs() * w.pitch();
  }
}

/// At some stripes of a group, from its first one on.
const double* Legendre::functions(const Wavenumber& w, int first, int n, int n_fields) {
  if (w.kept && n_fields < kBatch) return w.kept + first / 2 * w.pitch();
  const std::size_t place = static_cast<std::size_t>(first) * kLanes;
  double* values = computed_.reserve(kGroup / 2 * w.pitch());
  kernels_.functions(w.steps, {mu_.data() + place, w.values.data() + place, w.scales.data() + place},
                     (n + 1) / 2, values);
  return values;
}

/// The blocks of the stripes of the next group, or of the next wavenumber's first one, and that one's
/// coefficients of some fields.
/// @param coefficients of the next wavenumber
/// @param work that is done meanwhile
void Legendre::look_ahead(std::size_t place, int group_end, const Fields& fields, const double* coefficients,
                          const double* panels) {
  const auto& w = held_[place];
  ahead_.clear();
  if (fields.n < kBatch) return;  // whose sums are too short for it
  const bool same = group_end < w.n_stripes;
  const std::size_t next = same ? place : place + 1;
  const int first = same ? group_end : 0, group = (group_end - 1) / kGroup,
            n_groups = (w.n_stripes - 1) / kGroup + 1;
  if (next < held_.size())
    for (int s = first; s < std::min(first + kGroup, held_[next].n_stripes); ++s)
      ahead_.add(panels + panels_.at(s, static_cast<int>(next), fields.side_by_side), fields.n * kBlock);
  if (place + 1 < held_.size())
    for (int f = fields.n * group / n_groups; f < fields.n * (group + 1) / n_groups; ++f)
      ahead_.add(coefficients + f * fields.stride, 2 * (fields.last + 1 - held_[place + 1].m));
  ahead_.share(static_cast<std::size_t>(fields.n) * (fields.last + 1 - w.m) * (group_end - group * kGroup));
}

void Legendre::synthesis(const double* coefficients, const Fields& fields, double* panels,
                         const Between& between) {
  std::array<double*, kGroup> blocks;
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const auto both = terms(n, w.n_even(), coefficients, fields.stride);
    coefficients += 2 * n;
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      blocks.fill(nowhere_.reserve(static_cast<std::size_t>(fields.n) * kBlock));  // of a stripe without pair
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.side_by_side);
      look_ahead(place, end, fields, coefficients, panels);
      for (const auto& each : both)
        kernels_.over_terms(each, fields.n, end - first, p, w.pitch(), blocks.data(), ahead_);
    }
    between();
  }
}

void Legendre::analysis(const double* panels, const Fields& fields, double* coefficients,
                        const Between& between) {
  std::array<const double*, kGroup> blocks;
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const auto both = sums(n, w.n_even(), fields.n, columns_);
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.side_by_side);
      look_ahead(place, end, fields, coefficients + 2 * n, panels);
      for (const auto& each : both)
        kernels_.over_latitudes(each, fields.n, end - first, p, w.pitch(), blocks.data(), first == 0, ahead_);
    }
    for (int f = 0; f < fields.n; f += 2) {
      double* const of = coefficients + f * fields.stride;
      give(both, f / 2, of, f + 1 < fields.n ? of + fields.stride : of);
    }
    coefficients += 2 * n;
    between();
  }
}

}  // namespace halcyon::transform
