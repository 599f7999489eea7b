#include <vector>

#include "decomposition/grids.hpp"
#include "halcyon/comm/node.hpp"
#include "halcyon/halo/halo.hpp"
#include "test.hpp"

using namespace halcyon;

TEST_CASE("comm: an exchange allocates nothing after its set-up, by any method, wherever its fields lie") {
  const comm::Communicator comm(test::world(), 2);
  const auto parts = test::decompose_all(test::longitude_latitude(26, 13), comm.size(), 2);
  const auto& mine = parts[comm.rank()];
  const auto bytes = std::int64_t{40} * mine.cells().size();
  const comm::NodeMemory node_memory(comm, bytes);
  std::vector<std::byte> private_memory(bytes);
  const std::span<std::byte> fields[] = {node_memory.bytes(), private_memory};
  for (const auto& method : comm::methods()) {
    CAPTURE(method.name);
    halo::Halo halo(comm, mine, {{0, 40}}, &method);
    halo.start({&fields[0], 1}).wait();
    const auto before = test::allocations().count;
    for (const auto& field : fields) halo.start({&field, 1}).wait();
    CHECK(test::allocations().count == before);
  }
  const auto before = test::allocations().count;  // checks that the counter works
  private_memory.reserve(private_memory.size() + 1);
  CHECK(test::allocations().count == before + 1);
}
