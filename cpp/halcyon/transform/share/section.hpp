#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/transform/fft/row.hpp"
#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/times.hpp"
#include "halcyon/transform/share/transpositions.hpp"
#include "halcyon/transform/sphere/derivatives.hpp"

namespace halcyon::transform {

/// How ranks that share a transform exchange: no result depends on it.
struct Communication {
  schedule::AlltoallBy by{schedule::AlltoallAlgorithm::burst};
  comm::Method method = comm::method_named("isend_irecv");
  std::shared_ptr<const comm::Progress> progress{};
  int groups = 1;  ///< that the fields of each component travel in, at most one a field
  int ahead = 1;   ///< groups that come to a stage while one is worked on; 0: none, so that nothing hides
};

/// Fields of one of a call's arrays that are computed together, and the first of them in its V set.
struct Piece {
  int component, first;
  Batch batch;
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

  /// Of arrays of fields: where each lies.
  using Values = std::span<double* const>;
  using Spectra = std::span<Complex* const>;

  struct Work {
    /// Between coefficients of the piece, (field, coefficient) of the rank's w, and the blocks of its group.
    std::function<void(const Piece&, Spectra spectra, double* panels)> meridional;
    /// Between the blocks of the rank's rows, of a group, and values of the piece, of which a part belongs
    /// to each v.
    std::function<void(const Piece&, double* blocks, std::span<const Part<double>> parts)> zonal;
  };
  /// Collective.
  /// @param values (component) of all fields at the rank's points, (field, point); an analysis reads them
  /// @param spectra (array) of what the rank holds, (field, coefficient); a synthesis reads them
  /// @param memory for what travels
  void run(Values values, Spectra spectra, const Work& work, Buffer& memory);
  /// The work alone, without what comes before it: for measurements.
  void compute(Values values, Spectra spectra, const Work& work, Buffer& memory);

  /// For work to call between its pieces: gives MPI a turn, where progress is by polls, if the last one was a
  /// nap of a progress thread ago.
  void progress();
  comm::Statistics statistics() const { return exchange_ ? exchange_->statistics() : comm::Statistics{}; }
  /// Of all runs.
  Times times() const {
    const auto exchanged = statistics();
    return {zonal_s_, meridional_s_, exchanged.total_s(), exchanged.n_sent, exchanged.sent_bytes};
  }
  std::string description() const { return exchange_ ? exchange_->description() : "none"; }

 private:
  struct Slot {
    std::int32_t component = -1;  ///< whose values these are; else a place in memory
    std::size_t offset = 0, size = 0;
  };

  enum class Copy { there, back };  ///< of coefficients, to what travels or from it

  void take_stage(const schedule::Pipeline& moves, int stage, int ahead);
  int n_slots(int stage, int buffer, int ahead) const;
  void set_out(Values values, Spectra spectra, const Work& work, Buffer& memory);
  void copy_columns(Copy way);
  void copy_fields(int group, Copy way);
  std::vector<Complex*> spectra(const Piece& piece) const;
  void work_on_piece(const Piece& piece, int group, bool meridional);
  void work_on(std::int32_t number);
  int side_by_side(int n_fields) const;
  double* memory_at(int stage, int group, int buffer) const;
  std::vector<Part<double>> parts(const Piece& piece, int group) const;
  bool synthesises() const { return passage_.way == Way::synthesis; }

  Passage passage_;
  int batch_;
  int v_ = 0, w_ = 0;
  std::size_t n_points_, n_coefficients_;  ///< those of the rank's w
  std::unique_ptr<comm::Exchange> exchange_;
  std::vector<Slot> slots_;                                 ///< (buffer of the pipeline)
  std::array<std::vector<std::int32_t>, 3> first_buffers_;  ///< (stage, group)
  std::size_t size_ = 0;  ///< numbers of memory; panels that do not travel stand first
  std::vector<std::span<std::byte>> spans_;
  std::size_t spectra_at_ = 0;  ///< where coefficients of a group stand in memory that came in parts
  double* memory_ = nullptr;
  Values values_;
  Spectra spectra_;
  const Work* work_ = nullptr;
  bool alone_ = false;
  std::chrono::steady_clock::time_point last_turn_{};
  double zonal_s_ = 0, meridional_s_ = 0;
};

}  // namespace halcyon::transform
