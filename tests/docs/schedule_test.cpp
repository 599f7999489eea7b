// The example of docs/schedule.md; tests/docs/test_docs.py checks that the page shows this code.

#include <span>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::schedule;

namespace {

/// Every rank hands a block to the next one: rank r's "out" arrives in "in" of rank r + 1.
class Shift final : public Schedule {
 public:
  Shift(Rank n_ranks, std::int64_t block_bytes) : n_(n_ranks), bytes_(block_bytes) {}

  Rank n_ranks() const override { return n_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank, std::int32_t) const override { return bytes_; }

  bool next(Rank rank, Cursor& cursor, Operation& operation) const override {
    const Rank before = (rank + n_ - 1) % n_, after = (rank + 1) % n_;
    const Block out{0, 0, bytes_}, in{1, 0, bytes_};
    switch (cursor.position) {
      case 0:
        operation = {.action = Action::receive, .peer = before, .block = in};
        break;
      case 1:
        operation = {.action = Action::send, .peer = after, .block = out};
        break;
      case 2:
        operation = {.action = Action::start};
        break;
      case 3:
        operation = {.action = Action::wait};
        break;
      default:
        return false;
    }
    ++cursor.position;
    return true;
  }

 private:
  Rank n_;
  std::int64_t bytes_;
  std::vector<Buffer> buffers_{{"out"}, {"in"}};
};

}  // namespace

TEST_CASE("docs: the example of the page on schedules is right for 1 to 70 ranks" * test::in_process()) {
  for (Rank n = 1; n <= 70; ++n) {
    std::vector<std::vector<Rank>> memory;
    std::vector<Buffers> buffers;
    for (Rank rank = 0; rank < n; ++rank) memory.push_back({rank, -1});
    for (auto& out_and_in : memory) {
      const auto bytes = std::as_writable_bytes(std::span(out_and_in));
      buffers.push_back({bytes.first(sizeof(Rank)), bytes.last(sizeof(Rank))});
    }
    run_in_process(Shift(n, sizeof(Rank)), buffers);
    for (Rank rank = 0; rank < n; ++rank) REQUIRE(memory[rank][1] == (rank + n - 1) % n);
  }
}

TEST_CASE("docs: the example runs unchanged by MPI, by every method") {
  const comm::Communicator comm(test::world());
  const Shift shift(comm.size(), sizeof(Rank));
  for (const auto& method : options::names_of(comm::methods())) {
    comm::Exchange exchange(comm, shift, comm::method_named(method));
    Rank out = comm.rank(), in = -1;
    const Buffers buffers{std::as_writable_bytes(std::span(&out, 1)),
                          std::as_writable_bytes(std::span(&in, 1))};
    auto pending = exchange.start(buffers);
    pending.wait();
    CHECK(in == (comm.rank() + comm.size() - 1) % comm.size());
  }
}
