#include <nanobind/stl/string.h>

#include "core.hpp"
#include "halcyon/mesh/classic_file.hpp"
#include "halcyon/mesh/graph_info.hpp"
#include "halcyon/mesh/mpas.hpp"

using namespace halcyon::mesh;

void bind_mesh_files(nb::module_& m) {
  using Released = nb::call_guard<nb::gil_scoped_release>;
  m.def(
      "write_mpas",
      [](const std::string& path, const Mesh& mesh, const std::string& format) {
        write_mpas(path, mesh, format_named(format));
      },
      nb::arg("path"), nb::arg("mesh"), nb::arg("format") = "cdf5", Released());
  m.def("read_mpas", &read_mpas, nb::arg("path"), Released());
  m.def("write_graph_info", &write_graph_info, nb::arg("path"), nb::arg("mesh"), Released());
  m.def("require_whole", &require_whole, nb::arg("path"), Released());
}
