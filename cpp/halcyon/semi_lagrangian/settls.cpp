#include "halcyon/semi_lagrangian/settls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "halcyon/base/lane_functions.hpp"

namespace halcyon::semi_lagrangian {
namespace {

constexpr int kComponents = 3;  // of a velocity: eastward, northward, vertical

}  // namespace

template <class Real>
BasicSettls<Real>::BasicSettls(const comm::Communicator* comm, const transform::Grid& grid, Division division,
                               SettlsOptions options, std::shared_ptr<const comm::Progress> progress)
    : comm_(comm),
      rows_(grid),
      division_(std::move(division)),
      rank_(comm == nullptr ? 0 : comm->rank()),
      options_(std::move(options)),
      progress_(std::move(progress)) {
  HaloSizes{n_fields(), n_levels(), options_.n_groups}.check();
  for (const auto [row, column] : division_.owned(rank_))
    arrivals_.push_back(vector_of({kTwoPi * column / division_.row_length(row), rows_.colatitude(row)}));
  departures_.resize(n_points() * options_.eta.size());
  for (std::size_t k = 0; k + 2 < options_.eta.size(); ++k) {
    const double* eta = &options_.eta[k];  // level 0 has none above, and is not used
    vertical_.emplace_back(std::array{k == 0 ? 2 * eta[0] - eta[1] : eta[-1], eta[0], eta[1], eta[2]});
  }
}

template <class Real>
void BasicSettls<Real>::set_exchange(int n_groups, comm::Method method,
                                     std::shared_ptr<const comm::Progress> progress) {
  HaloSizes{n_fields(), n_levels(), n_groups}.check();
  options_.n_groups = n_groups;
  options_.method = method;
  progress_ = std::move(progress);
  if (wind_columns_) make_wide_halo(width_);
}

template <class Real>
void BasicSettls<Real>::advance(const Velocity& extrapolated, const Velocity& present, double step,
                                std::span<const Real> fields, std::span<Real> results) {
  {
    const ScopedTimer timer(costs_.plan_s);
    require_width(extrapolated, present, step);
  }
  const bool is_wide = options_.halo == HaloKind::wide;
  int n_started = 0, n_received = 0;
  {
    const ScopedTimer timer(costs_.start_s);
    const std::size_t n = n_points(), n_values = kComponents * options_.eta.size();
    velocity_.resize(n * n_values);  // the third component of a single level stays 0
    for (std::size_t level = 0; level < options_.eta.size(); ++level)
      for (std::size_t i = 0; i < n; ++i) {
        Real* target = &velocity_[i * n_values + level * kComponents];
        target[0] = extrapolated.east[level * n + i], target[1] = extrapolated.north[level * n + i];
        if (n_levels() > 1) target[2] = extrapolated.vertical[level * n + i];
      }
    const BasicColumnField<Real> velocity{
        .data = velocity_.data(), .column_stride = n_values, .level_stride = 1};
    wind_halo_->start(/*group=*/0, std::span(&velocity, 1));
  }
  for (; is_wide && n_started < halo_->n_groups(); ++n_started) start(n_started, fields);
  {
    const ScopedTimer timer(costs_.wait_s);
    wind_halo_->wait(/*group=*/0);
  }
  const int n_columns = static_cast<int>(n_points());
  {
    const ScopedTimer timer(costs_.plan_s);
    int n_missing = 0;
    for (int begin = 0; begin < n_columns; begin += kColumnsPerPoll) {
      n_missing += trace(present, step, {begin, std::min(n_columns, begin + kColumnsPerPoll)});
      if (halo_) halo_->progress();
    }
    const auto check = [&] {
      require<InternalError>(n_missing == 0, "{} departure points lie beyond the halo of winds.", n_missing);
    };
    comm_ == nullptr ? check() : comm_->agree(check);
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
template <class Real>
void BasicSettls<Real>::require_width(const Velocity& extrapolated, const Velocity& present, double step) {
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
  require<ConfigError>(
      needed <= rows_.n_rows(),
      "A wind of {:.1f} m s-1 carries air about half around the globe in {} s. Give a shorter "
      "step.",
      largest, std::abs(step));
  if (!wind_columns_) make_wide_halo(needed);
  if (needed > width_) make_wide_halo(std::min(needed + 1, rows_.n_rows()));
}

template <class Real>
void BasicSettls<Real>::make_wide_halo(int width) {
  halo_.reset(), wind_halo_.reset();
  wind_columns_ = std::make_unique<Columns>(
      division_, rank_,
      comm_ == nullptr ? std::vector<GlobalIndex>{} : wide_halo(rows_, division_, rank_, width));
  wind_halo_ = std::make_unique<BasicColumnHalo<Real>>(
      comm_, division_, *wind_columns_, HaloSizes{.n_fields = 1, .n_levels = kComponents * n_levels()},
      options_.method);
  width_ = width;
  if (options_.halo == HaloKind::on_demand) return;
  columns_ = wind_columns_.get();
  make_exchange();
}

template <class Real>
void BasicSettls<Real>::make_exchange() {
  halo_.reset();
  halo_ = std::make_unique<BasicColumnHalo<Real>>(
      comm_, division_, *columns_,
      HaloSizes{.n_fields = n_fields(), .n_levels = n_levels(), .n_groups = options_.n_groups},
      options_.method, progress_);
}

/// Collective. Plans the halo of the columns that the departure points need.
template <class Real>
void BasicSettls<Real>::make_demanded_halo() {
  ColumnSet needed(division_);
  std::vector<Point> points;
  for (const auto& departure : departures_) points.push_back(departure.point);
  add_columns(rows_, points, options_.interpolation, needed);
  halo_.reset();
  demanded_columns_ = std::make_unique<Columns>(division_, rank_, needed.not_owned_by(rank_));
  columns_ = demanded_columns_.get();
  make_exchange();
}

template <class Real>
void BasicSettls<Real>::start(int group, std::span<const Real> fields) {
  const ScopedTimer timer(costs_.start_s);
  const auto size = n_points() * options_.eta.size();
  std::vector<BasicColumnField<Real>> sources;
  for (int field = 0; field < n_fields(); ++field)
    sources.push_back(
        {.data = fields.data() + std::size_t(field) * size, .column_stride = 1, .level_stride = n_points()});
  halo_->start(group, sources);
}

/// The level at or above eta; the last but one at the lowest.
template <class Real>
int BasicSettls<Real>::level_above(double eta, int first_guess) const {
  const auto& levels = options_.eta;
  int above = std::min(first_guess, std::max(n_levels() - 2, 0));
  while (above > 0 && eta < levels[std::size_t(above)]) --above;
  while (above + 2 < n_levels() && eta >= levels[std::size_t(above) + 1]) ++above;
  return above;
}

/// Weight of the level below in linear interpolation.
template <class Real>
double BasicSettls<Real>::share_below(double eta, int above) const {
  if (n_levels() == 1) return 0;
  const double* levels = &options_.eta[std::size_t(above)];
  return (eta - levels[0]) / (levels[1] - levels[0]);
}

namespace {

using Batch = xsimd::batch<double, xsimd::fma3<xsimd::avx2>>;
constexpr int kBatch = Batch::size;
using Numbers = std::array<double, kBatch>;

struct Vectors {
  Batch x, y, z;
};
Vectors operator+(const Vectors& a, const Vectors& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vectors operator-(const Vectors& a, const Vectors& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vectors operator*(const Batch& s, const Vectors& a) {
  return {s * a.x, s * a.y, s * a.z};
}
Batch dot(const Vectors& a, const Vectors& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// Reads four numbers, as doubles.
Lanes<double> load_doubles(const double* address) {
  return load(address);
}
Lanes<double> load_doubles(const float* address) {
  return _mm256_cvtps_pd(_mm_loadu_ps(address));
}
Batch load_numbers(const Numbers& numbers) {
  return Batch::load_unaligned(numbers.data());
}
Numbers stored(const Batch& batch) {
  Numbers numbers;
  batch.store_unaligned(numbers.data());
  return numbers;
}
/// As `wind_vector`, with the points' cosines of latitude.
Vectors wind_vectors(const Vectors& p, const Batch& cos_lat, const Batch& u, const Batch& v) {
  const auto is_pole = cos_lat == Batch(0.0);
  const auto cos_lon = xsimd::select(is_pole, Batch(1.0), p.x / cos_lat),
             sin_lon = xsimd::select(is_pole, Batch(0.0), p.y / cos_lat);
  return {-u * sin_lon - v * p.z * cos_lon, u * cos_lon - v * p.z * sin_lon, v * cos_lat};
}

}  // namespace

/// Computes departure points (Hortal 2002), from V(A) at first:
///   V = (V(t, A) + (2 V(t) - V(t - dt))(D)) / 2,  D = cos(s) A - sin(s) V/|V|,  s = |V| dt/a,
///   eta_D = eta_A - dt d(eta)/dt
/// @returns the number of points beyond the halo of winds; a number above 0 is an internal error
template <class Real>
int BasicSettls<Real>::trace(const Velocity& present, double step, Range columns) {
  const auto values = wind_halo_->values(/*group=*/0);
  const auto column_size = values.extent(2);
  const auto& eta = options_.eta;
  const auto n = n_points();
  const int last_level = n_levels() - 1;
  int n_missing = 0;
  for (auto i = std::size_t(columns.begin); i < std::size_t(columns.end); ++i) {
    const auto a = arrivals_[i];
    const Vectors arrival{Batch(a.x), Batch(a.y), Batch(a.z)};
    for (int first = 0; first < n_levels(); first += kBatch) {
      Numbers u{}, v{}, w{}, eta_here{};
      std::array<int, kBatch> level{}, above{};
      for (int j = 0; j < kBatch; ++j) {
        level[j] = std::min(first + j, last_level);  // beyond the last level: not stored
        const auto here = std::size_t(level[j]) * n + i;
        u[j] = present.east[here], v[j] = present.north[here];
        if (last_level > 0) w[j] = present.vertical[here];
        eta_here[j] = eta[std::size_t(level[j])];
        above[j] = level[j];
      }
      const auto wind_here = wind_vectors(arrival, xsimd::sqrt(arrival.x * arrival.x + arrival.y * arrival.y),
                                          load_numbers(u), load_numbers(v));
      const auto vertical_here = load_numbers(w);
      auto wind = wind_here;
      auto vertical = vertical_here;
      for (int iteration = 0;; ++iteration) {
        const auto speed = xsimd::sqrt(dot(wind, wind)), angle = speed * Batch(step / options_.radius);
        const auto [sine, cosine] = xsimd::sincos(angle);
        const auto departure =
            cosine * arrival - xsimd::select(speed == Batch(0.0), Batch(0.0), sine / speed) * wind;
        const auto cos_lat = xsimd::sqrt(departure.x * departure.x + departure.y * departure.y);
        const auto longitude =
            xsimd::select(cos_lat == Batch(0.0), Batch(0.0), xsimd::atan2(departure.y, departure.x));
        const auto longitudes = stored(longitude), colatitudes = stored(xsimd::atan2(cos_lat, departure.z));
        const auto etas = stored(xsimd::clip(load_numbers(eta_here) - Batch(step) * vertical,
                                             Batch(eta.front()), Batch(eta.back())));
        for (int j = 0; j < kBatch; ++j) above[j] = level_above(etas[j], above[j]);
        if (iteration == options_.iterations) {
          const auto x = stored(departure.x), y = stored(departure.y), z = stored(departure.z);
          for (int j = 0; j < kBatch && first + j <= last_level; ++j)
            departures_[i * eta.size() + std::size_t(first + j)] = {
                {x[j], y[j], z[j]}, {longitudes[j], colatitudes[j]}, etas[j], above[j]};
          break;
        }
        for (int j = 0; j < kBatch; ++j) {
          auto stencil = linear_stencil(rows_, *wind_columns_, {longitudes[j], colatitudes[j]});
          const int top = kComponents * above[j], below = last_level > 0 ? kComponents : 0;
          const auto share = broadcast(share_below(etas[j], above[j]));
          for (auto& column : stencil.columns)
            if (column == kNone) [[unlikely]]
              column = 0, ++n_missing;  // any column: the caller reports the error
          Lanes<double> velocity{};
          for (int k = 0; k < 4; ++k) {
            const auto column = stencil.columns[k];
            const Real* values_above = values.data() + std::size_t(column) * column_size + top;
            const auto upper = load_doubles(values_above), lower = load_doubles(values_above + below);
            const double wind_weight = stencil.wind_weights[k];
            const Lanes<double> weights{wind_weight, wind_weight, stencil.weights[k], 0};
            velocity = multiply_add(weights, multiply_add(share, lower - upper, upper), velocity);
          }
          u[j] = velocity[0], v[j] = velocity[1], w[j] = velocity[2];
        }
        const auto there = wind_vectors(departure, cos_lat, load_numbers(u), load_numbers(v));
        // Parallel transport, as `transported`.
        const auto moved =
            there - (dot(there, arrival) / (Batch(1.0) + dot(arrival, departure))) * (arrival + departure);
        wind = Batch(0.5) * (wind_here + moved);
        vertical = Batch(0.5) * (vertical_here + load_numbers(w));
      }
    }
  }
  return n_missing;
}

template <class Real>
auto BasicSettls<Real>::vertical_stencil(const Departure& departure) const -> VerticalStencil {
  const int above = departure.level, below = std::min(above + 1, n_levels() - 1);
  if (options_.interpolation != Interpolation::linear && above > 0 && above + 2 < n_levels())
    return {{above - 1, above, above + 1, above + 2}, vertical_[std::size_t(above)].weights(departure.eta)};
  const double share = share_below(departure.eta, above);
  return {{above, above, below, below}, {0, 1 - share, share, 0}};
}

template <class Real>
void BasicSettls<Real>::interpolate(int group, Range columns, std::span<Real> results) const {
  using Row = Lanes<double>;
  const auto range = halo_->levels(group);
  const auto n = std::size_t(semi_lagrangian::n_points(options_.interpolation)), n_columns = n_points();
  const auto field_size = n_columns * options_.eta.size();
  const bool is_quasi_cubic = options_.interpolation == Interpolation::quasi_cubic;
  // The values of a level: those of its group.
  struct LevelValues {
    const Real* first;
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
      const auto stencil = point_stencil(rows_, *columns_, departure.point, options_.interpolation);
      const auto vertical = vertical_stencil(departure);
      const std::array around{
          levels[std::size_t(vertical.levels[0])], levels[std::size_t(vertical.levels[1])],
          levels[std::size_t(vertical.levels[2])], levels[std::size_t(vertical.levels[3])]};
      const bool is_contiguous =
          vertical.levels[3] == vertical.levels[0] + 3 && around[3].group == around[0].group;
      std::array<Row, 16> weights;  // of a column, at the four levels
      for (std::size_t k = 0; k < n; ++k) {
        const double inner = stencil.weights[k], outer = !is_quasi_cubic ? inner
                                                         : k < 4         ? stencil.linear_weights[k]
                                                                         : 0;
        weights[k] = Row{outer, inner, inner, outer};
      }
      const auto values_of = [&](std::size_t field, std::size_t k) {
        const auto column = std::size_t(stencil.positions[k]);
        if (is_contiguous)
          return load_doubles(around[0].first + field * around[0].field_stride +
                              column * around[0].column_stride);
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
      const auto interpolated = [&](std::size_t field) {
        Row sum{};
        for (std::size_t k = 0; k < n; ++k) {
          auto value = values_of(field, k);
          if (field < 2 && (stencil.across_pole >> k & 1U) != 0) value = -value;
          sum = multiply_add(weights[k], value, sum);
        }
        return in_the_vertical(sum);
      };
      const auto advect_scalar = [&](std::size_t field, bool monotone) {
        double result = interpolated(field);
        if (monotone) {
          auto lowest = values_of(field, 0), highest = lowest;
          for (std::size_t k = 1; k < 4; ++k) {
            const auto value = values_of(field, k);
            lowest = smaller(lowest, value), highest = larger(highest, value);
          }
          result = std::clamp(result, std::min(lowest[1], lowest[2]), std::max(highest[1], highest[2]));
        }
        results[field * field_size + here] = static_cast<Real>(result);
      };
      for (std::size_t field = 2; field < std::size_t(n_moving); ++field)
        advect_scalar(field, options_.monotone);
      for (auto field = std::size_t(first_tracer()); field < std::size_t(n_fields()); ++field)
        advect_scalar(field, options_.monotone_tracers);
      const std::array wind{interpolated(0), interpolated(1)};
      const auto vector =
          transported(departure.vector, arrivals_[i], wind_vector(departure.vector, wind[0], wind[1]));
      const auto [u, v] = wind_components(arrivals_[i], vector);
      results[here] = static_cast<Real>(u), results[field_size + here] = static_cast<Real>(v);
      if (!options_.has_flat) continue;
      const auto& own = levels[std::size_t(level)];
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += stencil.weights[k] * own.first[std::size_t(n_moving) * own.field_stride +
                                              std::size_t(stencil.positions[k]) * own.column_stride];
      results[std::size_t(n_moving) * field_size + here] = static_cast<Real>(sum);
    }
}

template <class Real>
std::int64_t BasicSettls<Real>::received_bytes() const {
  return (wind_halo_ ? wind_halo_->received_bytes() : 0) + (halo_ ? halo_->received_bytes() : 0);
}

template <class Real>
std::size_t BasicSettls<Real>::memory_bytes() const {
  const auto stored = [](const Columns* columns) {
    return columns == nullptr ? std::size_t{0} : std::size_t(columns->n_local());
  };
  const auto n_values =
      (kComponents * stored(wind_columns_.get()) + std::size_t(n_fields()) * stored(columns_)) *
      options_.eta.size();
  return (n_values + velocity_.size()) * sizeof(Real) + departures_.size() * sizeof(Departure);
}

template class BasicSettls<double>;
template class BasicSettls<float>;

}  // namespace halcyon::semi_lagrangian
