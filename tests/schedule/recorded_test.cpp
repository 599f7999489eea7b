#include "halcyon/schedule/record/recorded.hpp"

#include <filesystem>
#include <sstream>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/record/recorded.hpp"
#include "schedule/workloads.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// Bruck's all-to-all, twice, with a computation before each, as a recorded schedule.
RecordedSchedule recorded(Rank n) {
  const auto schedule = bruck(n);
  std::vector<RankRecord> records;
  for (Rank rank = 0; rank < n; ++rank) {
    records.push_back(
        {{8 * n, 8 * n, 8 * n, 8 * n, 8 * n}, {operations(schedule, rank)}, {{0, 0.1 * rank}, {0, 1e-7}}});
  }
  return {schedule.buffers(), std::move(records)};
}

/// Returns the error of reading a record with this text; empty if there is none.
std::string failure_of(const std::string& text) {
  std::istringstream in(text);
  try {
    (void)read_record(in, "run.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool same(const Operation& a, const Operation& b) {
  return a.action == b.action && a.peer == b.peer && a.round == b.round && a.block == b.block &&
         a.target == b.target && a.work == b.work && a.seconds == b.seconds;
}

}  // namespace

TEST_CASE("schedule: a record replays, and is the same after a file" * test::in_process()) {
  const auto path = std::filesystem::temp_directory_path() / "halcyon_recorded_test.txt";
  for (const Rank n : {1, 2, 7}) {
    const auto record = recorded(n);
    record.write(path);
    const auto reread = RecordedSchedule::read(path);
    CHECK(reread.n_ranks() == n);
    CHECK(reread.buffers().size() == 5);
    for (Rank rank = 0; rank < n; ++rank) {
      const auto written = operations(record, rank), read = operations(reread, rank);
      REQUIRE(written.size() == read.size());
      for (std::size_t i = 0; i < written.size(); ++i) CHECK(same(written[i], read[i]));
    }
    auto memory = in_process(reread, [n](Rank rank, Memory& memory_of_rank) {
      for (Rank to = 0; to < n; ++to) memory_of_rank.as<std::int64_t>(0)[to] = 100 * rank + to;
    });
    for (Rank rank = 0; rank < n; ++rank) {
      for (Rank from = 0; from < n; ++from)
        REQUIRE(memory[rank].as<std::int64_t>(1)[from] == 100 * from + rank);
    }
  }
  std::filesystem::remove(path);
}

TEST_CASE("schedule: a damaged record is refused by its line" * test::in_process()) {
  const std::string head = "halcyon schedule 1\nranks 1\nbuffer data\nrank 8\n";
  CHECK(failure_of(head + "part\nsend 0 0 0 0 8 1 0\nrun 0 0.5\n").empty());
  CHECK(failure_of("") == "run.txt is empty. Give a record file of a run.");
  CHECK(failure_of("netCDF") == "run.txt:1: not a line of a recorded schedule. Record it again.");
  CHECK(failure_of(head + "send 0 0\n") == "run.txt:5: not a line of a recorded schedule. Record it again.");
  CHECK(failure_of(head + "part\nsend 0 x\n").starts_with("run.txt:6:"));
  CHECK(failure_of(head + "part\njump 0\n").starts_with("run.txt:6:"));
  CHECK(failure_of("halcyon schedule 1\nranks 2\nrank\n") == "run.txt has 1 of 2 ranks. Record it again.");
  CHECK_THROWS_WITH_AS((void)RecordedSchedule::read("/nowhere/run.txt"),
                       "/nowhere/run.txt cannot be read. Give a record file of a run.", InputError);
  CHECK_THROWS_AS((void)RecordedSchedule::read(std::filesystem::temp_directory_path()), InputError);
  CHECK_THROWS_AS(recorded(1).write("/nowhere/run.txt"), RunError);
}

TEST_CASE("schedule: what a record cannot say is named with its line" * test::in_process()) {
  const std::string head = "halcyon schedule 1\nranks 2\nbuffer data\nrank 8\npart\n";
  const auto check_error = [&](const std::string& line, const std::string& text) {
    CHECK(failure_of(head + line + "\n") == "run.txt:6: " + text + ". Record it again.");
  };
  check_error("run 0 -1", "the time [s] is -1, but must be 0 to 1000000");
  check_error("compute 0 -0.5", "the time [s] is -0.5, but must be 0 to 1000000");
  check_error("run 0 nan", "not a line of a recorded schedule");
  check_error("run 0 0.5 0.5", "the line has too many words");
  check_error("wait 0 x", "the line has too many words");
  check_error("start 1.5", "the line has too many words");
  check_error("part 1", "the line has too many words");
  check_error("", "not a line of a recorded schedule");
  check_error("run 1 0.5", "there is no part 1 among 1 parts");
  check_error("run -1 0.5", "there is no part -1 among 1 parts");
  check_error("send 2 0 0 0 8 1 0", "the rank is 2, but must be 0 to 1");
  check_error("receive -1 0 0 0 8 1 0", "the rank is -1, but must be 0 to 1");
  check_error("wait -1", "the round is -1, but must be 0 to 2147483647");
  check_error("send 1 0 1 0 8 1 0", "there is no buffer 1 among 1 buffers");
  check_error("send 1 0 0 1 8 1 0", "the block exceeds its buffer of 8 bytes");
  check_error("send 1 0 0 0 -8 1 0", "the size is -8, but must be 0 to 9223372036854775807");
  check_error("copy 0 0 4 2 9223372036854775807 0 0 4 2 4", "the block exceeds its buffer of 8 bytes");
  check_error("send 1 0 0 0 4 2 4", "the block has 2 ranges, but only one is allowed here");
  check_error("copy 0 0 4 1 0 0 4 2 1 0", "the two blocks differ in size");
  check_error("rank", "the rank has 0 buffer sizes, but there are 1 buffers");
  check_error("rank -8", "the size of a buffer is -8, but must be 0 to 9223372036854775807");
  check_error("buffer more", "buffers must be named before the first rank");
  CHECK(failure_of(head + "rank 8\nrank 8\n") ==
        "run.txt:7: the record has more than 2 ranks. Record it again.");
  CHECK(failure_of("halcyon schedule 1\nranks 0\n") ==
        "run.txt:2: the number of ranks is 0, but must be 1 to 2147483647. Record it again.");
}
