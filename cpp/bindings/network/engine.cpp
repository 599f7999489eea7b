#include "halcyon/network/engine/engine.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "../arrays.hpp"

namespace {

using namespace halcyon::network;

void bind_result(nb::module_& m) {
  nb::class_<StageTimes>(m, "StageTimes")
      .def_ro("first_s", &StageTimes::first_s)
      .def_ro("mean_s", &StageTimes::mean_s)
      .def_ro("last_s", &StageTimes::last_s);
  nb::class_<LowerBounds>(m, "LowerBounds")
      .def_ro("injection_s", &LowerBounds::injection_s)
      .def_ro("ejection_s", &LowerBounds::ejection_s)
      .def_ro("link_s", &LowerBounds::link_s)
      .def_ro("bisection_s", &LowerBounds::bisection_s)
      .def_ro("crossbar_s", &LowerBounds::crossbar_s);
  nb::class_<Counts>(m, "Counts")
      .def_ro("messages", &Counts::messages)
      .def_ro("local_messages", &Counts::local_messages)
      .def_ro("bytes", &Counts::bytes)
      .def_ro("byte_hops", &Counts::byte_hops)
      .def_ro("events", &Counts::events);
  nb::class_<Result> result(m, "Result", "What a simulation gives.");
  result.def_ro("time_s", &Result::time_s)
      .def_ro("stages", &Result::stages)
      .def_ro("delay_mean_s", &Result::delay_mean_s)
      .def_ro("delay_max_s", &Result::delay_max_s)
      .def_ro("counts", &Result::counts)
      .def_ro("bounds", &Result::bounds)
      .def_ro("chunk_bytes", &Result::chunk_bytes)
      .def_ro("link_bin_s", &Result::link_bin_s)
      .def_ro("cpu_s", &Result::cpu_s);
  bind_view(result, "finish_s", &Result::finish_s);
  bind_view(result, "stage_s", &Result::stage_s);
  bind_view(result, "delay_edges_s", &Result::delay_edges_s);
  bind_view(result, "delay_messages", &Result::delay_messages);
  bind_view(result, "pair_messages", &Result::pair_messages);
  bind_view(result, "pair_delay_s", &Result::pair_delay_s);
  bind_view(result, "link_bytes", &Result::link_bytes);
  bind_view(result, "link_busy_s", &Result::link_busy_s);
  bind_view(result, "link_bin_bytes", &Result::link_bin_bytes);
  bind_view(result, "link_bin_wait_s", &Result::link_bin_wait_s);
}

}  // namespace

void bind_network_engine(nb::module_& m) {
  nb::class_<Options>(m, "Options")
      .def(nb::init<>())
      .def_prop_rw(
          "fidelity", [](const Options& self) { return name_of(self.fidelity); },
          [](Options& self, std::string_view name) { self.fidelity = fidelity_named(name); })
      .def_rw("chunk_bytes", &Options::chunk_bytes)
      .def_rw("threads", &Options::threads)
      .def_rw("back_pressure", &Options::back_pressure)
      .def_rw("record_links", &Options::record_links)
      .def_rw("record_ranks", &Options::record_ranks)
      .def_rw("link_bins", &Options::link_bins)
      .def_rw("pair_bins", &Options::pair_bins);
  bind_result(m);
  m.def("require_recordable", &require_recordable, nb::arg("topology"), nb::arg("n_ranks"),
        nb::arg("options"), "Raises ConfigError for more bins of pairs or links than there can be.");
  m.def("require_possible", &require_possible, nb::arg("topology"), nb::arg("machine"), nb::arg("n_ranks"),
        nb::arg("options"), "Raises ConfigError for what `simulate` would refuse before any rank has run.");
  m.def("simulate", &simulate, nb::arg("schedule"), nb::arg("topology"), nb::arg("routing"),
        nb::arg("machine"), nb::arg("placement"), nb::arg("options"),
        nb::call_guard<nb::gil_scoped_release>());
}
