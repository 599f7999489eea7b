#include "core.hpp"

void bind_mesh(nb::module_&) {}
