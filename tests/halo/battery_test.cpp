// `make test-ranks` and `make test-mpich` also run these tests on 8 and 16 ranks; with MPICH, all but the
// test of mesh orders.

#include <numeric>
#include <random>

#include "decomposition/grids.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/mesh/geometry/cut.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

using Bytes = std::vector<std::byte>;
using Integers = std::vector<std::int64_t>;

/// Value of halo items before they are received.
constexpr std::byte kUntouched{0xee};

/// The uniform mesh of 642 cells.
mesh::Mesh sphere() {
  auto triangulation = mesh::icosahedron();
  for (int level = 1; level <= 3; ++level) triangulation = mesh::bisected(triangulation);
  return mesh::voronoi_mesh(triangulation, 1);
}

/// The part of a mesh on this rank.
decomposition::LocalMesh part_of(const comm::Communicator& comm, const mesh::Mesh& mesh, int n_layers) {
  return decomposition::local_mesh(mesh, owners_of(decomposition::topology_of(mesh), comm.size()),
                                   comm.rank(), n_layers);
}

/// The coordinates [m] of points as bytes of one number type: values that do not depend on the local
/// numbering.
template <class Number>
Bytes coordinates(std::span<const Vector3> points) {
  std::vector<Number> numbers;
  for (const auto& [x, y, z] : points)
    for (const double component : {x, y, z}) numbers.push_back(static_cast<Number>(kEarthRadius * component));
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

/// One field per location (cells, edges, vertices) and type (float, double, int32), and the expected values.
struct Group {
  std::vector<schedule::HaloField> fields;
  std::vector<Bytes> expected;            ///< per field, with the halo
  std::vector<std::int64_t> owned_bytes;  ///< size of the owned values of each field

  explicit Group(const decomposition::LocalMesh& local) {
    const auto& mesh = local.mesh;
    for (const auto* points : {&mesh.cell_points, &mesh.edge_points, &mesh.vertex_points}) {
      const auto kind = static_cast<int>(fields.size() / 3);
      for (auto& values :
           {coordinates<float>(*points), coordinates<double>(*points), coordinates<std::int32_t>(*points)}) {
        fields.push_back({kind, std::ssize(values) / std::ssize(*points)});
        owned_bytes.push_back(local.part.index_maps[kind].n_owned * fields.back().item_bytes);
        expected.push_back(values);
      }
    }
  }
};

/// Exchanges twice in the same memory, the second time with all bits inverted, so that values that remain
/// from the first exchange are detected.
/// @returns the number of wrong bytes
std::int64_t n_wrong_bytes(halo::Halo& halo, const Group& group,
                           std::span<const std::span<std::byte>> memory) {
  std::int64_t n_wrong = 0;
  for (const std::byte mask : {std::byte{0}, std::byte{0xff}}) {
    for (std::size_t f = 0; f < memory.size(); ++f) {
      for (std::int64_t i = 0; i < std::ssize(memory[f]); ++i)
        memory[f][i] = i < group.owned_bytes[f] ? group.expected[f][i] ^ mask : kUntouched;
    }
    halo.start(memory).wait();
    for (std::size_t f = 0; f < memory.size(); ++f)
      for (std::size_t i = 0; i < memory[f].size(); ++i)
        n_wrong += memory[f][i] != (group.expected[f][i] ^ mask);
  }
  return n_wrong;
}

/// Exchanges the group in ordinary memory, and in memory that the Halo allocates. @returns the number of
/// wrong bytes
std::int64_t n_wrong_bytes(halo::Halo& halo, const Group& group) {
  auto ordinary = group.expected;
  std::vector<halo::FieldMemory> allocated;
  std::vector<std::span<std::byte>> ordinary_spans(ordinary.begin(), ordinary.end()), allocated_spans;
  for (std::size_t f = 0; f < ordinary.size(); ++f) {
    allocated.push_back(halo.allocate(f));
    allocated_spans.push_back(allocated.back().bytes());
  }
  return n_wrong_bytes(halo, group, ordinary_spans) + n_wrong_bytes(halo, group, allocated_spans);
}

/// Checks values of all types on a mesh, by the given methods, with 1 to 3 layers.
void check_values(const comm::Communicator& comm, const mesh::Mesh& mesh,
                  std::span<const comm::MethodEntry> methods) {
  for (const int n_layers : {1, 2, 3}) {
    const auto local = part_of(comm, mesh, n_layers);
    const Group group(local);
    for (const auto& method : methods) {
      CAPTURE(method.name);
      CAPTURE(n_layers);
      halo::Halo halo(comm, local.part, group.fields, &method);
      CHECK(n_wrong_bytes(halo, group) == 0);
    }
  }
}

Integers summed_over_ranks(const comm::Communicator& comm, const Integers& values) {
  Integers sums(values.size());
  comm::check(MPI_Allreduce(values.data(), sums.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                            comm.get()),
              "MPI_Allreduce");
  return sums;
}

/// The sums over all copies of each entity of the mesh, on any rank, indexed by global id.
Integers sums_by_id(const comm::Communicator& comm, const decomposition::IndexMap& index_map,
                    const Integers& values, GlobalIndex n_entities) {
  Integers sums(n_entities);
  for (LocalIndex i = 0; i < index_map.size(); ++i) sums[index_map.to_global[i]] += values[i];
  return summed_over_ranks(comm, sums);
}

std::int64_t product(std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), std::int64_t{0});
}

Integers random_integers(LocalIndex n, unsigned seed) {
  std::mt19937 generator(seed);
  Integers values;
  for (LocalIndex i = 0; i < n; ++i) values.push_back(static_cast<std::int64_t>(generator() % 2001) - 1000);
  return values;
}

}  // namespace

TEST_CASE("halo: every value is its owner's, by every method, with 1 to 3 layers") {
  const comm::Communicator comm(world());
  check_values(comm, sphere(), comm::methods());
}

TEST_CASE("halo: every value is its owner's by every method in every order of the mesh, too") {
  const comm::Communicator comm(world());
  const auto natural = sphere();
  const auto all_but_auto = std::span(comm::methods()).first(comm::methods().size() - 1);
  for (const auto order : std::span(graph::kOrderNames).subspan(1)) {
    CAPTURE(order);
    check_values(comm, mesh::ordered(natural, graph::order_named(order)), all_but_auto);
  }
}

TEST_CASE("halo: a single field of one layer, which arrives in place, is its owners', by every method") {
  const comm::Communicator comm(world());
  const auto local = part_of(comm, sphere(), 1);
  Group group(local);
  group.fields.resize(1);
  group.expected.resize(1);
  for (const auto& method : comm::methods()) {
    CAPTURE(method.name);
    halo::Halo halo(comm, local.part, group.fields, &method);
    CHECK(n_wrong_bytes(halo, group) == 0);
  }
}

TEST_CASE("halo: an exchange is the adjoint of summing what ranks hold, by every method") {
  // <E x, y> = <x, E' y>, exactly, in integers: E copies x from the owner of an entity to all its copies, E'
  // sums y over the copies.
  const comm::Communicator comm(world());
  const auto local = part_of(comm, sphere(), 2);
  for (int kind = 0; kind < 3; ++kind) {
    const auto& index_map = local.part.index_maps[kind];
    const auto x = random_integers(index_map.size(), 2 * comm.rank());
    const auto y = random_integers(index_map.size(), 2 * comm.rank() + 1);
    const auto sums = sums_by_id(comm, index_map, y, local.n_items[kind]);
    Integers owned_sums;
    for (LocalIndex i = 0; i < index_map.n_owned; ++i) owned_sums.push_back(sums[index_map.to_global[i]]);
    for (const auto& method : comm::methods()) {
      CAPTURE(method.name);
      auto copied = x;
      halo::Halo halo(comm, local.part, {{kind, sizeof(std::int64_t)}}, &method);
      const auto bytes = std::as_writable_bytes(std::span(copied));
      halo.start({&bytes, 1}).wait();
      CHECK(std::equal(x.begin(), x.begin() + index_map.n_owned, copied.begin()));
      const auto products = summed_over_ranks(comm, {product(copied, y), product(owned_sums, x)});
      CHECK(products[0] == products[1]);
    }
  }
}
