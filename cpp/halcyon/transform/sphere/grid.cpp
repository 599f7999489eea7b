#include "halcyon/transform/sphere/grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/legendre/polynomials.hpp"

namespace halcyon::transform {
namespace {

constexpr int kLongest = 1'000'000;  // values of a row: 40 m at the equator of the Earth

int checked(int n_rows) {
  require<ConfigError>(n_rows >= 1 && n_rows <= kMostLatitudes,
                       "A Gaussian grid of {} latitudes was asked for. Give 1 to {}.", n_rows,
                       kMostLatitudes);
  return n_rows;
}

void check(const std::vector<int>& lengths) {
  require<ConfigError>(!lengths.empty(), "A Gaussian grid without rows was asked for. Give 1 or more.");
  const std::size_t n = lengths.size();
  for (std::size_t j = 0; j < n; ++j) {
    require<ConfigError>(lengths[j] >= 1 && lengths[j] <= kLongest,
                         "Row {} of the Gaussian grid has {} values. Give it 1 to {}.", j, lengths[j],
                         kLongest);
    require<ConfigError>(lengths[j] == lengths[n - 1 - j],
                         "Rows {} and {} of the Gaussian grid have {} and {} values. Give rows as far from "
                         "either pole the same length.",
                         j, n - 1 - j, lengths[j], lengths[n - 1 - j]);
    require<ConfigError>(
        j == 0 || j > (n - 1) / 2 || lengths[j] >= lengths[j - 1],
        "Row {} of the Gaussian grid has {} values, fewer than the one north of it, which has "
        "{}. Give rows that do not shrink towards the equator.",
        j, lengths[j], lengths[j - 1]);
  }
}

bool is_smooth(int n) {
  for (int factor : {2, 3, 5})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

int smooth_length(int at_least) {
  int length = at_least + at_least % 2;
  while (!is_smooth(length)) length += 2;
  return length;
}

}  // namespace

Grid::Grid(std::vector<int> row_lengths)
    : row_lengths_(std::move(row_lengths)), row_starts_(row_lengths_.size() + 1) {
  check(row_lengths_);
  for (std::size_t j = 0; j < row_lengths_.size(); ++j) row_starts_[j + 1] = row_starts_[j] + row_lengths_[j];
  latitudes_ = gaussian_latitudes(n_rows());
}

Grid Grid::full(int n_rows, int n_longitudes) {
  return Grid(std::vector<int>(checked(n_rows), n_longitudes));
}

Grid Grid::reduced(int n_rows, int truncation, int points_per_wave, double tolerance, int shortest) {
  require<ConfigError>(truncation >= 0, "A grid for truncation T{} was asked for. Give 0 or more.",
                       truncation);
  require<ConfigError>(points_per_wave >= 2,
                       "A grid of {} values a wave was asked for. Give 2 (linear), 3 (quadratic) or more.",
                       points_per_wave);
  require<ConfigError>(tolerance > 0 && tolerance < 1,
                       "A tolerance of {} was given for a reduced grid. Give more than 0 and less than 1.",
                       tolerance);
  require<ConfigError>(shortest >= 1 && shortest <= kLongest,
                       "A grid whose shortest rows have {} values was asked for. Give 1 to {}.", shortest,
                       kLongest);
  const std::int64_t longest = std::int64_t{points_per_wave} * truncation + 1;
  require<ConfigError>(longest <= kLongest,
                       "A grid of {} values a wave for truncation T{} was asked for. Give fewer, such as 2.",
                       points_per_wave, truncation);
  const auto latitudes = gaussian_latitudes(checked(n_rows));
  std::vector<int> lengths(n_rows);
  for (int j = 0; j < (n_rows + 1) / 2; ++j) {
    const int last = last_wavenumber(truncation, latitudes.colatitudes[j], tolerance);
    const int length = smooth_length(std::max(shortest, points_per_wave * last + 1));
    lengths[j] = lengths[n_rows - 1 - j] = std::max(length, j > 0 ? lengths[j - 1] : 0);
  }
  return Grid(std::move(lengths));
}

Grid Grid::octahedral(int n) {
  require<ConfigError>(n >= 1 && n <= kMostLatitudes / 2,
                       "An octahedral grid of 2 x {} latitudes was asked for. Give 1 to {}.", n,
                       kMostLatitudes / 2);
  std::vector<int> lengths(2 * n);
  for (int i = 0; i < n; ++i) lengths[i] = lengths[2 * n - 1 - i] = 20 + 4 * i;
  return Grid(std::move(lengths));
}

int last_wavenumber(int truncation, long double colatitude, double tolerance) {
  const FirstFunctions first(truncation);
  const double mu = static_cast<double>(std::cos(colatitude));
  int matters = 0, vanishes = truncation + 1;  // by halving: |P| falls as m grows
  while (vanishes - matters > 1) {
    const int m = (matters + vanishes) / 2;
    (largest(steps(m, truncation), mu, first.at(m, colatitude)) > tolerance ? matters : vanishes) = m;
  }
  return matters;
}

}  // namespace halcyon::transform
