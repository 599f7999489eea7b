#include "halcyon/comm/progress/progress.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/progress/thread_level.hpp"

namespace halcyon::comm {

namespace {

constexpr std::array<std::pair<std::string_view, ProgressBy>, 3> kNames{
    {{"none", ProgressBy::none}, {"poll", ProgressBy::poll}, {"thread", ProgressBy::thread}}};

std::string described(ProgressBy by, std::optional<int> core, double nap_s) {
  std::string text(name_of(by));
  if (by == ProgressBy::thread) {
    text += core ? fmt::format(" on core {}", *core) : std::string(" on any core of its rank");
    text += fmt::format(", naps of {:g} us", 1e6 * nap_s);
  }
  const auto own = mpi_own_progress();
  if (own.empty()) return text;
  return text + (by == ProgressBy::none ? fmt::format("; the MPI has threads of its own ({})", own)
                                        : fmt::format("; harmful together with the threads of the MPI ({}): "
                                                      "unset that, or use progress none",
                                                      own));
}

}  // namespace

std::string_view name_of(ProgressBy by) {
  return std::ranges::find(kNames, by, [](const auto& named) { return named.second; })->first;
}

ProgressBy progress_named(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, [](const auto& named) { return named.first; });
  require<ConfigError>(found != kNames.end(), "There is no progress '{}'. Use none, poll or thread.", name);
  return found->second;
}

Progress::Progress(const Communicator& comm, ProgressBy by, const Core& core, double nap_s) : by_(by) {
  std::optional<int> number;
  if (by == ProgressBy::thread) {
    comm.agree([&] {
      require_thread_multiple("Progress by a thread");
      require<ConfigError>(nap_s >= 0 && nap_s <= 1,
                           "Naps of {:g} s of a progress thread. Give 0 to 1 s, such as 0.0002.", nap_s);
    });
    number = core_for(comm, core);
    comm.agree([&] { thread_ = std::make_unique<ProgressThread>(nap_s, number); });
  }
  description_ = described(by, number, nap_s);
}

void Progress::resume() const {
  if (!thread_) return;
  thread_->require_running();
  thread_->resume();
}

void Progress::pause() const noexcept {
  if (thread_) thread_->pause();
}

}  // namespace halcyon::comm
