#include "halcyon/semi_lagrangian/settls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "halcyon/base/lanes.hpp"

namespace halcyon::semi_lagrangian {

Settls::Settls(const comm::Communicator* comm, const transform::Grid& grid, Division division,
               SettlsOptions options, std::shared_ptr<const comm::Progress> progress)
    : comm_(comm),
      rows_(grid),
      division_(std::move(division)),
      rank_(comm == nullptr ? 0 : comm->rank()),
      options_(std::move(options)),
      progress_(std::move(progress)) {
  ColumnHalo::Sizes{n_fields(), n_levels(), options_.n_groups}.check();
  for (const auto [row, column] : division_.owned(rank_))
    arrivals_.push_back(vector_of({kTwoPi * column / division_.row_length(row), rows_.colatitude(row)}));
  departures_.resize(n_points() * options_.eta.size());
}

void Settls::set_exchange(int n_groups, comm::Method method, std::shared_ptr<const comm::Progress> progress) {
  ColumnHalo::Sizes{n_fields(), n_levels(), n_groups}.check();
  options_.n_groups = n_groups;
  options_.method = method;
  progress_ = std::move(progress);
  if (wind_columns_) make_wide_halo(width_);
}

void Settls::advance(const Velocity& extrapolated, const Velocity& present, double step,
                     std::span<const double> fields, std::span<double> results) {
  {
    const ScopedTimer timer(costs_.plan_s);
    require_width(extrapolated, present, step);
  }
  const bool is_wide = options_.halo == HaloKind::wide;
  const auto field_of = [&](std::span<const double> values) {
    return ColumnField{.data = values.data(), .column_stride = 1, .level_stride = n_points()};
  };
  std::vector<ColumnField> velocity{field_of(extrapolated.east), field_of(extrapolated.north)};
  if (n_levels() > 1) velocity.push_back(field_of(extrapolated.vertical));
  int n_started = 0, n_received = 0;
  {
    const ScopedTimer timer(costs_.start_s);
    wind_halo_->start(/*group=*/0, velocity);
  }
  for (; is_wide && n_started < halo_->n_groups(); ++n_started) start(n_started, fields);
  {
    const ScopedTimer timer(costs_.wait_s);
    wind_halo_->wait(/*group=*/0);
  }
  const int n_columns = static_cast<int>(n_points());
  {
    const ScopedTimer timer(costs_.plan_s);
    for (int begin = 0; begin < n_columns; begin += kColumnsPerPoll) {
      trace(present, step, {begin, std::min(n_columns, begin + kColumnsPerPoll)});
      if (halo_) halo_->progress();
    }
    if (!is_wide) make_demanded_halo();
  }
  const int n_groups = halo_->n_groups();
  for (int group = 0; group < n_groups; ++group) {
    // The departure points of a group may need levels of groups below.
    const auto levels = halo_->levels(group);
    int lowest = levels.end - 1;
    for (std::size_t i = 0; i < n_points(); ++i)
      for (int level = levels.begin; level < levels.end; ++level)
        lowest = std::max(lowest, departures_[i * options_.eta.size() + std::size_t(level)].level + 2);
    lowest = std::min(lowest, n_levels() - 1);
    while (n_received < n_groups && halo_->levels(n_received).begin <= lowest) {
      for (; n_started < std::min(n_received + 2, n_groups); ++n_started) start(n_started, fields);
      const ScopedTimer timer(costs_.wait_s);
      halo_->wait(n_received++);
    }
    const ScopedTimer timer(costs_.interpolate_s);
    for (int begin = 0; begin < n_columns; begin += kColumnsPerPoll) {
      interpolate(group, {begin, std::min(n_columns, begin + kColumnsPerPoll)}, results);
      halo_->progress();
    }
  }
}

/// Collective. Requires finite velocities, and widens the halo if the strongest wind needs it.
void Settls::require_width(const Velocity& extrapolated, const Velocity& present, double step) {
  double largest = 0;
  std::int64_t bits = 0;
  for (const auto* velocity : {&extrapolated, &present})
    for (std::size_t i = 0; i < velocity->east.size(); ++i) {
      const double u = velocity->east[i], v = velocity->north[i];
      double squared = u * u + v * v;
      if (n_levels() > 1) squared += 0 * velocity->vertical[i];  // NaN if it is not finite
      // Bit patterns of numbers >= 0 are ordered like the numbers, and those of NaN are larger.
      bits = std::max(bits, std::bit_cast<std::int64_t>(std::abs(squared)));
    }
  if (comm_ != nullptr) bits = comm_->max(bits);
  largest = std::sqrt(std::bit_cast<double>(bits));
  require<InputError>(std::isfinite(largest), "A velocity of the semi-Lagrangian advection is not finite.");
  const int needed = width_for(rows_, largest * std::abs(step) / options_.radius);
  require<ConfigError>(needed <= rows_.n_rows(),
                       "A wind of {:.1f} m s-1 carries air about half around the globe in {} s. Give a shorter "
                       "step.",
                       largest, std::abs(step));
  if (!wind_columns_) make_wide_halo(needed);
  if (needed > width_) make_wide_halo(std::min(needed + 1, rows_.n_rows()));
}

void Settls::make_wide_halo(int width) {
  halo_.reset(), wind_halo_.reset();
  wind_columns_ = std::make_unique<Columns>(
      division_, rank_, comm_ == nullptr ? std::vector<GlobalIndex>{} : wide_halo(rows_, division_, rank_, width));
  wind_halo_ = std::make_unique<ColumnHalo>(
      comm_, division_, *wind_columns_,
      ColumnHalo::Sizes{.n_fields = n_levels() > 1 ? 3 : 2, .n_levels = n_levels()}, options_.method);
  width_ = width;
  if (options_.halo == HaloKind::on_demand) return;
  columns_ = wind_columns_.get();
  make_exchange();
}

void Settls::make_exchange() {
  halo_.reset();
  halo_ = std::make_unique<ColumnHalo>(
      comm_, division_, *columns_,
      ColumnHalo::Sizes{.n_fields = n_fields(), .n_levels = n_levels(), .n_groups = options_.n_groups},
      options_.method, progress_);
}

/// Collective. Plans the halo of the columns that the departure points need.
void Settls::make_demanded_halo() {
  ColumnSet needed(division_);
  std::vector<Point> points;
  for (const auto& departure : departures_) points.push_back(point_of(departure.point));
  add_columns(rows_, points, options_.interpolation, needed);
  halo_.reset();
  demanded_columns_ = std::make_unique<Columns>(division_, rank_, needed.not_owned_by(rank_));
  columns_ = demanded_columns_.get();
  make_exchange();
}

void Settls::start(int group, std::span<const double> fields) {
  const ScopedTimer timer(costs_.start_s);
  const auto size = n_points() * options_.eta.size();
  std::vector<ColumnField> sources;
  for (int field = 0; field < n_fields(); ++field)
    sources.push_back(
        {.data = fields.data() + std::size_t(field) * size, .column_stride = 1, .level_stride = n_points()});
  halo_->start(group, sources);
}

/// Computes departure points (Hortal 2002, equations 6 and 7), from V(A) at first:
///   V = (V(t, A) + (2 V(t) - V(t - dt))(D)) / 2,  D = cos(s) A - sin(s) V/|V|,  s = |V| dt/a,
///   eta_D = eta_A - dt d(eta)/dt
void Settls::trace(const Velocity& present, double step, Range columns) {
  const auto values = wind_halo_->values(/*group=*/0);
  const auto& eta = options_.eta;
  const auto n = n_points();
  for (auto i = std::size_t(columns.begin); i < std::size_t(columns.end); ++i)
    for (int level = 0; level < n_levels(); ++level) {
      const auto here = std::size_t(level) * n + i;
      const auto arrival = arrivals_[i];
      const auto wind_here = wind_vector(arrival, present.east[here], present.north[here]);
      const double vertical_here = n_levels() > 1 ? present.vertical[here] : 0;
      auto wind = wind_here;
      double vertical = vertical_here;
      Departure departure{};
      for (int iteration = 0; iteration <= options_.iterations; ++iteration) {
        const double speed = norm(wind), angle = speed * step / options_.radius;
        departure.point =
            speed == 0 ? arrival : std::cos(angle) * arrival - (std::sin(angle) / speed) * wind;
        departure.eta = std::clamp(eta[std::size_t(level)] - step * vertical, eta.front(), eta.back());
        auto& above = departure.level;
        above = std::min(level, std::max(n_levels() - 2, 0));
        while (above > 0 && departure.eta < eta[std::size_t(above)]) --above;
        while (above + 2 < n_levels() && departure.eta >= eta[std::size_t(above) + 1]) ++above;
        if (iteration == options_.iterations) break;
        const auto stencil = linear_stencil(rows_, *wind_columns_, point_of(departure.point));
        const auto top = std::size_t(above), bottom = std::min(top + 1, eta.size() - 1);
        const double share =
            bottom == top ? 0 : (departure.eta - eta[top]) / (eta[bottom] - eta[top]);
        std::array<double, 3> velocity{};
        for (int k = 0; k < 4; ++k) {
          const auto column = stencil.columns[k];
          require<InternalError>(column != kNone, "A departure point lies beyond the halo of winds.");
          for (std::size_t c = 0; c < values.extent(1); ++c) {
            const double weight = c < 2 ? stencil.wind_weights[k] : stencil.weights[k];
            velocity[c] +=
                weight * ((1 - share) * values(column, c, top) + share * values(column, c, bottom));
          }
        }
        const auto wind_there = transported(departure.point, arrival,
                                            wind_vector(departure.point, velocity[0], velocity[1]));
        wind = 0.5 * (wind_here + wind_there);
        vertical = (vertical_here + velocity[2]) / 2;
      }
      departures_[i * eta.size() + std::size_t(level)] = departure;
    }
}

Settls::VerticalStencil Settls::vertical_stencil(const Departure& departure) const {
  const auto& eta = options_.eta;
  const int above = departure.level, below = std::min(above + 1, n_levels() - 1);
  if (options_.interpolation != Interpolation::linear && above > 0 && above + 2 < n_levels()) {
    const auto* nodes = &eta[std::size_t(above) - 1];
    return {{above - 1, above, above + 1, above + 2},
            lagrange_weights(departure.eta, {nodes[0], nodes[1], nodes[2], nodes[3]})};
  }
  const double share = below == above ? 0
                                      : (departure.eta - eta[std::size_t(above)]) /
                                            (eta[std::size_t(below)] - eta[std::size_t(above)]);
  return {{above, above, below, below}, {0, 1 - share, share, 0}};
}

void Settls::interpolate(int group, Range columns, std::span<double> results) const {
  using Row = Lanes<double>;
  const auto range = halo_->levels(group);
  const auto n = std::size_t(semi_lagrangian::n_points(options_.interpolation)), n_columns = n_points();
  const auto field_size = n_columns * options_.eta.size();
  const bool is_quasi_cubic = options_.interpolation == Interpolation::quasi_cubic;
  // The values of a level: those of its group.
  struct LevelValues {
    const double* first;
    std::size_t column_stride, field_stride;
    int group;
  };
  std::vector<LevelValues> levels;
  for (int g = 0; g < halo_->n_groups(); ++g) {
    const auto values = halo_->values(g);
    for (std::size_t k = 0; k < values.extent(2); ++k)
      levels.push_back({values.data() + k, values.extent(1) * values.extent(2), values.extent(2), g});
  }
  const int n_moving = 2 + options_.n_scalars;
  for (auto i = std::size_t(columns.begin); i < std::size_t(columns.end); ++i)
    for (int level = range.begin; level < range.end; ++level) {
      const auto here = std::size_t(level) * n_columns + i;
      const auto& departure = departures_[i * options_.eta.size() + std::size_t(level)];
      const auto stencil = point_stencil(rows_, *columns_, point_of(departure.point), options_.interpolation);
      const auto vertical = vertical_stencil(departure);
      const std::array around{levels[std::size_t(vertical.levels[0])], levels[std::size_t(vertical.levels[1])],
                              levels[std::size_t(vertical.levels[2])], levels[std::size_t(vertical.levels[3])]};
      const bool is_contiguous =
          vertical.levels[3] == vertical.levels[0] + 3 && around[3].group == around[0].group;
      std::array<Row, 16> weights;  // of a column, at the four levels
      for (std::size_t k = 0; k < n; ++k) {
        const double inner = stencil.weights[k],
                     outer = !is_quasi_cubic ? inner : k < 4 ? stencil.linear_weights[k] : 0;
        weights[k] = Row{outer, inner, inner, outer};
      }
      const auto values_of = [&](std::size_t field, std::size_t k) {
        const auto column = std::size_t(stencil.positions[k]);
        if (is_contiguous)
          return load(around[0].first + field * around[0].field_stride + column * around[0].column_stride);
        Row row;
        for (int j = 0; j < 4; ++j)
          row[j] = around[j].first[field * around[j].field_stride + column * around[j].column_stride];
        return row;
      };
      const auto in_the_vertical = [&](Row row) {
        double sum = 0;
        for (int j = 0; j < 4; ++j) sum += vertical.weights[j] * row[j];
        return sum;
      };
      std::array<double, 2> wind{};
      for (std::size_t field = 0; field < std::size_t(n_moving); ++field) {
        Row sum{};
        for (std::size_t k = 0; k < n; ++k) {
          auto value = values_of(field, k);
          if (field < 2 && (stencil.across_pole >> k & 1U) != 0) value = -value;
          sum = multiply_add(weights[k], value, sum);
        }
        double result = in_the_vertical(sum);
        if (field < 2) {
          wind[field] = result;
          continue;
        }
        if (options_.monotone) {
          auto lowest = values_of(field, 0), highest = lowest;
          for (std::size_t k = 1; k < 4; ++k) {
            const auto value = values_of(field, k);
            lowest = smaller(lowest, value), highest = larger(highest, value);
          }
          result = std::clamp(result, std::min(lowest[1], lowest[2]), std::max(highest[1], highest[2]));
        }
        results[field * field_size + here] = result;
      }
      const auto vector = transported(departure.point, arrivals_[i],
                                      wind_vector(departure.point, wind[0], wind[1]));
      const auto [u, v] = wind_components(arrivals_[i], vector);
      results[here] = u, results[field_size + here] = v;
      if (!options_.has_flat) continue;
      const auto& own = levels[std::size_t(level)];
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += stencil.weights[k] * own.first[std::size_t(n_moving) * own.field_stride +
                                              std::size_t(stencil.positions[k]) * own.column_stride];
      results[std::size_t(n_moving) * field_size + here] = sum;
    }
}

std::int64_t Settls::received_bytes() const {
  return (wind_halo_ ? wind_halo_->received_bytes() : 0) + (halo_ ? halo_->received_bytes() : 0);
}

std::size_t Settls::memory_bytes() const {
  const auto stored = [](const Columns* columns) {
    return columns == nullptr ? std::size_t{0} : std::size_t(columns->n_local());
  };
  const auto n_values = (3 * stored(wind_columns_.get()) + std::size_t(n_fields()) * stored(columns_)) *
                        options_.eta.size();
  return n_values * sizeof(double) + departures_.size() * sizeof(Departure);
}

}  // namespace halcyon::semi_lagrangian
