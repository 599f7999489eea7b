#include "halcyon/physics/spectra.hpp"

#include <cmath>
#include <set>

#include "halcyon/base/error.hpp"

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
    : spectra_(std::move(spectra)),
      variables_(field_variables(schemes, "cell")),
      longitude_(kWidth),
      latitude_(kWidth),
      message_(HALCYON_MESSAGE_SIZE, '\0') {
  for (auto* values : {&state_.depth, &state_.eastward_wind, &state_.northward_wind, &state_.ice_fraction})
    values->resize(kWidth);
  state_.wavenumber.resize(kWidth * spectra_.frequency.size());
  for (auto* values :
       {&state_.density, &results_.source, &results_.derivative, &sums_.source, &sums_.derivative})
    values->resize(kWidth * spectra_.n_bins());
  std::set<std::string> names;
  for (const auto& variable : model_variables) names.insert(variable.name);
  for (const auto& variable : variables_)
    require<ConfigError>(
        names.insert(variable.name).second && variable.dimensions.size() == 1,
        "A source term declares the field '{}', but there is already a variable of this name, "
        "or the field has levels. Give the field another name, and no levels.",
        variable.name);
  calls_.reserve(schemes.size());  // schemes hold the addresses of their blocks
  for (auto& scheme : schemes) {
    require<ConfigError>(names.insert("scheme " + scheme.name()).second,
                         "The source term '{}' is listed twice. Leave out one.", scheme.name());
    const std::vector<std::vector<double>> cells(scheme.fields.size(),
                                                 std::vector<double>(spectra_.ids.size())),
        blocks(scheme.fields.size(), std::vector<double>(kWidth));
    auto& call = calls_.emplace_back(Call{
        .scheme = std::move(scheme), .spectra = {}, .fields = cells, .blocks = blocks, .block_pointers = {}});
    for (auto& block : call.blocks) call.block_pointers.push_back(block.data());
    call.spectra = {.n_cells = SpectrumPhysics::kWidth,
                    .n_frequencies = static_cast<std::int32_t>(spectra_.frequency.size()),
                    .n_directions = static_cast<std::int32_t>(spectra_.direction.size()),
                    .n_options = static_cast<std::int32_t>(call.scheme.options.size()),
                    .n_fields = static_cast<std::int32_t>(call.fields.size()),
                    .time = 0,
                    .date = 0,
                    .step = 0,
                    .gravity = spectra_.gravity,
                    .frequency = spectra_.frequency.data(),
                    .direction = spectra_.direction.data(),
                    .longitude = longitude_.data(),
                    .latitude = latitude_.data(),
                    .depth = state_.depth.data(),
                    .eastward_wind = state_.eastward_wind.data(),
                    .northward_wind = state_.northward_wind.data(),
                    .ice_fraction = state_.ice_fraction.data(),
                    .wavenumber = state_.wavenumber.data(),
                    .density = state_.density.data(),
                    .options = call.scheme.options.data(),
                    .source = results_.source.data(),
                    .source_derivative = results_.derivative.data(),
                    .fields = call.block_pointers.data(),
                    .message = message_.data(),
                    .context = call.scheme.context};
  }
}

void SpectrumPhysics::begin_step(double dt) {
  failure_ = {};
  for (auto& call : calls_) {
    call.spectra.time = static_cast<double>(n_steps_) * dt;
    call.spectra.date = start_date_ + call.spectra.time;
    call.spectra.step = dt;
  }
  ++n_steps_;
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
    for (auto* values : {&results_.source, &results_.derivative}) std::ranges::fill(*values, 0.0);
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      for (std::size_t i = 0; i < kWidth; ++i) call.blocks[f][i] = call.fields[f][cell(i)];
    message_[0] = '\0';
    check(call, call.scheme.function(&call.spectra), first, n);
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      std::copy_n(call.blocks[f].begin(), n, call.fields[f].begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = 0; i < results_.source.size(); ++i) {
      sums_.source[i] += results_.source[i];
      sums_.derivative[i] += results_.derivative[i];
    }
  }
  return sums_;
}

/// Records a failure, and replaces results that are not finite by zeros.
void SpectrumPhysics::check(const Call& call, int status, std::size_t first, std::size_t n) {
  if (status != 0) {
    record(first, {.scheme = call.scheme.name(), .message = error_text(message_.c_str(), status)});
    for (auto* values : {&results_.source, &results_.derivative}) std::ranges::fill(*values, 0.0);
    return;
  }
  const std::size_t n_bins = spectra_.n_bins();
  for (const auto& [name, values] :
       {std::pair("source", &results_.source), std::pair("source_derivative", &results_.derivative)})
    for (std::size_t index = 0; index < values->size(); ++index) {
      double& value = (*values)[index];
      if (std::isfinite(value)) continue;
      if (index / n_bins < n && std::isfinite(state_.density[index]))
        record(first + index / n_bins, {.scheme = call.scheme.name(),
                                        .message = {},
                                        .result = name,
                                        .level = static_cast<int>(index % n_bins),
                                        .value = value});
      value = 0;
    }
}

void SpectrumPhysics::record(std::size_t cell, SchemeFailure failure) {
  if (failure_.column >= 0 && spectra_.ids[failure_.column] <= spectra_.ids[cell]) return;
  failure.column = static_cast<std::int64_t>(cell);
  failure_ = std::move(failure);
}

std::span<double> SpectrumPhysics::values(const std::string& name) {
  for (auto& call : calls_)
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      if (call.scheme.fields[f].name == name) return call.fields[f];
  return {};
}

}  // namespace halcyon::physics
