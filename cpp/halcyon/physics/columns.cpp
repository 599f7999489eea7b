#include "halcyon/physics/columns.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::physics {
namespace {

constexpr auto kWidth = static_cast<std::size_t>(ColumnPhysics::kWidth);

/// The tendencies, with their names in `halcyon_columns` and their units.
struct Result {
  const char *name, *units, *long_name;
  std::vector<double> ColumnPhysics::Tendencies::* values;
  bool Uses::* use;
};
constexpr Result kResults[] = {
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
    : columns_(std::move(columns)),
      longitude_(kWidth),
      latitude_(kWidth),
      message_(HALCYON_MESSAGE_SIZE, '\0') {
  uses_ = {false, false, false, false, false, false};
  for (const auto& scheme : schemes) uses_ |= scheme.uses;
  const auto levels = static_cast<std::size_t>(columns_.n_levels) * kWidth, interfaces = levels + kWidth,
             tracers = columns_.n_tracers * levels;
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

  calls_.reserve(schemes.size());  // schemes hold the addresses of their blocks
  for (auto& scheme : schemes) {
    auto& call = calls_.emplace_back(
        Call{.scheme = std::move(scheme), .columns = {}, .fields = {}, .kept = {}, .field_pointers = {}});
    const auto add = [&](std::vector<FieldValues>& fields, const std::string& name, int n_rows) {
      fields.push_back({name, n_rows, std::vector<double>(columns_.size() * n_rows),
                        std::vector<double>(kWidth * n_rows)});
    };
    for (const auto& field : call.scheme.fields)
      add(call.fields, field.name, field.has_levels ? columns_.n_levels : 1);
    for (auto& field : call.fields) call.field_pointers.push_back(field.block.data());
    for (const auto& result : kResults)
      if (call.scheme.step > 0 && call.scheme.uses.*result.use && !(results_.*result.values).empty())
        add(call.kept, call.scheme.name() + "_" + result.name,
            static_cast<int>((results_.*result.values).size() / kWidth));
    call.columns = {.n_columns = ColumnPhysics::kWidth,
                    .n_levels = columns_.n_levels,
                    .n_tracers = columns_.n_tracers,
                    .n_options = static_cast<std::int32_t>(call.scheme.options.size()),
                    .n_fields = static_cast<std::int32_t>(call.fields.size()),
                    .time = 0,
                    .date = 0,
                    .step = 0,
                    .gravity = columns_.gravity,
                    .gas_constant = columns_.gas_constant,
                    .heat_capacity = columns_.heat_capacity,
                    .longitude = longitude_.data(),
                    .latitude = latitude_.data(),
                    .surface_pressure = state_.surface_pressure.data(),
                    .surface_geopotential = state_.surface_geopotential.data(),
                    .interface_pressure = state_.interface_pressure.data(),
                    .interface_geopotential = state_.interface_geopotential.data(),
                    .pressure = state_.pressure.data(),
                    .exner = state_.exner.data(),
                    .geopotential = state_.geopotential.data(),
                    .temperature = state_.temperature.data(),
                    .eastward_wind = state_.eastward_wind.data(),
                    .northward_wind = state_.northward_wind.data(),
                    .tracers = state_.tracers.data(),
                    .options = call.scheme.options.data(),
                    .temperature_tendency = results_.temperature.data(),
                    .eastward_wind_tendency = results_.eastward_wind.data(),
                    .northward_wind_tendency = results_.northward_wind.data(),
                    .drag = results_.drag.data(),
                    .tracer_tendencies = results_.tracers.data(),
                    .fields = call.field_pointers.data(),
                    .message = message_.data(),
                    .context = call.scheme.context};
  }
  std::set<std::string> names;
  for (const auto& variable : model_variables) names.insert(variable.name);
  for (const auto& call : calls_)
    require<ConfigError>(names.insert("scheme " + call.scheme.name()).second,
                         "The physics scheme '{}' is listed twice. Leave out one.", call.scheme.name());
  for (const auto& variable : variables(""))
    require<ConfigError>(names.insert(variable.name).second,
                         "A physics scheme declares the field '{}', but there is already a variable of this "
                         "name. Give the field another name.",
                         variable.name);
}

void ColumnPhysics::begin_step(double dt) {
  failure_ = {};
  for (auto& call : calls_) {
    const double step = call.scheme.step;
    const auto period = step > 0 ? std::max<std::int64_t>(1, std::llround(step / dt)) : 1;
    call.is_due = n_steps_ % period == 0;
    call.columns.time = static_cast<double>(n_steps_) * dt;
    call.columns.date = start_date_ + call.columns.time;
    call.columns.step = static_cast<double>(period) * dt;
  }
  ++n_steps_;
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
  const auto gather = [&](FieldValues& field, std::vector<double>& block) {
    for (std::size_t i = 0; i < kWidth; ++i)
      for (int row = 0; row < field.n_rows; ++row)
        block[row * kWidth + i] = field.rank[(first + std::min(i, n - 1)) * field.n_rows + row];
  };
  const auto scatter = [&](FieldValues& field, const std::vector<double>& block) {
    for (std::size_t i = 0; i < n; ++i)
      for (int row = 0; row < field.n_rows; ++row)
        field.rank[(first + i) * field.n_rows + row] = block[row * kWidth + i];
  };
  const auto results = results_of(call.scheme);
  if (!call.is_due) {
    for (std::size_t r = 0; r < call.kept.size(); ++r) gather(call.kept[r], *results[r]);
    return;
  }
  for (auto* values : results) std::ranges::fill(*values, 0.0);
  for (auto& field : call.fields) gather(field, field.block);
  message_[0] = '\0';
  check(call, call.scheme.function(&call.columns), first, n);
  for (auto& field : call.fields) scatter(field, field.block);
  for (std::size_t r = 0; r < call.kept.size(); ++r) scatter(call.kept[r], *results[r]);
}

/// The results that a scheme computes, in the order of kResults.
std::vector<std::vector<double>*> ColumnPhysics::results_of(const ColumnScheme& scheme) {
  std::vector<std::vector<double>*> results;
  for (const auto& result : kResults)
    if (auto& values = results_.*result.values; scheme.uses.*result.use && !values.empty())
      results.push_back(&values);
  return results;
}

/// Records a failure. Replaces results that are not finite by zeros, so that the state stays finite until the
/// ranks have agreed on the failure. A column whose temperature is not finite is a failure of the model.
void ColumnPhysics::check(const Call& call, int status, std::size_t first, std::size_t n) {
  if (status != 0) {
    record(first, {.scheme = call.scheme.name(), .message = error_text(message_.c_str(), status)});
    for (auto* values : results_of(call.scheme)) std::ranges::fill(*values, 0.0);
    return;
  }
  for (const auto& result : kResults) {
    if (!(call.scheme.uses.*result.use)) continue;
    auto& values = results_.*result.values;
    double zero = 0;
    for (const double value : values) zero += value * 0;
    if (zero == 0) continue;
    for (std::size_t index = 0; index < values.size(); ++index) {
      const auto i = index % kWidth, row = index / kWidth;
      if (std::isfinite(values[index])) continue;
      bool has_finite_state = true;
      for (int k = 0; k < columns_.n_levels; ++k)
        has_finite_state &= std::isfinite(state_.temperature[k * kWidth + i]);
      if (has_finite_state && i < n)
        record(first + i, {.scheme = call.scheme.name(),
                           .message = {},
                           .result = result.name,
                           .level = static_cast<int>(row) % columns_.n_levels,
                           .value = values[index]});
      values[index] = 0;
    }
  }
}

void ColumnPhysics::record(std::size_t column, SchemeFailure failure) {
  if (failure_.column >= 0 && columns_.ids[failure_.column] <= columns_.ids[column]) return;
  failure.column = static_cast<std::int64_t>(column);
  failure_ = std::move(failure);
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
              kept.name, {item, kept.n_rows > columns_.n_levels ? "tracer_level" : "level"}, result.units,
              fmt::format("{} by {}, kept until its next call", result.long_name, call.scheme.name())));
  return table;
}

std::span<double> ColumnPhysics::values(const std::string& name) {
  for (auto& call : calls_)
    for (auto* fields : {&call.fields, &call.kept})
      for (auto& field : *fields)
        if (field.name == name) return field.rank;
  return {};
}

std::int64_t ColumnPhysics::memory_bytes() const {
  std::size_t n = 0;
  for (const auto& call : calls_)
    for (const auto* fields : {&call.fields, &call.kept})
      for (const auto& field : *fields) n += field.rank.size();
  return static_cast<std::int64_t>(n * sizeof(double));
}

}  // namespace halcyon::physics
