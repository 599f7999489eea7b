#include "halcyon/wave/products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

namespace {

constexpr double kCalm = 1e-8;  // [m2], a significant height of 0.4 mm

template <class T, class V>
void put(std::span<T> array, LocalIndex cell, V value) {
  if (!array.empty()) array[cell] = static_cast<T>(value);
}

void put_calm(const ProductArrays& arrays, LocalIndex cell) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  put(arrays.significant_height, cell, 0);
  put(arrays.peak_bin, cell, -1);
  for (auto array : {arrays.mean_period, arrays.mean_period_01, arrays.mean_period_02, arrays.peak_period,
                     arrays.mean_direction}) {
    put(array, cell, none);
  }
}

// Degrees from which waves come whose vectors sum to (east, north).
double direction_from(double east, double north) {
  const double degrees = std::atan2(-east, -north) / kDegree;
  const auto rounded = static_cast<float>(degrees < 0 ? degrees + 360 : degrees);
  return rounded < 360 ? rounded : 0;
}

}  // namespace

struct Products::Sums {
  double m_1 = 0, m0 = 0, m1 = 0, m2 = 0, east = 0, north = 0;
  int peak = 0;
};

Products::Products(const SpectralGrid& grid)
    : grid_(grid), spectrum_(grid.n_frequencies), by_direction_(grid.n_directions) {
  for (const double theta : grid.direction) {
    sine_.push_back(std::sin(theta));
    cosine_.push_back(std::cos(theta));
  }
}

Products::Sums Products::sums(const float* action) {
  Sums s;
  std::ranges::fill(by_direction_, 0.);
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const double f = grid_.frequency[m], df = grid_.frequency_width[m];
    double row = 0;
    for (int k = 0; k < grid_.n_directions; ++k) {
      const double density = grid_.sigma[m] * *action++;
      row += density;
      by_direction_[k] += df * density;
    }
    const double e = row * grid_.direction_width;
    const double tail =
        m + 1 == grid_.n_frequencies ? f : 0;  // int_f^inf (x/f)^-5 x^n dx = f^(n+1) / (4 - n)
    s.m_1 += e * (df + tail / 5) / f;
    s.m0 += e * (df + tail / 4);
    s.m1 += e * (df + tail / 3) * f;
    s.m2 += e * (df + tail / 2) * f * f;
    spectrum_[m] = e;
    if (e > spectrum_[s.peak]) s.peak = m;
  }
  for (int k = 0; k < grid_.n_directions; ++k) {
    s.east += by_direction_[k] * sine_[k];
    s.north += by_direction_[k] * cosine_[k];
  }
  return s;
}

double Products::peak_frequency(int peak) const {
  const double f = grid_.frequency[peak];
  if (peak == 0 || peak + 1 == grid_.n_frequencies) return f;
  const double below = spectrum_[peak - 1], at = spectrum_[peak], above = spectrum_[peak + 1];
  const double curvature = 2 * at - below - above;
  const double offset = curvature > 0 ? (above - below) / (2 * curvature) : 0;
  return f * std::pow(grid_.ratio, offset);
}

void Products::compute(View<const float, 3> action, CellRange cells, const ProductArrays& arrays) {
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const Sums s = sums(action.row(i, 0).data());
    if (s.m0 < kCalm) {
      put_calm(arrays, i);
      continue;
    }
    put(arrays.significant_height, i, 4 * std::sqrt(s.m0));
    put(arrays.mean_period, i, s.m_1 / s.m0);
    put(arrays.mean_period_01, i, s.m0 / s.m1);
    put(arrays.mean_period_02, i, std::sqrt(s.m0 / s.m2));
    put(arrays.peak_period, i, 1 / peak_frequency(s.peak));
    put(arrays.mean_direction, i, direction_from(s.east, s.north));
    put(arrays.peak_bin, i, s.peak);
  }
}

}  // namespace halcyon::wave
