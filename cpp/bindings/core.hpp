#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

// One function a room, each in the file of its name; bindings translate and hold no logic.
void bind_base(nb::module_& m);
void bind_bench(nb::module_& m);
void bind_mpi_library(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_decomposition(nb::module_& m);
void bind_fields(nb::module_& m);
void bind_mesh(nb::module_& m);
void bind_comm(nb::module_& m);
void bind_halo(nb::module_& m);
void bind_io(nb::module_& m);
void bind_krylov(nb::module_& m);
void bind_operators(nb::module_& m);
void bind_network(nb::module_& m);
void bind_network_engine(nb::module_& m);
void bind_network_machine(nb::module_& m);
void bind_remap(nb::module_& m);
void bind_transform(nb::module_& m);
void bind_schedule(nb::module_& m);
void bind_spectral(nb::module_& m);
void bind_semi_lagrangian(nb::module_& m);
void bind_wave(nb::module_& m);
void bind_atmosphere(nb::module_& m);
