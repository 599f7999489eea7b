#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/exact_sum.hpp"
#include "halcyon/base/vector3.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/transform/sphere/transform.hpp"

namespace halcyon::spectral {

/// The sphere on which the fluid moves.
struct Planet {
  double radius = kEarthRadius;      ///< a [m]
  double rotation = kEarthRotation;  ///< Omega [rad s-1]
  double gravity = kGravity;         ///< g [m s-2]
};

using transform::Complex;

/// A transform, and what the coefficients and the points that this rank holds are like. Models know no more
/// of where these are: neither the order of coefficients nor that of rows. Ranks share coefficients and
/// points; each has all levels of its own, so that nothing but the transform and sums over the globe is
/// collective. Fields are shared by V sets within the transform alone.
class Basis {
 public:
  /// Collective. @param comm null: of one rank alone  @param memory_bytes for functions of Legendre
  /// @throws ConfigError where the grid cannot hold the truncation, or the sets cannot share it
  Basis(const comm::Communicator* comm, transform::SetCounts sets, transform::Grid grid, int truncation,
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

  transform::Transform& transform() { return transform_; }
  const transform::Transform& transform() const { return transform_; }
  const Planet& planet() const { return planet_; }
  int truncation() const { return transform_.triangle().last; }
  std::size_t n_coefficients() const { return degrees_.size(); }
  std::size_t n_points() const { return areas_.size(); }

  /// Where the coefficients and the points stand among all.
  std::vector<std::int64_t> coefficients() const {
    std::vector<std::int64_t> found;
    const auto& triangle = transform_.triangle();
    for (const int m : transform_.sets().wavenumbers(transform_.w()))
      for (int i = 0; i < triangle.count(m); ++i)
        found.push_back(static_cast<std::int64_t>(triangle.first(m)) + i);
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(transform_.first_coefficient());
    return {first, first + static_cast<std::ptrdiff_t>(transform_.n_coefficients())};
  }
  std::vector<std::int64_t> points() const {
    return transform_.sets().points(transform_.v(), transform_.w());
  }
  /// Collective. Sums of the terms of all ranks, the same on any number of them.
  std::vector<double> totals(std::span<ExactSum> sums) const {
    if (comm_) return comm::totals(*comm_, sums);
    std::vector<double> found;
    for (auto& sum : sums) found.push_back(sum.value());
    return found;
  }

  /// n of P_nm (coefficient).
  const std::vector<int>& degrees() const { return degrees_; }
  /// n (n + 1) / a^2 [m-2] (coefficient): minus the Laplacian.
  const std::vector<double>& eigenvalues() const { return eigenvalues_; }
  const std::vector<double>& sines() const { return sines_; }      ///< of latitude (point)
  const std::vector<double>& cosines() const { return cosines_; }  ///< of latitude (point)
  const std::vector<double>& areas() const {
    return areas_;
  }  ///< [m2] (point): those of all are the sphere's

  /// The planet turns around this axis, of length 1; that of the grid unless it is said.
  void turn_around(Vector3 axis) {
    coriolis_.clear(), arms_east_.clear(), arms_north_.clear();
    for (std::size_t i = 0; i < n_points(); ++i) {
      const double s = sines_[i], c = cosines_[i], x = std::cos(longitudes_[i]), y = std::sin(longitudes_[i]);
      coriolis_.push_back(2 * planet_.rotation * (axis.z * s + c * (axis.x * x + axis.y * y)));
      arms_east_.push_back(axis.z * c - s * (axis.x * x + axis.y * y));
      arms_north_.push_back(axis.x * y - axis.y * x);
    }
  }
  /// f [s-1] (point): 2 Omega times the sine of the latitude from the planet's axis.
  const std::vector<double>& coriolis() const { return coriolis_; }
  /// Parts of that axis along the north and the west (point): what an eastward and a northward wind of 1 m
  /// s-1 have of angular momentum around it, over a.
  const std::vector<double>& arms_east() const { return arms_east_; }
  const std::vector<double>& arms_north() const { return arms_north_; }

  /// The largest wavenumber [m-1]: sqrt(T (T + 1)) / a.
  double largest_wavenumber() const {
    const double last = truncation();
    return std::sqrt(last * (last + 1)) / planet_.radius;
  }

 private:
  static transform::Transform make_transform(const comm::Communicator* comm, transform::SetCounts sets,
                                             transform::Grid grid, int truncation,
                                             transform::Options options) {
    options.columns_of_coefficients = true;
    if (comm == nullptr) return {std::move(grid), truncation, options};
    return {*comm, sets, std::move(grid), truncation, options};
  }
  std::optional<comm::Communicator> comm_;
  Planet planet_;
  transform::Transform transform_;
  std::vector<int> degrees_;
  std::vector<double> eigenvalues_, sines_, cosines_, longitudes_, areas_;
  std::vector<double> coriolis_, arms_east_, arms_north_;
};

}  // namespace halcyon::spectral
