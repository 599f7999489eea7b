#include "core.hpp"

// One function per Python submodule of _core, in the file of that name. Bindings only convert types.
Bind bind_base, bind_mpi_library, bind_graph, bind_fields, bind_mesh, bind_decomposition, bind_schedule,
    bind_comm, bind_network, bind_remap, bind_halo, bind_transform, bind_semi_lagrangian, bind_io,
    bind_krylov, bind_operators, bind_physics, bind_wave, bind_atmosphere, bind_spectral, bind_bench;

NB_MODULE(_core, m) {
  m.attr("__version__") = HALCYON_VERSION;
  // Threads that run when Python ends keep their objects: no leak. tests/base/test_leaks.py enables the
  // check.
  nb::set_leak_warnings(false);
  m.def("set_leak_warnings", &nb::set_leak_warnings, "enabled"_a);
  const auto add = [&m](const char* name, Bind bind) {
    auto module = m.def_submodule(name);
    bind(module);
  };
  add("base", bind_base);
  add("mpi_library", bind_mpi_library);
  add("graph", bind_graph);
  add("fields", bind_fields);
  add("mesh", bind_mesh);
  add("decomposition", bind_decomposition);
  add("schedule", bind_schedule);
  add("comm", bind_comm);
  add("network", bind_network);
  add("remap", bind_remap);
  add("halo", bind_halo);
  add("transform", bind_transform);
  add("semi_lagrangian", bind_semi_lagrangian);
  add("io", bind_io);
  add("krylov", bind_krylov);
  add("operators", bind_operators);
  add("physics", bind_physics);
  add("wave", bind_wave);
  add("atmosphere", bind_atmosphere);
  add("spectral", bind_spectral);
  add("bench", bind_bench);
}
