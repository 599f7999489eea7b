#include <algorithm>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "schedule/examples.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

TEST_CASE("comm: auto chooses the same method on all ranks and says why") {
  // The description names every method that was measured; "auto" itself is not among them.
  const comm::Communicator comm(world(), 2);
  const auto schedule = bruck(comm.size());
  for (const auto placement : {comm::BufferPlacement::anywhere, comm::BufferPlacement::node_memory}) {
    const comm::Exchange exchange(comm, schedule, comm::method_named("auto"), {}, placement);
    CHECK(exchange.method() != comm::method_named("auto"));
    const auto chosen = exchange.method() - comm::methods().data();
    CHECK(comm.min(chosen) == comm.max(chosen));
    const auto begin = fmt::format("auto: {} (", exchange.method()->name);
    CHECK(exchange.description().starts_with(begin));
    if (comm.size() == 1) continue;
    for (const auto& name : options::names_of(comm::methods())) {
      CAPTURE(exchange.description());
      const bool is_left_out = name == "auto" || name == "put";  // put is for those who ask for it
      CHECK((exchange.description().find(fmt::format("{} ", name)) == std::string::npos) == is_left_out);
    }
  }
}

TEST_CASE("comm: auto prefers what overlaps where that takes at most a tenth longer") {
  const auto preferred = [](const std::vector<std::pair<const char*, double>>& methods_and_times_s) {
    std::vector<comm::MethodTime> times;
    for (const auto& [name, time_s] : methods_and_times_s)
      times.push_back({comm::method_named(name), time_s});
    return comm::preferred_method(times)->name;
  };
  CHECK(preferred({{"neighbor", 1.0}, {"persistent", 1.09}, {"isend_irecv", 1.08}}) == "isend_irecv");
  CHECK(preferred({{"isend_irecv", 1.11}, {"alltoallv", 1.0}}) == "alltoallv");
  CHECK(preferred({{"isend_recv", 1.0}, {"shared", 1.005}, {"ineighbor", 1.01}}) == "ineighbor");
  CHECK(preferred({{"isend_irecv", 1.01}, {"neighbor", 1.05}, {"persistent", 1.0}}) == "persistent");
}

TEST_CASE("comm: auto leaves out what cannot carry the schedule, and does no work of the caller's") {
  // Collectives need equal numbers of rounds on all ranks; measurements do not call the work of the schedule.
  const comm::Communicator comm(world());
  if (comm.size() < 2) return;
  // Rank 0 starts two rounds before it waits, the other ranks one.
  const ListSchedule uneven(comm.size(), {{"data"}}, {16}, [](Rank rank) {
    if (rank > 0) return ListSchedule::Program{start(0), {.action = Action::compute}, wait(0)};
    return ListSchedule::Program{start(0), start(1), {.action = Action::compute}, wait(0), wait(1)};
  });
  int n_work_calls = 0;
  comm::Exchange exchange(comm, uneven, comm::method_named("auto"),
                          {.combine = {}, .work = [&](std::int32_t) { ++n_work_calls; }});
  CHECK(n_work_calls == 0);
  CHECK(exchange.description().ends_with(
      "; not neighbor, ineighbor, neighbor_persistent, alltoallv, ialltoallv)"));
  Memory memory(uneven, comm.rank());
  exchange.start(memory.spans()).wait();
  CHECK(n_work_calls == 1);
}

TEST_CASE("comm: a method that is given is its own description") {
  const comm::Communicator comm(world());
  const comm::Exchange exchange(comm, ring_sum(comm.size()), comm::method_named("shared"),
                                {.combine = add_integers, .work = {}});
  CHECK(exchange.method() == comm::method_named("shared"));
  CHECK(exchange.description() == "shared");
}
