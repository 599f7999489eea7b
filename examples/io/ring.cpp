// Writes temperatures on a ring of cells, and reads them with a halo, on all ranks: ring FILE
#include <fmt/core.h>
#include <mpi.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "halcyon/io/reader.hpp"
#include "halcyon/io/writer.hpp"

using namespace halcyon;

namespace {

constexpr GlobalIndex kCells = 40, kLevels = 3, kRecords = 2;

struct Part {
  std::vector<GlobalIndex> owned, with_halo;  // global ids; the halo cells on either side come last
};

Part part_of(Rank rank, Rank n_ranks) {
  Part part;
  const auto first = kCells * rank / n_ranks, end = kCells * (rank + 1) / n_ranks;
  for (auto cell = first; cell < end; ++cell) part.owned.push_back(cell);
  part.with_halo = part.owned;
  part.with_halo.push_back((first + kCells - 1) % kCells);
  part.with_halo.push_back(end % kCells);
  return part;
}

io::Schema schema_of_ring() {
  io::Schema schema;
  schema.add_dimension("time", 0);
  schema.add_dimension("cell", kCells);
  schema.add_dimension("level", kLevels);
  schema.add_variable("time", io::Type::float64, {"time"});
  schema.add_attribute("time", {"units", "hours since 2000-01-01"});
  schema.add_variable("temperature", io::Type::float32, {"time", "cell", "level"});
  schema.add_attribute("temperature", {"units", "K"});
  schema.add_attribute("", {"title", "a ring"});
  return schema;
}

void write_ring(const io::Ranks& ranks, const std::string& path, const Part& part) {
  const io::Placement owned(ranks, part.owned, kCells);
  io::Writer writer(ranks, path, {schema_of_ring()}, kRecords);
  for (int record = 0; record < kRecords; ++record) {
    const double hours = 6.0 * record;
    std::vector<float> temperature;
    for (const auto cell : part.owned)
      for (int level = 0; level < kLevels; ++level)
        temperature.push_back(
            static_cast<float>(300 + record - 6.5 * level + 0.5 * static_cast<int>(cell % 8)));
    writer.write_root(record, {{{"time", io::Type::float64, &hours, 1}}});
    writer.write(record, owned,
                 {{{"temperature", io::Type::float32, temperature.data(), temperature.size()}}});
  }
  writer.close();
}

/// The largest difference between this rank's cells and their neighbours, in the last record.
float largest_difference(const io::Ranks& ranks, const std::string& path, const Part& part) {
  const auto n = part.owned.size(), left_of_first = n, right_of_last = n + 1;
  std::vector<float> temperature(part.with_halo.size() * kLevels);
  const io::Placement with_halo(ranks, part.with_halo, kCells);
  io::Reader reader(ranks, path);
  reader.read(kRecords - 1, with_halo,
              {{{"temperature", io::Type::float32, temperature.data(), temperature.size()}}});
  reader.close();
  float largest = 0;
  const auto compare = [&](std::size_t cell, std::size_t other) {
    for (std::size_t level = 0; level < kLevels; ++level)
      largest = std::max(
          largest, std::abs(temperature[cell * kLevels + level] - temperature[other * kLevels + level]));
  };
  for (std::size_t i = 0; i < n; ++i) {
    compare(i, i > 0 ? i - 1 : left_of_first);
    compare(i, i < n - 1 ? i + 1 : right_of_last);
  }
  return largest;
}

void run(const std::string& path) {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const io::Ranks ranks(comm, {}, 0);
  const auto part = part_of(comm.rank(), comm.size());
  write_ring(ranks, path, part);
  float largest, local_largest = largest_difference(ranks, path, part);
  MPI_Reduce(&local_largest, &largest, 1, MPI_FLOAT, MPI_MAX, 0, comm.get());
  if (comm.rank() == 0) fmt::print("neighbours differ by {:.1f} K at most\n", largest);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("OMPI_MCA_io", "romio321", 0);  // see docs/io.md
  MPI_Init(&argc, &argv);
  run(argc > 1 ? argv[1] : "ring.nc");
  MPI_Finalize();
}
