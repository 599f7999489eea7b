#include "halcyon/atmosphere/weave.hpp"

#include <algorithm>
#include <array>

#include "test.hpp"

using namespace halcyon;
using namespace halcyon::atmosphere;

namespace {

// Three sweeps over a ring of items: the second needs both neighbours of the first, the third the same and
// one more of the second.
constexpr int kItems = 100;
constexpr std::array<LocalIndex, 3> kSizes{7, 10, 16};

LocalIndex around(int item) {
  return (item + kItems) % kItems;
}

/// By sweep.
const std::array<std::vector<Need>, 3>& needs() {
  static const auto lists = [] {
    std::pair<std::vector<std::array<LocalIndex, 2>>, std::vector<std::array<LocalIndex, 1>>> found;
    for (int item = 0; item < kItems; ++item) {
      found.first.push_back({around(item - 1), around(item + 1)});
      found.second.push_back({around(item + 30)});
    }
    return found;
  }();
  static const std::array<std::vector<Need>, 3> found{
      {{}, {{0, lists.first}}, {{0, lists.first}, {1, lists.second}}}};
  return found;
}

using Done = std::array<std::vector<int>, 3>;  // how often, by sweep and item

/// Runs tasks, and checks each time that what is needed and is somewhere in the sweeps has been computed.
Done done_by(const std::vector<Task>& tasks, const std::array<Runs, 3>& sweeps) {
  Done done;
  std::array<std::vector<int>, 3> is_there;
  for (int sweep = 0; sweep < 3; ++sweep) {
    done[sweep].assign(kItems, 0);
    is_there[sweep].assign(kItems, 0);
    for (const auto [begin, end] : sweeps[sweep]) std::fill_n(&is_there[sweep][begin], end - begin, 1);
  }
  for (const auto& [sweep, runs] : tasks) {
    LocalIndex n = 0;
    for (const auto [begin, end] : runs) {
      n += end - begin;
      for (auto item = begin; item < end; ++item) {
        ++done[sweep][item];
        for (const auto& [before, beside] : needs()[sweep])
          for (const auto other : beside[item]) CHECK(done[before][other] == is_there[before][other]);
      }
    }
    CHECK(n > 0);
    CHECK(n <= kSizes[sweep]);
  }
  return done;
}

}  // namespace

TEST_CASE("atmosphere weave: every item of every sweep is computed once, after what it needs") {
  // The last sweep does not call for all of the second; some of what is needed is in no sweep.
  for (const std::array<Runs, 3>& sweeps :
       {std::array<Runs, 3>{Runs{{0, kItems}}, Runs{{0, kItems}}, Runs{{0, kItems}}},
        std::array<Runs, 3>{Runs{{0, 20}, {25, 26}, {40, 99}}, Runs{{3, 90}}, Runs{{50, 60}}},
        std::array<Runs, 3>{Runs{{5, 9}}, Runs{}, Runs{}}, std::array<Runs, 3>{}}) {
    const auto done = done_by(woven(sweeps, kSizes, needs()), sweeps);
    for (int sweep = 0; sweep < 3; ++sweep) {
      std::vector<int> expected(kItems);
      for (const auto [begin, end] : sweeps[sweep]) std::fill_n(&expected[begin], end - begin, 1);
      CHECK(done[sweep] == expected);
    }
  }
}

TEST_CASE("atmosphere weave: what is needed comes soon before, not a whole sweep ahead") {
  const Runs all{{0, kItems}};
  const auto tasks = woven(std::array<Runs, 3>{all, all, all}, kSizes, needs());
  const auto first_of_last = std::ranges::find(tasks, 2, &Task::sweep);
  const auto before = [&](int sweep) {
    return std::count_if(tasks.begin(), first_of_last, [&](const Task& task) { return task.sweep == sweep; });
  };
  CHECK(before(0) < 10);  // of 15
  CHECK(before(1) < 4);   // of 10
}
