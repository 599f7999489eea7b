#include "core.hpp"

void bind_io(nb::module_&) {}
