#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/semi_lagrangian/advection.hpp"

namespace halcyon::semi_lagrangian {

/// Options of `Settls`.
struct SettlsOptions {
  std::vector<double> eta{0};  ///< vertical coordinate of the levels, increasing; one level: horizontal only
  int n_scalars = 0;           ///< scalar fields that move in three dimensions
  bool has_flat = false;       ///< whether there is a field that moves along its level only
  int n_tracers = 0;           ///< further scalars, with a limiter of their own
  Interpolation interpolation = Interpolation::cubic;
  bool monotone = false;  ///< limits scalars to the range of the eight values around the departure point
  bool monotone_tracers = true;  ///< limits tracers in the same way
  int iterations = 3;            ///< of the departure points
  HaloKind halo = HaloKind::wide;
  int n_groups = 1;  ///< groups of levels that are exchanged separately
  comm::Method method = comm::method_named("isend_irecv");
  double radius = kEarthRadius;  ///< [m]
};

/// Two-time-level semi-Lagrangian advection of wind and scalars in columns of air, in three dimensions, by
/// the trajectories of SETTLS (stable extrapolation two-time-level scheme; Hortal 2002, Q. J. R. Meteorol.
/// Soc. 128, 1671-1687): the velocity of a trajectory is the mean of the extrapolated
/// velocity 2 V(t) - V(t - dt) at the departure point D and V(t) at the arrival point. Interpolation is cubic
/// in three dimensions; with `quasi_cubic`, 12 points at the two levels around D, and four at the two outer
/// levels (Ritchie et al. 1995, Mon. Weather Rev. 123, 489-514). Between the levels nearest to the top, and
/// to the surface, interpolation is linear in the vertical; trajectories end at the highest and the lowest
/// level.
/// @tparam Real of velocities and fields, and of the messages. Positions and weights have 64 bits: in 32
/// bits, a longitude would be known to 4e-7 rad, some metres.
template <class Real>
class BasicSettls {
 public:
  /// Velocities (level, point): eastward, northward [m s-1], d(eta)/dt [s-1]; the last is empty for one
  /// level.
  struct Velocity {
    std::span<const Real> east, north, vertical;
  };

  /// @param comm null for a single process
  /// @throws ConfigError, on all ranks, for invalid options, including those that Rows and ColumnHalo check
  BasicSettls(const comm::Communicator* comm, const transform::Grid& grid, Division division,
              SettlsOptions options, std::shared_ptr<const comm::Progress> progress = {});

  /// Collective. Sets how subsequent exchanges are made; results do not change.
  /// @throws ConfigError, on all ranks, for fewer than 1 group, and for more groups than levels
  void set_exchange(int n_groups, comm::Method method, std::shared_ptr<const comm::Progress> progress);

  /// Collective. Computes the departure points of a step [s], and the values of fields there. The wind is a
  /// vector, transported along the great circle from D to the arrival point. While one group of levels is
  /// interpolated, others are exchanged; a wide halo, which grows with the strongest wind, is exchanged
  /// during the computation of the departure points too.
  /// @param extrapolated, present 2 V(t) - V(t - dt) and V(t)
  /// @param fields (field, level, point): eastward and northward wind, the scalars, the flat field, the
  ///        tracers
  /// @param results as `fields`, at the arrival points
  /// @throws InputError, on all ranks, for a velocity that is not finite, and ConfigError for a step in which
  ///         air moves about half around the globe
  void advance(const Velocity& extrapolated, const Velocity& present, double step,
               std::span<const Real> fields, std::span<Real> results);

  const Costs& costs() const { return costs_; }
  int width() const { return width_; }  ///< of the halo, in grid points
  /// Bytes that this rank receives per step: winds and fields.
  std::int64_t received_bytes() const;
  int n_fields() const { return first_tracer() + options_.n_tracers; }
  /// Number of fields before the tracers.
  int first_tracer() const { return 2 + options_.n_scalars + (options_.has_flat ? 1 : 0); }
  std::size_t memory_bytes() const;

 private:
  static constexpr int kColumnsPerPoll = 64;  ///< columns computed between two calls of `progress`

  struct Departure {
    Vector3 vector;
    Point point;  ///< the same point
    double eta;
    int level;  ///< the level at or above the point
  };
  /// Levels and weights of interpolation in the vertical.
  struct VerticalStencil {
    std::array<int, 4> levels{};
    std::array<double, 4> weights{};
  };

  int n_levels() const { return static_cast<int>(options_.eta.size()); }
  std::size_t n_points() const { return arrivals_.size(); }
  void require_width(const Velocity& extrapolated, const Velocity& present, double step);
  void make_wide_halo(int width);
  void make_exchange();
  void start(int group, std::span<const Real> fields);
  int trace(const Velocity& present, double step, Range columns);
  void make_demanded_halo();
  int level_above(double eta, int first_guess) const;
  double share_below(double eta, int above) const;
  VerticalStencil vertical_stencil(const Departure& departure) const;
  void interpolate(int group, Range columns, std::span<Real> results) const;

  const comm::Communicator* comm_;
  Rows rows_;
  Division division_;
  Rank rank_;
  SettlsOptions options_;
  std::shared_ptr<const comm::Progress> progress_;
  std::vector<Vector3> arrivals_;      ///< (owned column)
  std::vector<CubicNodes> vertical_;   ///< (level) interpolation between levels k - 1 .. k + 2, from level 1
  std::vector<Departure> departures_;  ///< (owned column, level)
  std::unique_ptr<Columns> wind_columns_, demanded_columns_;
  const Columns* columns_ = nullptr;  ///< of the fields
  std::unique_ptr<BasicColumnHalo<Real>> wind_halo_, halo_;
  std::vector<Real> velocity_;  ///< extrapolated (owned column, level, component)
  int width_ = 0;
  Costs costs_;
};
using Settls = BasicSettls<double>;

}  // namespace halcyon::semi_lagrangian
