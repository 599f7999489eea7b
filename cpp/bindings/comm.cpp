#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/recorder.hpp"
#include "halcyon/comm/exchange/rehearsal.hpp"
#include "halcyon/comm/progress.hpp"
#include "halcyon/comm/threads.hpp"

namespace {

using namespace halcyon::comm;

void bind_progress(nb::module_& m) {
  nb::class_<Progress>(m, "Progress")
      .def(made([](const Communicator& comm, const std::string& by, const std::string& core, double nap_s) {
             return Progress(comm, progress_named(by), core_named(core), nap_s);
           }),
           Released())
      .def(properties<&Progress::description, &Progress::n_turns>());
  m.def(
      "thread_level", [] { return std::string(thread_level()); },
      "What MPI was started with, as MPI names it: MPI_THREAD_MULTIPLE, unless mpi4py.rc says otherwise.");
  m.def("mpi_own_progress", &mpi_own_progress,
        "The environment's setting by which this MPI moves messages with threads of its own, such as "
        "MPICH_ASYNC_PROGRESS=1; empty where there is none.");
}

void bind_execution(nb::module_& m) {
  nb::class_<Execution>(m, "Execution")
      .def(made([](const Communicator& comm, const halcyon::schedule::Schedule& schedule,
                   const std::string& method, std::shared_ptr<Progress> progress) {
             return Execution(comm, schedule, method_named(method), {}, std::move(progress));
           }),
           "comm"_a, "schedule"_a, "method"_a, "progress"_a.none(), Released())
      .def("run", &Execution::run, Released(), "Collective. Runs the whole schedule once.")
      .def(
          "buffer",
          [](nb::handle self, const std::string& name) {
            const auto bytes = nb::cast<Execution&>(self).buffer(name);
            return numpy_view<std::uint8_t>(self, reinterpret_cast<std::uint8_t*>(bytes.data()),
                                            bytes.size());
          },
          "name"_a,
          "This rank's memory as bytes (uint8), to be read and written. Raises ConfigError for another name.")
      .def_prop_ro(
          "description", [](const Execution& self) { return self.exchange().description(); },
          "The method and, where `auto` chose it, why.")
      .def_prop_ro(
          "statistics", [](const Execution& self) { return self.exchange().statistics(); },
          "What the runs have cost and moved on this rank so far.");
  nb::class_<CommonClock>(m, "CommonClock", "A clock that all ranks read alike.")
      .def(made([](const Communicator& comm) { return CommonClock(comm); }), "comm"_a, Released(),
           "Collective.");
  nb::class_<Rehearsal>(m, "Rehearsal", "Executions of a schedule that are timed.")
      .def(made([](const Communicator& comm, CommonClock& clock, const halcyon::schedule::Schedule& schedule,
                   const std::string& method) {
             return Rehearsal(comm, clock, schedule, method_named(method));
           }),
           "comm"_a, "clock"_a, "schedule"_a, "method"_a = "isend_irecv", nb::keep_alive<1, 3>(), Released(),
           "Collective.")
      .def("times_s", &Rehearsal::times_s, "runs"_a, Released(),
           "Collective. Of each of so many runs, the wall time [s] from the common start until this rank was "
           "done.");
  nb::class_<Recorder>(m, "Recorder")
      .def(nb::init<>())
      .def("write", &Recorder::write, Released())
      .def_static("require_writable", &Recorder::require_writable, Released(), "Collective.");
}

}  // namespace

void bind_mpi_library(nb::module_& m) {
  m.def("version", &library_version, "The MPI that Halcyon runs on, as MPI names it.");
}

void bind_comm(nb::module_& m) {
  m.def(
      "methods", [] { return halcyon::options::names_of(halcyon::comm::methods()); },
      "The names of all exchange methods.");
  nb::class_<Communicator>(m, "Communicator")
      .def_static("from_fortran", &Communicator::from_fortran, "handle"_a,
                  "Collective the first time. The duplicate of the communicator with a Fortran handle: "
                  "mpi4py's comm.py2f().")
      .def(properties<&Communicator::rank, &Communicator::size>())
      .def(
          "record",
          [](const Communicator& self, std::shared_ptr<Recorder> recorder) {
            self.record(std::move(recorder));
          },
          "recorder"_a.none(),
          "Exchanges that are made on this communicator are recorded from now on; no more where it is None.");
  nb::class_<Statistics>(m, "Statistics", "What exchanges have cost and moved on this rank so far.")
      .def(properties<&Statistics::pack_s, &Statistics::transfer_s, &Statistics::wait_s,
                      &Statistics::unpack_s, &Statistics::total_s, &Statistics::n_exchanges>())
      .def_ro("n_sent", &Statistics::n_sent, "Messages.")
      .def_ro("n_received", &Statistics::n_received, "Messages.")
      .def(properties<&Statistics::sent_bytes, &Statistics::received_bytes>());
  bind_progress(m);
  bind_execution(m);
}
