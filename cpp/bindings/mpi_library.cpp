#include <nanobind/stl/string.h>

#include "core.hpp"
#include "halcyon/comm/communicator.hpp"

void bind_mpi_library(nb::module_& m) {
  m.def("version", &halcyon::comm::library_version, "The MPI that Halcyon runs on, as MPI names it.");
}
