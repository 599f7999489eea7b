// Times of a halo exchange by several ways, taken in turns; prints JSON.
//
//   mpirun -n N exchanges LEVEL LAYERS NUMBERS float|double REPETITIONS WAY...
//
// A field of so many numbers on the cells of G<level>, spread by METIS. Ways: Halcyon's methods, petsc_basic,
// petsc_neighbor, atlas, and copy (of what arrives).

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/mesh/generate/lloyd.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "way.hpp"

using namespace halcyon;
using namespace halcyon::peers;

namespace {

mesh::Mesh uniform(int level) {
  auto found = mesh::icosahedron();
  for (int l = 1; l <= level; ++l)
    found = mesh::relax(mesh::bisected(found), nullptr, {.tolerance = 1e-4, .threads = 1}).triangulation;
  return mesh::voronoi_mesh(mesh::ordered(found, graph::hilbert_order(found.points)), 1);
}

/// Collective. Where each local cell lies in its owner's part.
std::vector<LocalIndex> places_at_owners(const comm::Communicator& comm,
                                         const decomposition::Decomposition& part) {
  std::vector<LocalIndex> places(static_cast<std::size_t>(part.cells().size()));
  std::iota(places.begin(), places.end(), 0);
  halo::Halo halo(comm, part, {{0, sizeof(LocalIndex)}}, comm::method_named("isend_irecv"));
  const std::array fields{std::as_writable_bytes(std::span(places))};
  halo.start(fields).wait();
  return places;
}

class Copy final : public Way {
 public:
  explicit Copy(const Task& task)
      : from_(static_cast<std::size_t>(task.field_bytes() - task.part.cells().n_owned * task.item_bytes())),
        to_(from_) {}
  std::span<std::byte> field() override { return {}; }
  void exchange() override { std::memcpy(to_.data(), from_.data(), from_.size()); }
  std::string description() const override { return "memcpy"; }

 private:
  std::vector<std::byte> from_, to_;
};

std::unique_ptr<Way> way_named(const Task& task, const std::string& name) {
  if (name == "copy") return std::make_unique<Copy>(task);
#ifdef HALCYON_WITH_PEERS
  if (name.starts_with("petsc_")) return petsc_way(task, name.substr(6));
  if (name == "atlas") return atlas_way(task);
#endif
  return our_way(task, name);
}

/// Fills a field by global ids, exchanges it and looks for halo values that did not come.
template <class Number>
void require_right(const Task& task, Way& way, const std::string& name) {
  const auto& cells = task.part.cells();
  const std::span field(reinterpret_cast<Number*>(way.field().data()), way.field().size() / sizeof(Number));
  if (field.empty()) return;
  const auto due = [&](std::size_t i) {
    const auto id = cells.to_global[i / task.numbers] % 9973;
    return static_cast<Number>(id * 16 + static_cast<GlobalIndex>(i) % task.numbers % 16);
  };
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = i < static_cast<std::size_t>(cells.n_owned) * task.numbers ? due(i) : Number(-1);
  way.exchange();
  for (std::size_t i = 0; i < field.size(); ++i)
    require<RunError>(field[i] == due(i), "{} left {} where {} was due.", name, field[i], due(i));
}

constexpr int kInATurn = 10;

struct Times {
  std::vector<double> least_us, mean_us, most_us;  ///< over ranks (repetition)
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Collective. One exchange, all ranks beginning together.
void measure(const comm::Communicator& comm, Way& way, Times& times) {
  comm::check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const auto begin = MPI_Wtime();
  way.exchange();
  const auto mine = (MPI_Wtime() - begin) * 1e6;
  std::array<double, 2> extremes{mine, -mine};
  double sum = mine;
  MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_DOUBLE, MPI_MAX, comm.get());
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.get());
  times.most_us.push_back(extremes[0]);
  times.least_us.push_back(-extremes[1]);
  times.mean_us.push_back(sum / comm.size());
}

std::string json(const std::string& name, const Way& way, const Times& times) {
  return fmt::format(
      R"("{}": {{"best": {:.3f}, "min": {:.3f}, "mean": {:.3f}, "max": {:.3f}, "description": "{}"}})", name,
      std::ranges::min(times.most_us), median(times.least_us), median(times.mean_us), median(times.most_us),
      way.description());
}

void run(const comm::Communicator& comm, std::span<char*> words) {
  require<ConfigError>(words.size() > 5, "exchanges LEVEL LAYERS NUMBERS float|double REPETITIONS WAY...");
  const auto mesh = uniform(std::stoi(words[0]));
  const auto graph = graph::make_adjacency(mesh.cell_offsets, mesh.cells_on_cell);
  const auto owners = graph::partition(graph, comm.size());
  const auto part = decompose(decomposition::topology_of(mesh), owners, comm.rank(), std::stoi(words[1]));
  Task task{
      comm, part, {}, places_at_owners(comm, part), std::stoi(words[2]), std::string(words[3]) == "float"};
  for (const auto id : part.cells().to_global) task.owners.push_back(owners[id]);
  const auto names = words.subspan(5);
  std::vector<std::unique_ptr<Way>> ways;
  for (const std::string name : names) {
    ways.push_back(way_named(task, name));
    task.single ? require_right<float>(task, *ways.back(), name)
                : require_right<double>(task, *ways.back(), name);
  }
  std::vector<Times> times(ways.size());
  for (int done = 0; done < std::stoi(words[4]); done += kInATurn) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      ways[i]->exchange();  // what the way before has left in the caches is not this one's
      for (int repetition = 0; repetition < kInATurn; ++repetition) measure(comm, *ways[i], times[i]);
    }
  }
  std::vector<std::string> found;
  for (std::size_t i = 0; i < ways.size(); ++i) found.push_back(json(names[i], *ways[i], times[i]));
  if (comm.rank() == 0) fmt::print("{{{}}}\n", fmt::join(found, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  int thread_level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
  try {
    run(comm::Communicator(MPI_COMM_WORLD), std::span(argv, argc).subspan(1));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
