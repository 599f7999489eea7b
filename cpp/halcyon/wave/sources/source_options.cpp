#include "halcyon/wave/sources/source_options.hpp"

namespace halcyon::wave {

namespace {

Limiter limiter_named(const std::string& name) {
  if (name == "wamdi") return Limiter::wamdi;
  if (name == "ecmwf") return Limiter::ecmwf;
  return name == "none" ? Limiter::none : Limiter::hersbach_janssen;
}

}  // namespace

Option number_option(const char* name, double value, const char* units, const char* text, double minimum,
                     double maximum) {
  return {name, value, units, text, minimum, maximum, {}};
}

float number(const Options& options, const char* name) {
  return static_cast<float>(std::get<double>(options.at(name)));
}

std::vector<Option> with_shared(std::vector<Option> table, const SharedDefaults& defaults) {
  const std::vector<Option> shared = {
      number_option("lambda", 0.25, "", "shape of the quadruplet (Hasselmann et al. 1985)", 0.05, 0.45),
      number_option("transfer", defaults.transfer, "",
                    "strength C of the nonlinear transfer (Hasselmann et al. 1985)", 0, 1e9),
      number_option("friction", 0.038, "m2 s-3", "strength of bottom friction (Hasselmann et al. 1973)", 0,
                    1),
      number_option("breaking", defaults.breaking, "",
                    "strength alpha of depth-induced breaking (Battjes and Janssen 1978); 0 for none", 0, 10),
      number_option("breaker_index", 0.8, "", "highest wave over depth, gamma, of depth-induced breaking",
                    0.3, 2),
      number_option("depth_limit", 0.8, "", "largest significant height over depth", 0.1, 10),
      {"linear_growth",
       defaults.linear_growth,
       "",
       "waves start from a flat sea (Cavaleri and Malanotte-Rizzoli 1981)",
       0,
       0,
       {}},
      {"limiter",
       defaults.limiter,
       "",
       "largest change in a step (Hersbach and Janssen 1999; WAMDI 1988; IFS documentation CY45R1); without "
       "one, steps above 150 s are unstable",
       0,
       0,
       {"hersbach_janssen", "wamdi", "ecmwf", "none"}},
      {"growth",
       defaults.growth,
       "",
       "how a bin that feeds itself grows in a step: by dt S (WAMDI 1988), or exponentially",
       0,
       0,
       {"linear", "exponential"}},
      number_option("longest_step", defaults.longest_step, "s",
                    "a longer source step is taken in equal parts that are not longer", 10, 7200),
  };
  table.insert(table.end(), shared.begin(), shared.end());
  return table;
}

SharedOptions::SharedOptions(const Options& o)
    : lambda(std::get<double>(o.at("lambda"))),
      transfer(std::get<double>(o.at("transfer"))),
      friction(number(o, "friction")),
      breaking(number(o, "breaking")),
      breaker_index(number(o, "breaker_index")),
      depth_limit(number(o, "depth_limit")),
      linear_growth(std::get<bool>(o.at("linear_growth"))),
      limiter(limiter_named(std::get<std::string>(o.at("limiter")))),
      exponential(std::get<std::string>(o.at("growth")) == "exponential"),
      longest_step(std::get<double>(o.at("longest_step"))) {}

}  // namespace halcyon::wave
