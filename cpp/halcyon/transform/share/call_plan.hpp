#pragma once

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/timer.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/extents.hpp"
#include "halcyon/transform/share/transpositions.hpp"

namespace halcyon::transform {

/// Wall times of transforms on this rank [s], and the messages that the rank sent.
struct Times {
  double fourier_s = 0;                     ///< Fourier transforms of rows
  double legendre_s = 0;                    ///< Legendre sums; on a plane, transforms of columns along y
  double exchange_s = 0;                    ///< starts and waits of exchanges between ranks
  std::int64_t n_sent = 0, sent_bytes = 0;  ///< number of sent messages, and their total size

  Times& operator+=(const Times& other) {
    fourier_s += other.fourier_s, legendre_s += other.legendre_s, exchange_s += other.exchange_s;
    n_sent += other.n_sent, sent_bytes += other.sent_bytes;
    return *this;
  }
  Times operator-(const Times& other) const {
    return {fourier_s - other.fourier_s, legendre_s - other.legendre_s, exchange_s - other.exchange_s,
            n_sent - other.n_sent, sent_bytes - other.sent_bytes};
  }
};

/// Settings of the exchanges between ranks that share a transform; results do not depend on these settings.
struct ExchangeSettings {
  schedule::AlltoallMethod algorithm{schedule::AlltoallAlgorithm::burst};
  comm::Method method = comm::method_named("isend_irecv");
  std::shared_ptr<const comm::Progress> progress{};
  int groups = 1;  ///< groups of fields per component that are exchanged separately, at most one per field
  int ahead = 1;   ///< groups in flight while one group is computed; 0: exchanges block
};

/// The caller's arrays of a call.
template <class Real>
struct BasicArrays {
  std::vector<Real*> values;  ///< (component) values of all fields at the rank's points, (field, point)
  std::vector<std::complex<Real>*> spectra;  ///< (array) coefficients of this rank, (field, coefficient)
};

/// Task of a stage: one batch of fields of one component. A synthesis converts coefficients to blocks of
/// Fourier coefficients (extents.hpp) and then to values; an analysis does the reverse.
template <class Real>
struct BasicStageTask {
  bool meridional;  ///< true: meridional stage (coefficients and blocks); false: zonal stage (blocks and
                    ///< values)
  int component;
  Batch batch;
  Real* blocks;  ///< blocks of the group: at this rank's wavenumbers (meridional) or rows (zonal)
  std::vector<std::complex<Real>*> spectra{};  ///< (array) coefficients of the batch: (field, coefficient)
  std::vector<Part<Real>> parts{};             ///< (v) parts of the values of the batch
};

/// The reusable plan of one kind of call on one rank: the pipeline of stages, the exchange, and the locations
/// of each group in memory. A single rank has no exchange: both stages of a group use the same panels.
template <class Real>
class BasicCallPlan {
 public:
  using Arrays = BasicArrays<Real>;
  using Buffer = BasicBuffer<Real>;
  using StageTask = BasicStageTask<Real>;
  using StageWork = std::function<void(const StageTask& task)>;  ///< the computation of a task
  using Complex = std::complex<Real>;

  /// Collective if ranks share the transform.
  /// @param max_batch maximum number of fields that are computed together
  /// @param comm empty for a single rank
  BasicCallPlan(const CallLayout& layout, int max_batch, const std::optional<comm::Communicator>& comm,
                const ExchangeSettings& settings);
  BasicCallPlan(const BasicCallPlan&) = delete;
  BasicCallPlan& operator=(const BasicCallPlan&) = delete;

  /// Collective. Calls work(task) for the tasks of both stages, between the exchanges, up to the first wait
  /// for messages; on a single rank, for all tasks. The previous call must have finished.
  /// @param memory working memory, which grows as needed, and which no other call uses until `finish`
  void start(Arrays arrays, Buffer& memory, StageWork work);
  /// Collective. Completes the started call.
  void finish();
  /// Continues the started call up to the first wait for messages that have not arrived.
  void advance() {
    if (pending_) pending_->advance();
  }
  /// Calls work(task) for all tasks of both stages, without exchanges, for measurements.
  void compute(Arrays arrays, Buffer& memory, StageWork work);

  /// Progresses messages by polling, at most once per polling interval, however often it is called.
  void progress();
  comm::Statistics statistics() const { return exchange_ ? exchange_->statistics() : comm::Statistics{}; }
  Times times() const {
    const auto exchanged = statistics();
    return {zonal_s_, meridional_s_, exchanged.total_s(), exchanged.n_sent, exchanged.sent_bytes};
  }

 private:
  /// Location of a buffer of the pipeline.
  struct BufferSlot {
    std::int32_t component = -1;  ///< component whose values are the buffer; -1: the buffer is in the memory
    std::size_t offset = 0, size = 0;  ///< [numbers] in the memory
  };
  struct CallData {
    Arrays arrays;
    Real* memory = nullptr;
    StageWork work;
  };

  enum class Copy { to_messages, from_messages };  ///< coefficients are copied to or from message buffers

  void lay_out_stage(const schedule::Pipeline& exchange_pipeline, int stage, int ahead);
  int n_slots(int stage, int buffer, int ahead) const;
  void copy_caller_coefficients(Copy direction) const;
  void copy_complete_coefficients(int group, Copy direction) const;
  /// Whether a computation belongs to the meridional stage. Computations are numbered by stage and group: 0
  /// .. n_groups - 1 belong to the first stage, n_groups .. 2 n_groups - 1 to the second.
  bool is_meridional(std::int32_t index) const { return (index < layout_.n_groups()) == synthesises(); }
  std::vector<StageTask> tasks(std::int32_t index) const;
  void compute_stage(std::int32_t index);
  int padded_fields(int n_fields) const;
  Real* buffer_data(int stage, int group, int buffer) const;
  std::vector<Complex*> spectra(const Batch& batch, int first) const;
  std::vector<Part<Real>> parts(const Batch& batch, int group, int first) const;
  bool synthesises() const { return layout_.direction == Direction::synthesis; }

  CallLayout layout_;
  int max_batch_;
  int v_ = 0, w_ = 0;
  std::size_t n_points_, n_coefficients_;  ///< per field: points of this rank, coefficients of its W set
  std::unique_ptr<comm::Exchange> exchange_;
  std::vector<BufferSlot> slots_;                           ///< (buffer of the pipeline)
  std::array<std::vector<std::int32_t>, 3> first_buffers_;  ///< (stage, group) index in the pipeline
  std::size_t size_ = 0;            ///< numbers of memory; begins with the panels if they are not exchanged
  std::size_t spectra_offset_ = 0;  ///< [numbers] where the memory holds the complete coefficients of a group
  std::chrono::steady_clock::time_point last_poll_{};
  double zonal_s_ = 0, meridional_s_ = 0;
  CallData call_;  ///< the started or the last call
  const schedule::Work stage_work_ = [this](std::int32_t index) { compute_stage(index); };
  std::optional<comm::PendingExchange> pending_;  ///< last, so that it is destroyed first
};
using Arrays = BasicArrays<double>;
using StageTask = BasicStageTask<double>;
using CallPlan = BasicCallPlan<double>;

}  // namespace halcyon::transform
