#include "halcyon/network/engine/engine.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "../arrays.hpp"

namespace {

using namespace halcyon::network;

void bind_result(nb::module_& m) {
  nb::class_<StageTimes>(m, "StageTimes")
      .def(properties<&StageTimes::first_s, &StageTimes::mean_s, &StageTimes::last_s>());
  nb::class_<LowerBounds>(m, "LowerBounds")
      .def(properties<&LowerBounds::injection_s, &LowerBounds::ejection_s, &LowerBounds::link_s,
                      &LowerBounds::bisection_s, &LowerBounds::crossbar_s>());
  nb::class_<Counts>(m, "Counts")
      .def(properties<&Counts::messages, &Counts::local_messages, &Counts::bytes, &Counts::byte_hops,
                      &Counts::events>());
  nb::class_<Result>(m, "Result", "Result of a simulation.")
      .def(properties<&Result::time_s, &Result::stages, &Result::delay_mean_s, &Result::delay_max_s,
                      &Result::counts, &Result::bounds, &Result::chunk_bytes, &Result::link_bin_s,
                      &Result::cpu_s>())
      .def(views<&Result::finish_s, &Result::stage_s, &Result::delay_edges_s, &Result::delay_messages,
                 &Result::slowdown_edges, &Result::slowdown_messages, &Result::nic_bytes,
                 &Result::pair_messages, &Result::pair_delay_s, &Result::link_bytes, &Result::link_busy_s,
                 &Result::link_bin_bytes, &Result::link_bin_wait_s>());
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
      .def_rw("record_slowdown", &Options::record_slowdown)
      .def_rw("noise_seed", &Options::noise_seed)
      .def_rw("pair_bins", &Options::pair_bins);
  bind_result(m);
  m.def("require_recordable", &require_recordable, "topology"_a, "n_ranks"_a, "options"_a,
        "Raises ConfigError for too many pair_bins or link_bins.");
  m.def("require_possible", &require_possible, "topology"_a, "machine"_a, "n_ranks"_a, "options"_a,
        "Raises the ConfigErrors that `simulate` raises before it starts.");
  m.def("simulate", &simulate, "schedule"_a, "topology"_a, "routing"_a, "machine"_a, "placement"_a,
        "options"_a, ReleaseGil());
}
