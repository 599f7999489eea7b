#include "halcyon/decomposition/mesh_file.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "halcyon/base/checksum.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/plausible.hpp"
#include "halcyon/mesh/files/verify.hpp"

namespace halcyon::decomposition {
namespace {

constexpr const char* kRemedy = "Make the mesh again.";
constexpr const char* kDimensions[] = {"nCells", "nEdges", "nVertices"};
constexpr std::int64_t kVariables = 16;  ///< approximate number of large variables of a mesh file

/// Collective. Approximate size of a variable [bytes]; 0 if there is no file, which io::Reader reports.
std::int64_t bytes_per_variable(const comm::Communicator& comm, const std::string& path) {
  std::error_code missing;
  const auto bytes = comm.rank() == 0 ? std::filesystem::file_size(path, missing) : 0;
  return comm.max(missing ? 0 : static_cast<std::int64_t>(bytes)) / kVariables;
}

/// The global ids in the block of this rank.
std::vector<GlobalIndex> block_ids(const comm::Communicator& comm, const BlockDistribution& blocks) {
  const auto first = blocks.first(comm.rank());
  std::vector<GlobalIndex> ids(blocks.first(comm.rank() + 1) - first);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

/// Collectively reads variables at the cells, edges or vertices with the given global ids.
class EntityReader {
 public:
  EntityReader(io::Reader& reader, const io::Ranks& ranks, const std::vector<GlobalIndex>& ids,
               GlobalIndex n_items)
      : reader_(reader), placement_(ranks, ids, n_items) {}

  /// Reads a two-dimensional variable (id, K).
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
  /// Converts one-based indices 1..n_items to zero-based indices; 0 and n_items + 1 become kNone.
  /// @throws InputError for other indices
  template <std::size_t K>
  void read_indices(const char* name, std::vector<std::array<LocalIndex, K>>& rows, GlobalIndex n_items) {
    read(name, rows);
    placement_.ranks().comm().agree([&] {
      for (auto& row : rows)
        for (auto& index : row) index = zero_based(name, index, n_items);
    });
  }
  /// Reads points from the variables `x` + name, `y` + name and `z` + name.
  std::vector<Vector3> points(const std::string& name) {
    std::vector<Vector3> points(placement_.size());
    std::vector<double> values;
    const auto read_axis = [&](const char* axis, double Vector3::* component) {
      read((axis + name).c_str(), values);
      for (std::size_t i = 0; i < points.size(); ++i) points[i].*component = values[i];
    };
    read_axis("x", &Vector3::x);
    read_axis("y", &Vector3::y);
    read_axis("z", &Vector3::z);
    placement_.ranks().comm().agree([&] {
      for (std::size_t i = 0; i < points.size(); ++i)
        require<InputError>(std::abs(norm(points[i]) - 1) < 1e-6,
                            "{}: {} {} lies {} radii from the centre. {}", reader_.path(), name,
                            placement_.ids()[i] + 1, norm(points[i]), kRemedy);
    });
    return points;
  }
  /// Reads the lengths of lists from the variable `lengths`. @returns the offsets of the lists
  std::vector<LocalIndex> offsets(const char* lengths) {
    std::vector<LocalIndex> offsets{0};
    std::vector<std::int32_t> values;
    read(lengths, values);
    constexpr int kMaxLength = 1000;  // against overflow; `lists` rejects lists that are longer than a row
    for (const auto length : values) offsets.push_back(offsets.back() + std::clamp(length, 0, kMaxLength));
    return offsets;
  }
  /// Reads lists that the file stores as padded rows. @throws InputError if a list is longer than a row
  template <class T>
  std::vector<T> lists(const char* name, const std::vector<LocalIndex>& offsets) {
    const auto shape = reader_.schema().shape(reader_.variable(name));
    const auto width = static_cast<std::size_t>(shape.back());
    std::vector<T> table, values;
    read(name, table, width);
    values.reserve(offsets.back());
    placement_.ranks().comm().agree([&] {
      for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
        const auto n = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
        require<InputError>(n <= width, "{}: a list of {} has {} entries, but rows are {} wide. {}",
                            reader_.path(), name, n, width, kRemedy);
        const auto begin = table.begin() + static_cast<std::ptrdiff_t>(row * width);
        values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
      }
    });
    return values;
  }
  /// Reads lists of one-based indices, and converts the indices as `read_indices` does.
  std::vector<LocalIndex> index_lists(const char* name, const std::vector<LocalIndex>& offsets,
                                      GlobalIndex n_items) {
    auto values = lists<LocalIndex>(name, offsets);
    placement_.ranks().comm().agree([&] {
      for (auto& index : values) index = zero_based(name, index, n_items);
    });
    return values;
  }

 private:
  LocalIndex zero_based(const char* name, std::int32_t index, GlobalIndex n_items) const {
    require<InputError>(index >= 0 && index <= n_items + 1, "{}: {} contains {}, but indices are 1..{}. {}",
                        reader_.path(), name, index, n_items, kRemedy);
    return index == n_items + 1 ? kNone : index - 1;
  }
  template <class T>
  void read_into(const char* name, T* values, std::size_t count) {
    const io::Target target{name, io::type_of<T>(), values, count};
    reader_.read(/*record=*/-1, placement_, {&target, 1});
  }

  io::Reader& reader_;
  io::Placement placement_;
};

GlobalLists to_global(Lists lists) {
  return {std::move(lists.offsets), {lists.values.begin(), lists.values.end()}};
}

/// Copies the lists without kNone.
Lists without_missing(const Lists& lists) {
  Lists valid;
  for (LocalIndex row = 0; row < lists.size(); ++row) {
    std::ranges::copy_if(lists[row], std::back_inserter(valid.values), [](auto i) { return i != kNone; });
    valid.close();
  }
  return valid;
}

/// Collective. Checks the checksums of a file that has some; each I/O rank reads a share of each variable.
void require_undamaged(const io::Ranks& ranks, const io::Reader& reader) {
  const auto& schema = reader.schema();
  if (std::ranges::find(schema.attributes, kHeaderChecksum, &io::Attribute::name) == schema.attributes.end())
    return;
  std::vector<std::uint64_t> shares(schema.variables.size(), 0), sums(shares.size(), 0);
  ranks.comm().agree([&] {
    if (ranks.io_rank() != kNone)
      shares = mesh::checksum_shares(reader.path(), ranks.io_rank(), ranks.n_io());
  });
  comm::check(MPI_Allreduce(shares.data(), sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T, MPI_SUM,
                            ranks.comm().get()),
              "MPI_Allreduce");
  for (std::size_t v = 0; v < sums.size(); ++v)
    mesh::require_equal_sum(reader.text(schema.variables[v].name, kChecksum) == checksum_text(sums[v]),
                            reader.path(), schema.variables[v].name);
}

}  // namespace

MeshFile::MeshFile(const comm::Communicator& comm, const std::string& path)
    : ranks_(comm, {}, bytes_per_variable(comm, path)), reader_(ranks_, path) {
  for (const auto* name : kDimensions) n_items_.push_back(dimension(name));
  require<InputError>(dimension("vertexDegree") == 3, "{}: vertexDegree is {}, but must be 3.", path,
                      dimension("vertexDegree"));
  const auto& attributes = reader_.schema().attributes;
  const auto radius = std::ranges::find(attributes, "sphere_radius", &io::Attribute::name);
  const auto is_one = [](const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
      return false;
    else
      return value == 1;
  };
  require<InputError>(
      radius != attributes.end() && std::visit(is_one, radius->value),
      "{} is not on the unit sphere (attribute sphere_radius), so parts of it cannot be read separately. "
      "Convert it: halcyon convert {} OUT.nc --to cdf5.",
      path, path);
  require_undamaged(ranks_, reader_);
}

GlobalIndex MeshFile::dimension(const std::string& name) const {
  const auto& all = reader_.schema().dimensions;
  const auto found = std::ranges::find(all, name, &io::Dimension::name);
  require<InputError>(found != all.end() && found->size > 0,
                      "{} has no dimension {}, so it is not an MPAS mesh.", reader_.path(), name);
  return found->size;
}

Slice MeshFile::slice() {
  const auto ids = block_ids(comm(), {n_items_[0], comm().size()});
  EntityReader cells(reader_, ranks_, ids, n_items_[0]);
  const auto offsets = cells.offsets("nEdgesOnCell");
  const auto lists = [&](const char* name, std::size_t kind) {
    return to_global(without_missing({offsets, cells.index_lists(name, offsets, n_items_[kind])}));
  };
  return {.n_items = n_items_,
          .cells_on_cell = lists("cellsOnCell", 0),
          .on_cell = {lists("edgesOnCell", 1), lists("verticesOnCell", 2)}};
}

LocalMesh MeshFile::local_mesh(Decomposition part) {
  LocalMesh local{.part = std::move(part), .mesh = {}, .n_items = n_items_};
  read_cells(local);
  local.most_edges = static_cast<LocalIndex>(comm().max(most_edges(local.mesh)));
  read_edges(local);
  read_vertices(local);
  renumber(local.mesh, local.part);
  return local;
}

void MeshFile::read_cells(LocalMesh& local) {
  auto& m = local.mesh;
  EntityReader rows(reader_, ranks_, local.part.index_maps[0].to_global, n_items_[0]);
  m.cell_offsets = rows.offsets("nEdgesOnCell");
  m.cells_on_cell = rows.index_lists("cellsOnCell", m.cell_offsets, n_items_[0]);
  m.edges_on_cell = rows.index_lists("edgesOnCell", m.cell_offsets, n_items_[1]);
  m.vertices_on_cell = rows.index_lists("verticesOnCell", m.cell_offsets, n_items_[2]);
  m.cell_points = rows.points("Cell");
  rows.read("areaCell", m.area_cell);
  m.mesh_density.assign(m.cell_points.size(), 1);
  if (has("meshDensity")) rows.read("meshDensity", m.mesh_density);
  if (!has("bottomDepth")) return;
  rows.read("bottomDepth", m.bottom_depth);
  const auto& ids = local.part.index_maps[0].to_global;
  comm().agree([&] {
    require_plausible("depth", reader_.path() + ": bottomDepth", m.bottom_depth,
                      [&](std::size_t i) { return fmt::format("cell {}", ids[i] + 1); });
  });
}

void MeshFile::read_edges(LocalMesh& local) {
  auto& m = local.mesh;
  EntityReader rows(reader_, ranks_, local.part.index_maps[1].to_global, n_items_[1]);
  rows.read_indices("cellsOnEdge", m.cells_on_edge, n_items_[0]);
  rows.read_indices("verticesOnEdge", m.vertices_on_edge, n_items_[2]);
  m.edge_offsets = rows.offsets("nEdgesOnEdge");
  m.edges_on_edge = rows.index_lists("edgesOnEdge", m.edge_offsets, n_items_[1]);
  m.weights_on_edge = rows.lists<double>("weightsOnEdge", m.edge_offsets);
  m.edge_points = rows.points("Edge");
  rows.read("dcEdge", m.dc_edge);
  rows.read("dvEdge", m.dv_edge);
  rows.read("angleEdge", m.angle_edge);
}

void MeshFile::read_vertices(LocalMesh& local) {
  auto& m = local.mesh;
  EntityReader rows(reader_, ranks_, local.part.index_maps[2].to_global, n_items_[2]);
  rows.read_indices("cellsOnVertex", m.cells_on_vertex, n_items_[0]);
  rows.read_indices("edgesOnVertex", m.edges_on_vertex, n_items_[1]);
  rows.read("kiteAreasOnVertex", m.kite_areas_on_vertex);
  rows.read("areaTriangle", m.area_triangle);
  m.vertex_points = rows.points("Vertex");
}

bool MeshFile::has(const std::string& variable) const {
  return std::ranges::find(reader_.schema().variables, variable, &io::Variable::name) !=
         reader_.schema().variables.end();
}

}  // namespace halcyon::decomposition
