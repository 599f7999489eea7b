#include "core.hpp"

void bind_wave_physics(nb::module_& m);
void bind_wave_products(nb::module_& m);
void bind_wave_wind(nb::module_& m);
void bind_wave_model(nb::module_& m);

void bind_wave(nb::module_& m) {
  bind_wave_physics(m);
  bind_wave_products(m);
  bind_wave_wind(m);
  bind_wave_model(m);
}
