#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/io/pnetcdf_file.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/io/writer.hpp"
#include "halcyon/mesh/files/verify.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::io;
using namespace halcyon::test;
using halcyon::mesh::verify;

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

TEST_CASE("io: integers of attributes are exact, and a file with 64-bit attributes is CDF-5") {
  const comm::Communicator comm(world());
  const Ranks ranks(comm, {}, 0);
  constexpr std::int64_t kExact = (std::int64_t{1} << 53) + 1;  // not a double
  auto found = schema();
  CHECK(found.fits_cdf2());
  found.add_attribute("heat", {"small", std::int64_t{-3}, Type::int32});
  CHECK(found.fits_cdf2());
  found.add_attribute("", {"large", kExact, Type::int64});
  CHECK_FALSE(found.fits_cdf2());
  const auto path = folder() + "/attributes.nc";
  Writer writer(ranks, path, {found}, 0);
  writer.close();
  writer.wait();
  Reader reader(ranks, path);
  CHECK(std::get<std::int64_t>(reader.schema().attributes[0].value) == kExact);
  CHECK(std::get<std::int64_t>(reader.variable("heat").attributes[1].value) == -3);
  reader.close();
}

TEST_CASE("io: requests are divided at the limits of MPI and PnetCDF") {
  const auto heat = schema();  // items of 12 bytes
  std::vector<std::byte> values(1000);
  const std::vector<Request> requests{{0, 0, {{0, 10}, {20, 3}}, values.data()},
                                      {0, 1, {{5, 2}}, values.data() + 500}};
  const auto batches = batches_of(heat, requests, /*max_runs=*/2, /*max_bytes=*/5 * 12);
  std::vector<GlobalIndex> ids;
  for (const auto& batch : batches) {
    std::size_t n_runs = 0;
    GlobalIndex n_items = 0;
    for (const auto& request : batch) {
      auto expected = request.record == 0 ? static_cast<GlobalIndex>(ids.size()) * 12 : 500;
      CHECK(request.values - values.data() == expected);
      for (const auto& run : request.runs) {
        for (GlobalIndex i = 0; i < run.count; ++i) ids.push_back(run.first + i);
        n_items += run.count;
        ++n_runs;
      }
    }
    CHECK(n_runs <= 2);
    CHECK(n_items <= 5);
  }
  CHECK(ids == std::vector<GlobalIndex>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21, 22, 5, 6});
  CHECK(batches_of(heat, {}, 2, 60).size() == 1);
  CHECK(batches_of(heat, requests, 9, /*max_bytes=*/1).size() == 15);  // an item is never divided
  const comm::Communicator comm(world());
  std::vector<std::byte> bytes(10, std::byte(comm.rank() == 0 ? 7 : 0));
  comm.broadcast(bytes, /*piece_bytes=*/4);
  CHECK(std::ranges::count(bytes, std::byte(7)) == 10);
}

TEST_CASE("io: temporary files do not follow links, and leftovers are removed") {
  const comm::Communicator comm(world());
  const Ranks ranks(comm, {}, 0);
  const std::filesystem::path target = folder() + "/target", part = folder() + "/linked.nc.part",
                              old_part = folder() + "/linked.nc.0123456789abcdef.part",
                              new_part = folder() + "/linked.nc.fedcba9876543210.part";
  comm.agree([&] {
    if (comm.rank() > 0) return;
    for (const auto& path : {target, old_part, new_part}) std::ofstream(path) << "precious";
    std::filesystem::last_write_time(old_part,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    std::filesystem::remove(part);
    std::filesystem::create_symlink(target, part);
    std::filesystem::remove(folder() + "/linked.nc");
    std::filesystem::create_symlink(target, folder() + "/linked.nc");
    write_atomically(folder() + "/linked.nc", [](const std::string& path) { std::ofstream(path) << "text"; });
    CHECK(bytes_of(folder() + "/linked.nc") == "text");
    CHECK_FALSE(std::filesystem::exists(old_part));
    CHECK(std::filesystem::exists(new_part));  // a process may still write it
  });
  const auto path = write(ranks, "linked.nc");
  comm.agree([&] {
    if (comm.rank() > 0) return;
    CHECK(bytes_of(target) == "precious");
    CHECK_FALSE(std::filesystem::is_symlink(path));
    CHECK(verify(path).n_checked == 2);
  });
}
