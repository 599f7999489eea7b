#include "halcyon/transform/transform.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

std::vector<int> all_wavenumbers(int truncation) {
  std::vector<int> found(truncation + 1);
  std::iota(found.begin(), found.end(), 0);
  return found;
}

int checked(const Grid& grid, int truncation, const Options& options) {
  require<ConfigError>(truncation >= 0, "Truncation T{} was asked for. Give 0 or more.", truncation);
  const int n_rows = grid.n_rows(), longest = std::ranges::max(grid.row_lengths());
  require<ConfigError>(
      n_rows > truncation && longest >= 2 * truncation + 1,
      "A Gaussian grid of {} rows with up to {} values cannot hold T{}. Give {} rows and {} values "
      "at the equator or more, or at most T{}.",
      n_rows, longest, truncation, truncation + 1, 2 * truncation + 1,
      std::min(n_rows - 1, (longest - 1) / 2));
  require<ConfigError>(options.radius > 0, "A sphere of radius {} m was asked for. Give more than 0.",
                       options.radius);
  require<ConfigError>(options.group >= 1, "Groups of {} fields were asked for. Give 1 or more.",
                       options.group);
  return truncation;
}

void require_same(std::size_t n, std::size_t other) {
  require<InputError>(n == other, "There are {} fields of one component and {} of the other. Give as many.",
                      n, other);
}

}  // namespace

Transform::Transform(Grid grid, int truncation, const Options& options)
    : grid_(std::move(grid)),
      triangle_{checked(grid_, truncation, options)},
      options_(options),
      stripes_(grid_, truncation),
      legendre_(grid_, stripes_, truncation + 1, all_wavenumbers(truncation), options.memory_bytes),
      fourier_(grid_, stripes_) {}

std::size_t Transform::n_fields(std::size_t n_values, std::size_t n_coefficients) const {
  const std::size_t n = n_values / grid_.n_points();
  require<InputError>(n * grid_.n_points() == n_values && n * triangle_.size() == n_coefficients,
                      "There are {} values and {} coefficients. A field has {} and {}: give whole fields, of "
                      "both as many.",
                      n_values, n_coefficients, grid_.n_points(), triangle_.size());
  return n;
}

std::size_t Transform::n_coefficients(int last) const {
  return triangle_.size() + (last - triangle_.last) * static_cast<std::size_t>(triangle_.last + 1);
}

void Transform::synthesise(const Complex* coefficients, int last, int n, RowFactor factor, double* values) {
  double* panels = panels_.reserve(legendre_.panels().size(n));
  legendre_.synthesis(reinterpret_cast<const double*>(coefficients), {n, 2 * n_coefficients(last), last},
                      panels);
  std::vector<const double*> blocks(triangle_.last + 1);
  for (int s = 0; s < stripes_.n(); ++s) {
    for (int m = 0; m <= stripes_.last_wavenumber(s); ++m)
      blocks[m] = panels + legendre_.panels().at(s, m, n);
    fourier_.synthesis(s, blocks, {n, grid_.n_points(), factor}, values);
  }
}

void Transform::analyse(const double* values, int last, int n, RowFactor factor, Complex* coefficients) {
  double* panels = panels_.reserve(legendre_.panels().size(n));
  std::vector<double*> blocks(triangle_.last + 1);
  for (int s = 0; s < stripes_.n(); ++s) {
    for (int m = 0; m <= stripes_.last_wavenumber(s); ++m)
      blocks[m] = panels + legendre_.panels().at(s, m, n);
    fourier_.analysis(s, values, {n, grid_.n_points(), factor}, blocks);
  }
  legendre_.analysis(panels, {n, 2 * n_coefficients(last), last}, reinterpret_cast<double*>(coefficients));
}

/// Calls work(first field, fields) for groups of n fields.
template <class Work>
void Transform::for_groups(std::size_t n, const Work& work) const {
  const std::size_t groups = (n + options_.group - 1) / options_.group;
  for (std::size_t g = 0; g < groups; ++g) {  // as even as can be
    const std::size_t first = n * g / groups;
    work(first, static_cast<int>(n * (g + 1) / groups - first));
  }
}

void Transform::synthesis(std::span<const Complex> coefficients, std::span<double> values) {
  for_groups(n_fields(values.size(), coefficients.size()), [&](std::size_t first, int n) {
    synthesise(coefficients.data() + first * triangle_.size(), triangle_.last, n, RowFactor::one,
               values.data() + first * grid_.n_points());
  });
}

void Transform::analysis(std::span<const double> values, std::span<Complex> coefficients) {
  for_groups(n_fields(values.size(), coefficients.size()), [&](std::size_t first, int n) {
    analyse(values.data() + first * grid_.n_points(), triangle_.last, n, RowFactor::one,
            coefficients.data() + first * triangle_.size());
  });
}

void Transform::winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                      std::span<double> u, std::span<double> v) {
  const std::size_t n = n_fields(u.size(), vorticity.size()), size = triangle_.size();
  require_same(n, n_fields(v.size(), divergence.size()));
  const std::size_t wide = n_coefficients(triangle_.last + 1);
  std::vector<Complex> psi(size), chi(size), u_wide, v_wide;
  for_groups(n, [&](std::size_t first, int some) {
    u_wide.resize(some * wide), v_wide.resize(some * wide);
    for (int f = 0; f < some; ++f) {
      inverse_laplacian(held(), options_.radius, vorticity.subspan((first + f) * size, size), psi);
      inverse_laplacian(held(), options_.radius, divergence.subspan((first + f) * size, size), chi);
      transform::winds(held(), options_.radius, psi, chi, std::span(u_wide).subspan(f * wide, wide),
                       std::span(v_wide).subspan(f * wide, wide));
    }
    const std::size_t at = first * grid_.n_points();
    synthesise(u_wide.data(), triangle_.last + 1, some, RowFactor::inverse_cosine, u.data() + at);
    synthesise(v_wide.data(), triangle_.last + 1, some, RowFactor::inverse_cosine, v.data() + at);
  });
}

void Transform::gradient(std::span<const Complex> coefficients, std::span<double> east,
                         std::span<double> north) {
  const std::size_t n = n_fields(east.size(), coefficients.size()), size = triangle_.size();
  require_same(n, n_fields(north.size(), coefficients.size()));
  const std::size_t wide = n_coefficients(triangle_.last + 1);
  const std::vector<Complex> nothing(size);
  std::vector<Complex> east_wide, north_wide;
  for_groups(n, [&](std::size_t first, int some) {
    east_wide.resize(some * wide), north_wide.resize(some * wide);
    for (int f = 0; f < some; ++f)  // the wind of a potential
      transform::winds(held(), options_.radius, nothing, coefficients.subspan((first + f) * size, size),
                       std::span(east_wide).subspan(f * wide, wide),
                       std::span(north_wide).subspan(f * wide, wide));
    const std::size_t at = first * grid_.n_points();
    synthesise(east_wide.data(), triangle_.last + 1, some, RowFactor::inverse_cosine, east.data() + at);
    synthesise(north_wide.data(), triangle_.last + 1, some, RowFactor::inverse_cosine, north.data() + at);
  });
}

void Transform::vorticity_divergence(std::span<const double> u, std::span<const double> v,
                                     std::span<Complex> vorticity, std::span<Complex> divergence) {
  const std::size_t n = n_fields(u.size(), vorticity.size()), size = triangle_.size();
  require_same(n, n_fields(v.size(), divergence.size()));
  const std::size_t wide = n_coefficients(triangle_.last + 1);
  std::vector<Complex> u_wide, v_wide;
  for_groups(n, [&](std::size_t first, int some) {
    u_wide.resize(some * wide), v_wide.resize(some * wide);
    const std::size_t at = first * grid_.n_points();
    analyse(u.data() + at, triangle_.last + 1, some, RowFactor::inverse_cosine, u_wide.data());
    analyse(v.data() + at, triangle_.last + 1, some, RowFactor::inverse_cosine, v_wide.data());
    for (int f = 0; f < some; ++f)
      transform::vorticity_divergence(held(), options_.radius, std::span(u_wide).subspan(f * wide, wide),
                                      std::span(v_wide).subspan(f * wide, wide),
                                      vorticity.subspan((first + f) * size, size),
                                      divergence.subspan((first + f) * size, size));
  });
}

}  // namespace halcyon::transform
