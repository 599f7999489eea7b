#include "core.hpp"

void bind_decomposition(nb::module_&) {}
