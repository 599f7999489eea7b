#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "halcyon/base/atomic_file.hpp"
#include "halcyon/mesh/files/verify.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

using namespace halcyon::mesh;

namespace {

using Path = std::filesystem::path;

void bind_reader(nb::module_& m, const char* name, Mesh (*read)(const std::string&)) {
  m.def(name, [read](const Path& path) { return read(path.string()); }, "path"_a, ReleaseGil());
}

}  // namespace

void bind_mesh_files(nb::module_& m) {
  bind_reader(m, "read_mpas", read_mpas);
  m.def("is_canonical", &is_canonical, "path"_a, ReleaseGil(),
        "Checks a mesh file. Returns whether the file has the form that `write_mpas` writes.");
  bind_reader(m, "read_grist", read_grist);
  bind_reader(m, "read_mesh", read_mesh);
  m.def(
      "write_mpas",
      [](const Path& path, const Mesh& mesh, const std::string& format) {
        write_mpas(path.string(), mesh, format_named(format));
      },
      "path"_a, "mesh"_a, "format"_a = "cdf5", ReleaseGil(),
      "Writes a mesh in the MPAS format, as cdf5 or netcdf4, atomically. Raises RunError if the file cannot "
      "be written, ConfigError for another format.");
  m.def(
      "write_graph_info", [](const Path& path, const Mesh& mesh) { write_graph_info(path.string(), mesh); },
      "path"_a, "mesh"_a, ReleaseGil(),
      "Writes the adjacency of the cells as METIS' graph.info. Raises RunError if writing fails.");
  m.def(
      "write_partition",
      [](const Path& path, std::span<const halcyon::Rank> parts) { write_partition(path.string(), parts); },
      "path"_a, "parts"_a, ReleaseGil(),
      "Writes the part int32 (cell) of each cell, one line per cell, as METIS' graph.info.part.N. Raises "
      "RunError if the file cannot be written.");
  m.def(
      "read_partition",
      [](const Path& path, halcyon::LocalIndex n_cells) {
        return to_numpy(read_partition(path.string(), n_cells));
      },
      "path"_a, "n_cells"_a,
      "Reads the part int32 (cell) of each cell from a file such as graph.info.part.N. Raises InputError "
      "unless the file has one line per cell, each an integer from 0 to N - 1 (N from the name of the file, "
      "if any), and no part is empty.");
  m.def(
      "write_atomically",
      [](const std::string& path, const nb::callable& write) {
        halcyon::write_atomically(path, [&](const std::string& part_path) { write(part_path); });
      },
      "path"_a, "write"_a);
  m.def("write_checksums", nb::overload_cast<const std::string&>(&write_checksums), "path"_a, ReleaseGil());
  m.def("require_space", &halcyon::require_space, "path"_a, "data_bytes"_a);
  m.def("require_complete", &require_complete, "path"_a, ReleaseGil());
  m.def("format_named", [](const std::string& name) { format_named(name); }, "name"_a);
}
