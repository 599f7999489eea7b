#include "halcyon/comm/threads.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <ranges>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {
namespace {

/// A word in the version string of an MPI library, and the environment variable for its progress threads.
constexpr std::array<std::pair<const char*, const char*>, 4> kProgressVariables{
    {{"Intel", "I_MPI_ASYNC_PROGRESS"},
     {"CRAY", "MPICH_NEMESIS_ASYNC_PROGRESS"},
     {"MPICH", "MPICH_ASYNC_PROGRESS"},
     {"MPICH", "MPIR_CVAR_ASYNC_PROGRESS"}}};

bool is_enabled(std::string value) {
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array kOff{"", "0", "no", "off", "false", "disable", "disabled"};
  return std::ranges::find(kOff, value) == kOff.end();
}

int provided_level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

}  // namespace

std::string_view thread_level() {
  switch (provided_level()) {
    case MPI_THREAD_MULTIPLE:
      return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SINGLE";
  }
}

void require_thread_multiple(const std::string& feature) {
  require<ConfigError>(
      provided_level() == MPI_THREAD_MULTIPLE,
      "{} needs MPI_THREAD_MULTIPLE, but MPI was initialized with {}. Initialize it by MPI_Init_thread(..., "
      "MPI_THREAD_MULTIPLE, ...), in Python with mpi4py.rc.thread_level = 'multiple' (mpi4py's default), or "
      "use progress 'poll' or 'none'.",
      feature, thread_level());
}

std::string mpi_progress_variable() {
  const auto version = library_version();
  for (const auto& [mpi_name, variable] : kProgressVariables) {
    const char* value = std::getenv(variable);
    if (value && is_enabled(value) && version.find(mpi_name) != std::string::npos)
      return fmt::format("{}={}", variable, value);
  }
  return {};
}

namespace {

int n_cores() {
  return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
}

/// The ranks on the compute node of this rank.
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

  /// Collective. The cores to which the ranks of the node are bound.
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

/// Collective. Returns a core to which no rank is bound, if any; such cores are assigned cyclically to ranks.
std::optional<int> free_core(const NodeRanks& node) {
  const auto bound = node.cores();
  std::vector<int> free;
  for (int core = 0; core < n_cores(); ++core)
    if (!CPU_ISSET(core, &bound)) free.push_back(core);
  if (free.empty()) return std::nullopt;
  return free[node.rank() % free.size()];
}

}  // namespace

CoreBinding core_binding_named(const std::string& name) {
  if (name == "auto") return {};
  if (name == "shared") return {.policy = CoreBinding::Policy::shared};
  CoreBinding core{.policy = CoreBinding::Policy::given};
  for (const auto part : std::views::split(name, ',')) {
    const std::string_view digits(part.begin(), part.end());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    require<ConfigError>(
        error == std::errc() && end == digits.data() + digits.size() && number >= 0,
        "There is no core '{}' for progress threads. Use auto, shared, or numbers such as 3 or 2,3.", name);
    core.numbers.push_back(number);
  }
  require<ConfigError>(
      !core.numbers.empty(),
      "No core is given for progress threads. Use auto, shared, or numbers such as 3 or 2,3.");
  return core;
}

std::optional<int> select_core(const Communicator& comm, const CoreBinding& core) {
  comm.agree([&] {
    for (const int number : core.numbers)
      require<ConfigError>(
          number < n_cores(),
          "There is no core {} for progress threads: the node of rank {} has cores 0 to {}. Give "
          "one of these, auto or shared.",
          number, comm.rank(), n_cores() - 1);
  });
  const NodeRanks node(comm);
  if (core.policy == CoreBinding::Policy::automatic) return free_core(node);
  if (core.policy == CoreBinding::Policy::shared) return sched_getcpu();
  return core.numbers[node.rank() % core.numbers.size()];
}

}  // namespace halcyon::comm
