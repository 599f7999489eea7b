#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"
#include "halcyon/semi_lagrangian/stencil.hpp"
#include "halcyon/semi_lagrangian/trajectory.hpp"

namespace halcyon::semi_lagrangian {

/// Which columns of other ranks are in the halo.
enum class HaloKind {
  wide,       ///< all columns that the strongest wind may need
  on_demand,  ///< only the columns that the departure points of a step need, planned in each step
};

inline constexpr std::array kHaloKinds{
    std::pair<std::string_view, HaloKind>("wide", HaloKind::wide),
    std::pair<std::string_view, HaloKind>("on_demand", HaloKind::on_demand)};

/// Returns the kind of halo with this name. @throws ConfigError for an unknown name, listing the names
inline HaloKind halo_named(std::string_view name) {
  const auto* entry = std::ranges::find(kHaloKinds, name, [](const auto& pair) { return pair.first; });
  require<ConfigError>(entry != kHaloKinds.end(), "There is no halo '{}'. Use wide or on_demand.", name);
  return entry->second;
}

struct Options {
  HaloSizes sizes{};
  HaloKind halo = HaloKind::wide;
  int width = 3;  ///< width of a wide halo, in grid points
  Interpolation interpolation = Interpolation::quasi_cubic;
  bool monotone = false;  ///< limits results to the range of the four values around the departure point
  comm::Method method = comm::method_named("isend_irecv");
  double radius = kEarthRadius;  ///< [m]
};

/// Accumulated wall times on this rank [s].
struct Costs {
  double plan_s = 0;  ///< departure points, stencils, and the exchange plan
  double start_s = 0, wait_s = 0,
         interpolate_s = 0;  ///< starting halo exchanges, waiting for them; interpolation
};

/// Semi-Lagrangian advection on a Gaussian grid over all ranks: computes the departure points of a step, then
/// interpolates any number of fields there. Fields and winds are (owned column, level), columns row by row.
class Advection {
 public:
  /// Collective.
  /// @param progress progresses the messages of the next group of levels during interpolation
  /// @throws ConfigError, on all ranks, for invalid options, including those that Rows and ColumnHalo check
  Advection(const comm::Communicator& comm, const transform::Grid& grid, Division division,
            const Options& options, std::shared_ptr<const comm::Progress> progress = {})
      : comm_(comm),
        rows_(grid),
        division_(std::move(division)),
        options_(options),
        progress_(std::move(progress)) {
    require<ConfigError>(division_.n_ranks() == comm.size(),
                         "The grid is divided among {} ranks, but there are {}. Give px x py = {}.",
                         division_.n_ranks(), comm.size(), comm.size());
    require<ConfigError>(std::isfinite(options.radius) && options.radius > 0,
                         "The radius of the sphere is {} m. Give a finite radius above 0.", options.radius);
    options.sizes.check();
    for (const auto [row, column] : division_.owned(comm.rank()))
      arrivals_.push_back({kTwoPi * column / division_.row_length(row), rows_.colatitude(row)});
    if (options_.halo == HaloKind::on_demand) return;
    make_halo(wide_halo(rows_, division_, comm_.rank(), options_.width));
    make_wind_halo((options_.width - kStencilWidth + 1) / 2 + kStencilWidth);  // half as far, rounded up
  }
  Advection(const Advection&) = delete;

  /// Collective. Sets how subsequent exchanges are made; results do not change.
  /// @param n_groups number of groups that the levels are divided into
  /// @throws ConfigError, on all ranks, for fewer than 1 group, and for more groups than levels
  void set_exchange(int n_groups, comm::Method method, std::shared_ptr<const comm::Progress> progress) {
    auto sizes = options_.sizes;
    sizes.n_groups = n_groups;
    comm_.agree([&] {
      sizes.check();
      require_idle();
    });
    options_.sizes = sizes;
    options_.method = method;
    progress_ = std::move(progress);
    if (columns_) make_exchange();
    if (wind_halo_) make_wind_halo(wind_width_);
  }

  /// The grid points (owned column), where the trajectories arrive.
  const std::vector<Point>& arrivals() const { return arrivals_; }
  const Rows& rows() const { return rows_; }
  /// Departure points (owned column, level) of the last `find_departures` or `set_departures`.
  const std::vector<Point>& departures() const { return departures_; }

  /// Collective. Computes the departure points of the air at the grid points after a step (trajectory.hpp).
  /// @param u, v eastward and northward winds at the middle of the step [m s-1]
  /// @param step [s], may be negative
  /// @throws InputError, on all ranks, for a wind that is not finite, and ConfigError if a wide halo is too
  ///        narrow for the strongest wind
  void find_departures(std::span<const double> u, std::span<const double> v, double step, int iterations) {
    {
      const ScopedTimer timer(costs_.plan_s);
      const auto n = arrivals_.size() * std::size_t(options_.sizes.n_levels);
      comm_.agree([&] {
        require_fixed_halo();
        require_size(u.size(), n, "Winds");
        require_size(v.size(), n, "Winds");
        require<ConfigError>(std::isfinite(step), "A step of {} s was requested. Give a finite number.",
                             step);
        require<ConfigError>(iterations >= 0,
                             "{} iterations of departure points were requested. Give 0 or more.", iterations);
      });
      require_winds(u, v, step);
      compute_departures(u, v, step, iterations);
    }
    plan();
  }

  /// Collective. Sets known departure points.
  /// @throws InputError for invalid points, ConfigError if a wide halo is too narrow
  void set_departures(std::span<const Point> departures) {
    comm_.agree([&] {
      require_fixed_halo();
      require_size(departures.size(), arrivals_.size() * std::size_t(options_.sizes.n_levels),
                   "Departure points");
    });
    require_departures(departures);
    departures_.assign(departures.begin(), departures.end());
    plan();
  }

  /// Collective. Advects each field in place by interpolation at the departure points. While one group of
  /// levels is interpolated, the next one is exchanged.
  /// @throws ConfigError if there are no departure points yet, or for another number of fields
  void advance(std::span<const std::span<double>> fields) {
    comm_.agree([&] {
      require_any_departures();
      require_fields(fields);
    });
    finish(/*n_started=*/0, fields);
  }

  /// Collective. `find_departures` and `advance`; with a wide halo, fields are exchanged during the former.
  /// @throws errors of `find_departures` and `advance`; the fields are then unchanged
  void step(std::span<const double> u, std::span<const double> v, double step, int iterations,
            std::span<const std::span<double>> fields) {
    comm_.agree([&] { require_fields(fields); });
    const int n_started = options_.halo == HaloKind::wide ? halo_->n_groups() : 0;
    for (int group = 0; group < n_started; ++group) start(group, fields);
    find_departures(u, v, step, iterations);
    finish(n_started, fields);
  }

  /// Collective. Starts `advance`: packs the fields and starts the exchange of all groups of levels, which is
  /// in flight until `wait`. Until then fields are read only. With a wide halo, departure points may be set
  /// between the two calls; with a halo on demand, they are those of the start.
  /// @throws errors of `advance`
  void start_advance(std::span<const std::span<double>> fields) {
    comm_.agree([&] {
      if (options_.halo == HaloKind::on_demand) require_any_departures();
      require_fields(fields);
    });
    started_fields_.assign(fields.begin(), fields.end());
    for (int group = 0; group < halo_->n_groups(); ++group) start(group, fields);
  }
  /// Progresses the messages of a started advance, without blocking: a computation calls it from time to
  /// time.
  void progress() {
    if (is_in_flight()) halo_->advance();
  }
  /// Collective. Completes a started advance: interpolates the fields. Does nothing if none was started.
  /// @throws ConfigError if there are no departure points yet; the advance is then still in flight
  void wait() {
    if (!is_in_flight()) return;
    require_any_departures();
    const auto fields = std::exchange(started_fields_, {});
    finish(halo_->n_groups(), fields);
  }

  const Costs& costs() const { return costs_; }
  /// Bytes that this rank receives per exchange of all fields with the current plan.
  std::int64_t received_bytes() const { return halo_ ? halo_->received_bytes() : 0; }
  /// Number of columns of other ranks that this rank receives.
  std::int64_t n_halo() const { return columns_ ? std::ssize(columns_->halo()) : 0; }
  int n_neighbours() const { return halo_ ? halo_->n_neighbours() : 0; }

 private:
  static constexpr int kColumnsPerPoll = 256;  ///< columns computed between two calls of `progress`

  /// The largest of numbers >= 0 on all ranks (NaN counts as largest), and the smallest key of its locations;
  /// key = column id * n_levels + level.
  struct Largest {
    double value = 0;
    std::int64_t key = 0;
  };

  /// Collective. Compares the absolute values by their bit patterns, which are ordered like the doubles.
  template <class ValueOf>
  Largest largest(std::size_t n, const ValueOf& value_of) const {
    const auto n_levels = std::size_t(options_.sizes.n_levels);
    const auto owned = division_.owned(comm_.rank());
    const auto bits_of = [&](std::size_t i) { return std::bit_cast<std::int64_t>(std::abs(value_of(i))); };
    std::int64_t bits = 0, key = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < n; ++i) bits = std::max(bits, bits_of(i));
    bits = comm_.max(bits);
    for (std::size_t i = 0; i < n && key == std::numeric_limits<std::int64_t>::max(); ++i)
      if (bits_of(i) == bits)
        key = division_.id(owned[i / n_levels]) * options_.sizes.n_levels + std::int64_t(i % n_levels);
    return {.value = std::bit_cast<double>(bits), .key = comm_.min(key)};
  }

  static void require_size(std::size_t given, std::size_t required, const char* name) {
    require<ConfigError>(given == required, "{} of {} values were given to a rank that owns {}.", name, given,
                         required);
  }
  /// Collective. Makes the stencils of the departure points and, if it is on demand, the halo.
  void plan() {
    const ScopedTimer timer(costs_.plan_s);
    if (options_.halo == HaloKind::on_demand) {
      ColumnSet needed_columns(division_);
      add_columns(rows_, departures_, options_.interpolation, needed_columns);
      make_halo(needed_columns.not_owned_by(comm_.rank()));
    }
    comm_.agree([&] { stencils_ = Stencils(rows_, *columns_, departures_, options_.interpolation); });
  }
  /// Collective. @param ids global ids of the columns in the halo
  void make_halo(std::vector<GlobalIndex> ids) {
    halo_.reset();
    columns_ = std::make_unique<Columns>(division_, comm_.rank(), std::move(ids));
    make_exchange();
  }
  void make_exchange() {
    halo_.reset();
    halo_ = std::make_unique<ColumnHalo>(&comm_, division_, *columns_, options_.sizes, options_.method,
                                         progress_);
  }
  /// Collective. Makes the halo of the winds at the midpoints of trajectories, half as far away as departure
  /// points. @param width [grid points]
  void make_wind_halo(int width) {
    wind_halo_.reset();
    wind_columns_ =
        std::make_unique<Columns>(division_, comm_.rank(), wide_halo(rows_, division_, comm_.rank(), width));
    wind_halo_ = std::make_unique<ColumnHalo>(&comm_, division_, *wind_columns_,
                                              HaloSizes{.n_fields = 2, .n_levels = options_.sizes.n_levels},
                                              options_.method);
    wind_width_ = width;
  }
  /// Collective. Requires finite winds and a wide enough halo; widens the wind halo if `halo` is on_demand.
  void require_winds(std::span<const double> u, std::span<const double> v, double step) {
    // 0 * (u + v) makes the speed NaN if u or v is not finite.
    const auto [speed, key] =
        largest(u.size(), [&](std::size_t i) { return std::hypot(u[i], v[i]) + 0 * (u[i] + v[i]); });
    require<InputError>(std::isfinite(speed), "The wind at {} is not finite.", location_text(key));
    const double distance = speed * std::abs(step) / options_.radius;
    const int needed = width_for(rows_, distance);
    const auto text = [&] {
      return fmt::format("A wind of {:.1f} m s-1 at {} carries air {:.1f} grid points (of {:.1f} km) in {} s",
                         speed, location_text(key), distance / rows_.spacing(),
                         rows_.spacing() * options_.radius / 1000, std::abs(step));
    };
    require<ConfigError>(needed <= rows_.n_rows(), "{}, about half around the globe. Give a shorter step.",
                         text());
    if (options_.halo == HaloKind::wide) {
      require<ConfigError>(
          needed <= options_.width,
          "{}, which a halo of width {} does not hold. Give width={} or more, or a shorter step.", text(),
          options_.width, needed);
      return;
    }
    const int wind_width = width_for(rows_, distance / 2);
    if (wind_width > wind_width_) make_wind_halo(wind_width);
  }
  /// Collective. Requires valid departure points and a wide enough halo.
  void require_departures(std::span<const Point> departures) const {
    const auto n_levels = std::size_t(options_.sizes.n_levels);
    const auto distance_of = [&](std::size_t i) {
      const auto [longitude, colatitude] = departures[i];
      if (!std::isfinite(longitude) || !(colatitude >= 0 && colatitude <= kPi))
        return std::numeric_limits<double>::quiet_NaN();
      return angle_between(vector_of(arrivals_[i / n_levels]), vector_of(departures[i]));
    };
    const auto [distance, key] = largest(departures.size(), distance_of);
    require<InputError>(
        !std::isnan(distance),
        "The departure point of {} is invalid: give a finite longitude and a latitude of -90 to 90.",
        location_text(key));
    const int needed = width_for(rows_, distance);
    require<ConfigError>(
        options_.halo == HaloKind::on_demand || needed <= options_.width,
        "Air at {} comes from {:.1f} grid points (of {:.1f} km) away, which a halo of width {} "
        "does not hold. Give {}.",
        location_text(key), distance / rows_.spacing(), rows_.spacing() * options_.radius / 1000,
        options_.width,
        needed <= rows_.n_rows() ? fmt::format("width={} or more", needed) : "halo=\"on_demand\"");
  }
  std::string location_text(std::int64_t key) const {
    const auto [row, column] = division_.column_index(key / options_.sizes.n_levels);
    return fmt::format("latitude {:.2f}, longitude {:.2f}, level {}", 90 - rows_.colatitude(row) / kDegree,
                       360.0 * column / division_.row_length(row), key % options_.sizes.n_levels);
  }
  void compute_departures(std::span<const double> u, std::span<const double> v, double step, int iterations) {
    wind_halo_->start(/*group=*/0, std::array{by_columns(u), by_columns(v)});
    wind_halo_->wait(/*group=*/0);
    departures_.resize(u.size());
    const int n = wind_columns_->n_owned();
    int n_missing = 0;
    for (int begin = 0; begin < n; begin += kColumnsPerPoll) {
      n_missing += trace_departures({rows_, *wind_columns_, wind_halo_->values(/*group=*/0)},
                                    {begin, std::min(n, begin + kColumnsPerPoll)}, arrivals_,
                                    step / (2 * options_.radius), iterations, departures_);
      if (halo_) halo_->progress();
    }
    comm_.agree([&] {
      require<InternalError>(n_missing == 0, "{} winds at the middle of trajectories lie beyond the halo.",
                             n_missing);
    });
  }
  bool is_in_flight() const { return !started_fields_.empty(); }
  void require_any_departures() const {
    require<ConfigError>(!departures_.empty(),
                         "There are no departure points yet: call find_departures or set_departures.");
  }
  void require_idle() const {
    require<InternalError>(!is_in_flight(), "An advance is in flight. Wait for it first.");
  }
  /// An advance in flight needs its halo.
  void require_fixed_halo() const {
    if (options_.halo == HaloKind::on_demand) require_idle();
  }
  void require_fields(std::span<const std::span<double>> fields) const {
    require_idle();
    require<ConfigError>(std::ssize(fields) == options_.sizes.n_fields,
                         "{} fields were given to an advection of {}.", fields.size(),
                         options_.sizes.n_fields);
    for (const auto& field : fields)
      require_size(field.size(), arrivals_.size() * std::size_t(options_.sizes.n_levels), "Fields");
  }
  /// A field (owned column, level).
  ColumnField by_columns(std::span<const double> field) const {
    return {.data = field.data(), .column_stride = std::size_t(options_.sizes.n_levels), .level_stride = 1};
  }
  void start(int group, std::span<const std::span<double>> fields) {
    const ScopedTimer timer(costs_.start_s);
    std::vector<ColumnField> sources;
    for (const auto& field : fields) sources.push_back(by_columns(field));
    halo_->start(group, sources);
  }
  /// Exchanges and interpolates all groups; during the interpolation of one, the exchange of the next is in
  /// flight. @param n_started number of groups whose exchange has been started
  void finish(int n_started, std::span<const std::span<double>> fields) {
    const int n_groups = halo_->n_groups();
    for (int group = 0; group < n_groups; ++group) {
      for (; n_started < std::min(group + 2, n_groups); ++n_started) start(n_started, fields);
      {
        const ScopedTimer timer(costs_.wait_s);
        halo_->wait(group);
      }
      interpolate(group, fields);
    }
  }
  void interpolate(int group, std::span<const std::span<double>> fields) {
    const ScopedTimer timer(costs_.interpolate_s);
    const int n = columns_->n_owned();
    for (int begin = 0; begin < n; begin += kColumnsPerPoll) {
      const Range columns{begin, std::min(n, begin + kColumnsPerPoll)};
      semi_lagrangian::interpolate(stencils_, halo_->values(group), columns, halo_->levels(group),
                                   std::size_t(options_.sizes.n_levels), options_.monotone, fields);
      halo_->progress();
    }
  }

  comm::Communicator comm_;
  Rows rows_;
  Division division_;
  Options options_;
  std::shared_ptr<const comm::Progress> progress_;
  std::vector<Point> arrivals_, departures_;  ///< (owned column), (owned column, level)
  std::unique_ptr<Columns> columns_, wind_columns_;
  std::unique_ptr<ColumnHalo> halo_, wind_halo_;
  int wind_width_ = 0;  ///< width of the wind halo, in grid points
  Stencils stencils_;
  std::vector<std::span<double>> started_fields_;  ///< fields of the advance in flight; empty: none
  Costs costs_;
};

}  // namespace halcyon::semi_lagrangian
