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

/// Consecutive copy operations between the same two buffers, stored as byte ranges: most copies of a halo
/// exchange are so short that interpreting an operation would take longer than the copy.
class Copies {
 public:
  explicit Copies(const schedule::Operation& first);

  /// Appends a copy if it is between the same buffers. @returns whether it was appended
  bool add(const schedule::Operation& copy);
  void run(BufferSpans buffers) const;

 private:
  struct Range {
    std::int64_t source, target, bytes;  ///< offsets in the two buffers [bytes], and length
  };

  std::int32_t source_buffer_, target_buffer_;  ///< indices in the buffers of the schedule
  std::vector<Range> ranges_;
};

/// A rank's operations of a schedule, and the rounds in which one exchange method transfers their messages.
class Plan {
 public:
  /// Collective. Reads and checks the operations of the rank.
  /// @throws ConfigError, on all ranks, if the method does not support the schedule
  Plan(const Communicator& comm, const schedule::Schedule& schedule, Method method,
       schedule::Callbacks callbacks, std::shared_ptr<const Progress> progress = {});
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();

  /// Executes the operations up to the first wait.
  /// @param work callback of `compute` operations, instead of `callbacks.work`
  void start(BufferSpans buffers, const schedule::Work* work = nullptr);
  /// Executes the remaining operations.
  void finish();
  /// Executes the operations up to the first wait for messages that have not arrived. Does nothing if the
  /// method can block in the start of a round, and while the exchange is recorded.
  void advance();
  /// Progresses messages in flight, in progress mode `poll`.
  void progress();

  Statistics statistics() const;

  /// From now on, `recorder` records the parts of each exchange, numbered from `first_part`.
  void set_recorder(std::shared_ptr<Recorder> recorder, std::int32_t first_part);

 private:
  Program prepare(const Communicator& comm, const schedule::Schedule& schedule);
  void count_messages(const Program& program);
  void add(const ProgramStep& step);
  enum class StopAt { wait, blocking_wait, end };
  void run(StopAt stop_at);
  bool stops(const ProgramStep& step, StopAt stop_at) const;
  void execute(const schedule::Operation& operation);
  void compute(std::int32_t work);
  void set_computing(bool computing);

  /// Progresses messages in flight until the end of the scope.
  class ComputingScope {
   public:
    explicit ComputingScope(Plan& plan) : plan_(plan) { plan_.set_computing(true); }
    ComputingScope(const ComputingScope&) = delete;
    ComputingScope& operator=(const ComputingScope&) = delete;
    ~ComputingScope() { plan_.set_computing(false); }

   private:
    Plan& plan_;
  };

  std::vector<ProgramStep> steps_;  ///< one step for consecutive copies between the same buffers
  std::vector<Copies> copies_;      ///< indexed by Operation::work of copy steps
  Rounds rounds_;
  std::vector<std::int64_t> buffer_bytes_;  ///< smallest sizes of the buffers
  schedule::Callbacks callbacks_;
  const schedule::Work* work_ = nullptr;  ///< callback of compute operations in the exchange in flight
  std::vector<std::span<std::byte>> buffers_;
  std::size_t next_step_ = 0;
  std::shared_ptr<const Progress> progress_;
  bool start_may_block_;                 ///< the start of a round may wait for other ranks
  std::vector<std::int32_t> in_flight_;  ///< indices of rounds that have started and not completed
  bool is_computing_ = false;            ///< progress has been resumed
  std::int64_t n_sent_ = 0, n_received_ = 0, sent_bytes_ = 0, received_bytes_ = 0;  ///< per exchange
  std::int64_t n_exchanges_ = 0;
  std::array<double, 5> times_s_{};  ///< indexed by Phase
  std::shared_ptr<Recorder> recorder_;
  std::int32_t first_part_ = 0, next_part_ = 0;  ///< numbers of the parts of an exchange in the recorder
};

}  // namespace halcyon::comm
