#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "halcyon/physics/columns.hpp"
#include "halcyon/spectral/columns.hpp"
#include "halcyon/spectral/equation_set.hpp"

namespace halcyon::spectral {

/// The column physics of the primitive equations, with the tendencies of a step.
/// @tparam Real of the fields at the points; schemes have 64 bits
template <class Real>
class AirPhysics {
 public:
  /// The state at the points, and the tendencies to which those of the physics are added.
  struct Fields {
    const Real *temperature, *u, *v;                       ///< [K], [m s-1] (level, point)
    const Real* surface_geopotential;                      ///< [m2 s-2] (point)
    Real *temperature_tendency, *u_tendency, *v_tendency;  ///< [K s-1], [m s-2] (level, point)
  };

  /// @param tracers outlives this object; gets the tendencies of the tracers
  AirPhysics(const Basis<Real>& basis, const AirOptions& air, GridTracers<Real>& tracers)
      : basis_(basis),
        tracers_(tracers),
        n_levels_(static_cast<int>(air.a.size()) - 1),
        columns_(air.physics, columns_of(basis, air), primitive_variables()) {
    const auto& uses = columns_.uses();
    const std::size_t n = n_levels_ * basis_.n_points();
    if (uses.heating) heating_.resize(n);
    if (uses.wind_tendency) eastward_tendency_.resize(n), northward_tendency_.resize(n);
    if (uses.drag) drag_.resize(n);
    if (uses.tracers) tracers_.tendencies.resize(tracers.names.size() * n);
  }

  physics::ColumnPhysics& columns() { return columns_; }
  const physics::ColumnPhysics& columns() const { return columns_; }

  /// Computes the physics of the loaded columns, and adds its tendencies.
  void compute(const Columns<Real>& loaded, const Fields& fields, std::size_t first, std::size_t n) {
    load(loaded, fields, first, n);
    const auto& tendencies = columns_.compute(first, n);
    const auto store = [&](const std::vector<double>& block, std::vector<Real>& field) {
      const std::size_t n_rows = field.size() / std::max<std::size_t>(1, basis_.n_points());
      for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t i = 0; i < n; ++i)
          field[row * basis_.n_points() + first + i] =
              static_cast<Real>(block[row * Columns<Real>::kWidth + i]);
    };
    store(tendencies.temperature, heating_);
    store(tendencies.eastward_wind, eastward_tendency_);
    store(tendencies.northward_wind, northward_tendency_);
    store(tendencies.drag, drag_);
    store(tendencies.tracers, tracers_.tendencies);
    add(fields, first, n);
  }
  /// Adds the tendencies of the physics at n points; the drag has the wind of the state on the grid.
  void add(const Fields& fields, std::size_t first, std::size_t n) const {
    for (int k = 0; k < n_levels_; ++k) {
      const auto begin = at(k, first), end = begin + n;
      for (auto i = begin; !heating_.empty() && i < end; ++i) fields.temperature_tendency[i] += heating_[i];
      for (auto i = begin; !eastward_tendency_.empty() && i < end; ++i) {
        fields.u_tendency[i] += eastward_tendency_[i];
        fields.v_tendency[i] += northward_tendency_[i];
      }
      for (auto i = begin; !drag_.empty() && i < end; ++i) {
        fields.u_tendency[i] -= drag_[i] * fields.u[i];
        fields.v_tendency[i] -= drag_[i] * fields.v[i];
      }
    }
  }
  std::size_t memory_bytes() const {
    const auto n = heating_.size() + eastward_tendency_.size() + northward_tendency_.size() + drag_.size() +
                   tracers_.tendencies.size();
    return n * sizeof(Real) + columns_.memory_bytes();
  }

 private:
  static physics::RankColumns columns_of(const Basis<Real>& basis, const AirOptions& air) {
    const auto ids = basis.points();
    physics::RankColumns columns{.ids = {ids.begin(), ids.end()},
                                 .longitude = basis.longitudes(),
                                 .latitude = {},
                                 .n_levels = static_cast<int>(air.a.size()) - 1,
                                 .tracers = air.tracers,
                                 .gravity = basis.planet().gravity,
                                 .gas_constant = air.gas_constant,
                                 .heat_capacity = air.heat_capacity};
    for (std::size_t i = 0; i < ids.size(); ++i)
      columns.latitude.push_back(std::atan2(basis.sines()[i], basis.cosines()[i]));
    return columns;
  }
  std::size_t at(int level, std::size_t point) const { return level * basis_.n_points() + point; }
  /// Loads the state of the loaded columns into the block of the physics.
  void load(const Columns<Real>& loaded, const Fields& fields, std::size_t first, std::size_t n) {
    constexpr std::size_t kWidth = Columns<Real>::kWidth;
    static_assert(physics::ColumnPhysics::kWidth == kWidth);
    auto& state = columns_.state();
    const auto& uses = columns_.uses();
    for (std::size_t i = 0; i < n; ++i) {
      state.surface_pressure[i] = loaded.surface_pressure(i);
      state.surface_geopotential[i] = fields.surface_geopotential[first + i];
    }
    for (int k = 0; uses.layers && k <= n_levels_; ++k)
      for (std::size_t i = 0; i < n; ++i) {
        state.interface_pressure[k * kWidth + i] = loaded.interface_pressure(k, i);
        state.interface_geopotential[k * kWidth + i] = loaded.interface_geopotential(k, i);
      }
    for (int k = 0; k < n_levels_; ++k) {
      const auto row = k * kWidth, here = at(k, first);
      loaded.compute_exner(k, &state.pressure[row], &state.exner[row]);
      std::copy_n(&fields.temperature[here], n, &state.temperature[row]);
      for (std::size_t i = 0; uses.layers && i < n; ++i)
        state.geopotential[row + i] = loaded.geopotential(k, i);
      if (!uses.winds) continue;
      std::copy_n(&fields.u[here], n, &state.eastward_wind[row]);
      std::copy_n(&fields.v[here], n, &state.northward_wind[row]);
    }
    const std::size_t n_rows = tracers_.names.size() * n_levels_;
    for (std::size_t row = 0; row < n_rows; ++row)
      std::copy_n(&tracers_.values[row * basis_.n_points() + first], n, &state.tracers[row * kWidth]);
  }

  const Basis<Real>& basis_;
  GridTracers<Real>& tracers_;
  int n_levels_;
  physics::ColumnPhysics columns_;
  /// Tendencies [K s-1], [m s-2], [s-1] (level, point); empty if unused.
  std::vector<Real> heating_, eastward_tendency_, northward_tendency_, drag_;
};

}  // namespace halcyon::spectral
