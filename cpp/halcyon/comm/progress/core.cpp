#include "halcyon/comm/progress/core.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <ranges>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

int n_cores() {
  return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
}

/// The ranks that share this rank's memory, and so its cores.
class NodeRanks {
 public:
  explicit NodeRanks(const Communicator& comm) {
    check(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &comm_),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  }
  NodeRanks(const NodeRanks&) = delete;
  NodeRanks& operator=(const NodeRanks&) = delete;
  ~NodeRanks() { MPI_Comm_free(&comm_); }

  std::size_t rank() const { return static_cast<std::size_t>(rank_); }

  /// Collective. The cores on which any of the ranks may run.
  cpu_set_t cores() const {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    check(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, comm_), "MPI_Allreduce");
    return cores;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
};

std::optional<int> free_core(const NodeRanks& node) {
  const auto taken = node.cores();
  std::vector<int> free;
  for (int core = 0; core < n_cores(); ++core)
    if (!CPU_ISSET(core, &taken)) free.push_back(core);
  if (free.empty()) return std::nullopt;
  return free[node.rank() % free.size()];
}

}  // namespace

Core core_named(const std::string& name) {
  if (name == "auto") return {};
  if (name == "shared") return {.choice = Core::Choice::shared};
  Core core{.choice = Core::Choice::given};
  for (const auto part : std::views::split(name, ',')) {
    const std::string_view digits(part.begin(), part.end());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    require<ConfigError>(error == std::errc() && end == digits.data() + digits.size() && number >= 0,
                         "There is no core '{}' for progress threads. Use auto, shared, or numbers such as 3 "
                         "or 2,3.",
                         name);
    core.numbers.push_back(number);
  }
  require<ConfigError>(
      !core.numbers.empty(),
      "No core is given for progress threads. Use auto, shared, or numbers such as 3 or 2,3.");
  return core;
}

std::optional<int> core_for(const Communicator& comm, const Core& core) {
  std::optional<int> found;
  comm.agree([&] {
    for (const int number : core.numbers)
      require<ConfigError>(
          number < n_cores(),
          "There is no core {} for progress threads: the node of rank {} has 0 to {}. Give one "
          "of these, auto or shared.",
          number, comm.rank(), n_cores() - 1);
  });
  const NodeRanks node(comm);
  if (core.choice == Core::Choice::automatic) return free_core(node);
  if (core.choice == Core::Choice::shared) return sched_getcpu();
  return core.numbers[node.rank() % core.numbers.size()];
}

}  // namespace halcyon::comm
