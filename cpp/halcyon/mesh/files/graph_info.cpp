#include "halcyon/mesh/files/graph_info.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/files/whole_file.hpp"

namespace halcyon::mesh {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

void append(std::string& text, LocalIndex number) {
  char digits[16];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// The neighbours of a cell, one-based, as a line.
void append_line(std::string& text, const Mesh& mesh, LocalIndex cell) {
  const std::size_t begin = text.size();
  for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    if (mesh.cells_on_cell[i] == kNone) continue;
    if (text.size() > begin) text += ' ';
    append(text, mesh.cells_on_cell[i] + 1);
  }
  text += '\n';
}

void write_lines(const std::string& path, const Mesh& mesh) {
  std::ofstream out(path, std::ios::binary);
  const auto check = [&] {
    require<RunError>(out.good(), "Cannot write {}. Check the folder, its permissions and free space.", path);
  };
  check();
  const auto inner = std::ranges::count_if(mesh.cells_on_edge, [](auto& cells) { return cells[1] != kNone; });
  std::string text = fmt::format("{} {}\n", mesh.n_cells(), inner);
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    append_line(text, mesh, c);
    if (text.size() < kBlockBytes) continue;
    out << text;
    text.clear();
  }
  out << text;
  out.close();
  check();
}

}  // namespace

void write_graph_info(const std::string& path, const Mesh& mesh) {
  write_whole(path, [&](const std::string& part) { write_lines(part, mesh); });
}

}  // namespace halcyon::mesh
