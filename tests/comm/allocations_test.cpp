#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "decomposition/grids.hpp"
#include "halcyon/comm/node.hpp"
#include "halcyon/halo/halo.hpp"
#include "test.hpp"

namespace {

std::atomic<std::int64_t> n_allocations = 0;  // counted by the replaced operator new below

}  // namespace

void* operator new(std::size_t bytes) {
  ++n_allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++n_allocations;
  return std::malloc(bytes);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

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
    const auto before = n_allocations.load();
    for (const auto& field : fields) halo.start({&field, 1}).wait();
    CHECK(n_allocations.load() == before);
  }
  const auto before = n_allocations.load();  // checks that the counter works
  private_memory.reserve(private_memory.size() + 1);
  CHECK(n_allocations.load() == before + 1);
}
