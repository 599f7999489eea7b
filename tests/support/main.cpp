// Runs every test case on all ranks. A test case that fails on one rank fails on all; a watchdog ends test
// cases that hang.

#define DOCTEST_CONFIG_IMPLEMENT
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test.hpp"

namespace halcyon::test {
namespace {

MPI_Comm tests_world = MPI_COMM_NULL;
/// Separate from `tests_world`, so that a collective that a failed test left open does not match ours.
MPI_Comm outcomes_world = MPI_COMM_NULL;

std::chrono::seconds time_limit() {
  const char* text = std::getenv("HALCYON_TEST_TIMEOUT");
  return std::chrono::seconds(text ? std::max(1, std::atoi(text)) : 600);
}

std::string rank_of_ranks(int rank) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(world_size());
}

std::vector<std::string> failed_tests;  ///< on any rank

[[noreturn]] void abort_all(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  for (const auto& name : failed_tests) std::fprintf(stderr, "\"%s\" had failed\n", name.c_str());
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

/// Aborts all ranks unless destroyed within the time limit.
class Watchdog {
 public:
  Watchdog(const std::string& name, std::chrono::seconds limit)
      : thread_([=](std::stop_token stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any ended;
          ended.wait_for(lock, stop, limit, [&] { return stop.stop_requested(); });
          if (stop.stop_requested()) return;  // wait_for of GCC 12 misses a stop at its beginning
          abort_all("\"" + name + "\" on " + rank_of_ranks(world_rank()) + " ran longer than " +
                    std::to_string(limit.count()) + " s (HALCYON_TEST_TIMEOUT): aborting all ranks");
        }) {}

 private:
  std::jthread thread_;
};

/// The journal of this rank, in the format of tests/support/journal.py.
class Journal {
 public:
  Journal() {
    const char* folder = std::getenv("HALCYON_TEST_JOURNAL");
    if (folder && *folder)
      file_ = std::fopen((std::filesystem::path(folder) / rank_of_ranks(world_rank())).c_str(), "a");
    unsetenv("HALCYON_TEST_JOURNAL");
  }
  void write(const char* event, const std::string& name, const char* reason = "") const {
    if (!file_) return;
    std::fprintf(file_, "%s\t%s\t%s\n", event, name.c_str(), reason);
    std::fflush(file_);
  }

 private:
  std::FILE* file_ = nullptr;
};

/// Console reporter of doctest in which the ranks agree on the outcome of each test case; only rank 0 prints
/// the summary.
class RanksReporter : public doctest::ConsoleReporter {
 public:
  explicit RanksReporter(const doctest::ContextOptions& options) : ConsoleReporter(options) {}

  void test_run_start() override {
    if (world_rank() == 0) ConsoleReporter::test_run_start();
  }

  void test_run_end(const doctest::TestRunStats& stats) override {
    auto agreed = stats;
    agreed.numTestCasesFailed = static_cast<unsigned>(failed_tests.size());
    if (world_rank() != 0) return;
    for (const auto& name : failed_tests) s << "FAILED \"" << name << "\"\n";
    ConsoleReporter::test_run_end(agreed);
  }

  void test_case_start(const doctest::TestCaseData& test) override {
    ConsoleReporter::test_case_start(test);
    name_ = test.m_name;
    journal_.write("start", name_);
    watchdog_.emplace(name_, time_limit());
  }

  void test_case_exception(const doctest::TestCaseException& exception) override {
    ConsoleReporter::test_case_exception(exception);
    if (!exception.is_crash) return;
    journal_.write("failed", name_, exception.error_string.c_str());
    abort_all("\"" + name_ + "\" crashed on " + rank_of_ranks(world_rank()) + ": " +
              exception.error_string.c_str());
  }

  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    ConsoleReporter::test_case_end(stats);
    s.flush();
    if (!stats.testCaseSuccess) journal_.write("failed", name_, rank_of_ranks(world_rank()).c_str());
    agree(!stats.testCaseSuccess);
    watchdog_.reset();
    journal_.write("end", name_);
  }

 private:
  void agree(int failed) {
    std::vector<int> failed_on(static_cast<std::size_t>(world_size()));
    MPI_Allgather(&failed, 1, MPI_INT, failed_on.data(), 1, MPI_INT, outcomes_world);
    if (std::ranges::count(failed_on, 1) > 0) failed_tests.push_back(name_);
    if (world_rank() != 0) return;
    for (int rank = 0; rank < world_size(); ++rank)
      if (failed_on[static_cast<std::size_t>(rank)])
        s << "\"" << name_ << "\" failed on " << rank_of_ranks(rank) << std::endl;
  }

  std::string name_;
  std::optional<Watchdog> watchdog_;
  Journal journal_;
};

REGISTER_REPORTER("ranks", 0, RanksReporter);

}  // namespace

MPI_Comm world() {
  return tests_world;
}

}  // namespace halcyon::test

int main(int argc, char** argv) {
  using namespace halcyon::test;
  int thread_level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
  MPI_Comm_dup(MPI_COMM_WORLD, &tests_world);
  MPI_Comm_dup(MPI_COMM_WORLD, &outcomes_world);
  doctest::Context context(argc, argv);
  context.addFilter("reporters", "ranks");
  context.setOption("no-colors", true);
  if (world_size() > 1) context.addFilter("test-suite-exclude", "in process");
  const int status = context.run();
  const int outcome = failed_tests.empty() ? status : 1;
  MPI_Comm_free(&outcomes_world);
  MPI_Comm_free(&tests_world);
  MPI_Finalize();
  return outcome;
}
