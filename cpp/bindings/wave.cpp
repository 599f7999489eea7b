#include "core.hpp"

void bind_wave(nb::module_&) {}
