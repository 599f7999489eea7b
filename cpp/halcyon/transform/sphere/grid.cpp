#include "halcyon/transform/sphere/grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/legendre/polynomials.hpp"

namespace halcyon::transform {
namespace {

constexpr long double kPiLong = std::numbers::pi_v<long double>;

struct ValueAndSlope {
  long double p, slope;  ///< P_n(cos theta) and dP_n/dtheta
};

/// Returns P_n(cos theta) and dP_n/dtheta. With y = 1 - cos(theta), d_k = P_k - P_{k-1} satisfies
///   (k + 1) d_{k+1} = k d_k - (2 k + 1) y P_k,
/// which is equivalent to the recurrence of P_k but does not lose digits near the pole.
///   dP_n/dtheta = n (cos(theta) P_n - P_{n-1}) / sin(theta)        (Abramowitz and Stegun 1964, 8.5.4)
ValueAndSlope legendre_polynomial(int n, long double theta) {
  const long double half_sine = std::sin(theta / 2), y = 2 * half_sine * half_sine;
  long double p = 1, d = 0;
  for (int k = 0; k < n; ++k) {
    d = (k * d - (2 * k + 1) * y * p) / (k + 1);
    p += d;
  }
  return {p, n * (d - y * p) / std::sin(theta)};
}

/// Returns the approximate colatitude theta of the j-th zero of P_n from the pole, j = 1, 2, .. (Tricomi
/// 1950): cos(theta) = (1 - (n - 1) / (8 n^3)) cos((4 j - 1) pi / (4 n + 2)).
long double approximate_zero(int n, int j) {
  const long double x = n;
  return std::acos((1 - (x - 1) / (8 * x * x * x)) * std::cos((4 * j - 1) * kPiLong / (4 * x + 2)));
}

/// Returns the colatitude of the j-th zero of P_n from the pole, by Newton's iteration.
long double zero_of_legendre(int n, int j) {
  long double theta = approximate_zero(n, j);
  for (int iteration = 0; iteration < 10; ++iteration) {
    const auto [p, slope] = legendre_polynomial(n, theta);
    const long double step = p / slope;
    theta -= step;
    if (std::abs(step) < 1e-12L * theta) break;  // quadratic convergence: the next step is negligible
  }
  return theta;
}

}  // namespace

GaussianLatitudes gaussian_latitudes(int n) {
  require<ConfigError>(n >= 1, "A Gaussian grid of {} latitudes was asked for. Give 1 or more.", n);
  GaussianLatitudes latitudes;
  latitudes.colatitudes.resize(n), latitudes.sines.resize(n);
  latitudes.cosines.resize(n), latitudes.weights.resize(n);
  for (int j = 0; j < (n + 1) / 2; ++j) {
    const int south = n - 1 - j;
    const bool is_equator = j == south;  // then the northern values, assigned last, remain
    const long double theta = is_equator ? kPiLong / 2 : zero_of_legendre(n, j + 1);
    const long double slope = legendre_polynomial(n, theta).slope;
    const double sine = is_equator ? 0 : static_cast<double>(std::cos(theta));
    latitudes.colatitudes[south] = kPiLong - theta, latitudes.colatitudes[j] = theta;
    latitudes.sines[south] = -sine, latitudes.sines[j] = sine;
    latitudes.cosines[j] = latitudes.cosines[south] = static_cast<double>(std::sin(theta));
    latitudes.weights[j] = latitudes.weights[south] = static_cast<double>(2 / (slope * slope));
  }
  return latitudes;
}

namespace {

constexpr int kMaxRowLength = 1'000'000;  // 40 m spacing at the Earth's equator

int checked_n_rows(int n_rows) {
  require<ConfigError>(n_rows >= 1 && n_rows <= kMaxLatitudes,
                       "A Gaussian grid of {} latitudes was asked for. Give 1 to {}.", n_rows, kMaxLatitudes);
  return n_rows;
}

void check_row_lengths(const std::vector<int>& lengths) {
  require<ConfigError>(!lengths.empty(), "A Gaussian grid without rows was asked for. Give 1 or more.");
  const std::size_t n = lengths.size();
  for (std::size_t j = 0; j < n; ++j) {
    require<ConfigError>(lengths[j] >= 1 && lengths[j] <= kMaxRowLength,
                         "Row {} of the Gaussian grid has {} values. Give it 1 to {}.", j, lengths[j],
                         kMaxRowLength);
    require<ConfigError>(lengths[j] == lengths[n - 1 - j],
                         "Rows {} and {} of the Gaussian grid have {} and {} values. Give rows at the same "
                         "distance from the poles the same length.",
                         j, n - 1 - j, lengths[j], lengths[n - 1 - j]);
    require<ConfigError>(j == 0 || j > (n - 1) / 2 || lengths[j] >= lengths[j - 1],
                         "Row {} of the Gaussian grid has {} values, fewer than the {} values of the row "
                         "north of it. Give rows that do not shrink towards the equator.",
                         j, lengths[j], lengths[j - 1]);
  }
}

bool has_only_factors_2_3_5(int n) {
  for (int factor : {2, 3, 5})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

/// Returns the smallest even length >= min_length without prime factors above 5.
int fast_length(int min_length) {
  int length = min_length + min_length % 2;
  while (!has_only_factors_2_3_5(length)) length += 2;
  return length;
}

}  // namespace

Grid::Grid(std::vector<int> row_lengths)
    : row_lengths_(std::move(row_lengths)), row_starts_(row_lengths_.size() + 1) {
  check_row_lengths(row_lengths_);
  for (std::size_t j = 0; j < row_lengths_.size(); ++j) row_starts_[j + 1] = row_starts_[j] + row_lengths_[j];
  latitudes_ = gaussian_latitudes(n_rows());
}

Grid Grid::full(int n_rows, int n_longitudes) {
  return Grid(std::vector<int>(checked_n_rows(n_rows), n_longitudes));
}

Grid Grid::reduced(int n_rows, int truncation, int points_per_wave, double tolerance, int shortest) {
  require<ConfigError>(truncation >= 0, "A grid for truncation T{} was asked for. Give 0 or more.",
                       truncation);
  require<ConfigError>(points_per_wave >= 2,
                       "A grid of {} values per wave was asked for. Give 2 (linear), 3 (quadratic) or more.",
                       points_per_wave);
  require<ConfigError>(tolerance > 0 && tolerance < 1,
                       "A tolerance of {} was given for a reduced grid. Give more than 0 and less than 1.",
                       tolerance);
  require<ConfigError>(shortest >= 1 && shortest <= kMaxRowLength,
                       "A grid whose shortest rows have {} values was asked for. Give 1 to {}.", shortest,
                       kMaxRowLength);
  const std::int64_t longest = std::int64_t{points_per_wave} * truncation + 1;
  require<ConfigError>(
      longest <= kMaxRowLength,
      "A grid of {} values per wave for truncation T{} was asked for. Give fewer, such as 2.",
      points_per_wave, truncation);
  const auto latitudes = gaussian_latitudes(checked_n_rows(n_rows));
  std::vector<int> lengths(n_rows);
  for (int j = 0; j < (n_rows + 1) / 2; ++j) {
    const int largest_m = largest_significant_wavenumber(truncation, latitudes.colatitudes[j], tolerance);
    const int length = fast_length(std::max(shortest, points_per_wave * largest_m + 1));
    lengths[j] = lengths[n_rows - 1 - j] = std::max(length, j > 0 ? lengths[j - 1] : 0);
  }
  return Grid(std::move(lengths));
}

Grid Grid::octahedral(int n) {
  require<ConfigError>(n >= 1 && n <= kMaxLatitudes / 2,
                       "An octahedral grid of 2 x {} latitudes was asked for. Give 1 to {}.", n,
                       kMaxLatitudes / 2);
  std::vector<int> lengths(2 * n);
  for (int i = 0; i < n; ++i) lengths[i] = lengths[2 * n - 1 - i] = 20 + 4 * i;
  return Grid(std::move(lengths));
}

int largest_significant_wavenumber(int truncation, long double colatitude, double tolerance) {
  const SectoralFunctions sectoral(truncation);
  const double mu = static_cast<double>(std::cos(colatitude));
  int significant = 0, negligible = truncation + 1;  // bisection in m: the largest |P_nm| decreases with m
  while (negligible - significant > 1) {
    const int m = (significant + negligible) / 2;
    const double largest_p =
        max_abs_function({m, truncation}, truncation + 1 - m, mu, sectoral.p_mm(m, colatitude));
    (largest_p > tolerance ? significant : negligible) = m;
  }
  return significant;
}

namespace {

/// Returns the largest truncation that the number of rows and the longest row allow.
int largest_truncation_at_equator(const Grid& grid) {
  return std::min(grid.n_rows() - 1, largest_wavenumber_in_row(std::ranges::max(grid.row_lengths())));
}

}  // namespace

bool holds(const Grid& grid, int truncation) {
  if (truncation > largest_truncation_at_equator(grid)) return false;
  const SectoralFunctions sectoral(truncation);
  const auto& latitudes = grid.latitudes();
  for (int j = 0; j < grid.n_rows() / 2; ++j) {
    const int m = largest_wavenumber_in_row(grid.row_length(j)) + 1;  // the smallest unresolved m
    if (m > truncation) break;  // this row and the longer rows nearer the equator resolve all m
    const double largest_p = max_abs_function({m, truncation}, truncation + 1 - m, latitudes.sines[j],
                                              sectoral.p_mm(m, latitudes.colatitudes[j]));
    if (latitudes.weights[j] * largest_p * largest_p > kMaxLostVariance) return false;
  }
  return true;
}

int largest_truncation(const Grid& grid) {
  int possible = 0, too_large = largest_truncation_at_equator(grid) + 1;  // bisection
  while (too_large - possible > 1) {
    const int middle = (possible + too_large) / 2;
    (holds(grid, middle) ? possible : too_large) = middle;
  }
  return possible;
}

std::vector<options::RegistryEntry> grid_choices() {
  return {{.name = "full", .text = "Rows of equal length."},
          {.name = "reduced", .text = "Shortest rows that represent quadratic products."},
          {.name = "octahedral", .text = "Rows of 20, 24, 28 .. values from the poles to the equator."}};
}

}  // namespace halcyon::transform
