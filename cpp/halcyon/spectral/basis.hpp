#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
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

struct Planet {
  double radius = kEarthRadius;      ///< a [m]
  double rotation = kEarthRotation;  ///< Omega [rad s-1]
  double gravity = kGravity;         ///< g [m s-2]
};

using transform::Complex;  // of sums and formulas, in 64 bits
/// A spectral coefficient of a state.
template <class Real>
using Coefficient = std::complex<Real>;

/// A spherical-harmonic transform with the properties of this rank's coefficients and grid points. Equation
/// sets use only these properties, not the order of coefficients and rows. Each coefficient and point, with
/// all levels, belongs to one rank, so that only transforms and global sums are collective; within
/// transforms, fields are distributed over V sets of W ranks each (SetCounts).
/// @tparam Real double or float: of states, fields at the points and messages; of the basis only the
/// transforms depend on it
template <class Real>
class Basis {
 public:
  /// Collective. @param comm null for a single rank  @param memory_bytes limit for stored Legendre functions
  /// @throws ConfigError if the grid does not resolve the truncation or cannot be split into the sets
  Basis(const comm::Communicator* comm, transform::SetCounts sets, transform::Grid grid, int truncation,
        const Planet& planet, std::size_t memory_bytes)
      : planet_(planet),
        transform_(make_transform(comm, sets, std::move(grid), truncation,
                                  {.radius = planet.radius, .memory_bytes = memory_bytes})) {
    if (comm != nullptr) comm_ = *comm;
    const double a = planet.radius;
    const auto owned = coefficients();
    const auto& triangle = transform_.triangle();
    for (int m = 0, i = 0; m <= truncation; ++m)
      for (; i < std::ssize(owned) && owned[i] < std::int64_t(triangle.first(m + 1)); ++i) {
        const int n = m + static_cast<int>(owned[i] - std::int64_t(triangle.first(m)));
        degrees_.push_back(n);
        eigenvalues_.push_back(n * (n + 1.0) / (a * a));
      }
    const auto& grid_rows = transform_.grid();
    const auto& latitudes = grid_rows.latitudes();
    for (const int row : transform_.sets().rows(transform_.w())) {
      const int length = grid_rows.row_length(row);
      const auto parts = transform_.sets().parts(row);  // one part of the row's points per set
      const auto begin = parts.begin(transform_.v()), end = parts.begin(transform_.v() + 1), n = end - begin;
      sines_.insert(sines_.end(), n, latitudes.sines[row]);
      cosines_.insert(cosines_.end(), n, latitudes.cosines[row]);
      areas_.insert(areas_.end(), n, kTwoPi * a * a * latitudes.weights[row] / length);
      for (auto i = begin; i < end; ++i) longitudes_.push_back(kTwoPi * static_cast<double>(i) / length);
    }
    set_rotation_axis({0, 0, 1});
  }

  transform::BasicTransform<Real>& transform() { return transform_; }
  const transform::BasicTransform<Real>& transform() const { return transform_; }
  const Planet& planet() const { return planet_; }
  int truncation() const { return transform_.triangle().truncation; }
  std::size_t n_coefficients() const { return degrees_.size(); }
  std::size_t n_points() const { return areas_.size(); }

  /// Global indices of this rank's coefficients, and of its points.
  std::vector<std::int64_t> coefficients() const {
    std::vector<std::int64_t> result;
    const auto& triangle = transform_.triangle();
    for (const int m : transform_.sets().wavenumbers(transform_.w()))
      for (int i = 0; i < triangle.count(m); ++i)
        result.push_back(static_cast<std::int64_t>(triangle.first(m)) + i);
    const auto begin = result.begin() + static_cast<std::ptrdiff_t>(transform_.first_coefficient());
    return {begin, begin + static_cast<std::ptrdiff_t>(transform_.n_coefficients())};
  }
  std::vector<std::int64_t> points() const {
    return transform_.sets().points(transform_.v(), transform_.w());
  }
  /// Collective. Global sums, bitwise independent of the number of ranks.
  std::vector<double> totals(std::span<ExactSum> sums) const {
    if (comm_) return comm::global_sums(*comm_, sums);
    std::vector<double> result;
    for (auto& sum : sums) result.push_back(sum.value());
    return result;
  }

  /// Collective. The largest of the values >= 0 of a field (point).
  double maximum(std::span<const Real> values) const {
    // Bit patterns of numbers >= 0 are ordered like the numbers.
    std::int64_t bits = 0;
    for (const Real value : values)
      bits = std::max(bits, std::bit_cast<std::int64_t>(double{std::abs(value)}));
    return std::bit_cast<double>(comm_ ? comm_->max(bits) : bits);
  }

  /// Degree n (coefficient).
  const std::vector<int>& degrees() const { return degrees_; }
  /// n (n + 1) / a^2 [m-2] (coefficient): the eigenvalues of minus the Laplacian.
  const std::vector<double>& eigenvalues() const { return eigenvalues_; }
  const std::vector<double>& sines() const { return sines_; }            ///< of latitude (point)
  const std::vector<double>& cosines() const { return cosines_; }        ///< of latitude (point)
  const std::vector<double>& longitudes() const { return longitudes_; }  ///< [rad] (point)
  /// Areas [m2] (point); the sum over all points is the area of the sphere.
  const std::vector<double>& areas() const { return areas_; }

  /// The communicator of a basis that ranks share.
  const comm::Communicator& communicator() const { return *comm_; }
  const comm::Communicator* communicator_or_null() const { return comm_ ? &*comm_ : nullptr; }

  /// Sets the planet's axis of rotation, a unit vector; by default the axis of the grid.
  void set_rotation_axis(Vector3 axis) {
    polar_rotation_ = planet_.rotation * axis.z;
    coriolis_.clear(), polar_coriolis_.clear(), lever_arms_east_.clear(), lever_arms_north_.clear();
    for (std::size_t i = 0; i < n_points(); ++i) {
      const double s = sines_[i], c = cosines_[i], x = std::cos(longitudes_[i]), y = std::sin(longitudes_[i]);
      polar_coriolis_.push_back(2 * polar_rotation_ * s);
      coriolis_.push_back(2 * planet_.rotation * (axis.z * s + c * (axis.x * x + axis.y * y)));
      lever_arms_east_.push_back(axis.z * c - s * (axis.x * x + axis.y * y));
      lever_arms_north_.push_back(axis.x * y - axis.y * x);
    }
  }
  /// f [s-1] (point): 2 Omega sin(latitude relative to the axis of rotation).
  const std::vector<double>& coriolis() const { return coriolis_; }
  /// The part of f that is due to the rotation around the axis of the grid [s-1] (point).
  const std::vector<double>& polar_coriolis() const { return polar_coriolis_; }
  /// Component of the planet's rotation along the axis of the grid [rad s-1].
  double polar_rotation() const { return polar_rotation_; }
  /// Lever arms of eastward and northward winds about the axis of rotation, divided by a (point). They are
  /// the northward and the westward component of the axis.
  const std::vector<double>& lever_arms_east() const { return lever_arms_east_; }
  const std::vector<double>& lever_arms_north() const { return lever_arms_north_; }

  /// Largest wavenumber [m-1]: sqrt(T (T + 1)) / a.
  double largest_wavenumber() const {
    const double T = truncation();
    return std::sqrt(T * (T + 1)) / planet_.radius;
  }

 private:
  static transform::BasicTransform<Real> make_transform(const comm::Communicator* comm,
                                                        transform::SetCounts sets, transform::Grid grid,
                                                        int truncation, transform::Options options) {
    options.share_coefficients = true;
    if (comm == nullptr) return {std::move(grid), truncation, options};
    return {*comm, sets, std::move(grid), truncation, options};
  }
  std::optional<comm::Communicator> comm_;
  Planet planet_;
  transform::BasicTransform<Real> transform_;
  std::vector<int> degrees_;
  std::vector<double> eigenvalues_, sines_, cosines_, longitudes_, areas_;
  double polar_rotation_ = 0;
  std::vector<double> coriolis_, polar_coriolis_, lever_arms_east_, lever_arms_north_;
};

}  // namespace halcyon::spectral
