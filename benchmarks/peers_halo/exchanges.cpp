// Times a halo exchange by several implementations, which take turns; prints JSON.
//
//   mpirun -n N exchanges LEVEL LAYERS NUMBERS float|double REPETITIONS METHOD...
//
// The field has NUMBERS values per cell of G<level>, partitioned by METIS. METHOD: a method of Halcyon,
// petsc_basic, petsc_neighbor, atlas, or copy (of the received bytes).

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "exchanger.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/mesh/generate/lloyd.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"

using namespace halcyon;
using namespace halcyon::peers;

namespace {

mesh::Mesh uniform(int level) {
  auto triangulation = mesh::icosahedron();
  for (int l = 1; l <= level; ++l)
    triangulation =
        mesh::relax(mesh::bisected(triangulation), nullptr, {.tolerance = 1e-4, .threads = 1}).triangulation;
  return mesh::voronoi_mesh(mesh::ordered(triangulation, graph::hilbert_order(triangulation.points)), 1);
}

/// Collective. The local index that each local cell has on the rank that owns it.
std::vector<LocalIndex> indices_at_owners(const comm::Communicator& comm,
                                          const decomposition::Decomposition& part) {
  std::vector<LocalIndex> indices(static_cast<std::size_t>(part.cells().size()));
  std::iota(indices.begin(), indices.end(), 0);
  halo::Halo halo(comm, part, {{0, sizeof(LocalIndex)}}, comm::method_named("isend_irecv"));
  const std::array fields{std::as_writable_bytes(std::span(indices))};
  halo.start(fields).wait();
  return indices;
}

/// Copies as many bytes as an exchange receives.
class Copy final : public Exchanger {
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

std::unique_ptr<Exchanger> exchanger_named(const Task& task, const std::string& name) {
  if (name == "copy") return std::make_unique<Copy>(task);
#ifdef HALCYON_WITH_PEERS
  if (name.starts_with("petsc_")) return petsc_exchanger(task, name.substr(6));
  if (name == "atlas") return atlas_exchanger(task);
#endif
  return halcyon_exchanger(task, name);
}

/// Collective. Fills the owned cells of the field with values of their global ids, exchanges it and checks
/// all values.
template <class Number>
void require_correct(const Task& task, Exchanger& exchanger, const std::string& name) {
  const auto& cells = task.part.cells();
  const std::span field(reinterpret_cast<Number*>(exchanger.field().data()),
                        exchanger.field().size() / sizeof(Number));
  if (field.empty()) return;
  const auto expected = [&](std::size_t i) {
    const auto id = cells.to_global[i / task.n_values] % 9973;
    return static_cast<Number>(id * 16 + static_cast<GlobalIndex>(i) % task.n_values % 16);
  };
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = i < static_cast<std::size_t>(cells.n_owned) * task.n_values ? expected(i) : Number(-1);
  exchanger.exchange();
  for (std::size_t i = 0; i < field.size(); ++i)
    require<RunError>(field[i] == expected(i), "{} gave {} instead of {}.", name, field[i], expected(i));
}

constexpr int kExchangesPerTurn = 10;

struct Times {
  std::vector<double> least_us, mean_us, most_us;  ///< minimum, mean, maximum over ranks, by repetition
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Collective. Times one exchange, after a barrier.
void measure(const comm::Communicator& comm, Exchanger& exchanger, Times& times) {
  comm::check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const auto begin = MPI_Wtime();
  exchanger.exchange();
  const auto rank_us = (MPI_Wtime() - begin) * 1e6;
  std::array<double, 2> extremes{rank_us, -rank_us};
  double sum = rank_us;
  MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_DOUBLE, MPI_MAX, comm.get());
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.get());
  times.most_us.push_back(extremes[0]);
  times.least_us.push_back(-extremes[1]);
  times.mean_us.push_back(sum / comm.size());
}

std::string json(const std::string& name, const Exchanger& exchanger, const Times& times) {
  return fmt::format(
      R"("{}": {{"best": {:.3f}, "min": {:.3f}, "mean": {:.3f}, "max": {:.3f}, "description": "{}"}})", name,
      std::ranges::min(times.most_us), median(times.least_us), median(times.mean_us), median(times.most_us),
      exchanger.description());
}

void run(const comm::Communicator& comm, std::span<char*> words) {
  require<ConfigError>(words.size() > 5,
                       "Usage: exchanges LEVEL LAYERS NUMBERS float|double REPETITIONS METHOD...");
  const auto mesh = uniform(std::stoi(words[0]));
  const auto graph = graph::make_adjacency(mesh.cell_offsets, mesh.cells_on_cell);
  const auto owners = graph::partition(graph, comm.size());
  const auto part = decompose(decomposition::topology_of(mesh), owners, comm.rank(), std::stoi(words[1]));
  Task task{
      comm, part, {}, indices_at_owners(comm, part), std::stoi(words[2]), std::string(words[3]) == "float"};
  for (const auto id : part.cells().to_global) task.owners.push_back(owners[id]);
  const auto names = words.subspan(5);
  std::vector<std::unique_ptr<Exchanger>> exchangers;
  for (const std::string name : names) {
    exchangers.push_back(exchanger_named(task, name));
    task.single ? require_correct<float>(task, *exchangers.back(), name)
                : require_correct<double>(task, *exchangers.back(), name);
  }
  std::vector<Times> times(exchangers.size());
  for (int done = 0; done < std::stoi(words[4]); done += kExchangesPerTurn) {
    for (std::size_t i = 0; i < exchangers.size(); ++i) {
      exchangers[i]->exchange();  // refills the caches, and is not timed
      for (int repetition = 0; repetition < kExchangesPerTurn; ++repetition)
        measure(comm, *exchangers[i], times[i]);
    }
  }
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < exchangers.size(); ++i)
    entries.push_back(json(names[i], *exchangers[i], times[i]));
  if (comm.rank() == 0) fmt::print("{{{}}}\n", fmt::join(entries, ", "));
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
