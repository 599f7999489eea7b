#include "halcyon/transform/sphere/transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

std::shared_ptr<const Sets> sets_of(const comm::Communicator* comm, SetCounts counts, const Grid& grid,
                                    int truncation, const Options& options) {
  check_ranks(comm, counts);
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
  return std::make_shared<Sets>(grid, Stripes(grid, truncation), truncation, counts);
}

void require_same(int n, int other) {
  require<InputError>(n == other, "There are {} fields of one component and {} of the other. Give as many.",
                      n, other);
}

}  // namespace

Transform::Transform(Grid grid, int truncation, const Options& options)
    : Transform(sets_of(nullptr, {}, grid, truncation, options), nullptr, std::move(grid), truncation,
                options, {}) {}

Transform::Transform(const comm::Communicator& comm, SetCounts counts, Grid grid, int truncation,
                     const Options& options, Communication how)
    : Transform(sets_of(&comm, counts, grid, truncation, options), &comm, std::move(grid), truncation,
                options, std::move(how)) {}

Transform::Transform(std::shared_ptr<const Sets> sets, const comm::Communicator* comm, Grid&& grid,
                     int truncation, const Options& options, Communication how)
    : SharedTransform(sets, comm, options.group, options.columns_of_coefficients, std::move(how)),
      grid_(std::move(grid)),
      triangle_{truncation},
      options_(options),
      sets_(std::move(sets)),
      legendre_(grid_, sets_->stripes(), truncation + 1, sets_->wavenumbers(w()), options.memory_bytes),
      fourier_(grid_, *sets_, w()) {}

/// Coefficients of a field of the wavenumbers of w, n = m..last.
std::size_t Transform::n_terms(int last) const {
  std::size_t n = 0;
  for (int m : legendre_.wavenumbers()) n += last + 1 - m;
  return n;
}

Legendre::Fields Transform::in_panels(const Batch& batch, int last) const {
  return {batch.n, 2 * n_terms(last), last, batch.of_group};
}

void Transform::sum_terms(Section& section, const Piece& piece, const Complex* coefficients, int last) {
  legendre_.synthesis(reinterpret_cast<const double*>(coefficients), in_panels(piece.batch, last),
                      piece.blocks + piece.batch.first * kBlock, [&] { section.progress(); });
}

void Transform::sum_latitudes(Section& section, const Piece& piece, Complex* coefficients, int last) {
  legendre_.analysis(piece.blocks + piece.batch.first * kBlock, in_panels(piece.batch, last),
                     reinterpret_cast<double*>(coefficients), [&] { section.progress(); });
}

void Transform::to_values(Section& section, const Piece& piece, RowFactor factor) {
  std::vector<const double*> at(triangle_.last + 1);
  for (int s = fourier_.first_stripe(); s < fourier_.end_stripe(); ++s) {
    for (int m = 0; m <= fourier_.last_wavenumber(s); ++m)
      at[m] = piece.blocks + sets_->at(w(), s, m, piece.batch);
    fourier_.synthesis(s, at, piece.batch.n, factor, piece.parts);
    section.progress();
  }
}

void Transform::to_blocks(Section& section, const Piece& piece, RowFactor factor) {
  const auto read = to_read(piece.parts);
  std::vector<double*> at(triangle_.last + 1);
  for (int s = fourier_.first_stripe(); s < fourier_.end_stripe(); ++s) {
    for (int m = 0; m <= fourier_.last_wavenumber(s); ++m)
      at[m] = piece.blocks + sets_->at(w(), s, m, piece.batch);
    fourier_.analysis(s, read, piece.batch.n, factor, at);
    section.progress();
  }
}

void Transform::work_on(Way way, Section& section, const Piece& piece) {
  if (way == Way::synthesis)
    return piece.meridional ? sum_terms(section, piece, piece.spectra[0], triangle_.last)
                            : to_values(section, piece, RowFactor::one);
  piece.meridional ? sum_latitudes(section, piece, piece.spectra[0], triangle_.last)
                   : to_blocks(section, piece, RowFactor::one);
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
  const std::size_t size = n_terms(triangle_.last), wide = n_terms(last);
  const auto legendre = [&](Section& section, const Piece& piece) {
    const int component = piece.component - n_plain;
    const auto& [first, n_together, of_group] = piece.batch;
    if (component < 0) return sum_terms(section, piece, piece.spectra[piece.component], triangle_.last);
    for (auto& each : wide_) each.resize(of_group * wide);
    for (int f = 0; component == 0 && f < n_together; ++f)
      derivatives(piece.spectra, f * size, std::span(wide_[0]).subspan((first + f) * wide, wide),
                  std::span(wide_[1]).subspan((first + f) * wide, wide));
    sum_terms(section, piece, wide_[component].data() + first * wide, last);
  };
  run({Way::synthesis, n_plain + 2, static_cast<int>(given.size()), n}, {to, from},
      [&](Section& section, const Piece& piece) {
        if (piece.meridional) return legendre(section, piece);
        to_values(section, piece, piece.component < n_plain ? RowFactor::one : RowFactor::inverse_cosine);
      });
}

/// Of vorticity and, where there is more than one, divergence. What is given beyond has values alone.
void Transform::synthesise_winds(std::span<const std::span<const Complex>> given,
                                 std::span<const std::span<double>> values) {
  const std::size_t size = n_terms(triangle_.last);
  std::vector<Complex> psi(size), chi(size);
  const std::vector<Complex> nothing(size);
  synthesise_two(given, values,
                 [&](std::span<Complex* const> from, std::size_t at, std::span<Complex> u_wide,
                     std::span<Complex> v_wide) {
                   transform::inverse_laplacian(held(), options_.radius, std::span(from[0] + at, size), psi);
                   const auto divergence =
                       from.size() > 1 ? std::span<const Complex>(from[1] + at, size) : std::span(nothing);
                   transform::inverse_laplacian(held(), options_.radius, divergence, chi);
                   transform::winds(held(), options_.radius, psi, chi, u_wide, v_wide);
                 });
}

void Transform::synthesise_gradient(std::span<const Complex> coefficients,
                                    std::span<const std::span<double>> values) {
  const std::size_t size = n_terms(triangle_.last);
  const std::vector<Complex> nothing(size);
  synthesise_two(
      std::array{coefficients}, values,
      [&](std::span<Complex* const> from, std::size_t at, std::span<Complex> x, std::span<Complex> y) {
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
  const std::size_t size = n_coefficients(), n = n_fields_of_coefficients(from.size(), to.size());
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
  const std::size_t size = n_terms(triangle_.last), wide = n_terms(last);
  const auto legendre = [&](Section& section, const Piece& piece) {
    const std::size_t first = piece.batch.first, n_together = piece.batch.n;
    auto& part = wide_[piece.component];
    part.resize(piece.batch.of_group * wide);
    sum_latitudes(section, piece, part.data() + first * wide, last);
    for (std::size_t f = 0; piece.component == 1 && f < n_together; ++f)
      transform::vorticity_divergence(
          held(), options_.radius, std::span(wide_[0]).subspan((first + f) * wide, wide),
          std::span(wide_[1]).subspan((first + f) * wide, wide), std::span(piece.spectra[0] + f * size, size),
          std::span(piece.spectra[1] + f * size, size));
  };
  run({Way::analysis, 2, 2, n},
      {std::array{const_cast<double*>(u.data()), const_cast<double*>(v.data())},
       std::array{vorticity.data(), divergence.data()}},
      [&](Section& section, const Piece& piece) {
        piece.meridional ? legendre(section, piece) : to_blocks(section, piece, RowFactor::inverse_cosine);
      });
}

}  // namespace halcyon::transform
