#include "core.hpp"

NB_MODULE(_core, m) {
  m.attr("__version__") = HALCYON_VERSION;
  const auto room = [&m](const char* name, void (*bind)(nb::module_&)) {
    auto module = m.def_submodule(name);
    bind(module);
  };
  room("base", bind_base);
  room("mpi_library", bind_mpi_library);
  room("graph", bind_graph);
  room("fields", bind_fields);
  room("mesh", bind_mesh);
  room("decomposition", bind_decomposition);
  room("schedule", bind_schedule);
  room("comm", bind_comm);
  room("network", bind_network);
  room("remap", bind_remap);
  room("halo", bind_halo);
  room("transform", bind_transform);
  room("semi_lagrangian", bind_semi_lagrangian);
  room("io", bind_io);
  room("krylov", bind_krylov);
  room("operators", bind_operators);
  room("wave", bind_wave);
  room("atmosphere", bind_atmosphere);
  room("spectral", bind_spectral);
  room("bench", bind_bench);
}
