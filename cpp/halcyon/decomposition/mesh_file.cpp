#include "halcyon/decomposition/mesh_file.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"

namespace halcyon::decomposition {

namespace {

constexpr const char* kDimensions[] = {"nCells", "nEdges", "nVertices"};
constexpr std::int64_t kBytesOfRow = 100;  ///< about, of what is read at once: lists of a cell

std::vector<GlobalIndex> ids_of_block(const comm::Communicator& comm, const Blocks& blocks) {
  const auto first = blocks.first(comm.rank());
  std::vector<GlobalIndex> ids(blocks.first(comm.rank() + 1) - first);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// Reads rows of variables on the same items.
class Rows {
 public:
  Rows(io::Reader& reader, const io::Ranks& ranks, const std::vector<GlobalIndex>& ids, GlobalIndex n_items)
      : reader_(reader), placement_(ranks, ids, n_items) {}

  /// Of a table; a list of arrays serves as well.
  template <class T, std::size_t K>
  void read(const char* name, std::vector<std::array<T, K>>& rows) {
    rows.resize(placement_.size());
    read_into(name, rows.empty() ? nullptr : rows.front().data(), rows.size() * K);
  }
  template <class T>
  void read(const char* name, std::vector<T>& values, std::size_t width = 1) {
    values.resize(placement_.size() * width);
    read_into(name, values.data(), values.size());
  }
  /// One-based indices, 0 for nothing, made zero-based.
  template <std::size_t K>
  void read_indices(const char* name, std::vector<std::array<LocalIndex, K>>& rows) {
    read(name, rows);
    for (auto& row : rows)
      for (auto& index : row) --index;
  }
  /// What is read of `x` + name, `y` + name and `z` + name.
  std::vector<Vector3> points(const std::string& name) {
    std::vector<Vector3> points(placement_.size());
    std::vector<double> values;
    const auto take = [&](const char* axis, double Vector3::* part) {
      read((axis + name).c_str(), values);
      for (std::size_t i = 0; i < points.size(); ++i) points[i].*part = values[i];
    };
    take("x", &Vector3::x);
    take("y", &Vector3::y);
    take("z", &Vector3::z);
    return points;
  }
  /// Offsets of lists whose lengths a variable has.
  std::vector<LocalIndex> offsets(const char* lengths, GlobalIndex width) {
    std::vector<LocalIndex> offsets{0};
    std::vector<std::int32_t> n;
    read(lengths, n);
    reader_comm().agree([&] {
      for (const auto length : n) {
        require<InputError>(length >= 0 && length <= width,
                            "{}: {} is {}, but must be 0..{}. Make the mesh again.", reader_.path(), lengths,
                            length, width);
        offsets.push_back(offsets.back() + length);
      }
    });
    return offsets;
  }
  /// Rows of a padded table without the padding, each number made less by `shift`.
  template <class T>
  std::vector<T> lists(const char* name, const std::vector<LocalIndex>& offsets, GlobalIndex width, T shift) {
    std::vector<T> table, values;
    read(name, table, width);
    values.reserve(offsets.back());
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      const auto begin = table.begin() + static_cast<std::ptrdiff_t>(row * width);
      std::transform(begin, begin + (offsets[row + 1] - offsets[row]), std::back_inserter(values),
                     [shift](T value) { return value - shift; });
    }
    return values;
  }

 private:
  const comm::Communicator& reader_comm() const { return placement_.ranks().comm(); }
  template <class T>
  void read_into(const char* name, T* values, std::size_t count) {
    const io::Target target{name, io::type_of<T>(), values, count};
    reader_.read(-1, placement_, {&target, 1});
  }

  io::Reader& reader_;
  io::Placement placement_;
};

GlobalLists global(Lists lists) {
  GlobalLists found{std::move(lists.offsets), {lists.values.begin(), lists.values.end()}};
  return found;
}

/// Leaves out what stands for nothing: kNone, or n as in MPAS' memory.
Lists compact(const Lists& lists, GlobalIndex n) {
  Lists found;
  for (LocalIndex row = 0; row < lists.size(); ++row) {
    std::ranges::copy_if(lists[row], std::back_inserter(found.values),
                         [n](auto i) { return i != kNone && i != n; });
    found.close();
  }
  return found;
}

}  // namespace

MeshFile::MeshFile(const comm::Communicator& comm, const std::string& path)
    : ranks_(comm, {}, kBytesOfRow), reader_(ranks_, path) {
  for (const auto* name : kDimensions) n_items_.push_back(dimension(name));
  max_edges_ = dimension("maxEdges");
  max_edges_2_ = dimension("maxEdges2");
}

GlobalIndex MeshFile::dimension(const std::string& name) const {
  const auto& all = reader_.schema().dimensions;
  const auto found = std::ranges::find(all, name, &io::Dimension::name);
  require<InputError>(found != all.end() && found->size > 0, "{} has no dimension {}: it is no MPAS mesh.",
                      reader_.path(), name);
  return found->size;
}

Slice MeshFile::slice() {
  const auto ids = ids_of_block(comm(), {n_items_[0], comm().size()});
  Rows cells(reader_, ranks_, ids, n_items_[0]);
  const auto offsets = cells.offsets("nEdgesOnCell", max_edges_);
  const auto lists = [&](const char* name) {
    return Lists{offsets, cells.lists<LocalIndex>(name, offsets, max_edges_, 1)};
  };
  return {.n_items = n_items_,
          .cells_on_cell = global(compact(lists("cellsOnCell"), n_items_[0])),
          .on_cell = {global(lists("edgesOnCell")), global(lists("verticesOnCell"))}};
}

LocalMesh MeshFile::local_mesh(Decomposition part) {
  LocalMesh local{std::move(part), {}, n_items_};
  read_cells(local);
  local.most_edges = static_cast<LocalIndex>(comm().max(most_edges(local.mesh)));
  read_edges(local);
  read_vertices(local);
  renumber(local.mesh, local.part);
  return local;
}

void MeshFile::read_cells(LocalMesh& local) {
  auto& m = local.mesh;
  Rows rows(reader_, ranks_, local.part.shares[0].to_global, n_items_[0]);
  m.cell_offsets = rows.offsets("nEdgesOnCell", max_edges_);
  m.cells_on_cell = rows.lists<LocalIndex>("cellsOnCell", m.cell_offsets, max_edges_, 1);
  m.edges_on_cell = rows.lists<LocalIndex>("edgesOnCell", m.cell_offsets, max_edges_, 1);
  m.vertices_on_cell = rows.lists<LocalIndex>("verticesOnCell", m.cell_offsets, max_edges_, 1);
  m.cell_points = rows.points("Cell");
  rows.read("areaCell", m.area_cell);
  m.mesh_density.assign(m.cell_points.size(), 1);
  if (has("meshDensity")) rows.read("meshDensity", m.mesh_density);
  if (has("bottomDepth")) rows.read("bottomDepth", m.bottom_depth);
}

void MeshFile::read_edges(LocalMesh& local) {
  auto& m = local.mesh;
  Rows rows(reader_, ranks_, local.part.shares[1].to_global, n_items_[1]);
  rows.read_indices("cellsOnEdge", m.cells_on_edge);
  rows.read_indices("verticesOnEdge", m.vertices_on_edge);
  m.edge_offsets = rows.offsets("nEdgesOnEdge", max_edges_2_);
  m.edges_on_edge = rows.lists<LocalIndex>("edgesOnEdge", m.edge_offsets, max_edges_2_, 1);
  m.weights_on_edge = rows.lists<double>("weightsOnEdge", m.edge_offsets, max_edges_2_, 0);
  m.edge_points = rows.points("Edge");
  rows.read("dcEdge", m.dc_edge);
  rows.read("dvEdge", m.dv_edge);
  rows.read("angleEdge", m.angle_edge);
}

void MeshFile::read_vertices(LocalMesh& local) {
  auto& m = local.mesh;
  Rows rows(reader_, ranks_, local.part.shares[2].to_global, n_items_[2]);
  rows.read_indices("cellsOnVertex", m.cells_on_vertex);
  rows.read_indices("edgesOnVertex", m.edges_on_vertex);
  rows.read("kiteAreasOnVertex", m.kite_areas_on_vertex);
  rows.read("areaTriangle", m.area_triangle);
  m.vertex_points = rows.points("Vertex");
}

bool MeshFile::has(const std::string& variable) const {
  return std::ranges::find(reader_.schema().variables, variable, &io::Variable::name) !=
         reader_.schema().variables.end();
}

}  // namespace halcyon::decomposition
