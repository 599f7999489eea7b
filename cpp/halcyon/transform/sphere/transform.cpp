#include "halcyon/transform/sphere/transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

std::shared_ptr<const SphereSets> make_sets(const comm::Communicator* comm, SetCounts counts,
                                            const Grid& grid, int truncation, const Options& options) {
  check_ranks(comm, counts);
  require<ConfigError>(truncation >= 0, "Truncation T{} was asked for. Give 0 or more.", truncation);
  const auto [shortest, longest] = std::ranges::minmax(grid.row_lengths());
  if (!holds(grid, truncation)) {
    const std::int64_t rows = std::int64_t{truncation} + 1;
    throw ConfigError(
        fmt::format("A Gaussian grid of {} rows of {} to {} values cannot hold T{}. Give {} rows of {} "
                    "values, {} octahedral rows or more, or at most T{}.",
                    grid.n_rows(), shortest, longest, truncation, rows, 2 * rows - 1, 2 * rows,
                    largest_truncation(grid)));
  }
  require<ConfigError>(options.radius > 0 && std::isfinite(options.radius),
                       "A sphere of radius {} m was asked for. Give more than 0.", options.radius);
  return std::make_shared<SphereSets>(grid, Stripes(grid, truncation), truncation, counts);
}

void require_same_fields(int n, int n_other) {
  require<InputError>(
      n == n_other, "There are {} fields of one component and {} of the other. Give the same number of both.",
      n, n_other);
}

}  // namespace

template <class Real>
BasicTransform<Real>::BasicTransform(Grid grid, int truncation, const Options& options)
    : BasicTransform(make_sets(nullptr, {}, grid, truncation, options), nullptr, std::move(grid), truncation,
                     options, {}) {}

template <class Real>
BasicTransform<Real>::BasicTransform(const comm::Communicator& comm, SetCounts counts, Grid grid,
                                     int truncation, const Options& options, ExchangeSettings settings)
    : BasicTransform(make_sets(&comm, counts, grid, truncation, options), &comm, std::move(grid), truncation,
                     options, std::move(settings)) {}

template <class Real>
BasicTransform<Real>::BasicTransform(std::shared_ptr<const SphereSets> sets, const comm::Communicator* comm,
                                     Grid&& grid, int truncation, const Options& options,
                                     ExchangeSettings settings)
    : Shared(sets, comm, options.max_batch, options.share_coefficients, std::move(settings)),
      grid_(std::move(grid)),
      triangle_{truncation},
      options_(options),
      sets_(std::move(sets)),
      legendre_(grid_, sets_->stripes(), truncation + 1, sets_->wavenumbers(this->w()), options.memory_bytes),
      fourier_(grid_, *sets_, this->w()) {}

/// Returns the number of coefficients per field at the wavenumbers m of this rank, with n = m..largest_n.
template <class Real>
std::size_t BasicTransform<Real>::n_terms(int largest_n) const {
  std::size_t n = 0;
  for (int m : legendre_.wavenumbers()) n += largest_n + 1 - m;
  return n;
}

template <class Real>
auto BasicTransform<Real>::field_layout(const Batch& batch, int largest_n) const ->
    typename BasicLegendre<Real>::Fields {
  return {batch.n, 2 * n_terms(largest_n), largest_n, batch.group_size};
}

template <class Real>
void BasicTransform<Real>::sum_terms(CallPlan& plan, const StageTask& task, const Complex* coefficients,
                                     int largest_n) {
  legendre_.synthesis(reinterpret_cast<const Real*>(coefficients), field_layout(task.batch, largest_n),
                      task.blocks + task.batch.first * kBlockSize, [&] { plan.progress(); });
}

template <class Real>
void BasicTransform<Real>::sum_latitudes(CallPlan& plan, const StageTask& task, Complex* coefficients,
                                         int largest_n) {
  legendre_.analysis(task.blocks + task.batch.first * kBlockSize, field_layout(task.batch, largest_n),
                     reinterpret_cast<Real*>(coefficients), [&] { plan.progress(); });
}

template <class Real>
void BasicTransform<Real>::to_values(CallPlan& plan, const StageTask& task, RowFactor factor) {
  std::vector<const Real*> blocks(triangle_.truncation + 1);
  for (int s = fourier_.first_stripe(); s < fourier_.end_stripe(); ++s) {
    for (int m = 0; m <= fourier_.largest_wavenumber(s); ++m)
      blocks[m] = task.blocks + sets_->block_offset(this->w(), s, m, task.batch);
    fourier_.synthesis(s, blocks, task.batch.n, factor, task.parts);
    plan.progress();
  }
}

template <class Real>
void BasicTransform<Real>::to_blocks(CallPlan& plan, const StageTask& task, RowFactor factor) {
  const auto parts = read_only(task.parts);
  std::vector<Real*> blocks(triangle_.truncation + 1);
  for (int s = fourier_.first_stripe(); s < fourier_.end_stripe(); ++s) {
    for (int m = 0; m <= fourier_.largest_wavenumber(s); ++m)
      blocks[m] = task.blocks + sets_->block_offset(this->w(), s, m, task.batch);
    fourier_.analysis(s, parts, task.batch.n, factor, blocks);
    plan.progress();
  }
}

template <class Real>
void BasicTransform<Real>::compute_stage(Direction direction, CallPlan& plan, const StageTask& task) {
  if (direction == Direction::synthesis)
    return task.meridional ? sum_terms(plan, task, task.spectra[0], triangle_.truncation)
                           : to_values(plan, task, RowFactor::one);
  task.meridional ? sum_latitudes(plan, task, task.spectra[0], triangle_.truncation)
                  : to_blocks(plan, task, RowFactor::one);
}

/// Synthesizes two derived fields, such as wind components, for each field of the arrays of coefficients. The
/// last two arrays of `values` receive the derived fields; preceding arrays, if any, the values of the fields
/// themselves. `derivatives` computes the coefficients of the derived fields of one field, n up to T + 1.
template <class Real>
auto BasicTransform<Real>::synthesis_of_pairs(std::span<const std::span<const Complex>> coefficients,
                                              std::span<const std::span<Real>> values,
                                              Derivatives derivatives) -> typename Shared::Call {
  const int n = this->n_fields(values[0].size(), coefficients[0].size());
  Arrays arrays;
  for (const auto& array : coefficients) arrays.spectra.push_back(const_cast<Complex*>(array.data()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    require_same_fields(n, this->n_fields(values[i].size(), coefficients[i % coefficients.size()].size()));
    arrays.values.push_back(values[i].data());
  }
  const int n_direct = static_cast<int>(values.size()) - 2, largest_n = triangle_.truncation + 1;
  const std::size_t size = n_terms(triangle_.truncation), n_extended = n_terms(largest_n);
  auto legendre = [=, this, derivatives = std::move(derivatives)](CallPlan& plan, const StageTask& task) {
    const int component = task.component - n_direct;  // of the derived pair; < 0: of the n_direct fields
    const auto& [first, n_fields, group_size] = task.batch;
    if (component < 0) return sum_terms(plan, task, task.spectra[task.component], triangle_.truncation);
    for (auto& component_terms : extended_) component_terms.resize(group_size * n_extended);
    for (int f = 0; component == 0 && f < n_fields; ++f)
      derivatives(task.spectra, f * size,
                  std::span(extended_[0]).subspan((first + f) * n_extended, n_extended),
                  std::span(extended_[1]).subspan((first + f) * n_extended, n_extended));
    sum_terms(plan, task, extended_[component].data() + first * n_extended, largest_n);
  };
  return {{Direction::synthesis, n_direct + 2, static_cast<int>(coefficients.size()), n},
          std::move(arrays),
          [this, n_direct, legendre = std::move(legendre)](CallPlan& plan, const StageTask& task) {
            if (task.meridional) return legendre(plan, task);
            to_values(plan, task, task.component < n_direct ? RowFactor::one : RowFactor::inverse_cosine);
          }};
}

/// Computes winds from vorticity, the first array, and divergence, the second array (if there is none: 0).
template <class Real>
auto BasicTransform<Real>::synthesis_of_winds(std::span<const std::span<const Complex>> coefficients,
                                              std::span<const std::span<Real>> values) ->
    typename Shared::Call {
  const std::size_t size = n_terms(triangle_.truncation);
  return synthesis_of_pairs(
      coefficients, values,
      [this, size, zeros = std::vector<Complex>(size), psi = std::vector<Complex>(size),
       chi = std::vector<Complex>(size)](std::span<Complex* const> from, std::size_t offset,
                                         std::span<Complex> u_cosine, std::span<Complex> v_cosine) mutable {
        transform::inverse_laplacian<Real>(local_modes(), options_.radius, std::span(from[0] + offset, size),
                                           psi);
        const std::span<const Complex> divergence =
            from.size() > 1 ? std::span<const Complex>(from[1] + offset, size) : zeros;
        transform::inverse_laplacian<Real>(local_modes(), options_.radius, divergence, chi);
        transform::winds<Real>(local_modes(), options_.radius, psi, chi, u_cosine, v_cosine);
      });
}

template <class Real>
auto BasicTransform<Real>::synthesis_of_gradient(std::span<const Complex> coefficients,
                                                 std::span<const std::span<Real>> values) ->
    typename Shared::Call {
  const std::size_t size = n_terms(triangle_.truncation);
  return synthesis_of_pairs(
      std::array{coefficients}, values,
      [this, size, zeros = std::vector<Complex>(size)](std::span<Complex* const> from, std::size_t offset,
                                                       std::span<Complex> east, std::span<Complex> north) {
        transform::winds<Real>(local_modes(), options_.radius, zeros, std::span(from[0] + offset, size), east,
                               north);
      });  // a gradient is the wind of a velocity potential
}

template <class Real>
void BasicTransform<Real>::winds(std::span<const Complex> vorticity, std::span<const Complex> divergence,
                                 std::span<Real> u, std::span<Real> v) {
  this->run(synthesis_of_winds(std::array{vorticity, divergence}, std::array{u, v}));
}

template <class Real>
auto BasicTransform<Real>::start_winds(std::span<const Complex> vorticity,
                                       std::span<const Complex> divergence, std::span<Real> u,
                                       std::span<Real> v) -> PendingCall {
  return this->start(synthesis_of_winds(std::array{vorticity, divergence}, std::array{u, v}));
}

template <class Real>
void BasicTransform<Real>::synthesis_and_winds(std::span<const Complex> vorticity,
                                               std::span<const Complex> divergence,
                                               std::span<Real> vorticity_values,
                                               std::span<Real> divergence_values, std::span<Real> u,
                                               std::span<Real> v) {
  this->run(synthesis_of_winds(std::array{vorticity, divergence},
                               std::array{vorticity_values, divergence_values, u, v}));
}

template <class Real>
void BasicTransform<Real>::synthesis_and_winds(
    std::span<const Complex> vorticity, std::span<const Complex> divergence, std::span<const Complex> third,
    std::span<Real> vorticity_values, std::span<Real> divergence_values, std::span<Real> third_values,
    std::span<Real> u, std::span<Real> v) {
  this->run(synthesis_of_winds(std::array{vorticity, divergence, third},
                               std::array{vorticity_values, divergence_values, third_values, u, v}));
}

template <class Real>
void BasicTransform<Real>::synthesis_and_winds(std::span<const Complex> vorticity,
                                               std::span<Real> vorticity_values, std::span<Real> u,
                                               std::span<Real> v) {
  this->run(synthesis_of_winds(std::array{vorticity}, std::array{vorticity_values, u, v}));
}

template <class Real>
void BasicTransform<Real>::gradient(std::span<const Complex> coefficients, std::span<Real> east,
                                    std::span<Real> north) {
  this->run(synthesis_of_gradient(coefficients, std::array{east, north}));
}

template <class Real>
auto BasicTransform<Real>::start_gradient(std::span<const Complex> coefficients, std::span<Real> east,
                                          std::span<Real> north) -> PendingCall {
  return this->start(synthesis_of_gradient(coefficients, std::array{east, north}));
}

template <class Real>
void BasicTransform<Real>::synthesis_and_gradient(std::span<const Complex> coefficients,
                                                  std::span<Real> values, std::span<Real> east,
                                                  std::span<Real> north) {
  this->run(synthesis_of_gradient(coefficients, std::array{values, east, north}));
}

/// Calls function(local_modes(), radius, from, to) for each field.
template <class Real>
template <class Function>
void BasicTransform<Real>::for_fields(std::span<const Complex> from, std::span<Complex> to,
                                      const Function& function) const {
  const std::size_t size = this->n_coefficients(), n = this->n_fields_of_coefficients(from.size(), to.size());
  for (std::size_t f = 0; f < n; ++f)
    function(local_modes(), options_.radius, from.subspan(f * size, size), to.subspan(f * size, size),
             this->first_coefficient());
}

template <class Real>
void BasicTransform<Real>::laplacian(std::span<const Complex> coefficients,
                                     std::span<Complex> laplacian) const {
  for_fields(coefficients, laplacian, transform::laplacian<Real>);
}

template <class Real>
void BasicTransform<Real>::inverse_laplacian(std::span<const Complex> laplacian,
                                             std::span<Complex> coefficients) const {
  for_fields(laplacian, coefficients, transform::inverse_laplacian<Real>);
}

template <class Real>
void BasicTransform<Real>::vorticity_divergence(std::span<const Real> u, std::span<const Real> v,
                                                std::span<Complex> vorticity, std::span<Complex> divergence) {
  this->run(analysis_of_winds(u, v, vorticity, divergence));
}

template <class Real>
auto BasicTransform<Real>::start_vorticity_divergence(std::span<const Real> u, std::span<const Real> v,
                                                      std::span<Complex> vorticity,
                                                      std::span<Complex> divergence) -> PendingCall {
  return this->start(analysis_of_winds(u, v, vorticity, divergence));
}

template <class Real>
auto BasicTransform<Real>::analysis_of_winds(std::span<const Real> u, std::span<const Real> v,
                                             std::span<Complex> vorticity, std::span<Complex> divergence) ->
    typename Shared::Call {
  const int n = this->n_fields(u.size(), vorticity.size()), largest_n = triangle_.truncation + 1;
  require_same_fields(n, this->n_fields(v.size(), divergence.size()));
  const std::size_t size = n_terms(triangle_.truncation), n_extended = n_terms(largest_n);
  const auto legendre = [=, this](CallPlan& plan, const StageTask& task) {
    const std::size_t first = task.batch.first, n_fields = task.batch.n;
    auto& terms = extended_[task.component];
    terms.resize(task.batch.group_size * n_extended);
    sum_latitudes(plan, task, terms.data() + first * n_extended, largest_n);
    for (std::size_t f = 0; task.component == 1 && f < n_fields; ++f)
      transform::vorticity_divergence<Real>(
          local_modes(), options_.radius,
          std::span(extended_[0]).subspan((first + f) * n_extended, n_extended),
          std::span(extended_[1]).subspan((first + f) * n_extended, n_extended),
          std::span(task.spectra[0] + f * size, size), std::span(task.spectra[1] + f * size, size));
  };
  return {{Direction::analysis, 2, 2, n},
          {{const_cast<Real*>(u.data()), const_cast<Real*>(v.data())}, {vorticity.data(), divergence.data()}},
          [=, this](CallPlan& plan, const StageTask& task) {
            task.meridional ? legendre(plan, task) : to_blocks(plan, task, RowFactor::inverse_cosine);
          }};
}

template class BasicTransform<double>;
template class BasicTransform<float>;

}  // namespace halcyon::transform
