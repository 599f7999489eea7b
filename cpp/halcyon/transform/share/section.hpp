#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// What transforms took of this rank, wall times [s], and what they sent.
struct Times {
  double fourier_s = 0;   ///< of rows
  double legendre_s = 0;  ///< of sums over n or latitudes; on a plane of columns along y
  double exchange_s = 0;
  std::int64_t n_sent = 0, sent_bytes = 0;  ///< messages, and what is in them

  Times& operator+=(const Times& more) {
    fourier_s += more.fourier_s, legendre_s += more.legendre_s, exchange_s += more.exchange_s;
    n_sent += more.n_sent, sent_bytes += more.sent_bytes;
    return *this;
  }
  Times operator-(const Times& less) const {
    return {fourier_s - less.fourier_s, legendre_s - less.legendre_s, exchange_s - less.exchange_s,
            n_sent - less.n_sent, sent_bytes - less.sent_bytes};
  }
};

/// How ranks that share a transform exchange: no result depends on it.
struct Communication {
  schedule::AlltoallBy by{schedule::AlltoallAlgorithm::burst};
  comm::Method method = comm::method_named("isend_irecv");
  std::shared_ptr<const comm::Progress> progress{};
  int groups = 1;  ///< that the fields of each component travel in, at most one a field
  int ahead = 1;   ///< groups that come to a stage while one is worked on; 0: none, so that nothing hides
};

/// The arrays of a call: where each lies.
struct Arrays {
  std::span<double* const> values;    ///< (component) of all fields at the rank's points, (field, point)
  std::span<Complex* const> spectra;  ///< (array) of what the rank holds, (field, coefficient)
};

/// Fields of one of a call's arrays that are computed together in a stage: from coefficients to values, or
/// back, as the call goes.
struct Piece {
  bool meridional;  ///< the stage: between coefficients and blocks; else between these and values
  int component;
  Batch batch;
  double* blocks;                   ///< of the group: panels of the rank's wavenumbers, or those of its rows
  std::vector<Complex*> spectra{};  ///< (array), where coefficients of the piece are: (field, coefficient)
  std::vector<Part<double>> parts{};  ///< (v) of its values
};

/// The stages of a call on one rank, ready to be run again and again: a pipeline, its exchange and where in
/// memory each group lies. One rank exchanges nothing: its stages work one after the other in the same
/// panels.
class Section {
 public:
  /// Collective where ranks share the transform.
  /// @param batch fields that are computed together, at most  @param comm none for one rank alone
  Section(const Passage& passage, int batch, const std::optional<comm::Communicator>& comm,
          const Communication& how);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  /// Collective.
  /// @param memory for what travels  @param work on a piece
  template <class Work>
  void run(const Arrays& arrays, Buffer& memory, const Work& work) {
    if (!exchange_) return compute(arrays, memory, work);
    const Call call{arrays, memory.reserve(size_)};
    exchange(call, [&](std::int32_t number) { work_on(number, call, work); });
  }
  /// The work alone, without what comes before it: for measurements.
  template <class Work>
  void compute(const Arrays& arrays, Buffer& memory, const Work& work) {
    const Call call{arrays, memory.reserve(size_)};
    const int n = passage_.n_groups();
    for (int g = 0; g < n; ++g) work_on(g, call, work), work_on(n + g, call, work);
  }

  /// For work to call between its pieces: gives MPI a turn, where progress is by polls, if the last one was a
  /// nap of a progress thread ago.
  void progress();
  comm::Statistics statistics() const { return exchange_ ? exchange_->statistics() : comm::Statistics{}; }
  /// Of all runs.
  Times times() const {
    const auto exchanged = statistics();
    return {zonal_s_, meridional_s_, exchanged.total_s(), exchanged.n_sent, exchanged.sent_bytes};
  }

 private:
  struct Slot {
    std::int32_t component = -1;  ///< whose values these are; else a place in memory
    std::size_t offset = 0, size = 0;
  };
  struct Call {
    Arrays arrays;
    double* memory;
  };

  enum class Copy { there, back };  ///< of coefficients, to what travels or from it

  void take_stage(const schedule::Pipeline& moves, int stage, int ahead);
  int n_slots(int stage, int buffer, int ahead) const;
  void exchange(const Call& call, const schedule::Work& work);
  void copy_columns(const Call& call, Copy way) const;
  void copy_fields(const Call& call, int group, Copy way) const;
  /// Whether the work of a number is of the meridional stage: all work of the first stage that has any comes
  /// before that of the second.
  bool is_meridional(std::int32_t number) const { return (number < passage_.n_groups()) == synthesises(); }
  std::vector<Piece> pieces(std::int32_t number, const Call& call) const;
  template <class Work>
  void work_on(std::int32_t number, const Call& call, const Work& work) {
    const bool meridional = is_meridional(number), copies = meridional && passage_.moves_spectra();
    const ScopedTimer timer(meridional ? meridional_s_ : zonal_s_);
    const int group = number % passage_.n_groups();
    if (copies && synthesises()) copy_fields(call, group, Copy::back);
    for (const auto& piece : pieces(number, call)) work(piece);
    if (copies && !synthesises()) copy_fields(call, group, Copy::there);
  }
  int side_by_side(int n_fields) const;
  double* memory_at(const Call& call, int stage, int group, int buffer) const;
  std::vector<Complex*> spectra(const Call& call, const Batch& batch, int first) const;
  std::vector<Part<double>> parts(const Call& call, const Batch& batch, int group, int first) const;
  bool synthesises() const { return passage_.way == Way::synthesis; }

  Passage passage_;
  int batch_;
  int v_ = 0, w_ = 0;
  std::size_t n_points_, n_coefficients_;  ///< those of the rank's w
  std::unique_ptr<comm::Exchange> exchange_;
  std::vector<Slot> slots_;                                 ///< (buffer of the pipeline)
  std::array<std::vector<std::int32_t>, 3> first_buffers_;  ///< (stage, group)
  std::size_t size_ = 0;        ///< numbers of memory; panels that do not travel stand first
  std::size_t spectra_at_ = 0;  ///< where coefficients of a group stand in memory that came in parts
  std::chrono::steady_clock::time_point last_turn_{};
  double zonal_s_ = 0, meridional_s_ = 0;
};

}  // namespace halcyon::transform
