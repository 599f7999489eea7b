#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/method.hpp"

void bind_comm(nb::module_& m) {
  using halcyon::comm::Communicator;
  m.def(
      "methods",
      [] {
        std::vector<std::string> names;
        for (const auto& [name, method] : halcyon::comm::kMethods) names.emplace_back(name);
        return names;
      },
      "The names of all exchange methods.");
  nb::class_<Communicator>(m, "Communicator")
      .def_static("from_fortran", &Communicator::from_fortran, nb::arg("handle"),
                  "Collective. A duplicate of the communicator with a Fortran handle: mpi4py's comm.py2f().")
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size);
}
