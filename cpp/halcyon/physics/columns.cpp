#include "halcyon/physics/columns.hpp"

#include <cmath>
#include <utility>

namespace halcyon::physics {
namespace {

constexpr auto kWidth = static_cast<std::size_t>(ColumnPhysics::kWidth);

/// The tendencies, with their names in `halcyon_columns` and their units.
struct ColumnResult {
  const char *name, *units, *long_name;
  std::vector<double> ColumnPhysics::Tendencies::* values;
  bool Uses::* use;
};
constexpr ColumnResult kResults[] = {
    {"temperature_tendency", "K s-1", "rate of change of temperature",
     &ColumnPhysics::Tendencies::temperature, &Uses::heating},
    {"eastward_wind_tendency", "m s-2", "rate of change of the eastward wind",
     &ColumnPhysics::Tendencies::eastward_wind, &Uses::wind_tendency},
    {"northward_wind_tendency", "m s-2", "rate of change of the northward wind",
     &ColumnPhysics::Tendencies::northward_wind, &Uses::wind_tendency},
    {"drag", "s-1", "rate of the drag on the wind", &ColumnPhysics::Tendencies::drag, &Uses::drag},
    {"tracer_tendencies", "s-1", "rates of change of the tracers", &ColumnPhysics::Tendencies::tracers,
     &Uses::tracers}};

/// Repeats the last of n columns to the end of each row of a block.
void complete_rows(std::vector<double>& values, std::size_t n) {
  for (std::size_t row = 0; row < values.size(); row += kWidth)
    std::fill(values.begin() + row + n, values.begin() + row + kWidth, values[row + n - 1]);
}

}  // namespace

ColumnPhysics::ColumnPhysics(std::vector<ColumnScheme> schemes, RankColumns columns,
                             const std::vector<fields::Variable>& model_variables)
    : SchemeCalls(std::move(schemes), columns.ids, columns.n_levels, kWidth),
      columns_(std::move(columns)),
      longitude_(kWidth),
      latitude_(kWidth) {
  uses_ = {false, false, false, false, false, false};
  for (const auto& call : calls_) uses_ |= call.scheme.uses;
  const auto levels = static_cast<std::size_t>(columns_.n_levels) * kWidth, interfaces = levels + kWidth,
             tracers = columns_.tracers.size() * levels;
  for (auto* values : {&state_.surface_pressure, &state_.surface_geopotential}) values->resize(kWidth);
  for (auto* values : {&state_.interface_pressure, &state_.interface_geopotential})
    values->resize(interfaces);
  for (auto* values : {&state_.pressure, &state_.exner, &state_.geopotential, &state_.temperature,
                       &state_.eastward_wind, &state_.northward_wind})
    values->resize(levels);
  state_.tracers.resize(tracers);
  for (auto* all : {&results_, &sums_})
    for (const auto& result : kResults)
      (all->*result.values).resize(result.use == &Uses::tracers ? tracers : levels);
  for (const auto& name : columns_.tracers) tracer_names_.push_back(name.c_str());

  for (auto& call : calls_) {
    for (const auto& tracer : call.scheme.tracers)
      require<ConfigError>(
          std::ranges::find(columns_.tracers, tracer) != columns_.tracers.end(),
          "The physics scheme '{}' needs the tracer '{}', which the model does not have. Set "
          "equations.moist: true, in a model that has it, or leave out the scheme.",
          call.scheme.name(), tracer);
    if (call.scheme.step > 0)
      for (const auto& [name, values] : results_of(call.scheme)) {
        const std::size_t n_rows = values->size() / kWidth;
        call.kept.push_back(
            {call.scheme.name() + "_" + name, n_rows, std::vector<double>(columns_.size() * n_rows)});
      }
    auto& block = call.block;
    block.n_columns = ColumnPhysics::kWidth;
    block.n_levels = columns_.n_levels;
    block.n_tracers = static_cast<std::int32_t>(columns_.tracers.size());
    block.gravity = columns_.gravity;
    block.gas_constant = columns_.gas_constant;
    block.heat_capacity = columns_.heat_capacity;
    block.longitude = longitude_.data();
    block.latitude = latitude_.data();
    block.surface_pressure = state_.surface_pressure.data();
    block.surface_geopotential = state_.surface_geopotential.data();
    block.interface_pressure = state_.interface_pressure.data();
    block.interface_geopotential = state_.interface_geopotential.data();
    block.pressure = state_.pressure.data();
    block.exner = state_.exner.data();
    block.geopotential = state_.geopotential.data();
    block.temperature = state_.temperature.data();
    block.eastward_wind = state_.eastward_wind.data();
    block.northward_wind = state_.northward_wind.data();
    block.tracers = state_.tracers.data();
    block.tracer_names = tracer_names_.data();
    block.temperature_tendency = results_.temperature.data();
    block.eastward_wind_tendency = results_.eastward_wind.data();
    block.northward_wind_tendency = results_.northward_wind.data();
    block.drag = results_.drag.data();
    block.tracer_tendencies = results_.tracers.data();
    set_common(call);
  }
  check_names("physics scheme", variables(""), model_variables);
}

auto ColumnPhysics::compute(std::size_t first, std::size_t n) -> const Tendencies& {
  for (std::size_t i = 0; i < kWidth; ++i) {
    longitude_[i] = columns_.longitude[first + std::min(i, n - 1)];
    latitude_[i] = columns_.latitude[first + std::min(i, n - 1)];
  }
  if (n < kWidth)
    for (auto* values :
         {&state_.surface_pressure, &state_.surface_geopotential, &state_.interface_pressure,
          &state_.interface_geopotential, &state_.pressure, &state_.exner, &state_.geopotential,
          &state_.temperature, &state_.eastward_wind, &state_.northward_wind, &state_.tracers})
      complete_rows(*values, n);
  if (calls_.size() == 1) {
    call(calls_.front(), first, n);
    return results_;
  }
  for (const auto& result : kResults)
    if (uses_.*result.use) std::ranges::fill(sums_.*result.values, 0.0);
  for (auto& scheme_call : calls_) {
    call(scheme_call, first, n);
    for (const auto& result : kResults) {
      if (!(scheme_call.scheme.uses.*result.use)) continue;
      const auto& values = results_.*result.values;
      auto& sums = sums_.*result.values;
      for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
    }
  }
  return sums_;
}

/// Computes the results of a scheme, or takes those that are kept.
void ColumnPhysics::call(Call& call, std::size_t first, std::size_t n) {
  const auto results = results_of(call.scheme);
  if (!call.is_due) {
    for (std::size_t r = 0; r < call.kept.size(); ++r) call.kept[r].gather(first, n, *results[r].values);
    return;
  }
  invoke(
      call, first, n, results,
      [&](std::size_t index) {
        return std::pair(index % kWidth, static_cast<int>(index / kWidth) % columns_.n_levels);
      },
      [&](std::size_t column, std::size_t) {
        bool is_finite = true;
        for (int k = 0; k < columns_.n_levels; ++k)
          is_finite &= std::isfinite(state_.temperature[k * kWidth + column]);
        return is_finite;
      });
  for (std::size_t r = 0; r < call.kept.size(); ++r) call.kept[r].scatter(first, n, *results[r].values);
}

/// The results that a scheme computes, in the order of kResults.
auto ColumnPhysics::results_of(const ColumnScheme& scheme) -> std::vector<Result> {
  std::vector<Result> results;
  for (const auto& column_result : kResults)
    if (auto& values = results_.*column_result.values; scheme.uses.*column_result.use && !values.empty())
      results.push_back({column_result.name, &values});
  return results;
}

auto ColumnPhysics::amounts() const -> std::vector<Amount> {
  std::vector<Amount> result;
  for (const auto& call : calls_)
    for (const auto& field : call.scheme.fields) {
      const bool is_mass = field.units == "kg m-2";
      if (field.has_levels || !(is_mass || field.units == "J m-2")) continue;
      result.push_back(
          {field.name, fields::integral_variable(field.name + (is_mass ? "_mass" : "_energy"),
                                                 is_mass ? "kg" : "J", "integral of " + field.long_name)});
    }
  return result;
}

std::vector<fields::Variable> ColumnPhysics::variables(const char* item) const {
  std::vector<ColumnScheme> schemes;
  for (const auto& call : calls_) schemes.push_back(call.scheme);
  auto table = field_variables(schemes, item);
  for (const auto& call : calls_)
    for (const auto& kept : call.kept)
      for (const auto& result : kResults)
        if (kept.name == call.scheme.name() + "_" + result.name)
          table.push_back(fields::restart_variable(
              kept.name,
              {item, kept.n_rows > static_cast<std::size_t>(columns_.n_levels) ? "tracer_level" : "level"},
              result.units,
              fmt::format("{} by {}, kept until its next call", result.long_name, call.scheme.name())));
  return table;
}

}  // namespace halcyon::physics
