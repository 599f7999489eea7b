#include "core.hpp"

void bind_fields(nb::module_&) {}
