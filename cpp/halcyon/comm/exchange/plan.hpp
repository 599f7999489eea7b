#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/exchange/program.hpp"
#include "halcyon/comm/exchange/recorder.hpp"
#include "halcyon/comm/methods/round.hpp"
#include "halcyon/comm/progress.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Copies between the same two buffers, one after another, kept closely: most of a halo's are of one short
/// item, for which finding out what to copy takes longer than the copy.
class Copies {
 public:
  explicit Copies(const schedule::Operation& first);

  /// Takes a copy as the last one. @returns whether it is between the same buffers, so that it could
  bool add(const schedule::Operation& copy);
  void run(BufferSpans buffers) const;

 private:
  struct Range {
    std::int64_t source, target, bytes;
  };

  std::int32_t from_, to_;
  std::vector<Range> ranges_;
};

/// What an Exchange executes: a rank's program, with its rounds made ready for one method.
class Plan {
 public:
  /// Collective. Reads and checks the rank's operations.
  /// @throws ConfigError, on all ranks, where the method cannot carry the schedule
  Plan(const Communicator& comm, const schedule::Schedule& schedule, Method method, schedule::Actors actors,
       std::shared_ptr<const Progress> progress = {});
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();

  /// Runs up to the first wait.
  /// @param work instead of the actors'
  void start(BufferSpans buffers, const schedule::Work* work = nullptr);
  /// Runs what is left.
  void finish();
  /// Gives MPI a turn, where progress is by polls.
  void progress();

  Statistics statistics() const;

  /// Writes each exchange down from now on, in the parts from `first_part` on.
  void record(std::shared_ptr<Recorder> recorder, std::int32_t first_part);

 private:
  Program prepared(const Communicator& comm, const schedule::Schedule& schedule);
  void count_messages(const Program& program);
  void add(const Step& step);
  void run(bool stop_at_wait);
  void execute(const schedule::Operation& step);
  void compute(std::int32_t work);
  void computing(bool begins);

  class Computing {
   public:
    explicit Computing(Plan& plan) : plan_(plan) { plan_.computing(true); }
    Computing(const Computing&) = delete;
    Computing& operator=(const Computing&) = delete;
    ~Computing() { plan_.computing(false); }

   private:
    Plan& plan_;
  };

  std::vector<Step> steps_;     ///< of consecutive copies between the same buffers the first
  std::vector<Copies> copies_;  ///< at the place that Operation::work of such a step tells
  Rounds rounds_;
  std::vector<std::int64_t> buffer_bytes_;
  schedule::Actors actors_;
  const schedule::Work* work_ = nullptr;  ///< of the exchange under way
  std::vector<std::span<std::byte>> buffers_;
  std::size_t at_ = 0;  ///< the step that comes next
  std::shared_ptr<const Progress> progress_;
  std::vector<std::int32_t> under_way_;  ///< rounds that have started
  bool computing_ = false;               ///< the rank computes with rounds under way
  std::int64_t n_sent_ = 0, n_received_ = 0, sent_bytes_ = 0, received_bytes_ = 0;  ///< of one exchange
  std::int64_t n_exchanges_ = 0;
  std::array<double, 5> times_s_{};  ///< by Part
  std::shared_ptr<Recorder> recorder_;
  std::int32_t first_part_ = 0, part_ = 0;  ///< of the record
};

}  // namespace halcyon::comm
