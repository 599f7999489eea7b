#include "core.hpp"

void bind_halo(nb::module_&) {}
