#include "core.hpp"

void bind_graph(nb::module_&) {}
