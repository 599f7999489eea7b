#include "halcyon/comm/communicator.hpp"

#include <nanobind/stl/string.h>

#include "core.hpp"

void bind_comm(nb::module_& m) { m.def("library_version", &halcyon::comm::library_version); }
