#include "halcyon/transform/plane/bifourier.hpp"

#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

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

Complex turned(double factor, Complex x) {
  return {-factor * x.imag(), factor * x.real()};
}

}  // namespace

Bifourier::Bifourier(const Plane& plane, const PlaneTruncation& truncation, int group)
    : Bifourier(sets_of(nullptr, {}, plane, truncation), nullptr, plane, truncation, group, {}) {}

Bifourier::Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
                     const PlaneTruncation& truncation, int group, Communication how)
    : Bifourier(sets_of(&comm, counts, plane, truncation), &comm, plane, truncation, group, std::move(how)) {}

Bifourier::Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm,
                     const Plane& plane, const PlaneTruncation& truncation, int group, Communication how)
    : SharedTransform(sets, comm, group, true, std::move(how)),
      plane_(plane),
      truncation_(truncation),
      sets_(std::move(sets)),
      waves_(sets_->waves(v(), w())),
      zonal_(plane, sets_, w()),
      meridional_(plane, truncation, sets_->wavenumbers(w())) {}

void Bifourier::work_on(Way way, Section& section, const Piece& piece) {
  const auto between = [&section] { section.progress(); };
  const auto& [meridional, component, batch, blocks, spectra, parts] = piece;
  if (meridional) {
    if (way == Way::synthesis) return meridional_.synthesis(spectra[0], batch, blocks, between);
    return meridional_.analysis(blocks, batch, spectra[0], between);
  }
  const auto read = to_read(parts);
  for (int row = 0; row < zonal_.n_rows(); ++row) {
    way == Way::synthesis ? zonal_.synthesis(row, blocks, batch, parts)
                          : zonal_.analysis(row, read, batch, blocks);
    between();
  }
}

/// y = factor(k, l, x), field after field.
template <class Factor>
void Bifourier::multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const {
  const std::size_t n = waves_.size(), n_fields = n_fields_of_coefficients(x.size(), y.size());
  const double unit_x = kTwoPi / plane_.length_x, unit_y = kTwoPi / plane_.length_y;
  for (std::size_t f = 0; f < n_fields; ++f)
    for (std::size_t i = 0; i < n; ++i)
      y[f * n + i] = factor(unit_x * waves_[i].m, unit_y * waves_[i].n, x[f * n + i]);
}

void Bifourier::x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const {
  multiply(coefficients, derivative, [](double k, double, Complex x) { return turned(k, x); });
}

void Bifourier::y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const {
  multiply(coefficients, derivative, [](double, double l, Complex x) { return turned(l, x); });
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
