#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

namespace {

Limiter limiter_named(const std::string& name) {
  if (name == "wamdi") return Limiter::wamdi;
  if (name == "ecmwf") return Limiter::ecmwf;
  return name == "none" ? Limiter::none : Limiter::hersbach_janssen;
}

std::vector<Option> shared_options(const SharedDefaults& defaults) {
  return {
      number_option("lambda", 0.25, "Shape lambda of the DIA quadruplet (Hasselmann et al. 1985).", 0.05,
                    0.45),
      number_option("transfer", defaults.transfer,
                    "Strength C of the nonlinear transfer by the DIA (Hasselmann et al. 1985).", 0, 1e9),
      number_option("friction", 0.038, "Strength Gamma of JONSWAP bottom friction (Hasselmann et al. 1973).",
                    0, 1, "m2 s-3"),
      number_option("breaking", defaults.breaking,
                    "Strength alpha of depth-induced breaking (Battjes and Janssen 1978); 0: no breaking.", 0,
                    10),
      number_option("breaker_index", 0.8,
                    "Ratio gamma of the highest wave to the depth, in depth-induced breaking.", 0.3, 2),
      number_option("depth_limit", 0.8, "Largest ratio of significant wave height to depth.", 0.1, 10),
      {.name = "linear_growth",
       .value = defaults.linear_growth,
       .text = "Linear wind input, which starts waves on a flat sea (Cavaleri and Malanotte-Rizzoli 1981)."},
      {.name = "limiter",
       .value = defaults.limiter,
       .text = "Limiter of the change in a step (Hersbach and Janssen 1999; WAMDI 1988; IFS documentation "
               "CY45R1).",
       .names = {"hersbach_janssen", "wamdi", "ecmwf", "none"}},  // none: steps above 150 s are unstable
      {.name = "growth",
       .value = defaults.growth,
       .text = "Growth in a step where dS/dF > 0: linear, by dt S (WAMDI 1988), or exponential.",
       .names = {"linear", "exponential"}},
      number_option("longest_step", defaults.longest_step,
                    "Longest integration step; a longer time.source_step is divided into equal substeps.", 10,
                    7200, "s"),
  };
}

}  // namespace

std::vector<Option> set_options(const std::string& set, const SharedDefaults& defaults,
                                const std::vector<Option>& wind_input, const std::vector<Option>& specific) {
  auto table = shared_options(defaults);
  table.insert(table.end(), wind_input.begin(), wind_input.end());
  table.push_back({.name = "set", .value = set, .text = "Name of the physics set.", .names = {set}});
  table.insert(table.end(), specific.begin(), specific.end());
  return table;
}

Option number_option(const char* name, double value, const char* text, double minimum, double maximum,
                     const char* unit) {
  return {.name = name, .value = value, .text = text, .unit = unit, .minimum = minimum, .maximum = maximum};
}

float number(const options::Values& options, const char* name) {
  return static_cast<float>(std::get<double>(options.find(name)->second));
}

SharedOptions::SharedOptions(const options::Values& resolved)
    : lambda(std::get<double>(resolved.at("lambda"))),
      transfer(std::get<double>(resolved.at("transfer"))),
      friction(number(resolved, "friction")),
      breaking(number(resolved, "breaking")),
      breaker_index(number(resolved, "breaker_index")),
      depth_limit(number(resolved, "depth_limit")),
      linear_growth(std::get<bool>(resolved.at("linear_growth"))),
      limiter(limiter_named(std::get<std::string>(resolved.at("limiter")))),
      exponential(std::get<std::string>(resolved.at("growth")) == "exponential"),
      longest_step(std::get<double>(resolved.at("longest_step"))) {}

}  // namespace halcyon::wave
