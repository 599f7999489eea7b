#include "core.hpp"

void bind_comm(nb::module_&) {}
