#include "halcyon/comm/communicator.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "halcyon/comm/node.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Checks that an error of type E on the ranks from `lowest` on is thrown on all ranks, with the text of
/// `lowest`.
template <class E>
void check_error_of(const comm::Communicator& comm, Rank lowest) {
  const auto expected = fmt::format("rank {} of {} has no mesh", lowest, comm.size());
  const auto fail = [&] {
    comm.agree(
        [&] { require<E>(comm.rank() < lowest, "rank {} of {} has no mesh", comm.rank(), comm.size()); });
  };
  CHECK_THROWS_WITH_AS(fail(), expected.c_str(), E);
}

}  // namespace

TEST_CASE("comm: a communicator has one duplicate, which knows the memory of all that is made by it") {
  MPI_Comm original = MPI_COMM_NULL;
  MPI_Comm_dup(world(), &original);
  const auto handle = MPI_Comm_c2f(original);
  const auto first = comm::Communicator::from_fortran(handle);
  const auto again = comm::Communicator::from_fortran(handle);
  CHECK(first.get() == again.get());
  const comm::NodeMemory memory(first, 64);
  CHECK(again.node()->location_of(memory.bytes()).has_value());
  MPI_Comm_free(&original);
  CHECK(first.max(first.rank()) == first.size() - 1);
}

TEST_CASE("comm: what one rank throws, all throw, as the lowest one says it") {
  const comm::Communicator comm(world());
  for (Rank lowest = 0; lowest < comm.size(); ++lowest) {
    check_error_of<ConfigError>(comm, lowest);
    check_error_of<InputError>(comm, lowest);
    check_error_of<RunError>(comm, lowest);
    check_error_of<InternalError>(comm, lowest);
  }
  int n_calls = 0;
  comm.agree([&] { ++n_calls; });
  CHECK(n_calls == 1);
}

TEST_CASE("comm: a tag is handed out again when no rank holds it any more, to all ranks the same") {
  const comm::Communicator comm(world());
  // The numbers of many new tags, which are the same on all ranks and in the same order.
  const auto acquired_tags = [&] {
    std::set<int> numbers;
    std::int64_t order_hash = 0;
    for (int i = 0; i < 3 * comm::TagPool::kCount; ++i) {
      const int number = comm.new_tag().number();
      numbers.insert(number);
      order_hash = (31 * order_hash + number) % 1000003;
    }
    CHECK(comm.min(order_hash) == comm.max(order_hash));
    return numbers;
  };
  const auto held_by_all = comm.new_tag();
  std::optional<comm::Tag> tag_of_last_rank = comm.new_tag();
  const int number = tag_of_last_rank->number();
  if (comm.rank() < comm.size() - 1) tag_of_last_rank.reset();
  const auto all_but_two = acquired_tags();
  CHECK(all_but_two.size() == comm::TagPool::kCount - 2);
  CHECK(!all_but_two.contains(held_by_all.number()));
  CHECK(!all_but_two.contains(number));
  tag_of_last_rank.reset();
  const auto all_but_one = acquired_tags();
  CHECK(all_but_one.size() == comm::TagPool::kCount - 1);
  CHECK(!all_but_one.contains(held_by_all.number()));
}

TEST_CASE("comm: more tags than MPI has are refused on all ranks, until some are given back") {
  // Only rank 0 keeps its tags, but a tag is free only when no rank holds it.
  const comm::Communicator comm(world());
  std::vector<comm::Tag> held;
  for (int i = 0; i < comm::TagPool::kCount; ++i) {
    auto tag = comm.new_tag();
    if (comm.rank() == 0) held.push_back(std::move(tag));
  }
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_WITH_AS(comm.new_tag(), doctest::Contains("Free exchanges that are no longer needed"),
                         ConfigError);
  if (comm.rank() == 0) held.resize(5, held.front());
  CHECK(comm.new_tag().number() == 5);
}
