#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/execution.hpp"
#include "halcyon/comm/exchange/recorder.hpp"
#include "halcyon/comm/progress.hpp"
#include "halcyon/comm/threads.hpp"

namespace {

using namespace halcyon::comm;

void bind_progress(nb::module_& m) {
  nb::class_<Progress>(m, "Progress")
      .def(init_from([](const Communicator& comm, const std::string& mode, const std::string& core,
                        double poll_interval_s) {
             return Progress(comm, progress_mode_named(mode), core_binding_named(core), poll_interval_s);
           }),
           ReleaseGil())
      .def(properties<&Progress::description, &Progress::n_polls>());
  m.def(
      "thread_level", [] { return std::string(thread_level()); },
      "The thread level of MPI: 'MPI_THREAD_MULTIPLE', unless mpi4py.rc requests another one.");
  m.def(
      "mpi_own_progress", &mpi_progress_variable,
      "The environment variable, with its value, that enables the asynchronous progress threads of this MPI, "
      "such as MPICH_ASYNC_PROGRESS=1; empty if none is set.");
}

void bind_execution(nb::module_& m) {
  nb::class_<Execution>(m, "Execution")
      .def(init_from([](const Communicator& comm, const halcyon::schedule::Schedule& schedule,
                        const std::string& method, std::shared_ptr<Progress> progress) {
             return Execution(comm, schedule, method_named(method), {}, std::move(progress));
           }),
           "comm"_a, "schedule"_a, "method"_a, "progress"_a.none(), ReleaseGil())
      .def("run", &Execution::run, ReleaseGil(), "Collective. Executes the whole schedule once.")
      .def(
          "buffer",
          [](nb::handle self, const std::string& name) {
            const auto bytes = nb::cast<Execution&>(self).buffer(name);
            return numpy_view<std::uint8_t>(self, reinterpret_cast<std::uint8_t*>(bytes.data()),
                                            bytes.size());
          },
          "name"_a,
          "A writable view of a buffer of this rank, as bytes (uint8). Raises ConfigError for unknown names.")
      .def_prop_ro(
          "description", [](const Execution& self) { return self.exchange().description(); },
          "The exchange method and, if `auto` chose the method, the measured times.")
      .def_prop_ro(
          "statistics", [](const Execution& self) { return self.exchange().statistics(); },
          "Times, messages and bytes of all runs on this rank so far.");
  nb::class_<SynchronizedClock>(m, "SynchronizedClock", "A clock that is synchronized between ranks.")
      .def(init_from([](const Communicator& comm) { return SynchronizedClock(comm); }), "comm"_a,
           ReleaseGil(), "Collective.");
  nb::class_<TimedExecution>(m, "TimedExecution", "Times executions of a schedule.")
      .def(init_from([](const Communicator& comm, SynchronizedClock& clock,
                        const halcyon::schedule::Schedule& schedule, const std::string& method) {
             return TimedExecution(comm, clock, schedule, method_named(method));
           }),
           "comm"_a, "clock"_a, "schedule"_a, "method"_a = "isend_irecv", nb::keep_alive<1, 3>(),
           ReleaseGil(), "Collective.")
      .def("times_s", &TimedExecution::times_s, "runs"_a, ReleaseGil(),
           "Collective. Returns the wall time [s] of each of `runs` executions, from the common start until "
           "completion on this rank.");
  nb::class_<Recorder>(m, "Recorder")
      .def(nb::init<>())
      .def("write", &Recorder::write, ReleaseGil())
      .def_static("require_writable", &Recorder::require_writable, ReleaseGil(), "Collective.");
}

}  // namespace

void bind_mpi_library(nb::module_& m) {
  m.def("version", &library_version, "The version string of the MPI library that Halcyon was built with.");
}

void bind_comm(nb::module_& m) {
  m.def(
      "methods", [] { return halcyon::options::names_of(halcyon::comm::methods()); },
      "The names of all exchange methods.");
  nb::class_<Communicator>(m, "Communicator")
      .def_static("from_fortran", &Communicator::from_fortran, "handle"_a,
                  "Collective on the first call. Returns the duplicate of the communicator with this Fortran "
                  "handle (comm.py2f() of mpi4py).")
      .def(properties<&Communicator::rank, &Communicator::size>())
      .def(
          "record",
          [](const Communicator& self, std::shared_ptr<Recorder> recorder) {
            self.set_recorder(std::move(recorder));
          },
          "recorder"_a.none(),
          "Sets the recorder of exchanges that are created after this call; None stops recording.");
  nb::class_<Statistics>(m, "Statistics", "Times, messages and bytes of exchanges on this rank so far.")
      .def(properties<&Statistics::pack_s, &Statistics::transfer_s, &Statistics::wait_s,
                      &Statistics::unpack_s, &Statistics::total_s, &Statistics::n_exchanges>())
      .def_ro("n_sent", &Statistics::n_sent, "Number of messages sent.")
      .def_ro("n_received", &Statistics::n_received, "Number of messages received.")
      .def(properties<&Statistics::sent_bytes, &Statistics::received_bytes>());
  bind_progress(m);
  bind_execution(m);
}
