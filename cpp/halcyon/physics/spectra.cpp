#include "halcyon/physics/spectra.hpp"

#include <cmath>

namespace halcyon::physics {
namespace {

constexpr auto kWidth = static_cast<std::size_t>(SpectrumPhysics::kWidth);

/// Repeats the values of the last of n cells to the end of a block.
void complete_cells(std::vector<double>& values, std::size_t n) {
  const std::size_t per_cell = values.size() / kWidth;
  for (std::size_t i = n * per_cell; i < values.size(); ++i) values[i] = values[i - per_cell];
}

}  // namespace

SpectrumPhysics::SpectrumPhysics(std::vector<SpectrumScheme> schemes, RankSpectra spectra,
                                 const std::vector<fields::Variable>& model_variables)
    : SchemeCalls(std::move(schemes), spectra.ids, 1, kWidth),
      spectra_(std::move(spectra)),
      longitude_(kWidth),
      latitude_(kWidth) {
  for (auto* values : {&state_.depth, &state_.eastward_wind, &state_.northward_wind, &state_.ice_fraction})
    values->resize(kWidth);
  state_.wavenumber.resize(kWidth * spectra_.frequency.size());
  for (auto* values :
       {&state_.density, &results_.source, &results_.derivative, &sums_.source, &sums_.derivative})
    values->resize(kWidth * spectra_.n_bins());
  std::vector<SpectrumScheme> with_fields;
  for (auto& call : calls_) {
    call.scheme.step = 0;
    auto& block = call.block;
    block.n_cells = SpectrumPhysics::kWidth;
    block.n_frequencies = static_cast<std::int32_t>(spectra_.frequency.size());
    block.n_directions = static_cast<std::int32_t>(spectra_.direction.size());
    block.gravity = spectra_.gravity;
    block.frequency = spectra_.frequency.data();
    block.direction = spectra_.direction.data();
    block.longitude = longitude_.data();
    block.latitude = latitude_.data();
    block.depth = state_.depth.data();
    block.eastward_wind = state_.eastward_wind.data();
    block.northward_wind = state_.northward_wind.data();
    block.ice_fraction = state_.ice_fraction.data();
    block.wavenumber = state_.wavenumber.data();
    block.density = state_.density.data();
    block.source = results_.source.data();
    block.source_derivative = results_.derivative.data();
    set_common(call);
    with_fields.push_back(call.scheme);
    for (const auto& field : call.scheme.fields)
      require<ConfigError>(!field.has_levels,
                           "The source term '{}' declares the field '{}' with levels. Declare it without.",
                           call.scheme.name(), field.name);
  }
  variables_ = field_variables(with_fields, "cell");
  check_names("source term", variables_, model_variables);
}

auto SpectrumPhysics::compute(std::size_t first, std::size_t n) -> const Sources& {
  const auto cell = [&](std::size_t i) { return first + std::min(i, n - 1); };
  for (std::size_t i = 0; i < kWidth; ++i) {
    longitude_[i] = spectra_.longitude[cell(i)];
    latitude_[i] = spectra_.latitude[cell(i)];
  }
  for (auto* values : {&state_.depth, &state_.eastward_wind, &state_.northward_wind, &state_.ice_fraction,
                       &state_.wavenumber, &state_.density})
    complete_cells(*values, n);
  for (auto* values : {&sums_.source, &sums_.derivative}) std::ranges::fill(*values, 0.0);
  for (auto& call : calls_) {
    invoke(
        call, first, n, {{"source", &results_.source}, {"source_derivative", &results_.derivative}},
        [&](std::size_t index) {
          return std::pair(index / spectra_.n_bins(), static_cast<int>(index % spectra_.n_bins()));
        },
        [&](std::size_t, std::size_t index) { return std::isfinite(state_.density[index]); });
    for (std::size_t i = 0; i < results_.source.size(); ++i) {
      sums_.source[i] += results_.source[i];
      sums_.derivative[i] += results_.derivative[i];
    }
  }
  return sums_;
}

}  // namespace halcyon::physics
