#include "halcyon/spectral/basis.hpp"

#include <cmath>
#include <utility>

#include "halcyon/comm/collectives.hpp"

namespace halcyon::spectral {

namespace {

transform::Transform make_transform(const comm::Communicator* comm, transform::SetCounts sets,
                                    transform::Grid grid, int truncation, transform::Options options) {
  options.columns_of_coefficients = true;
  if (comm == nullptr) return {std::move(grid), truncation, options};
  return {*comm, sets, std::move(grid), truncation, options};
}

}  // namespace

Basis::Basis(const comm::Communicator* comm, transform::SetCounts sets, transform::Grid grid, int truncation,
             const Planet& planet, std::size_t memory_bytes)
    : planet_(planet),
      transform_(make_transform(comm, sets, std::move(grid), truncation,
                                {.radius = planet.radius, .memory_bytes = memory_bytes})) {
  if (comm != nullptr) comm_ = *comm;
  const double a = planet.radius;
  const auto held = coefficients();
  const auto& triangle = transform_.triangle();
  for (int m = 0, i = 0; m <= truncation; ++m)
    for (; i < std::ssize(held) && held[i] < std::int64_t(triangle.first(m + 1)); ++i) {
      const int n = m + static_cast<int>(held[i] - std::int64_t(triangle.first(m)));
      degrees_.push_back(n);
      eigenvalues_.push_back(n * (n + 1.0) / (a * a));
    }
  const auto& grid_rows = transform_.grid();
  const auto& latitudes = grid_rows.latitudes();
  for (const int row : transform_.sets().rows(transform_.w())) {
    const int length = grid_rows.row_length(row);
    const auto parts = transform_.sets().parts(row);
    const auto first = parts.begin(transform_.v()), end = parts.begin(transform_.v() + 1), n = end - first;
    sines_.insert(sines_.end(), n, latitudes.sines[row]);
    cosines_.insert(cosines_.end(), n, latitudes.cosines[row]);
    areas_.insert(areas_.end(), n, kTwoPi * a * a * latitudes.weights[row] / length);
    for (auto i = first; i < end; ++i) longitudes_.push_back(kTwoPi * static_cast<double>(i) / length);
  }
  turn_around({0, 0, 1});
}

std::vector<std::int64_t> Basis::coefficients() const {
  std::vector<std::int64_t> found;
  const auto& triangle = transform_.triangle();
  for (const int m : transform_.sets().wavenumbers(transform_.w()))
    for (int i = 0; i < triangle.count(m); ++i)
      found.push_back(static_cast<std::int64_t>(triangle.first(m)) + i);
  const auto first = found.begin() + static_cast<std::ptrdiff_t>(transform_.first_coefficient());
  return {first, first + static_cast<std::ptrdiff_t>(transform_.n_coefficients())};
}

std::vector<double> Basis::totals(std::span<ExactSum> sums) const {
  if (comm_) return comm::totals(*comm_, sums);
  std::vector<double> found;
  for (auto& sum : sums) found.push_back(sum.value());
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
