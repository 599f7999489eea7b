#include "halcyon/transform/plane/bifourier.hpp"

#include <array>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

const Plane& checked(const Plane& plane, const PlaneTruncation& truncation) {
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
  return plane;
}

Complex turned(double factor, Complex x) {
  return {-factor * x.imag(), factor * x.real()};
}

}  // namespace

Bifourier::Bifourier(const Plane& plane, const PlaneTruncation& truncation, int group)
    : Bifourier(nullptr, {}, plane, truncation, group, {}) {}

Bifourier::Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
                     const PlaneTruncation& truncation, int group, Communication how)
    : Bifourier(&comm, counts, plane, truncation, group, std::move(how)) {}

Bifourier::Bifourier(const comm::Communicator* comm, SetCounts counts, const Plane& plane,
                     const PlaneTruncation& truncation, int group, Communication how)
    : plane_((check_ranks(comm, counts), checked(plane, truncation))),
      truncation_(truncation),
      sets_(std::make_shared<PlaneSets>(plane, truncation, counts)),
      v_(comm ? sets_->v_of(comm->rank()) : 0),
      w_(comm ? sets_->w_of(comm->rank()) : 0),
      waves_(sets_->waves(v_, w_)),
      zonal_(plane, sets_, w_),
      meridional_(plane, truncation, sets_->wavenumbers(w_)),
      sections_(sets_, comm ? std::optional(*comm) : std::nullopt, group, true, std::move(how)) {}

int Bifourier::n_fields(std::size_t n_values, std::size_t n_coefficients) const {
  const std::size_t n = n_values / n_points();
  require<InputError>(
      n * n_points() == n_values && n * this->n_coefficients() == n_coefficients,
      "There are {} values and {} coefficients. A field has {} and {} here: give whole fields, "
      "of both as many.",
      n_values, n_coefficients, n_points(), this->n_coefficients());
  return static_cast<int>(n);
}

Section::Work Bifourier::work(Section& section, Way way) {
  const auto between = [&section] { section.progress(); };
  if (way == Way::synthesis)
    return {[this, between](const Piece& piece, Section::Spectra spectra, double* panels) {
              meridional_.synthesis(spectra[0], piece.batch, panels, between);
            },
            [this, between](const Piece& piece, double* blocks, std::span<const Part<double>> parts) {
              for (int row = 0; row < zonal_.n_rows(); ++row)
                zonal_.synthesis(row, blocks, piece.batch, parts), between();
            }};
  return {[this, between](const Piece& piece, Section::Spectra spectra, double* panels) {
            meridional_.analysis(panels, piece.batch, spectra[0], between);
          },
          [this, between](const Piece& piece, double* blocks, std::span<const Part<double>> parts) {
            const auto read = to_read(parts);
            for (int row = 0; row < zonal_.n_rows(); ++row)
              zonal_.analysis(row, read, piece.batch, blocks), between();
          }};
}

void Bifourier::synthesis(std::span<const Complex> coefficients, std::span<double> values) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = sections_.turn();
  auto& section = sections_.get({Way::synthesis, 1, 1, n});
  section.run(std::array{values.data()}, std::array{const_cast<Complex*>(coefficients.data())},
              work(section, Way::synthesis), memory_);
}

void Bifourier::analysis(std::span<const double> values, std::span<Complex> coefficients) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = sections_.turn();
  auto& section = sections_.get({Way::analysis, 1, 1, n});
  section.run(std::array{const_cast<double*>(values.data())}, std::array{coefficients.data()},
              work(section, Way::analysis), memory_);
}

void Bifourier::compute(Way way, std::span<Complex> coefficients, std::span<double> values) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = sections_.turn();
  auto& section = sections_.get({way, 1, 1, n});
  section.compute(std::array{values.data()}, std::array{coefficients.data()}, work(section, way), memory_);
}

/// y = factor(k, l, x), field after field.
template <class Factor>
void Bifourier::multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const {
  const std::size_t n = waves_.size(), n_fields = n > 0 ? x.size() / n : 0;
  require<InputError>(x.size() == y.size() && n_fields * n == x.size(),
                      "There are {} and {} coefficients. A field has {} here: give whole fields, of both as "
                      "many.",
                      x.size(), y.size(), n);
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
