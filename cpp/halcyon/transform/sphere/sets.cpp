#include "halcyon/transform/sphere/sets.hpp"

#include <algorithm>
#include <cstdlib>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {

Stripes::Stripes(const Grid& grid, int truncation) {
  const int n_pairs = (grid.n_rows() + 1) / 2, n_stripes = (n_pairs + kLanes - 1) / kLanes;
  north_rows_.assign(n_stripes * kLanes, -1);
  for (int pair = 0; pair < n_pairs; ++pair) north_rows_[pair] = n_pairs - 1 - pair;
  largest_wavenumbers_.resize(n_stripes);
  for (int s = 0; s < n_stripes; ++s) {  // lane 0, nearest to the equator, resolves most wavenumbers
    const int row = north_row(s, 0), resolved = largest_wavenumber_in_row(grid.row_length(row));
    const int significant =
        largest_significant_wavenumber(truncation + 1, grid.latitudes().colatitudes[row], kNegligible);
    largest_wavenumbers_[s] =
        std::min({truncation, resolved, significant, s > 0 ? largest_wavenumbers_[s - 1] : truncation});
  }
}

int Stripes::n_stripes_with(int m) const {
  return static_cast<int>(
      std::ranges::count_if(largest_wavenumbers_, [m](int largest) { return largest >= m; }));
}

namespace {

/// From this number on, the wavenumbers of a stripe are padded to an odd number, to use different cache sets.
constexpr std::ptrdiff_t kPaddingThreshold = 64;

SetCounts checked_counts(const Stripes& stripes, int truncation, SetCounts counts) {
  require_sets(counts);
  const int max_w = std::min(stripes.n(), truncation + 1);
  require<ConfigError>(counts.w <= max_w,
                       "{} W sets share the {} wavenumbers of T{}, and {} stripes of 8 rows. Give at most {} "
                       "W sets, and more V sets.",
                       counts.w, truncation + 1, truncation, stripes.n(), max_w);
  return counts;
}

/// Returns the number of coefficients n = m..T of each wavenumber m.
std::vector<int> coefficient_counts(int truncation) {
  std::vector<int> counts;
  for (int m = 0; m <= truncation; ++m) counts.push_back(truncation + 1 - m);
  return counts;
}

}  // namespace

Panels::Panels(const Stripes& stripes, const std::vector<int>& wavenumbers)
    : blocks_before_(stripes.n() + 1) {
  for (int s = 0; s < stripes.n(); ++s) {
    const auto end = std::ranges::upper_bound(wavenumbers, stripes.largest_wavenumber(s));
    const std::ptrdiff_t n = end - wavenumbers.begin();
    blocks_before_[s + 1] = blocks_before_[s] + (n < kPaddingThreshold ? n : n | 1);
  }
}

SphereSets::SphereSets(const Grid& grid, const Stripes& stripes, int truncation, SetCounts counts)
    : Extents(checked_counts(stripes, truncation, counts), coefficient_counts(truncation), kBlockSize),
      stripes_(stripes) {
  assign_stripes(grid, stripes);
  set_of_wavenumber_.resize(truncation + 1), index_in_set_.resize(truncation + 1);
  for (int w = 0; w < counts.w; ++w) {
    panels_.emplace_back(stripes, wavenumbers(w));
    for (int index = 0; const int m : wavenumbers(w)) set_of_wavenumber_[m] = w, index_in_set_[m] = index++;
  }
  blocks_before_set_.assign(counts.w + 1, std::vector<std::size_t>(stripes.n() + 1));
  for (int w = 0; w < counts.w; ++w)
    for (int s = 0; s <= stripes.n(); ++s)
      blocks_before_set_[w + 1][s] = blocks_before_set_[w][s] + panels_[w].blocks_before(s);
  count_points(grid);
}

/// Assigns one or more contiguous stripes to each W set; sets 0 .. w - 1 have about w / W of the values.
void SphereSets::assign_stripes(const Grid& grid, const Stripes& stripes) {
  const int n = stripes.n(), n_sets = counts().w;
  std::vector<std::int64_t> values_before(n + 1);  // (stripe)
  stripe_of_row_.resize(grid.n_rows());
  for (int s = 0; s < n; ++s) {
    values_before[s + 1] = values_before[s];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int row = stripes.north_row(s, lane);
      if (row < 0) continue;
      values_before[s + 1] += grid.row_length(row);
      stripe_of_row_[row] = stripe_of_row_[grid.n_rows() - 1 - row] = s;
    }
  }
  first_stripes_ = {0};
  for (int w = 1; w < n_sets; ++w) {
    const auto imbalance = [&](int s) { return std::abs(values_before[s] * n_sets - values_before[n] * w); };
    int s = first_stripes_.back() + 1;
    while (s < n - (n_sets - w) && imbalance(s + 1) < imbalance(s)) ++s;
    first_stripes_.push_back(s);
  }
  first_stripes_.push_back(n);
}

std::vector<int> SphereSets::rows(int w) const {
  std::vector<int> rows_of_w;
  for (int row = 0; row < std::ssize(stripe_of_row_); ++row)
    if (const int s = stripe_of_row_[row]; first_stripe(w) <= s && s < first_stripe(w + 1))
      rows_of_w.push_back(row);
  return rows_of_w;
}

void SphereSets::count_points(const Grid& grid) {
  row_lengths_ = grid.row_lengths();
  for (int row = 0; row < grid.n_rows(); ++row) row_starts_.push_back(grid.row_start(row));
  for (int w = 0; w < counts().w; ++w) {
    auto& before = points_before_.emplace_back(counts().v + 1);
    for (int row : rows(w))
      for (int v = 0; v <= counts().v; ++v) before[v] += parts(row).begin(v);
    require<ConfigError>(n_points(counts().v - 1, w) > 0,
                         "{} V sets share the longitudes of rows, but every row has fewer values. Give fewer "
                         "V sets, and more W sets.",
                         counts().v);
  }
}

std::vector<std::int64_t> SphereSets::points(int v, int w) const {
  std::vector<std::int64_t> indices;
  for (int row : rows(w))
    for (auto i = parts(row).begin(v); i < parts(row).begin(v + 1); ++i)
      indices.push_back(static_cast<std::int64_t>(row_starts_[row]) + i);
  return indices;
}

}  // namespace halcyon::transform
