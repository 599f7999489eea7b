#include "halcyon/spectral/basis.hpp"

#include <cmath>
#include <utility>

namespace halcyon::spectral {

namespace {

transform::Transform make_transform(const comm::Communicator* comm, transform::Grid grid, int truncation,
                                    double radius) {
  const transform::Options options{.radius = radius};
  if (comm == nullptr) return {std::move(grid), truncation, options};
  return {*comm, {1, comm->size()}, std::move(grid), truncation, options};
}

}  // namespace

Basis::Basis(const comm::Communicator* comm, transform::Grid grid, int truncation, const Planet& planet)
    : planet_(planet), transform_(make_transform(comm, std::move(grid), truncation, planet.radius)) {
  if (comm != nullptr) comm_ = *comm;
  const double a = planet.radius;
  for (const int m : transform_.sets().wavenumbers(transform_.w()))
    for (int n = m; n <= truncation; ++n) {
      degrees_.push_back(n);
      eigenvalues_.push_back(n * (n + 1.0) / (a * a));
    }
  const auto& grid_rows = transform_.grid();
  const auto& latitudes = grid_rows.latitudes();
  for (const int row : rows()) {
    const int length = grid_rows.row_length(row);
    sines_.insert(sines_.end(), length, latitudes.sines[row]);
    cosines_.insert(cosines_.end(), length, latitudes.cosines[row]);
    areas_.insert(areas_.end(), length, kTwoPi * a * a * latitudes.weights[row] / length);
    for (int i = 0; i < length; ++i) longitudes_.push_back(kTwoPi * i / length);
  }
  turn_around({0, 0, 1});
}

std::vector<std::int64_t> Basis::coefficients() const {
  std::vector<std::int64_t> found;
  const auto& triangle = transform_.triangle();
  for (const int m : transform_.sets().wavenumbers(transform_.w()))
    for (int i = 0; i < triangle.count(m); ++i)
      found.push_back(static_cast<std::int64_t>(triangle.first(m)) + i);
  return found;
}

std::vector<double> Basis::totals(std::span<ExactSum> sums) const {
  std::vector<double> found;
  for (auto& sum : sums) {
    ExactSum::Limbs limbs = sum.limbs();
    if (comm_) comm_->sum(limbs);
    found.push_back(ExactSum(limbs).value());
  }
  return found;
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
