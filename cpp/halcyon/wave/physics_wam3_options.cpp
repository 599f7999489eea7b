#include "halcyon/wave/physics_wam3.hpp"

namespace halcyon::wave {

std::vector<Option> wam3_option_table() {
  return {
      {"drag_cap",
       2.03e-3,
       "",
       "largest drag coefficient (of the fit to observations by Zijlema et al. 2012)",
       1e-3,
       1,
       {}},
      {"whitecapping", 2.36e-5, "", "strength Cds of whitecapping (Komen et al. 1984)", 0, 1e-3, {}},
      {"lambda", 0.25, "", "shape of the quadruplet (Hasselmann et al. 1985)", 0.05, 0.45, {}},
      {"transfer", 3e7, "", "strength C of the nonlinear transfer (Hasselmann et al. 1985)", 0, 1e9, {}},
      {"friction", 0.038, "m2 s-3", "strength of bottom friction (Hasselmann et al. 1973)", 0, 1, {}},
      {"depth_limit", 0.8, "", "largest significant height over depth", 0.1, 10, {}},
      {"linear_growth",
       true,
       "",
       "waves start from a flat sea (Cavaleri and Malanotte-Rizzoli 1981)",
       0,
       0,
       {}},
      {"limiter",
       std::string("hersbach_janssen"),
       "",
       "largest change in a step (Hersbach and Janssen 1999; WAMDI 1988); without one, steps above 150 s are "
       "unstable",
       0,
       0,
       {"hersbach_janssen", "wamdi", "none"}},
  };
}

namespace {

float number(const Options& options, const char* name) {
  return static_cast<float>(std::get<double>(options.at(name)));
}

Limiter limiter(const std::string& name) {
  if (name == "none") return Limiter::none;
  return name == "wamdi" ? Limiter::wamdi : Limiter::hersbach_janssen;
}

}  // namespace

Wam3Options::Wam3Options(const Options& o)
    : drag_cap(number(o, "drag_cap")),
      whitecapping(number(o, "whitecapping")),
      friction(number(o, "friction")),
      depth_limit(number(o, "depth_limit")),
      lambda(std::get<double>(o.at("lambda"))),
      transfer(std::get<double>(o.at("transfer"))),
      linear_growth(std::get<bool>(o.at("linear_growth"))),
      limiter(wave::limiter(std::get<std::string>(o.at("limiter")))) {}

std::unique_ptr<Physics> make_wam3(const SpectralGrid& grid, const Options& resolved) {
  return std::make_unique<Wam3>(grid, Wam3Options(resolved));
}

}  // namespace halcyon::wave
