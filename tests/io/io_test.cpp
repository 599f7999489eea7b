#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/mesh/files/verify.hpp"
#include "halcyon/io/writer.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::io;
using namespace halcyon::test;

namespace {

constexpr GlobalIndex kCells = 307;
constexpr std::size_t kLevels = 3;

/// The ids of this rank (id modulo number of ranks), in a scrambled order.
std::vector<GlobalIndex> ids_of(const comm::Communicator& comm) {
  std::vector<GlobalIndex> ids;
  for (GlobalIndex i = 0; i < kCells; ++i)
    if (const auto id = i * 101 % kCells; id % comm.size() == comm.rank()) ids.push_back(id);
  return ids;
}

/// Values (id, level) that are unique for each record, id and level.
std::vector<float> heat_of(const std::vector<GlobalIndex>& ids, GlobalIndex record) {
  std::vector<float> heat;
  for (const auto id : ids)
    for (std::size_t k = 0; k < kLevels; ++k) heat.push_back(static_cast<float>(1000 * record + 3 * id + k));
  return heat;
}

Schema schema() {
  Schema found;
  found.add_dimension("time", 0);
  found.add_dimension("cell", kCells);
  found.add_dimension("level", kLevels);
  found.add_variable("heat", Type::float32, {"time", "cell", "level"});
  found.add_variable("time", Type::float64, {"time"});
  found.add_attribute("heat", {"units", "K", Type::int32});
  return found;
}

std::string folder() {
  const auto path = std::filesystem::temp_directory_path() / "halcyon_io_test";
  std::filesystem::create_directories(path);
  return path;
}

/// Collective. Writes a complete file of two records. @returns its path
std::string write(const Ranks& ranks, const std::string& name) {
  const auto path = folder() + "/" + name;
  const auto ids = ids_of(ranks.comm());
  const Placement on_cells(ranks, ids, kCells);
  Writer writer(ranks, path, {schema()}, 2);
  for (GlobalIndex record = 0; record < 2; ++record) {
    const double time = 6.0 * static_cast<double>(record);
    const auto heat = heat_of(ids, record);
    writer.write_root(record, std::vector<Values>{{"time", Type::float64, &time, 1}});
    writer.write(record, on_cells, std::vector<Values>{{"heat", Type::float32, heat.data(), heat.size()}});
  }
  writer.close();
  writer.wait();
  return path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Options of every layout; small pieces and few requests, so that a write takes several.
std::vector<Options> all_options() {
  std::vector<Options> found(6);
  found[0].layout = Layout::direct;
  found[1].layout = Layout::groups;
  found[1].group_size = 2;
  found[1].most_requests = 7;
  found[2].layout = Layout::box;
  found[2].ranks = 3;
  found[2].piece_bytes = 500;
  found[3].layout = Layout::gather;
  found[4].layout = Layout::automatic;
  found[5] = found[2];
  found[5].background = true;
  found[5].background_bytes = 600;
  return found;
}

}  // namespace

TEST_CASE("io: every layout writes the same bytes, and reads them with a halo") {
  const comm::Communicator comm(world());
  std::string first;
  for (const auto& options : all_options()) {
    const Ranks ranks(comm, options, 0);
    const auto path = write(ranks, "layouts.nc");
    if (comm.rank() == 0) {
      const auto bytes = bytes_of(path);
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
      CHECK(verify(path).n_checked == 2);
    }
    std::vector<GlobalIndex> all_ids(kCells);
    std::iota(all_ids.rbegin(), all_ids.rend(), 0);
    Reader reader(ranks, path);
    std::vector<float> heat(kCells * kLevels);
    const Placement all_cells(ranks, all_ids, kCells);
    CHECK(all_cells.is_partition() == (comm.size() == 1));
    reader.read(1, all_cells, std::vector<Target>{{"heat", Type::float32, heat.data(), heat.size()}});
    reader.close();
    CHECK(heat == heat_of(all_ids, 1));
  }
}

TEST_CASE("io: a file goes on from where it was brought to the disk") {
  // A writer is destroyed after a sync and a wrong record; the file that is continued from the sync has the
  // bytes of an uninterrupted one.
  const comm::Communicator comm(world());
  const Ranks ranks(comm, {}, 0);
  const auto whole = write(ranks, "whole.nc"), path = folder() + "/continued.nc";
  const auto ids = ids_of(comm);
  const Placement on_cells(ranks, ids, kCells);
  const auto add = [&](Writer& writer, GlobalIndex record, GlobalIndex content) {
    const double time = 6.0 * static_cast<double>(content);
    const auto heat = heat_of(ids, content);
    writer.write_root(record, std::vector<Values>{{"time", Type::float64, &time, 1}});
    writer.write(record, on_cells, std::vector<Values>{{"heat", Type::float32, heat.data(), heat.size()}});
  };
  Progress progress;
  {
    Writer interrupted(ranks, path, {schema()}, 2);
    add(interrupted, 0, 0);
    progress = interrupted.sync();
    add(interrupted, 1, 7);
  }
  MPI_Barrier(comm.get());
  Writer writer(ranks, path, {schema()}, 2, progress);
  add(writer, 1, 1);
  writer.close();
  writer.wait();
  if (comm.rank() == 0) CHECK(bytes_of(path) == bytes_of(whole));
}

TEST_CASE("io: no bit that is turned over goes unnoticed, but in padding") {
  const comm::Communicator comm(world());
  const auto path = write(Ranks(comm, {}, 0), "damaged.nc");
  if (comm.rank() != 0) return;
  const auto bytes = bytes_of(path);
  const auto header = *mesh::read_classic_header(path);
  std::size_t unnoticed = 0, tried = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 97, ++tried) {
    auto damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path, std::ios::binary) << damaged;
    bool found = false;
    try {
      verify(path);
    } catch (const InputError&) {
      found = true;
    }
    const bool is_padding = bit / 8 >= header.bytes && bit / 8 < header.variables[0].begin;
    CHECK((found || is_padding));
    if (!found) ++unnoticed;
  }
  CHECK(unnoticed < tried / 4);
}

TEST_CASE("io: a cut is noticed wherever it is") {
  const comm::Communicator comm(world());
  const auto path = write(Ranks(comm, {}, 0), "cut.nc");
  if (comm.rank() != 0) return;
  const auto bytes = bytes_of(path);
  for (std::size_t size = 0; size < bytes.size(); size += 37) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    CHECK_THROWS_AS(verify(path), InputError);
  }
}
