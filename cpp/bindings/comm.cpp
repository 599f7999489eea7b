#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/method.hpp"
#include "halcyon/comm/rehearsal.hpp"
#include "halcyon/comm/statistics.hpp"

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
                  "Collective the first time. The duplicate of the communicator with a Fortran handle: "
                  "mpi4py's comm.py2f().")
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size);
  using halcyon::comm::Statistics;
  nb::class_<Statistics>(m, "Statistics", "What exchanges have cost and moved on this rank so far.")
      .def_ro("pack_s", &Statistics::pack_s)
      .def_ro("transfer_s", &Statistics::transfer_s)
      .def_ro("wait_s", &Statistics::wait_s)
      .def_ro("unpack_s", &Statistics::unpack_s)
      .def_prop_ro("total_s", &Statistics::total_s)
      .def_ro("n_exchanges", &Statistics::n_exchanges)
      .def_ro("n_sent", &Statistics::n_sent, "Messages.")
      .def_ro("n_received", &Statistics::n_received, "Messages.")
      .def_ro("sent_bytes", &Statistics::sent_bytes)
      .def_ro("received_bytes", &Statistics::received_bytes);
  using halcyon::comm::Rehearsal;
  nb::class_<Rehearsal>(m, "Rehearsal", "Runs of a schedule by MPI on memory of its own, to be timed.")
      .def(
          "__init__",
          [](Rehearsal* self, const Communicator& comm, const halcyon::schedule::Schedule& schedule,
             const std::string& method) {
            const nb::gil_scoped_release released;
            new (self) Rehearsal(comm, schedule, halcyon::comm::method_named(method));
          },
          nb::arg("comm"), nb::arg("schedule"), nb::arg("method") = "isend_irecv", nb::keep_alive<1, 3>(),
          "Collective.")
      .def("times_s", &Rehearsal::times_s, nb::arg("runs"), nb::call_guard<nb::gil_scoped_release>(),
           "Collective. Wall time [s] of each of so many runs on this rank, each after a barrier.");
}
