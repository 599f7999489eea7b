#include "halcyon/halo/halo.hpp"

#include <cstring>
#include <random>
#include <tuple>

#include "comm/no_shared_memory.hpp"
#include "decomposition/grids.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// The group of the tests: fields of 8 and 24 bytes per cell, one field on edges, and one on vertices.
const std::vector<schedule::HaloField> kGroup{{0, 8}, {0, 24}, {1, 8}, {2, 4}};

/// Value of halo items before they are received.
constexpr std::byte kUntouched{0xee};

/// Expected value of a byte of a field at an entity, which depends on the global id, the field and the byte.
std::byte expected(GlobalIndex id, std::size_t field, std::int64_t byte) {
  return static_cast<std::byte>((id >> (8 * (byte % 4))) + 31 * static_cast<std::int64_t>(field) + byte);
}

using Fields = std::vector<std::vector<std::byte>>;

/// The fields of a part (field, entity, byte): expected values on owned entities, kUntouched on the halo.
Fields owned_values(const decomposition::Decomposition& part, const std::vector<schedule::HaloField>& group) {
  Fields fields;
  for (std::size_t f = 0; f < group.size(); ++f) {
    const auto& index_map = part.index_maps[group[f].entity];
    auto& field = fields.emplace_back(index_map.size() * group[f].item_bytes, kUntouched);
    for (LocalIndex i = 0; i < index_map.n_owned; ++i) {
      for (std::int64_t b = 0; b < group[f].item_bytes; ++b) {
        field[i * group[f].item_bytes + b] = expected(index_map.to_global[i], f, b);
      }
    }
  }
  return fields;
}

/// Checks that the layers of each field hold expected values, and that further layers are untouched.
void check_all_values(const decomposition::Decomposition& part, const std::vector<schedule::HaloField>& group,
                      const Fields& fields) {
  std::int64_t n_wrong = 0;
  for (std::size_t f = 0; f < group.size(); ++f) {
    const auto& index_map = part.index_maps[group[f].entity];
    const auto end = group[f].layers == 0 ? index_map.size() : index_map.layer_offsets[group[f].layers];
    for (LocalIndex i = 0; i < index_map.size(); ++i) {
      for (std::int64_t b = 0; b < group[f].item_bytes; ++b) {
        const auto value = i < end ? expected(index_map.to_global[i], f, b) : kUntouched;
        n_wrong += fields[f][i * group[f].item_bytes + b] != value;
      }
    }
  }
  CHECK(n_wrong == 0);
}

/// Runs the exchange of a group for all ranks in this process, and returns the fields of every rank.
std::vector<Fields> exchange_in_process(const std::vector<decomposition::Decomposition>& parts,
                                        const std::vector<schedule::HaloField>& group,
                                        schedule::Unpack unpack = schedule::Unpack::none) {
  const schedule::Halo schedule(
      static_cast<Rank>(parts.size()), group,
      [&](Rank rank) -> const auto& { return parts[rank].neighbours; }, unpack);
  std::vector<Fields> fields;
  for (const auto& part : parts) fields.push_back(owned_values(part, group));
  std::vector<Fields> staging;
  std::vector<Buffers> buffers;
  for (Rank rank = 0; rank < std::ssize(parts); ++rank) {
    auto& rank_buffers = staging.emplace_back();
    rank_buffers.emplace_back(schedule.buffer_bytes(rank, schedule.send_buffer()));
    rank_buffers.emplace_back(schedule.buffer_bytes(rank, schedule.receive_buffer()));
  }
  for (Rank rank = 0; rank < std::ssize(parts); ++rank) {
    auto& spans = buffers.emplace_back(fields[rank].begin(), fields[rank].end());
    spans.insert(spans.end(), staging[rank].begin(), staging[rank].end());
  }
  run_in_process(schedule, buffers);
  return fields;
}

}  // namespace

TEST_CASE("halo: global ids of cells, edges and vertices arrive, in process, at 1 to 70 ranks" *
          test::in_process()) {
  const auto topology = longitude_latitude(26, 13);
  for (Rank n_ranks = 1; n_ranks <= 70; ++n_ranks) {
    const auto parts = decompose_all(topology, n_ranks, 1 + n_ranks % 3);
    const auto fields = exchange_in_process(parts, kGroup);
    for (Rank rank = 0; rank < n_ranks; ++rank) check_all_values(parts[rank], kGroup, fields[rank]);
  }
}

TEST_CASE("halo: each field gets the layers that it needs" * test::in_process()) {
  const auto topology = longitude_latitude(26, 13);
  const std::vector<schedule::HaloField> group{{0, 8, 1}, {0, 4, 3}, {1, 8, 2}, {2, 4, 1}, {1, 4, 0}};
  for (const Rank n_ranks : {2, 3, 7, 20}) {
    const auto parts = decompose_all(topology, n_ranks, 3);
    const auto fields = exchange_in_process(parts, group);
    for (Rank rank = 0; rank < n_ranks; ++rank) check_all_values(parts[rank], group, fields[rank]);
  }
}

TEST_CASE("halo: a field cannot have more layers than the decomposition") {
  const auto parts = decompose_all(longitude_latitude(26, 13), 6, 2);
  CHECK_THROWS_WITH_AS(exchange_in_process(parts, {{0, 8, 3}}),
                       "A field needs 3 halo layers, but the decomposition has 2.", ConfigError);
}

TEST_CASE("halo: the first layer of a field is received in place, whatever the layers of the decomposition") {
  const auto parts = decompose_all(longitude_latitude(26, 13), 6, 2);
  const schedule::Halo schedule(6, {{0, 40, 1}},
                                [&](Rank rank) -> const auto& { return parts[rank].neighbours; });
  for (Rank rank = 0; rank < 6; ++rank) CHECK(schedule.buffer_bytes(rank, schedule.receive_buffer()) == 0);
}

TEST_CASE("halo: a single field of one layer is received in place") {
  const auto parts = decompose_all(longitude_latitude(26, 13), 6, 1);
  const schedule::Halo schedule(6, {{0, 40}},
                                [&](Rank rank) -> const auto& { return parts[rank].neighbours; });
  for (Rank rank = 0; rank < 6; ++rank) CHECK(schedule.buffer_bytes(rank, schedule.receive_buffer()) == 0);
}

TEST_CASE("halo: a single field of one layer is sent in place where a rank has one neighbour") {
  for (const Rank n_ranks : {2, 6}) {
    const auto parts = decompose_all(longitude_latitude(26, 13), n_ranks, 1);
    const auto schedule_of = [&](std::vector<schedule::HaloField> group) {
      return schedule::Halo(n_ranks, std::move(group),
                            [&](Rank rank) -> const auto& { return parts[rank].neighbours; });
    };
    const auto single = schedule_of({{0, 40}}), several = schedule_of({{0, 40}, {0, 8}});
    for (Rank rank = 0; rank < n_ranks; ++rank) {
      const bool has_one_neighbour = parts[rank].neighbours.size() == 1;
      CHECK((single.buffer_bytes(rank, single.send_buffer()) == 0) == has_one_neighbour);
      CHECK(several.buffer_bytes(rank, several.send_buffer()) > 0);
    }
  }
}

TEST_CASE("halo: MPI leaves the same bytes as the in-process executor, by every method") {
  const comm::Communicator comm(world());
  const auto topology = longitude_latitude(26, 13);
  for (const int n_layers : {1, 2}) {
    const auto parts = decompose_all(topology, comm.size(), n_layers);
    const auto& mine = parts[comm.rank()];
    for (const auto& group : {kGroup, std::vector<schedule::HaloField>{{0, 40}},
                              std::vector<schedule::HaloField>{{0, 40, 1}, {1, 8, n_layers}}}) {
      const auto reference = exchange_in_process(parts, group);
      for (const auto& method : comm::methods()) {
        CAPTURE(method.name);
        halo::Halo halo(comm, mine, group, &method);
        for (int repeat = 0; repeat < 3; ++repeat) {
          auto fields = owned_values(mine, group);
          const std::vector<std::span<std::byte>> spans(fields.begin(), fields.end());
          auto pending = halo.start(spans);
          pending.wait();
          CHECK(fields == reference[comm.rank()]);
          check_all_values(mine, group, fields);
        }
      }
    }
  }
}

TEST_CASE("halo: wherever messages are unpacked, the same bytes arrive") {
  // Messages are staged in buffers, and unpacked when all have arrived (together) or one by one (singly).
  const comm::Communicator comm(world());
  const auto parts = decompose_all(longitude_latitude(26, 13), comm.size(), 2);
  const auto& mine = parts[comm.rank()];
  for (const auto& group : {kGroup, std::vector<schedule::HaloField>{{0, 40, 1}}}) {
    const auto reference = exchange_in_process(parts, group);
    for (const auto unpack : {schedule::Unpack::together, schedule::Unpack::singly}) {
      CHECK(exchange_in_process(parts, group, unpack) == reference);
      for (const auto method : {comm::method_named("isend_irecv"), comm::method_named("persistent"),
                                comm::method_named("shared")}) {
        CAPTURE(method->name);
        halo::Halo halo(comm, mine, group, method, comm::BufferPlacement::anywhere, unpack);
        auto fields = owned_values(mine, group);
        const std::vector<std::span<std::byte>> spans(fields.begin(), fields.end());
        halo.start(spans).wait();
        CHECK(fields == reference[comm.rank()]);
      }
    }
  }
}

TEST_CASE("halo: leaving the scope waits") {
  // The destructor of the pending exchange completes it.
  const comm::Communicator comm(world());
  const auto parts = decompose_all(longitude_latitude(26, 13), comm.size(), 1);
  const auto& mine = parts[comm.rank()];
  halo::Halo halo(comm, mine, kGroup, comm::method_named("isend_irecv"));
  auto fields = owned_values(mine, kGroup);
  const std::vector<std::span<std::byte>> spans(fields.begin(), fields.end());
  {
    auto pending = halo.start(spans);
  }
  check_all_values(mine, kGroup, fields);
}

TEST_CASE("halo: memory of its fields is zeros, exchanged by any method; shared packs nothing from it") {
  const comm::Communicator comm(world());
  const auto parts = decompose_all(longitude_latitude(26, 13), comm.size(), 1);
  const auto& mine = parts[comm.rank()];
  for (const auto method : {comm::method_named("isend_irecv"), comm::method_named("shared")}) {
    halo::Halo halo(comm, mine, kGroup, method, comm::BufferPlacement::node_memory);
    CHECK(halo.method() == method);
    std::vector<halo::FieldMemory> memory;
    std::vector<std::span<std::byte>> fields;
    const auto initial = owned_values(mine, kGroup);
    for (std::size_t f = 0; f < kGroup.size(); ++f) {
      memory.push_back(halo.allocate(f));
      fields.push_back(memory.back().bytes());
      REQUIRE(fields[f].size() == initial[f].size());
      CHECK(std::ranges::all_of(fields[f], [](std::byte byte) { return byte == std::byte{0}; }));
      std::ranges::copy(initial[f], fields[f].begin());
    }
    halo.start(fields).wait();
    Fields found;
    for (const auto& field : fields) found.emplace_back(field.begin(), field.end());
    check_all_values(mine, kGroup, found);

    const auto statistics = halo.statistics();
    const auto sum_s = statistics.pack_s + statistics.transfer_s + statistics.wait_s + statistics.unpack_s;
    CHECK(sum_s == statistics.total_s());
    CHECK(statistics.n_exchanges == 1);
    CHECK(statistics.received_bytes == halo.received_bytes());
    CHECK_THROWS_WITH_AS(std::ignore = halo.allocate(4),
                         "There is no field 4 in a halo exchange of 4 fields.", InternalError);
  }
}

TEST_CASE("halo: fields that do not fit into shared memory are private, exchanged by shared all the same") {
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  const auto parts = decompose_all(longitude_latitude(26, 13), comm.size(), 1);
  const auto& mine = parts[comm.rank()];
  halo::Halo halo(comm, mine, kGroup, comm::method_named("shared"), comm::BufferPlacement::node_memory);
  const auto initial = owned_values(mine, kGroup);
  std::vector<halo::FieldMemory> memory;
  std::vector<std::span<std::byte>> fields;
  const NoSharedMemory none;
  for (std::size_t f = 0; f < kGroup.size(); ++f) {
    memory.push_back(halo.allocate(f));
    fields.push_back(memory.back().bytes());
    std::ranges::copy(initial[f], fields[f].begin());
  }
  CHECK(halo.description().starts_with("shared; fields are in private memory and packed: Shared memory of "));
  halo.start(fields).wait();
  Fields found;
  for (const auto& field : fields) found.emplace_back(field.begin(), field.end());
  check_all_values(mine, kGroup, found);
}
