#include "core.hpp"

void bind_schedule(nb::module_&) {}
