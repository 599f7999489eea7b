#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"

namespace halcyon::semi_lagrangian {

/// Which columns come from other ranks.
enum class HaloKind {
  wide,       ///< all that the strongest wind may ask for, planned once
  on_demand,  ///< those alone that the departure points of a step are interpolated from, planned each step
};

inline constexpr std::array kHalos{std::pair<std::string_view, HaloKind>("wide", HaloKind::wide),
                                   std::pair<std::string_view, HaloKind>("on_demand", HaloKind::on_demand)};

/// @throws ConfigError that lists them
HaloKind halo_named(std::string_view name);

struct Options {
  ColumnHalo::Sizes sizes{};
  HaloKind halo = HaloKind::wide;
  int width = 3;  ///< of a wide halo, in grid points
  Interpolation interpolation = Interpolation::quasi_cubic;
  bool monotone = false;  ///< between the four values around the departure point
  comm::Method method = comm::method_named("isend_irecv");
  double radius = kEarthRadius;  ///< [m]
};

/// Seconds of this rank so far, and what the last step moved to it.
struct Costs {
  double plan_s = 0;  ///< departure points, stencils, and finding out whom to ask
  double start_s = 0, wait_s = 0, interpolate_s = 0;
};

/// Semi-Lagrangian advection on a Gaussian grid over all ranks: departure points of a step, then any number
/// of times what the air carries from there. Fields and winds are (owned column, level), columns row after
/// row.
class Advection {
 public:
  /// Collective.
  /// @param progress while values are interpolated and the next group of levels travels
  /// @throws ConfigError, on all ranks, for options that make no sense, and as Rows, Division, ColumnHalo
  Advection(const comm::Communicator& comm, const transform::Grid& grid, Division division,
            const Options& options, std::shared_ptr<const comm::Progress> progress = {});
  Advection(const Advection&) = delete;

  /// Collective. From now on levels travel so; departure points stay as they are, and no bit depends on it.
  /// @throws ConfigError, on all ranks, for fewer than 1 group, and more than levels
  void communicate(int n_groups, comm::Method method, std::shared_ptr<const comm::Progress> progress);

  /// (owned column)
  const std::vector<Point>& arrivals() const { return arrivals_; }
  const Rows& rows() const { return rows_; }
  /// (owned column, level), of the last `follow` or `depart`.
  const std::vector<Point>& departures() const { return departures_; }

  /// Collective. Where air that arrives after a step came from (trajectory.hpp).
  /// @param u, v eastward and northward winds half a step before [m s-1]
  /// @param step [s], also negative
  /// @throws InputError, on all ranks, for a wind that is not finite, and ConfigError where a wide halo is
  /// too narrow for the strongest
  void follow(std::span<const double> u, std::span<const double> v, double step, int iterations);

  /// Collective. The same of departure points that are known.
  /// @throws InputError for points that are none, ConfigError where a wide halo is too narrow
  void depart(std::span<const Point> departures);

  /// Collective. Puts in place of each field what departs. While one group of levels is interpolated, the
  /// next one travels.
  /// @throws ConfigError where there are no departure points yet, or another number of fields
  void advance(std::span<const std::span<double>> fields);

  /// Collective. `follow` and `advance`; the fields of a wide halo all set out before, and travel while their
  /// departure points are found.
  /// @throws what both throw; then the fields are as they were
  void step(std::span<const double> u, std::span<const double> v, double step, int iterations,
            std::span<const std::span<double>> fields);

  const Costs& costs() const { return costs_; }
  /// What an exchange brings to this rank, of the last plan.
  std::int64_t received_bytes() const { return halo_ ? halo_->received_bytes() : 0; }
  std::int64_t n_halo() const { return columns_ ? std::ssize(columns_->halo()) : 0; }
  int n_neighbours() const { return halo_ ? halo_->n_neighbours() : 0; }

 private:
  void plan();
  void make_halo(std::vector<GlobalIndex> ids);
  void connect();
  void make_wind_halo(int width);
  void require_winds(std::span<const double> u, std::span<const double> v, double step);
  void require_departures() const;
  std::string place_text(std::int64_t key) const;
  void find(std::span<const double> u, std::span<const double> v, double step, int iterations);
  void require_fields(std::span<const std::span<double>> fields) const;
  void start(int group, std::span<const std::span<double>> fields);
  void finish(int n_started, std::span<const std::span<double>> fields);
  void interpolate(int group, std::span<const std::span<double>> fields);

  comm::Communicator comm_;
  Rows rows_;
  Division division_;
  Options options_;
  std::shared_ptr<const comm::Progress> progress_;
  std::vector<Point> arrivals_, departures_;
  std::unique_ptr<Columns> columns_, wind_columns_;
  std::unique_ptr<ColumnHalo> halo_, wind_halo_;
  int wind_width_ = 0;
  Stencils stencils_;
  Costs costs_;
};

}  // namespace halcyon::semi_lagrangian
