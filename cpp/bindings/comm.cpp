#include "core.hpp"
#include "halcyon/comm/communicator.hpp"

void bind_comm(nb::module_& m) {
  using halcyon::comm::Communicator;
  nb::class_<Communicator>(m, "Communicator")
      .def_static("from_fortran", &Communicator::from_fortran, nb::arg("handle"),
                  "Collective. A duplicate of the communicator with a Fortran handle: mpi4py's comm.py2f().")
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size);
}
