#include "core.hpp"

// One function a room, each in the file of its name; bindings translate and hold no logic.
Bind bind_base, bind_mpi_library, bind_graph, bind_fields, bind_mesh, bind_decomposition, bind_schedule,
    bind_comm, bind_network, bind_remap, bind_halo, bind_transform, bind_semi_lagrangian, bind_io,
    bind_krylov, bind_operators, bind_wave, bind_atmosphere, bind_spectral, bind_bench;

NB_MODULE(_core, m) {
  m.attr("__version__") = HALCYON_VERSION;
  const auto room = [&m](const char* name, Bind bind) {
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
