#include "halcyon/transform/plane/bifourier.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/transform/plane/stages.hpp"

namespace halcyon::transform {
namespace {

std::int64_t squared(std::int64_t x) {
  return x * x;
}

SetCounts checked_counts(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts) {
  require_sets(counts);
  const int n_wavenumbers = truncation.largest_m() + 1, max_w = std::min(plane.ny, n_wavenumbers);
  require<ConfigError>(
      counts.w <= max_w,
      "{} W sets share {} rows, and {} wavenumbers along x. Give at most {} W sets, and more V sets.",
      counts.w, plane.ny, n_wavenumbers, max_w);
  require<ConfigError>(counts.v <= plane.nx,
                       "{} V sets share rows of {} values. Give at most {} V sets, and more W sets.",
                       counts.v, plane.nx, plane.nx);
  return counts;
}

std::shared_ptr<const PlaneSets> make_sets(const comm::Communicator* comm, SetCounts counts,
                                           const Plane& plane, const PlaneTruncation& truncation) {
  check_ranks(comm, counts);
  const auto& [nx, ny, length_x, length_y] = plane;
  require<ConfigError>(nx >= 1 && ny >= 1, "A plane of {} x {} values was asked for. Give 1 or more.", nx,
                       ny);
  require<ConfigError>(length_x > 0 && length_y > 0 && std::isfinite(length_x) && std::isfinite(length_y),
                       "A plane of {} m x {} m was asked for. Give more than 0 m.", length_x, length_y);
  const int largest_m = truncation.largest_m(), largest_n = truncation.largest_n();
  require<ConfigError>(nx >= 2 * largest_m + 1 && ny >= 2 * largest_n + 1,
                       "A plane of {} x {} values cannot hold the truncation {} x {}. Give {} x {} values or "
                       "more, or a truncation of at most {} x {}.",
                       nx, ny, largest_m, largest_n, 2 * largest_m + 1, 2 * largest_n + 1, (nx - 1) / 2,
                       (ny - 1) / 2);
  return std::make_shared<PlaneSets>(plane, truncation, counts);
}

/// Returns i factor x for a real factor.
Complex times_i(double factor, Complex x) {
  return {-factor * x.imag(), factor * x.real()};
}

}  // namespace

PlaneShape plane_shape_named(std::string_view name) {
  require<ConfigError>(name == "ellipse" || name == "rectangle",
                       "The shape of a plane truncation is '{}'. Use ellipse or rectangle.", name);
  return name == "ellipse" ? PlaneShape::ellipse : PlaneShape::rectangle;
}

PlaneTruncation::PlaneTruncation(int largest_m, int largest_n, PlaneShape shape) {
  require<ConfigError>(largest_m >= 0 && largest_n >= 0,
                       "The truncation {} x {} was asked for. Give 0 or more along x and y.", largest_m,
                       largest_n);
  const auto max_m2 = squared(largest_m), max_n2 = squared(largest_n);  // M^2 and N^2
  int n = largest_n;
  for (int m = 0; m <= largest_m; ++m) {
    while (shape == PlaneShape::ellipse && squared(m) * max_n2 + squared(n) * max_m2 > max_m2 * max_n2) --n;
    largest_n_.push_back(n);
  }
}

std::vector<int> PlaneTruncation::counts() const {
  std::vector<int> counts;
  for (int m = 0; m <= largest_m(); ++m) counts.push_back(count(m));
  return counts;
}

std::size_t PlaneTruncation::size() const {
  std::size_t n = 0;
  for (int m = 0; m <= largest_m(); ++m) n += count(m);
  return n;
}

PlaneSets::PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts)
    : Extents(checked_counts(plane, truncation, counts), truncation.counts(), /*block_size=*/2),
      rows_(plane.ny, counts.w),
      parts_(plane.nx, counts.v),
      truncation_(truncation),
      wavenumbers_before_{0} {
  for (int w = 0; w < counts.w; ++w)
    wavenumbers_before_.push_back(wavenumbers_before_.back() + n_wavenumbers(w));
}

std::vector<PlaneWave> PlaneSets::waves(int v, int w) const {
  std::vector<PlaneWave> all;
  for (int m : wavenumbers(w))
    for (int n = -truncation_.largest_n(m); n <= truncation_.largest_n(m); ++n) all.push_back({m, n});
  const auto parts = coefficients(w);
  return {all.begin() + parts.begin(v), all.begin() + parts.begin(v + 1)};
}

std::vector<std::int64_t> PlaneSets::points(int v, int w) const {
  std::vector<std::int64_t> indices;
  for (auto y = rows_.begin(w); y < rows_.begin(w + 1); ++y)
    for (auto x = parts_.begin(v); x < parts_.begin(v + 1); ++x) indices.push_back(y * parts_.n + x);
  return indices;
}

Bifourier::Bifourier(const Plane& plane, const PlaneTruncation& truncation, int max_batch)
    : Bifourier(make_sets(nullptr, {}, plane, truncation), nullptr, plane, truncation, max_batch, {}) {}

Bifourier::Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
                     const PlaneTruncation& truncation, int max_batch, ExchangeSettings settings)
    : Bifourier(make_sets(&comm, counts, plane, truncation), &comm, plane, truncation, max_batch,
                std::move(settings)) {}

Bifourier::Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm,
                     const Plane& plane, const PlaneTruncation& truncation, int max_batch,
                     ExchangeSettings settings)
    : SharedTransform(sets, comm, max_batch, /*share_coefficients=*/true, std::move(settings)),
      plane_(plane),
      truncation_(truncation),
      sets_(std::move(sets)),
      waves_(sets_->waves(v(), w())),
      zonal_(std::make_unique<Zonal>(plane, sets_, w())),
      meridional_(std::make_unique<Meridional>(plane, truncation, sets_->wavenumbers(w()))) {}

Bifourier::Bifourier(Bifourier&&) = default;
Bifourier::~Bifourier() = default;

void Bifourier::compute_stage(Direction direction, CallPlan& plan, const StageTask& task) {
  const auto on_poll = [&plan] { plan.progress(); };
  const auto& [meridional, component, batch, blocks, spectra, parts] = task;
  if (meridional) {
    if (direction == Direction::synthesis) return meridional_->synthesis(spectra[0], batch, blocks, on_poll);
    return meridional_->analysis(blocks, batch, spectra[0], on_poll);
  }
  const auto read_parts = read_only(parts);
  for (int row = 0; row < zonal_->n_rows(); ++row) {
    direction == Direction::synthesis ? zonal_->synthesis(row, blocks, batch, parts)
                                      : zonal_->analysis(row, read_parts, batch, blocks);
    on_poll();
  }
}

/// y = factor(k, l, x) for each coefficient x of each field, with its wavenumbers k and l [m-1].
template <class Factor>
void Bifourier::multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const {
  const std::size_t n = waves_.size(), n_fields = n_fields_of_coefficients(x.size(), y.size());
  const double unit_x = kTwoPi / plane_.length_x, unit_y = kTwoPi / plane_.length_y;
  for (std::size_t f = 0; f < n_fields; ++f)
    for (std::size_t i = 0; i < n; ++i)
      y[f * n + i] = factor(unit_x * waves_[i].m, unit_y * waves_[i].n, x[f * n + i]);
}

void Bifourier::x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const {
  multiply(coefficients, derivative, [](double k, double, Complex x) { return times_i(k, x); });
}

void Bifourier::y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const {
  multiply(coefficients, derivative, [](double, double l, Complex x) { return times_i(l, x); });
}

void Bifourier::laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const {
  multiply(coefficients, laplacian, [](double k, double l, Complex x) { return -(k * k + l * l) * x; });
}

void Bifourier::inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const {
  multiply(laplacian, coefficients, [](double k, double l, Complex x) {
    const double k2_plus_l2 = k * k + l * l;
    return k2_plus_l2 > 0 ? -(1 / k2_plus_l2) * x : 0;
  });
}

}  // namespace halcyon::transform
