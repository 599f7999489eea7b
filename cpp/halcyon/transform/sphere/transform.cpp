#include "halcyon/transform/sphere/transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/sphere/capacity.hpp"

namespace halcyon::transform {
namespace {

int checked(const Grid& grid, int truncation, const Options& options) {
  require<ConfigError>(truncation >= 0, "Truncation T{} was asked for. Give 0 or more.", truncation);
  const auto [shortest, longest] = std::ranges::minmax(grid.row_lengths());
  if (!holds(grid, truncation)) {
    const std::int64_t rows = std::int64_t{truncation} + 1;
    throw ConfigError(fmt::format(
        "A Gaussian grid of {} rows of {} to {} values cannot hold T{}. Give {} rows of {} values, {} "
        "octahedral rows or more, or at most T{}.",
        grid.n_rows(), shortest, longest, truncation, rows, 2 * rows - 1, 2 * rows,
        largest_truncation(grid)));
  }
  require<ConfigError>(options.radius > 0 && std::isfinite(options.radius),
                       "A sphere of radius {} m was asked for. Give more than 0.", options.radius);
  return truncation;
}

void require_same(int n, int other) {
  require<InputError>(n == other, "There are {} fields of one component and {} of the other. Give as many.",
                      n, other);
}

}  // namespace

Transform::Transform(Grid grid, int truncation, const Options& options)
    : Transform(nullptr, {}, std::move(grid), truncation, options, {}) {}

Transform::Transform(const comm::Communicator& comm, SetCounts counts, Grid grid, int truncation,
                     const Options& options, Communication how)
    : Transform(&comm, counts, std::move(grid), truncation, options, std::move(how)) {}

Transform::Transform(const comm::Communicator* comm, SetCounts counts, Grid grid, int truncation,
                     const Options& options, Communication how)
    : grid_((check_ranks(comm, counts), std::move(grid))),
      triangle_{checked(grid_, truncation, options)},
      options_(options),
      stripes_(grid_, truncation),
      sets_(std::make_shared<Sets>(grid_, stripes_, truncation, counts)),
      v_(comm ? sets_->v_of(comm->rank()) : 0),
      w_(comm ? sets_->w_of(comm->rank()) : 0),
      parts_(sets_->coefficients(w_).n, options.columns_of_coefficients ? counts.v : 1),
      legendre_(grid_, stripes_, truncation + 1, sets_->wavenumbers(w_), options.memory_bytes),
      fourier_(grid_, stripes_, *sets_, w_),
      sections_(sets_, comm ? std::optional(*comm) : std::nullopt, options.group,
                options.columns_of_coefficients, std::move(how)) {}

int Transform::n_fields(std::size_t n_values, std::size_t n_coefficients) const {
  const std::size_t size = this->n_coefficients();
  const bool shares_fields = sets_->counts().v > parts_.parts;
  const FieldGroups fields{static_cast<int>(n_values / n_points()), shares_fields ? sets_->counts().v : 1, 1};
  require<InputError>(
      fields.n * n_points() == n_values && fields.size(shares_fields ? v_ : 0) * size == n_coefficients,
      "There are {} values and {} coefficients. A field has {} and {} here: give whole fields, "
      "of both as many{}.",
      n_values, n_coefficients, n_points(), size,
      shares_fields ? ", coefficients of this V set's alone" : "");
  return fields.n;
}

std::size_t Transform::n_coefficients(int last) const {
  std::size_t n = 0;
  for (int m : legendre_.wavenumbers()) n += last + 1 - m;
  return n;
}

Legendre::Fields Transform::in_panels(const Batch& batch, int last) const {
  return {batch.n, 2 * n_coefficients(last), last, batch.of_group};
}

void Transform::sum_terms(Section& section, const Complex* coefficients, int last, const Batch& batch,
                          double* panels) {
  legendre_.synthesis(reinterpret_cast<const double*>(coefficients), in_panels(batch, last),
                      panels + batch.first * kBlock, [&] { section.progress(); });
}

void Transform::sum_latitudes(Section& section, const double* panels, int last, const Batch& batch,
                              Complex* coefficients) {
  legendre_.analysis(panels + batch.first * kBlock, in_panels(batch, last),
                     reinterpret_cast<double*>(coefficients), [&] { section.progress(); });
}

void Transform::to_values(Section& section, const Batch& batch, RowFactor factor, const double* blocks,
                          std::span<const Part<double>> parts) {
  std::vector<const double*> at(triangle_.last + 1);
  for (int s = fourier_.first_stripe(); s < fourier_.end_stripe(); ++s) {
    for (int m = 0; m <= fourier_.last_wavenumber(s); ++m) at[m] = blocks + sets_->at(w_, s, m, batch);
    fourier_.synthesis(s, at, batch.n, factor, parts);
    section.progress();
  }
}

void Transform::to_blocks(Section& section, const Batch& batch, RowFactor factor,
                          std::span<const Part<double>> parts, double* blocks) {
  const auto read = to_read(parts);
  std::vector<double*> at(triangle_.last + 1);
  for (int s = fourier_.first_stripe(); s < fourier_.end_stripe(); ++s) {
    for (int m = 0; m <= fourier_.last_wavenumber(s); ++m) at[m] = blocks + sets_->at(w_, s, m, batch);
    fourier_.analysis(s, read, batch.n, factor, at);
    section.progress();
  }
}

Section::Work Transform::work(Section& section) {
  return {[this, &section](const Piece& piece, Section::Spectra spectra, double* panels) {
            sum_terms(section, spectra[0], triangle_.last, piece.batch, panels);
          },
          [this, &section](const Piece& piece, double* blocks, std::span<const Part<double>> parts) {
            to_values(section, piece.batch, RowFactor::one, blocks, parts);
          }};
}

Section::Work Transform::work_back(Section& section) {
  return {[this, &section](const Piece& piece, Section::Spectra spectra, double* panels) {
            sum_latitudes(section, panels, triangle_.last, piece.batch, spectra[0]);
          },
          [this, &section](const Piece& piece, double* blocks, std::span<const Part<double>> parts) {
            to_blocks(section, piece.batch, RowFactor::one, parts, blocks);
          }};
}

void Transform::synthesis(std::span<const Complex> coefficients, std::span<double> values) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = sections_.turn();
  auto& run = sections_.get({Way::synthesis, 1, 1, n});
  run.run(std::array{values.data()}, std::array{const_cast<Complex*>(coefficients.data())}, work(run),
          memory_);
}

void Transform::analysis(std::span<const double> values, std::span<Complex> coefficients) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = sections_.turn();
  auto& run = sections_.get({Way::analysis, 1, 1, n});
  run.run(std::array{const_cast<double*>(values.data())}, std::array{coefficients.data()}, work_back(run),
          memory_);
}

void Transform::compute(Way way, std::span<Complex> coefficients, std::span<double> values) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = sections_.turn();
  auto& run = sections_.get({way, 1, 1, n});
  run.compute(std::array{values.data()}, std::array{coefficients.data()},
              way == Way::synthesis ? work(run) : work_back(run), memory_);
}

/// Values of two fields for each of the given arrays' fields: `derivatives` makes their coefficients, to T +
/// 1, of those that stand at a place of the arrays. These values come last; before them, where `values` has
/// room, those of the arrays themselves.
template <class Derivatives>
void Transform::synthesise_two(std::span<const std::span<const Complex>> given,
                               std::span<const std::span<double>> values, const Derivatives& derivatives) {
  const int n = n_fields(values[0].size(), given[0].size());
  std::vector<Complex*> from;
  std::vector<double*> to;
  for (const auto& array : given) from.push_back(const_cast<Complex*>(array.data()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    require_same(n, n_fields(values[i].size(), given[i % given.size()].size()));
    to.push_back(values[i].data());
  }
  if (n == 0) return;
  const int last = triangle_.last + 1, n_plain = static_cast<int>(values.size()) - 2;
  const std::size_t size = n_coefficients(triangle_.last), wide = n_coefficients(last);
  const auto turn = sections_.turn();
  auto& run = sections_.get({Way::synthesis, n_plain + 2, static_cast<int>(given.size()), n});
  const auto legendre = [&](const Piece& piece, Section::Spectra spectra, double* panels) {
    const int component = piece.component - n_plain;
    const auto& [first, n_together, of_group] = piece.batch;
    if (component < 0) return sum_terms(run, spectra[piece.component], triangle_.last, piece.batch, panels);
    for (auto& each : wide_) each.resize(of_group * wide);
    for (int f = 0; component == 0 && f < n_together; ++f)
      derivatives(spectra, f * size, std::span(wide_[0]).subspan((first + f) * wide, wide),
                  std::span(wide_[1]).subspan((first + f) * wide, wide));
    sum_terms(run, wide_[component].data() + first * wide, last, piece.batch, panels);
  };
  const auto fourier = [&](const Piece& piece, double* blocks, std::span<const Part<double>> parts) {
    const bool plain = piece.component < n_plain;
    to_values(run, piece.batch, plain ? RowFactor::one : RowFactor::inverse_cosine, blocks, parts);
  };
  run.run(to, from, {legendre, fourier}, memory_);
}

/// Of vorticity and, where there is more than one, divergence. What is given beyond has values alone.
void Transform::synthesise_winds(std::span<const std::span<const Complex>> given,
                                 std::span<const std::span<double>> values) {
  const std::size_t size = n_coefficients(triangle_.last);
  std::vector<Complex> psi(size), chi(size);
  const std::vector<Complex> nothing(size);
  synthesise_two(
      given, values,
      [&](Section::Spectra from, std::size_t at, std::span<Complex> u_wide, std::span<Complex> v_wide) {
        transform::inverse_laplacian(held(), options_.radius, std::span(from[0] + at, size), psi);
        const auto divergence =
            from.size() > 1 ? std::span<const Complex>(from[1] + at, size) : std::span(nothing);
        transform::inverse_laplacian(held(), options_.radius, divergence, chi);
        transform::winds(held(), options_.radius, psi, chi, u_wide, v_wide);
      });
}

void Transform::synthesise_gradient(std::span<const Complex> coefficients,
                                    std::span<const std::span<double>> values) {
  const std::size_t size = n_coefficients(triangle_.last);
  const std::vector<Complex> nothing(size);
  synthesise_two(std::array{coefficients}, values,
                 [&](Section::Spectra from, std::size_t at, std::span<Complex> x, std::span<Complex> y) {
                   transform::winds(held(), options_.radius, nothing, std::span(from[0] + at, size), x, y);
                 });  // the wind of a potential
}

void Transform::winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                      std::span<double> u, std::span<double> v) {
  synthesise_winds(std::array{vorticity, divergence}, std::array{u, v});
}

void Transform::synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                                    std::span<double> vorticity_values, std::span<double> divergence_values,
                                    std::span<double> u, std::span<double> v) {
  synthesise_winds(std::array{vorticity, divergence}, std::array{vorticity_values, divergence_values, u, v});
}

void Transform::synthesis_and_winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                                    std::span<const Complex> third, std::span<double> vorticity_values,
                                    std::span<double> divergence_values, std::span<double> third_values,
                                    std::span<double> u, std::span<double> v) {
  synthesise_winds(std::array{vorticity, divergence, third},
                   std::array{vorticity_values, divergence_values, third_values, u, v});
}

void Transform::synthesis_and_winds(std::span<const Complex> vorticity, std::span<double> vorticity_values,
                                    std::span<double> u, std::span<double> v) {
  synthesise_winds(std::array{vorticity}, std::array{vorticity_values, u, v});
}

void Transform::gradient(std::span<const Complex> coefficients, std::span<double> east,
                         std::span<double> north) {
  synthesise_gradient(coefficients, std::array{east, north});
}

void Transform::synthesis_and_gradient(std::span<const Complex> coefficients, std::span<double> values,
                                       std::span<double> east, std::span<double> north) {
  synthesise_gradient(coefficients, std::array{values, east, north});
}

/// Calls function(held, radius, x, y) for each field.
template <class Function>
void Transform::for_fields(std::span<const Complex> from, std::span<Complex> to,
                           const Function& function) const {
  require<InternalError>(!shares_coefficients(), "Here V sets share the coefficients of a wavenumber.");
  const std::size_t size = n_coefficients(), n = size > 0 ? from.size() / size : 0;
  require<InputError>(from.size() == to.size() && n * size == from.size(),
                      "There are {} and {} coefficients. A field has {} here: give whole fields, of both as "
                      "many.",
                      from.size(), to.size(), size);
  for (std::size_t f = 0; f < n; ++f)
    function(held(), options_.radius, from.subspan(f * size, size), to.subspan(f * size, size));
}

void Transform::laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const {
  for_fields(coefficients, laplacian, transform::laplacian);
}

void Transform::inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const {
  for_fields(laplacian, coefficients, transform::inverse_laplacian);
}

void Transform::vorticity_divergence(std::span<const double> u, std::span<const double> v,
                                     std::span<Complex> vorticity, std::span<Complex> divergence) {
  const int n = n_fields(u.size(), vorticity.size()), last = triangle_.last + 1;
  require_same(n, n_fields(v.size(), divergence.size()));
  if (n == 0) return;
  const std::size_t size = n_coefficients(triangle_.last), wide = n_coefficients(last);
  const auto turn = sections_.turn();
  auto& run = sections_.get({Way::analysis, 2, 2, n});
  const auto legendre = [&](const Piece& piece, Section::Spectra spectra, double* panels) {
    const std::size_t first = piece.batch.first, n_together = piece.batch.n;
    auto& part = wide_[piece.component];
    part.resize(piece.batch.of_group * wide);
    sum_latitudes(run, panels, last, piece.batch, part.data() + first * wide);
    for (std::size_t f = 0; piece.component == 1 && f < n_together; ++f)
      transform::vorticity_divergence(
          held(), options_.radius, std::span(wide_[0]).subspan((first + f) * wide, wide),
          std::span(wide_[1]).subspan((first + f) * wide, wide), std::span(spectra[0] + f * size, size),
          std::span(spectra[1] + f * size, size));
  };
  const auto fourier = [&](const Piece& piece, double* blocks, std::span<const Part<double>> parts) {
    to_blocks(run, piece.batch, RowFactor::inverse_cosine, parts, blocks);
  };
  run.run(std::array{const_cast<double*>(u.data()), const_cast<double*>(v.data())},
          std::array{vorticity.data(), divergence.data()}, {legendre, fourier}, memory_);
}

}  // namespace halcyon::transform
