#include "halcyon/spectral/basis.hpp"

#include <cmath>
#include <utility>

namespace halcyon::spectral {

Basis::Basis(transform::Grid grid, int truncation, const Planet& planet)
    : planet_(planet), transform_(std::move(grid), truncation, {.radius = planet.radius}) {
  const double a = planet.radius;
  for (int m = 0; m <= truncation; ++m)
    for (int n = m; n <= truncation; ++n) {
      degrees_.push_back(n);
      eigenvalues_.push_back(n * (n + 1.0) / (a * a));
    }
  const auto& rows = transform_.grid();
  const auto& latitudes = rows.latitudes();
  for (int row = 0; row < rows.n_rows(); ++row) {
    const int length = rows.row_length(row);
    sines_.insert(sines_.end(), length, latitudes.sines[row]);
    cosines_.insert(cosines_.end(), length, latitudes.cosines[row]);
    areas_.insert(areas_.end(), length, kTwoPi * a * a * latitudes.weights[row] / length);
    for (int i = 0; i < length; ++i) longitudes_.push_back(kTwoPi * i / length);
  }
  turn_around({0, 0, 1});
}

void Basis::turn_around(Vector3 axis) {
  coriolis_.clear(), arms_east_.clear(), arms_north_.clear();
  for (std::size_t i = 0; i < n_points(); ++i) {
    const double s = sines_[i], c = cosines_[i], x = std::cos(longitudes_[i]), y = std::sin(longitudes_[i]);
    coriolis_.push_back(2 * planet_.rotation * (axis.z * s + c * (axis.x * x + axis.y * y)));
    arms_east_.push_back(axis.z * c - s * (axis.x * x + axis.y * y));
    arms_north_.push_back(axis.x * y - axis.y * x);
  }
}

double Basis::largest_wavenumber() const {
  const double last = truncation();
  return std::sqrt(last * (last + 1)) / planet_.radius;
}

}  // namespace halcyon::spectral
