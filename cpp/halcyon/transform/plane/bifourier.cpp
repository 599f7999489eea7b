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

SetCounts checked(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts) {
  require_sets(counts);
  const int n_wavenumbers = truncation.last_x() + 1, most = std::min(plane.ny, n_wavenumbers);
  require<ConfigError>(
      counts.w <= most,
      "{} W sets share {} rows, and {} wavenumbers along x. Give at most {} W sets, and more V sets.",
      counts.w, plane.ny, n_wavenumbers, most);
  require<ConfigError>(counts.v <= plane.nx,
                       "{} V sets share rows of {} values. Give at most {} V sets, and more W sets.",
                       counts.v, plane.nx, plane.nx);
  return counts;
}

std::shared_ptr<const PlaneSets> sets_of(const comm::Communicator* comm, SetCounts counts, const Plane& plane,
                                         const PlaneTruncation& truncation) {
  check_ranks(comm, counts);
  const auto& [nx, ny, length_x, length_y] = plane;
  require<ConfigError>(nx >= 1 && ny >= 1, "A plane of {} x {} values was asked for. Give 1 or more.", nx,
                       ny);
  require<ConfigError>(length_x > 0 && length_y > 0 && std::isfinite(length_x) && std::isfinite(length_y),
                       "A plane of {} m x {} m was asked for. Give more than 0 m.", length_x, length_y);
  const int last_x = truncation.last_x(), last_y = truncation.last_y();
  require<ConfigError>(nx >= 2 * last_x + 1 && ny >= 2 * last_y + 1,
                       "A plane of {} x {} values cannot hold the truncation {} x {}. Give {} x {} values or "
                       "more, or a truncation of at most {} x {}.",
                       nx, ny, last_x, last_y, 2 * last_x + 1, 2 * last_y + 1, (nx - 1) / 2, (ny - 1) / 2);
  return std::make_shared<PlaneSets>(plane, truncation, counts);
}

Complex times_i(double factor, Complex x) {
  return {-factor * x.imag(), factor * x.real()};
}

}  // namespace

PlaneShape plane_shape_named(std::string_view name) {
  require<ConfigError>(name == "ellipse" || name == "rectangle",
                       "The shape of a plane truncation is '{}'. Use ellipse or rectangle.", name);
  return name == "ellipse" ? PlaneShape::ellipse : PlaneShape::rectangle;
}

PlaneTruncation::PlaneTruncation(int last_x, int last_y, PlaneShape shape) {
  require<ConfigError>(last_x >= 0 && last_y >= 0,
                       "The truncation {} x {} was asked for. Give 0 or more along x and y.", last_x, last_y);
  const auto m2 = squared(last_x), n2 = squared(last_y);
  int last = last_y;
  for (int m = 0; m <= last_x; ++m) {
    while (shape == PlaneShape::ellipse && squared(m) * n2 + squared(last) * m2 > m2 * n2) --last;
    last_.push_back(last);
  }
}

std::vector<int> PlaneTruncation::counts() const {
  std::vector<int> counts;
  for (int m = 0; m <= last_x(); ++m) counts.push_back(count(m));
  return counts;
}

std::size_t PlaneTruncation::size() const {
  std::size_t n = 0;
  for (int m = 0; m <= last_x(); ++m) n += count(m);
  return n;
}

PlaneSets::PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts)
    : Extents(checked(plane, truncation, counts), truncation.counts(), 2),
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
    for (int n = -truncation_.last(m); n <= truncation_.last(m); ++n) all.push_back({m, n});
  const auto parts = coefficients(w);
  return {all.begin() + parts.begin(v), all.begin() + parts.begin(v + 1)};
}

std::vector<std::int64_t> PlaneSets::points(int v, int w) const {
  std::vector<std::int64_t> found;
  for (auto y = rows_.begin(w); y < rows_.begin(w + 1); ++y)
    for (auto x = parts_.begin(v); x < parts_.begin(v + 1); ++x) found.push_back(y * parts_.n + x);
  return found;
}

Bifourier::Bifourier(const Plane& plane, const PlaneTruncation& truncation, int group)
    : Bifourier(sets_of(nullptr, {}, plane, truncation), nullptr, plane, truncation, group, {}) {}

Bifourier::Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
                     const PlaneTruncation& truncation, int group, ExchangeSettings settings)
    : Bifourier(sets_of(&comm, counts, plane, truncation), &comm, plane, truncation, group,
                std::move(settings)) {}

Bifourier::Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm,
                     const Plane& plane, const PlaneTruncation& truncation, int group,
                     ExchangeSettings settings)
    : SharedTransform(sets, comm, group, true, std::move(settings)),
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
  const auto read = read_only(parts);
  for (int row = 0; row < zonal_->n_rows(); ++row) {
    direction == Direction::synthesis ? zonal_->synthesis(row, blocks, batch, parts)
                                      : zonal_->analysis(row, read, batch, blocks);
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
    const double squared = k * k + l * l;
    return squared > 0 ? -(1 / squared) * x : 0;
  });
}

}  // namespace halcyon::transform
